"""Truncated binary exponential backoff (IEEE 802.3, 4.2.3.2.5)."""

from __future__ import annotations

from typing import Final

from mypy_extensions import mypyc_attr

from netsim.engine import Environment
from netsim.ethernet.segment_spec import ATTEMPT_LIMIT, BACKOFF_LIMIT

DRAWS: Final = 256  # at a time: a call costs as much as about 150 draws
RANGES: Final = [1 << min(attempts, BACKOFF_LIMIT) for attempts in range(ATTEMPT_LIMIT)]


@mypyc_attr(allow_interpreted_subclasses=True)
class Backoff:
    """One station's backoff: the slot times it waits before its next attempt. `name` names its random stream."""

    __slots__ = ("_draws", "_stream")

    def __init__(self, env: Environment, name: str) -> None:
        self._stream = env.stream(name)
        self._draws: list[int] = []  # the next one last

    def slots(self, attempts: int) -> int:
        """After this many attempts: 0 to 2^k - 1, k = min(attempts, 10), each equally likely."""
        if not self._draws:
            self._draws = self._stream.integers(0, 1 << BACKOFF_LIMIT, DRAWS).tolist()[::-1]
        return self._draws.pop() % RANGES[attempts]
