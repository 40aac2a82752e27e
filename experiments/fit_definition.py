"""What a fit is: parameters with their physics, and the rows that may speak."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from netsim.calibration import Parameter


@dataclass(frozen=True)
class Fit:
    """`parameters` are fitted together to `rows` (by id). `limit`: simulated time of an iteration, at the most. Without
    the `closed_form` the search begins with simulations: where that form is dear, and says little."""

    name: str
    about: str
    parameters: Sequence[Parameter]
    rows: Sequence[str]
    limit: str = "0.3 s"
    closed_form: bool = True
