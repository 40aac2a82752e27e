"""What NetBench's clients do with files: visits to one file after the other, each of some calls, reads and writes."""

from __future__ import annotations

from typing import Self

from pydantic import model_validator

from netsim.errors import ScenarioError
from netsim.spec import Spec
from netsim.units import Bytes, Cycles, Fraction, MessageBytes, NonNegativeCount, PositiveBytes, Ratio


class FileMixSpec(Spec):
    """A client visits one file after the other. A visit makes `calls` that move no data (open, close, search,
    attributes), and then goes through the whole file, of `file_size` bytes, from its beginning to its end: a share
    `writes` of the visits write, the others read. The bytes per request are one of `sizes`, weighted by `size_weights`.

    A share of visits `shared` goes to files that all clients use, of which there are `shared_bytes`; all others to the
    client's own. Some files are used more often than others: the k-th most popular one k ** -`popularity` times as
    often as the first (Zipf's law).

    `call` and `call_reply` are a call's bytes behind the protocol's own headers. A client takes `client_cycles` from
    one reply to its next request.
    """

    catalogue = "file-mixes"

    calls: NonNegativeCount
    writes: Fraction
    sizes: tuple[MessageBytes, ...]
    size_weights: tuple[Ratio, ...]
    file_size: PositiveBytes
    shared: Fraction
    shared_bytes: Bytes
    popularity: Ratio
    call: Bytes
    call_reply: Bytes
    client_cycles: Cycles

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        """There is a weight for each size; visits to shared files find some."""
        if len(self.sizes) != len(self.size_weights) or not sum(self.size_weights):
            text = f"{len(self.size_weights)} weights for {len(self.sizes)} sizes; allowed: one for each, not all 0"
            raise ScenarioError(text, address="size_weights")
        if self.shared and self.shared_bytes < self.file_size:
            text = f"{self.shared_bytes} bytes are no file of {self.file_size}; allowed: at least one"
            raise ScenarioError(text, address="shared_bytes")
        return self
