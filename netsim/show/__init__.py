"""What results, bounds, specs and sweeps look like: text, HTML and pictures."""
