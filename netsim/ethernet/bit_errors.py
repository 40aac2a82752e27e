"""Frames lost to bit errors on the wire, for frames that are not events: the next one is drawn in advance."""

from __future__ import annotations

from math import expm1, log1p
from typing import final

import numpy as np


@final
class BitErrors:
    """Each bit of a frame of `size` bytes is received wrongly with the probability `rate`, and each frame with a wrong
    bit is lost (its FCS fails). The number of intact frames up to the next lost one is geometrically distributed."""

    def __init__(self, random: np.random.Generator, rate: float, size: int) -> None:
        self._random = random
        self._share = -expm1(8 * size * log1p(-rate)) if rate < 1 else 1.0
        self._intact = self._drawn()  # frames before the next lost one
        self.lost = 0

    def _drawn(self) -> int:
        return int(self._random.geometric(self._share)) - 1

    def intact(self, frames: int) -> list[tuple[int, int]]:
        """The runs of intact frames among the next n: the place of the first one (from 0), and their number."""
        runs: list[tuple[int, int]] = []
        at = 0
        while at < frames:
            some = min(self._intact, frames - at)
            if some:
                runs.append((at, some))
            self._intact -= some
            at += some
            if at < frames:
                self.lost += 1
                at += 1
                self._intact = self._drawn()
        return runs
