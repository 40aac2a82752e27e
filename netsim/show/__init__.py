"""The presentation of results, bounds, specs and sweeps: text, HTML and pictures."""

from netsim.lazy import modules_of

__getattr__ = modules_of(__name__)
