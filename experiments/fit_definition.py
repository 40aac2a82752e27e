"""What a fit is: parameters with their physics, and the rows that may speak."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from netsim.calibrate import Parameter


@dataclass(frozen=True)
class Fit:
    """`parameters` are fitted together to `rows` (by id)."""

    name: str
    about: str
    parameters: Sequence[Parameter]
    rows: Sequence[str]
