"""What it costs one system to open and to close TCP connections."""

from __future__ import annotations

from netsim.spec import Spec
from netsim.units import Cycles, Interval


class TcpConnectionSpec(Spec):
    """Cycles beside those of a system call, and of a segment sent or received: to make a socket (`socket_cycles`), give
    it a port (`bind_cycles`) and find the way to the peer (`connect_cycles`); to take a SYN in (`request_cycles`), make
    a socket of what that became when it is acknowledged (`child_cycles`), and hand it to a process (`accept_cycles`);
    to close it (`close_cycles`), and to take the peer's FIN in, with what is kept for TIME-WAIT (`finish_cycles`). A
    SYN that is not answered is sent again after `syn_timeout`."""

    socket_cycles: Cycles
    bind_cycles: Cycles
    connect_cycles: Cycles
    request_cycles: Cycles
    child_cycles: Cycles
    accept_cycles: Cycles
    close_cycles: Cycles
    finish_cycles: Cycles
    syn_timeout: Interval
