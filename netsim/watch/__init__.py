"""What a watched run reports: parts that behave like those they replace, and report it."""
