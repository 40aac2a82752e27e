"""Resources: what they have done in a run (Accounts), and what they need at the least (Bounds)."""

from netsim.accounts.accounts import Accounts
from netsim.accounts.bounds import Bounds
from netsim.accounts.resource import Place, Resource

__all__ = ["Accounts", "Bounds", "Place", "Resource"]
