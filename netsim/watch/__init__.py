"""What a watched run tells: parts that do the same as those they stand in for, and say so."""
