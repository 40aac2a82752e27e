"""A report: its rows, what it says about them, and what else is simulated for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from experiments.comparison import Claim
from experiments.computed import Computed
from experiments.figure import Figure
from experiments.miss import Misses
from experiments.row import Row
from experiments.statement import Statement
from experiments.study import Study


def _nothing() -> tuple[()]:
    return ()


@dataclass(frozen=True)
class Report:
    """`rows` are measured, `misses` says why some are beyond their tolerance, `figures` are the report's own.
    `comparisons` and `statements` are what it says of its rows and of its curves; `curves`, which statements are about,
    are simulated as thoroughly as rows, `studies` as a picture needs it. `computed` is what it computes."""

    name: str
    title: str
    rows: Callable[[], list[Row]]
    misses: Misses = ()
    figures: Callable[[], Sequence[Figure]] = _nothing
    comparisons: Callable[[], Sequence[Claim]] = _nothing
    curves: Sequence[Callable[[], Study]] = ()
    statements: Callable[[], Sequence[Statement]] = _nothing
    computed: Callable[[], Sequence[Computed]] = _nothing
    studies: Sequence[Callable[[], Study]] = ()
