"""Numbers between two limits, from which samples are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netsim.errors import ScenarioError, show
from netsim.spec import Spec
from netsim.spec.field_types import quantity_at
from netsim.units import QUANTITIES, Exact, parse


def check_form(address: str, ends: object) -> None:
    """Raises ScenarioError unless `ends` are two."""
    if isinstance(ends, str) or not isinstance(ends, Sequence) or len(ends) != 2:
        raise ScenarioError(f"{show(ends)} is not allowed; allowed: [lowest, highest]", address=address)


@dataclass(frozen=True)
class Limits:
    """The numbers from `low` to `high` (base units), at an address; `logarithmic` if as many lie between 1 and 2 as
    between 2 and 4."""

    address: str
    quantity: str
    low: float
    high: float
    logarithmic: bool = False

    @classmethod
    def of(cls, scenario: Spec, address: str, ends: Sequence[object]) -> Limits:
        """Between two ends as a user writes them. Raises ScenarioError."""
        quantity = quantity_at(scenario, address)
        if not quantity:
            raise ScenarioError("not a number; allowed: the address of one", address=address)
        check_form(address, ends)
        try:
            low, high = (parse(quantity, end) for end in ends)
        except ScenarioError as error:
            raise error.at(address) from None
        if low >= high:
            text = f"{show(ends[0])} is not below {show(ends[1])}; allowed: [lowest, highest]"
            raise ScenarioError(text, address=address)
        return cls(address, quantity, low, high)

    def at(self, shares: NDArray[Any]) -> list[float]:
        """The numbers at these shares (from 0 to below 1) of the range, as a spec accepts them; unless `logarithmic`,
        whole numbers are equally likely."""
        low, high = self.low, self.high
        if self.logarithmic:
            numbers = [low * (high / low) ** share for share in shares.tolist()]
            return [Exact(round(one)) for one in numbers] if QUANTITIES[self.quantity].whole else numbers
        if not QUANTITIES[self.quantity].whole:
            return [low + share * (high - low) for share in shares.tolist()]
        steps = int(high) - int(low) + 1
        return [Exact(int(low) + min(int(share * steps), steps - 1)) for share in shares.tolist()]


def uniform(method: str, dimensions: int, number: int, seed: int) -> NDArray[Any]:
    """Points in the unit cube, a row each, by one of netsim.explore.METHODS."""
    from scipy.stats import qmc  # here, because it takes a third of a second

    rng = np.random.default_rng(seed)
    sampler = qmc.Sobol if method == "sobol" else qmc.LatinHypercube
    return sampler(dimensions, rng=rng).random(number)
