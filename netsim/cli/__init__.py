"""The command line."""

from netsim.cli.program import main

__all__ = ["main"]
