"""NetPIPE 2.x: a message goes back and forth, size by size, over TCP (NPtcp) or over a message-passing library (NPmpi).

The reported latency is half a round trip of the smallest message; the reported bandwidth is the largest quotient of a
size and half its round trip. Its "Mbps" are 2^20 bit/s (netsim.units.MEBIBIT); here everything is in bit/s. Source:
Snell, Mikler and Gustafson, "NetPIPE: a network protocol independent performance evaluator" (1996), and the program's
main loop.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import Field, model_validator

from netsim.accounts.bounds import Bounds
from netsim.closed_form.stream import tcp_bounds
from netsim.engine import Environment
from netsim.errors import ScenarioError, show
from netsim.stack import ComputerSpec, MpiSpec
from netsim.topology.cabling import AskedBuffer, check_windows
from netsim.topology.pair import RECEIVER, SENDER, Pair
from netsim.units import MIB, MS, Count, Fraction, MessageBytes, PositiveTime, total
from netsim.workload.netpipe.run import NetPipeRun


def schedule(largest: int = 8 * MIB) -> tuple[int, ...]:
    """NetPIPE's message sizes (bytes) up to `largest`, without its perturbations of 3 bytes below and above each: 1, 2,
    3, 4, 6, 8, 12, 16, 24 ..., the powers of 2 and one and a half times each."""
    powers = [1 << exponent for exponent in range(largest.bit_length())]
    return tuple(sorted(size for size in {*powers, *(3 * power for power in powers)} if size <= largest))


class NetPipe(Pair):
    """A NetPIPE test between `sender`, which begins, and `receiver`, which echoes.

    `mpi` is the library, such as "mpich-1.2.1" (None: NPtcp, directly over sockets); the sockets have TCP_NODELAY.
    `sizes` are the messages' bytes, ascending: by default NetPIPE's schedule without its perturbations of 3 bytes. Each
    size has `trials` trials of `trial_time` (ps), in which the message goes back and forth as often as fits, and the
    best trial counts; netsim.measure.series says which trials are simulated. The defaults are from memory (TRIALS and
    RUNTM of netpipe.h; the first differs between versions).

    Positional arguments: sender, receiver.
    """

    mpi: MpiSpec | None = None
    sizes: tuple[MessageBytes, ...] = schedule()
    trials: Count = 3
    trial_time: PositiveTime = 250 * MS
    min_iterations: Count = 1
    max_iterations: Count = 1
    confidence: Annotated[float, Field(gt=0, lt=1)] = 0.99
    interval: Fraction = 0.05

    if TYPE_CHECKING:  # type checkers would reject positional arguments and quantities as text

        def __init__(self, sender: Any = ..., receiver: Any = ..., **keys: Any) -> None: ...

    @property
    def label(self) -> str:
        return "NPtcp" if self.mpi is None else f"NPmpi {self.mpi.name}"

    def buffered(self) -> tuple[ComputerSpec, ComputerSpec]:
        """Sender and receiver with the socket buffers that the library requests."""
        if self.mpi is None:
            return self.sender, self.receiver
        return self.mpi.buffered(self.sender), self.mpi.buffered(self.receiver)

    @model_validator(mode="after")
    def _rising(self) -> Self:
        if not self.sizes or any(one >= next for one, next in pairwise(self.sizes)):
            text = f"{show(self.sizes)} is not allowed; allowed: at least one size, each larger than the one before"
            raise ScenarioError(text, address="sizes")
        return self

    @model_validator(mode="after")
    def _connected_so(self) -> Self:
        """The library's sockets offer windows that the connection can express."""
        if self.mpi is not None and self.mpi.socket_buffer:
            sender, receiver = self.buffered()
            asked = AskedBuffer("mpi.socket_buffer", self.mpi.socket_buffer)
            check_windows((SENDER, sender), (RECEIVER, receiver), self.mtu, asked)
        return self

    def bounds(self) -> Bounds:
        """Per full segment one way, whatever the `sizes`, as the mean of both directions: the ends take turns, so
        "sender" here is the end that is sending, and the wire to the receiver is the one that carries its data."""
        back = self.replace({"sender": self.receiver.answering(self.sender), "receiver": self.sender})
        there, again = tcp_bounds(self), tcp_bounds(back)
        per_byte = {  # hosts with several processors name more resources, which the other direction may not need
            name: total(way.demand.get(name, 0.0) / way.delivered for way in (there, again))
            for name in {**there.demand, **again.demand}
        }
        return Bounds({name: ps * there.delivered / 2 for name, ps in per_byte.items()}, there.delivered)

    def build(self, env: Environment) -> NetPipeRun:
        return NetPipeRun(env, self)
