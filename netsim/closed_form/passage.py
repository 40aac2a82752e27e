"""A frame's passage from one process to another: the work of every step at either end, written down once.

Streams add up what passages take of each resource (load), messages how long they take one after the other (message).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from netsim.closed_form.outline import handed_over
from netsim.ethernet import Frame
from netsim.machine import HostSpec, Port, Work
from netsim.stack.socket import WITHIN
from netsim.stack.tcp_costs import TcpCosts

Ports = tuple[int, int]  # the sending end's, and the taking end's


class Passage(NamedTuple):
    """`frame` as it is handed to the card, which may make several of it; what has it `sent`, up to where the card may
    begin; and at the other end, for each that the card makes, what its protocols do when it `arrives`, and the process
    that `reads` it. The drivers' own work follows from the frame (`received`, `finished`). Of what is done at this end
    `written` is inside the process's call whatever happens."""

    frame: Frame
    sent: tuple[Work, ...]
    arrives: tuple[Work, ...] = ()
    reads: tuple[Work, ...] = ()
    written: tuple[Work, ...] = ()


Runs = Sequence[tuple[int, Passage]]  # how many of each follow each other


def with_calls(runs: Runs, first: tuple[Work, ...] = (), last: tuple[Work, ...] = ()) -> Runs:
    """`runs` of passages of which the very first one is also sent by the works `first`, and the very last one also read
    by `last`."""
    (count, one), *behind = runs
    begun = [(1, one._replace(sent=(*first, *one.sent))), (count - 1, one), *behind]
    *ahead, (count, one) = [run for run in begun if run[0]]
    ended = [*ahead, (count - 1, one), (1, one._replace(reads=(*one.reads, *last)))]
    return [run for run in ended if run[0]]


def tcp_data(sending: TcpCosts, taking: TcpCosts, length: int, segments: int = 1, ports: Ports = (0, 0)) -> Passage:
    """`segments` at once with `length` bytes each, written and read within longer calls."""
    (out, into), whole = ports, segments * length
    return Passage(
        handed_over(sending, taking, length, segments),
        (sending.write_and_send(whole, whole, out, WITHIN),),
        (taking.arrival(length, into),),
        (taking.read(length, taking.place(sending.host.frame_size(length), into), WITHIN),),
        (sending.write(whole, WITHIN),),
    )


def tcp_ack(sending: TcpCosts, taking: TcpCosts, ports: Ports = (0, 0)) -> Passage:
    """An acknowledgement from the taker of data to its sender, by the ports that data would take."""
    into, out = ports
    return Passage(handed_over(taking, sending, 0), (taking.segment(0, out),), (sending.arrival(0, into),))


def received(host: HostSpec, port: Port, frame: Frame) -> Work:
    """The driver takes a frame from the card. The interrupt may have been for another frame, so it is left out."""
    return port.bill_receive(host.bill(), frame.buffer, frame.decipher > 0).work()


def finished(host: HostSpec, port: Port, frame: Frame) -> tuple[Work, Work]:
    """The driver moves what is left of a frame that the card has begun to send, and takes back its buffer."""
    return port.bill_rest(host.bill(), frame.buffer).work(), port.bill_free(host.bill(), 1).work()
