"""The clock, the event list, random streams; populations and transactions, counted by Little's law."""

from netsim.engine.environment import Entry, Environment, Idle, Timer
from netsim.engine.population import Population
from netsim.engine.transactions import Mix, Transactions

__all__ = [
    "Entry",
    "Environment",
    "Idle",
    "Mix",
    "Population",
    "Timer",
    "Transactions",
]
