"""How a bridge on a PCI-X bus splits the reads of its cards.

It ends a read's transaction with a Split Response, and when memory has answered begins its own, one or more Split
Completions: each of them ends at a multiple of 128 bytes, an allowable disconnect boundary (PCI-X 1.0a, chapter 2).
"""

from __future__ import annotations

from typing import Self

from pydantic import model_validator

from netsim.errors import ScenarioError
from netsim.spec import Spec
from netsim.units import Clocks, Count, PositiveBytes

ADB = 128  # bytes from one allowable disconnect boundary to the next
LONGEST = 4096  # bytes of a sequence: the attributes have 12 bits for them
_SLOWEST = 3  # clocks of the target response: decode speeds A, B and C


class SplitSpec(Spec):
    """A bridge that splits reads. It claims a transaction after `decode` clocks (1 is decode A), has up to
    `outstanding` reads of a card under way, and completes them in transactions of up to `completion` bytes."""

    decode: Clocks
    completion: PositiveBytes
    outstanding: Count

    @model_validator(mode="after")
    def _at_boundaries(self) -> Self:
        """It disconnects where the standard allows, and claims as fast as the standard requires."""
        if self.completion % ADB or self.completion > LONGEST:
            text = f"{self.completion} B do not end at a disconnect boundary; allowed: multiples of {ADB} B"
            raise ScenarioError(f"{text} up to {LONGEST} B", address="completion")
        if not 1 <= self.decode <= _SLOWEST:
            text = f"{self.decode} is not a decode speed of PCI-X; allowed: 1 (A), 2 (B), 3 (C)"
            raise ScenarioError(text, address="decode")
        return self
