"""The costs of a kernel's UDP on a current host, in addition to those that it shares with TCP."""

from __future__ import annotations

from netsim.spec import Spec
from netsim.units import Cycles


class DatagramCostsSpec(Spec):
    """Cycles for each datagram: that is sent, from the call through UDP and IP to the queueing discipline
    (`send_cycles`); that is received, from IP into the socket's queue (`receive_cycles`); that is read, from the
    socket's queue to the call's end (`read_cycles`). The call itself, structures, locks, the copy, and what lies below
    cost what they do for TCP."""

    send_cycles: Cycles
    receive_cycles: Cycles
    read_cycles: Cycles
