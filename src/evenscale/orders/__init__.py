"""Orders on runs: which of two runs is better, whatever a measure says, and what kind of scale a measure is on them."""
