"""Results made visible: charts and sketches. Nothing is computed here."""
