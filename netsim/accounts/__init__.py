"""Resources: their use in a run (Accounts), and the least time that they need (Bounds)."""

from netsim.accounts.accounts import Accounts
from netsim.accounts.bounds import Bounds
from netsim.accounts.resource import DropPlace, Resource

__all__ = ["Accounts", "Bounds", "DropPlace", "Resource"]
