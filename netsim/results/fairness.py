"""How evenly pairs of endpoints share what is delivered: Jain's index (Jain, Chiu and Hawe, DEC-TR-301, 1984).

It is 1 if all get the same, and 1 / n if one of n gets everything. Who gets more may change from one iteration to the
next, and the means over them would hide that: the index is taken of each iteration, and these have a mean.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from statistics import fmean

from netsim.results.iteration import Iteration


def fairness(pairs: Collection[str], iterations: Sequence[Iteration]) -> float | None:
    """The mean of the iterations' indices, of pairs with these names. None if there is one pair, or nothing was
    delivered."""
    each = [[one.window.pairs.get(name, 0) for name in pairs] for one in iterations]
    found = [_jain(amounts) for amounts in each if any(amounts)]
    return fmean(found) if found and len(pairs) > 1 else None


def _jain(amounts: Sequence[int]) -> float:
    return sum(amounts) ** 2 / (len(amounts) * sum(amount**2 for amount in amounts))
