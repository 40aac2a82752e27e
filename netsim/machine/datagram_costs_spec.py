"""The costs of a kernel's UDP on a current host, in addition to those shared with TCP."""

from __future__ import annotations

from netsim.spec import Spec
from netsim.units import Cycles


class DatagramCostsSpec(Spec):
    """Cycles for each datagram: to send it, from the call through UDP and IP to the queueing discipline
    (`send_cycles`); to receive it, from IP into the socket's queue (`receive_cycles`); to read it, from the socket's
    queue to the end of the call (`read_cycles`). The call itself, structures, locks, the copy and the layers below cost
    the same as for TCP."""

    send_cycles: Cycles
    receive_cycles: Cycles
    read_cycles: Cycles
