"""The order of rows, measured and simulated: rank correlation, and the pairs that swap places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from experiments.run import Outcome

LEAST = 4  # rows: with fewer, a rank correlation means little
APART = 0.02  # relative: measured values closer than that have no order


@dataclass(frozen=True)
class Ranking:
    """Rows of one quantity that are listed together; `correlation` is Spearman's between measured and simulated."""

    name: str
    outcomes: Sequence[Outcome]

    @property
    def correlation(self) -> float:
        """1 for the same order, -1 for the opposite one."""
        from scipy.stats import spearmanr  # here, because it takes half a second

        measured, simulated = [one.row.measured for one in self.outcomes], [one.simulated for one in self.outcomes]
        return float(spearmanr(measured, simulated).statistic)

    @property
    def inverted(self) -> list[tuple[Outcome, Outcome]]:
        """Pairs measured more than 2 % apart, the better first, that the simulation orders the other way round."""
        return [
            (better, worse)
            for one, other in combinations(self.outcomes, 2)
            for better, worse in [sorted((one, other), key=lambda outcome: -outcome.row.measured)]
            if better.row.measured > (1 + APART) * worse.row.measured and better.simulated < worse.simulated
        ]


def rankings(outcomes: Sequence[Outcome]) -> list[Ranking]:
    """A ranking for each quantity of each group that has an order: cards under one load, loads on one card."""
    found: dict[tuple[str, str, str], list[Outcome]] = {}
    for one in outcomes:
        found.setdefault((one.row.report, one.row.group, one.row.quantity), []).append(one)
    return [
        Ranking(f"{report}: {group}, {quantity}", rows)
        for (report, group, quantity), rows in found.items()
        if len(rows) >= LEAST and len({one.row.measured for one in rows}) > 1
    ]
