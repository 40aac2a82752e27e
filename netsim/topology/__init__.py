"""How hosts are connected."""

from netsim.lazy import modules_of

__getattr__ = modules_of(__name__)
