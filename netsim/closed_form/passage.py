"""A frame's passage from one process to another: the work of every step at either end, written down once.

Streams add up the demand of passages on each resource (load), messages their times in succession (message).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from netsim.closed_form.outline import handed_over
from netsim.ethernet import Frame
from netsim.machine import HostSpec, Port, Work
from netsim.stack.socket import WITHIN
from netsim.stack.tcp_costs import TcpCosts

Ports = tuple[int, int]  # of the sending end, and of the receiving end


class Passage(NamedTuple):
    """`frame` is what the card is handed, which may make several frames of it; `sent` is the work up to the point where
    the card may begin; `arrives` and `reads` are the work of the protocols and of the process at the other end, for
    each frame that the card makes. The drivers' work follows from the frame (`received`, `finished`). `written` is the
    part of the work at this end that is always inside the process's call."""

    frame: Frame
    sent: tuple[Work, ...]
    arrives: tuple[Work, ...] = ()
    reads: tuple[Work, ...] = ()
    written: tuple[Work, ...] = ()


Runs = Sequence[tuple[int, Passage]]  # numbers of consecutive passages


def with_calls(runs: Runs, first: tuple[Work, ...] = (), last: tuple[Work, ...] = ()) -> Runs:
    """`runs` of passages, with the works `first` added to the sending of the first passage, and `last` to the reading
    of the last one."""
    (count, one), *behind = runs
    begun = [(1, one._replace(sent=(*first, *one.sent))), (count - 1, one), *behind]
    *ahead, (count, one) = [run for run in begun if run[0]]
    ended = [*ahead, (count - 1, one), (1, one._replace(reads=(*one.reads, *last)))]
    return [run for run in ended if run[0]]


def tcp_data(sending: TcpCosts, taking: TcpCosts, length: int, segments: int = 1, ports: Ports = (0, 0)) -> Passage:
    """`segments` segments of `length` bytes sent at once, written and read within longer calls."""
    (out, into), whole = ports, segments * length
    return Passage(
        handed_over(sending, taking, length, segments),
        (sending.write_and_send(whole, whole, out, WITHIN),),
        (taking.arrival(length, into),),
        (taking.read(length, taking.place(sending.host.frame_size(length), into), WITHIN),),
        (sending.write(whole, WITHIN),),
    )


def tcp_ack(sending: TcpCosts, taking: TcpCosts, ports: Ports = (0, 0)) -> Passage:
    """An acknowledgement from the receiver of data to its sender, over the ports that data would take."""
    into, out = ports
    return Passage(handed_over(taking, sending, 0), (taking.segment(0, out),), (sending.arrival(0, into),))


def received(host: HostSpec, port: Port, frame: Frame) -> Work:
    """The driver takes a frame from the card. The interrupt is left out, because it may be for another frame."""
    return port.bill_receive(host.bill(), frame.buffer, frame.decipher > 0).work()


def finished(host: HostSpec, port: Port, frame: Frame) -> tuple[Work, Work]:
    """The driver moves the rest of a frame that the card has begun to send, and takes back its buffer."""
    return port.bill_rest(host.bill(), frame.buffer).work(), port.bill_free(host.bill(), 1).work()
