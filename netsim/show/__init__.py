"""The presentation of results, bounds, specs and sweeps: text, HTML and pictures."""
