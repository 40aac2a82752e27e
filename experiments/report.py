"""A report: its rows, its claims about them, and further simulations for it."""

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
    """`rows` are measured, `misses` says why some are outside their tolerance, `figures` are the report's own.
    `comparisons` and `statements` are its claims about rows and about curves. The `curves` of its statements are
    simulated as thoroughly as rows, `studies` only as precisely as a picture needs. `computed` is what it computes."""

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
