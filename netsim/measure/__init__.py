"""How long a run is simulated, and what is measured in it."""

from netsim.lazy import modules_of

__getattr__ = modules_of(__name__)
