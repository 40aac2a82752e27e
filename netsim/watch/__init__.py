"""Watched runs: their parts behave like those they replace, and report their work."""

from netsim.lazy import modules_of

__getattr__ = modules_of(__name__)
