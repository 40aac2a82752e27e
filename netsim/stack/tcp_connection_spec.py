"""The costs of opening and closing TCP connections on one system."""

from __future__ import annotations

from netsim.spec import Spec
from netsim.units import Cycles, Interval


class TcpConnectionSpec(Spec):
    """Cycles in addition to those of a system call, and of a segment sent or received: to make a socket
    (`socket_cycles`), give it a port (`bind_cycles`) and find the route to the peer (`connect_cycles`); to process a
    SYN (`request_cycles`), make a socket from the request once it is acknowledged (`child_cycles`), and hand it to a
    process (`accept_cycles`); to close it (`close_cycles`), and to process the peer's FIN, including the TIME-WAIT
    state (`finish_cycles`). An unanswered SYN is sent again after `syn_timeout` (ps)."""

    socket_cycles: Cycles
    bind_cycles: Cycles
    connect_cycles: Cycles
    request_cycles: Cycles
    child_cycles: Cycles
    accept_cycles: Cycles
    close_cycles: Cycles
    finish_cycles: Cycles
    syn_timeout: Interval
