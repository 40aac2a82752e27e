"""The closed form of a message: a small one's latency, every step once, in succession, with all parts idle; and a large
one's throughput, with the library's copies after it has come."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netsim.closed_form.way import Way
from netsim.stack import MpiSpec
from netsim.units import PS_PER_S

if TYPE_CHECKING:
    from netsim.workload.netpipe.tool import NetPipe


def least_half_round_trip(test: NetPipe, nbytes: int) -> float:
    """The least time (ps) of a message of `nbytes` that fits in one segment with a library's header, as the mean of
    both directions, except that an interrupt for a sent frame that coincides with one for a received frame shares its
    entry.
    """
    near, far = test.ends
    lone = test.mpi is None or not test.mpi.separate_header
    ways = (Way(*ends, test.medium, test.distance, test.switch, lone=lone) for ends in ((near, far), (far, near)))
    return sum(_message(way, test.mpi, nbytes) for way in ways) / 2


def most_throughput(test: NetPipe, stream: float) -> float:
    """The most throughput (bit/s) of the largest message where a stream has `stream` bit/s, as the mean of both
    directions: a library hands a message to the user when all of it has come, and nothing else happens meanwhile."""
    nbytes = max(test.sizes)
    handed = sum(test.mpi.bill_copies(end.bill(), nbytes).work().total for end in test.ends) / 2 if test.mpi else 0
    return nbytes * 8 / (nbytes * 8 / stream + handed / PS_PER_S)


def _message(way: Way, mpi: MpiSpec | None, nbytes: int) -> int:
    """The time (ps) from the call that sends a message until the call that receives it returns."""
    if mpi is None:
        written = way.written(nbytes, alone=True)  # each message acknowledges the one before
        return written + way.there(nbytes, acks=True) + way.read(nbytes, nbytes, slept=True)
    sending = mpi.bill_send(mpi.bill_pack(way.near.bill(), nbytes)).work().total
    copies = mpi.bill_copies(way.far.bill(), nbytes).work().total
    return sending + _framed(way, mpi, nbytes) + copies


def _framed(way: Way, mpi: MpiSpec, nbytes: int) -> int:
    """The time (ps) of a library's header and a message. A header in a separate segment travels and is processed while
    the message is written and follows: the longer of the two counts. The message needs no interrupt, because the
    header's handler may still be running."""
    header, body = mpi.header, mpi.packet + nbytes
    whole = header + body
    taking = mpi.bill_receive(way.far.bill(), way.far.system.kernel).work().total
    if not mpi.separate_header:
        reads = way.read(header, whole, slept=True) + taking + way.read(body, whole, slept=False)
        return way.written(whole, alone=True) + way.there(whole, acks=True) + reads
    ahead = way.there(header, acks=True) + way.read(header, header, slept=True) + taking
    behind = way.written(body) + way.there(body, interrupts=False)
    return way.written(header, alone=True) + max(ahead, behind) + way.read(body, body, slept=False)
