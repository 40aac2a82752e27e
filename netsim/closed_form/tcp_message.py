"""A message over TCP, from one process to another, in full segments; acknowledgements are left out."""

from __future__ import annotations

from netsim.closed_form.message import End, Message
from netsim.closed_form.passage import Passage, tcp_data, with_calls
from netsim.ethernet import SegmentSpec
from netsim.stack import ComputerSpec
from netsim.stack.call_costs import bill_call
from netsim.stack.socket import CALLED
from netsim.stack.tcp_costs import TcpCosts


def tcp_message(near: End, far: End, segment: SegmentSpec, distance: int, mtu: int, nbytes: int) -> Message:
    """A message of `nbytes`, written by one call and read by as few calls as possible."""
    assert isinstance(near.host, ComputerSpec)
    assert isinstance(far.host, ComputerSpec)
    sending, taking = TcpCosts(near.host, through=near.number), TcpCosts(far.host)
    ports = near.number, far.number

    def passage(length: int) -> Passage:
        return tcp_data(sending, taking, length, ports=ports)

    length = near.host.mss(mtu)
    full, rest = divmod(nbytes, length)
    runs = [(count, passage(size)) for count, size in ((full, length), (1, rest)) if count and size]
    call, last_call = (bill_call(end.host, CALLED).work() for end in (near, far))
    return Message(near, far, segment, distance, with_calls(runs, (call,), (last_call,)))
