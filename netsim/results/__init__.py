"""The results of a run."""
