"""What kind of scale a measure is, in words, with the runs that decide it."""
