"""The closed form of a small message's way: every step once, one after the other, with everything idle."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netsim.closed_form.way import Way
from netsim.stack import MpiSpec

if TYPE_CHECKING:
    from netsim.workload.netpipe.tool import NetPipe


def least_half_round_trip(test: NetPipe, nbytes: int) -> float:
    """ps of a message of `nbytes` that fits into one segment with a library's header, the mean of both ways, at the
    least; but an interrupt for a frame sent that falls together with a received one's lets them share an entry.
    """
    near, far = test.ends
    ways = (Way(*ends, test.medium, test.distance, test.switch) for ends in ((near, far), (far, near)))
    return sum(_message(way, test.mpi, nbytes) for way in ways) / 2


def _message(way: Way, mpi: MpiSpec | None, nbytes: int) -> int:
    """ps from the call that sends a message until the call that receives it returns."""
    if mpi is None:
        return way.written(nbytes) + way.there(nbytes) + way.read(nbytes, nbytes, slept=True)
    sending = mpi.bill_send(mpi.bill_pack(way.near.bill(), nbytes)).work().total
    copies = mpi.bill_copies(way.far.bill(), nbytes).work().total
    return sending + _framed(way, mpi, nbytes) + copies


def _framed(way: Way, mpi: MpiSpec, nbytes: int) -> int:
    """A library's header and a message. A header in a segment of its own is on its way, and is processed, while the
    message is written and follows: whichever takes longer counts. The header's handler may still be there for it."""
    header, body = mpi.header, mpi.packet + nbytes
    whole = header + body
    taking = mpi.bill_receive(way.far.bill(), way.far.system.kernel).work().total
    if not mpi.separate_header:
        reads = way.read(header, whole, slept=True) + taking + way.read(body, whole, slept=False)
        return way.written(whole) + way.there(whole) + reads
    ahead = way.there(header) + way.read(header, header, slept=True) + taking
    behind = way.written(body) + way.there(body, interrupts=False)
    return way.written(header) + max(ahead, behind) + way.read(body, body, slept=False)
