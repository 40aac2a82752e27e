"""Sums of everything that a run has done."""
