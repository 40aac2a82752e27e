"""How NetBench's clients use files: in successive visits, each with calls, reads and writes."""

from __future__ import annotations

from typing import Self

from pydantic import model_validator

from netsim.errors import ScenarioError
from netsim.spec import Spec
from netsim.units import Bytes, Cycles, Fraction, MessageBytes, NonNegativeCount, PositiveBytes, Ratio


class FileMixSpec(Spec):
    """A client visits files in succession. A visit makes `calls` that move no data (open, close, search, attributes),
    and then goes through the whole file of `file_size` bytes: a share `writes` of the visits write it, the others
    read it. The bytes per request are drawn from `sizes`, weighted by `size_weights`.

    A share `shared` of the visits goes to files used by all clients, `shared_bytes` in total; all others go to the
    client's own files. Popularity differs: the k-th most popular file is used k ** -`popularity` times as often as the
    first (Zipf's law).

    `call` and `call_reply` are the bytes of a call and of its reply after the protocol's headers. A client spends
    `client_cycles` between a reply and its next request.
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
        """There is a weight for each size, and shared files if visits go to them."""
        if len(self.sizes) != len(self.size_weights) or not sum(self.size_weights):
            text = f"{len(self.size_weights)} weights for {len(self.sizes)} sizes; allowed: one for each, not all 0"
            raise ScenarioError(text, address="size_weights")
        if self.shared and self.shared_bytes < self.file_size:
            text = f"{self.shared_bytes} bytes don't hold a file; allowed: {self.file_size} (file_size) or more"
            raise ScenarioError(text, address="shared_bytes")
        return self
