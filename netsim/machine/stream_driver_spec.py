"""A driver's costs of streams, in addition to those of each packet."""

from __future__ import annotations

from netsim.spec import Spec
from netsim.units import Cycles, Time


class StreamDriverSpec(Spec):
    """`refill_cycles` for each page of receive buffers that it gives to the adapter, `map_cycles` for each page of a
    packet to be sent that it maps for the adapter, and releases. The adapter waits `sent_interval` before it announces
    sent packets (tx-usecs)."""

    refill_cycles: Cycles
    map_cycles: Cycles
    sent_interval: Time
