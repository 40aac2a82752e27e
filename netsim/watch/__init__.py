"""Watched runs: their parts behave like those they replace, and report their work."""
