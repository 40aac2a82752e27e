"""NetIQ Chariot 3.x: files between a server and its clients, all pairs of endpoints at once, in aggregate.

FILESNDL and FILERCVL ("file send, long connection", "file receive, long connection") move a file of 100,000 bytes per
transaction in buffers of 32,767, each confirmed by the receiving end, over one connection; one script mirrors the
other. Chariot reports the files' payload of all pairs per second, over timing records of several transactions; here the
throughput is that of the reading processes in steady state. Starts are spread over several transactions.

A transaction's steps (SEND and RECEIVE, then CONFIRM_REQUEST at the sending end and CONFIRM_ACKNOWLEDGE at the other)
leave a pair's connection idle between the last segment of one file and the first of the next: for the last read, the
one byte of the confirmation, and both ends' wake-ups. Only another pair can hide this gap. Reports rarely give the
number of pairs: one is the minimum and the default; two to four are as credible.

Source: general knowledge of the scripts and their defaults (confidence: medium to high; the scripts' text was not
found). Not modelled: an endpoint's report of a timing record to the console, and the connection set-up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field

from netsim.accounts import Bounds
from netsim.engine import Environment
from netsim.topology.star import Star
from netsim.units import Count, Fraction, MessageBytes, Parts, PositiveTime, S
from netsim.workload.chariot.bounds import chariot_bounds
from netsim.workload.chariot.run import ChariotRun

_LABELS = {"download": "FILESNDL", "upload": "FILERCVL", "bidirectional": "FILESNDL + FILERCVL"}


class Chariot(Star):
    """A Chariot test. With `flow` "download" the server sends files (FILESNDL), with "upload" the clients do
    (FILERCVL), and with "bidirectional" both do at the same time. There are `pairs` of endpoints for each client and
    direction. `file_size`, the `buffer` of each call and the `confirmation` are in bytes. A timing record covers
    `transactions_per_record`. The result is the mean of three iterations of `duration` (ps), however much they differ.

    Positional arguments: flow, server, clients, switch.
    """

    positional: ClassVar[tuple[str, ...]] = ("flow", "server", "clients", "switch")

    flow: Literal["download", "upload", "bidirectional"]
    pairs: Parts = 1
    file_size: MessageBytes = 100_000
    buffer: MessageBytes = 32_767
    transactions_per_record: Count = 10
    confirmation: MessageBytes = 1
    duration: PositiveTime = 180 * S
    min_iterations: Count = 3
    max_iterations: Count = 3
    confidence: Annotated[float, Field(gt=0, lt=1)] = 0.99
    interval: Fraction = 0.05

    if TYPE_CHECKING:  # type checkers would reject positional arguments and quantities as text

        def __init__(
            self, flow: Any = ..., server: Any = ..., clients: Any = ..., switch: Any = ..., **keys: Any
        ) -> None: ...

    @property
    def label(self) -> str:
        return _LABELS[self.flow]

    @property
    def directions(self) -> tuple[str, ...]:
        """The directions in which files are sent."""
        return ("download", "upload") if self.flow == "bidirectional" else (self.flow,)

    def bounds(self) -> Bounds:
        return chariot_bounds(self)

    def build(self, env: Environment) -> ChariotRun:
        return ChariotRun(env, self)
