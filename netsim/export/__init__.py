"""A run as seen from outside: captures of its wires and timelines of its parts, for tools that read such files."""

from netsim.lazy import modules_of

__getattr__ = modules_of(__name__)
