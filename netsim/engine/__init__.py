"""The clock, the event list, random streams; populations and transactions, counted by Little's law."""

from netsim.engine.environment import FOREVER, Environment
from netsim.engine.meter import CountMeter, FunctionMeter, Meter, SumMeter
from netsim.engine.population import Population
from netsim.engine.queues import Calendar, Fifo, Planned, Serving
from netsim.engine.response_log import ResponseLog
from netsim.engine.timers import Idle, Timer
from netsim.engine.transactions import Mix, Transactions

__all__ = [
    "FOREVER",
    "Calendar",
    "CountMeter",
    "Environment",
    "Fifo",
    "FunctionMeter",
    "Idle",
    "Meter",
    "Mix",
    "Planned",
    "Population",
    "ResponseLog",
    "Serving",
    "SumMeter",
    "Timer",
    "Transactions",
]
