"""The unit of a row's error: per cent of the measurement, except for percentages, indices and quotients, whose errors
are in their own unit."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Scale:
    """`unit` is the unit of errors, `sign` its form after a number; errors up to `band` are within tolerance. `whole`
    is the largest possible value of a share, by which a fit weights its error; None if the fit weights it relative to
    the measurement."""

    unit: str
    sign: str
    band: float
    relative: bool = False
    whole: float | None = None

    def error(self, simulated: float, measured: float) -> float:
        """How far the simulation is above the measurement."""
        return 100 * (simulated / measured - 1) if self.relative else simulated - measured

    def spread(self, half_width: float, measured: float) -> float:
        """The half-width of the error's interval."""
        return 100 * half_width / measured if self.relative else half_width

    def around(self, measured: float) -> tuple[float, float]:
        """The lowest and highest simulated values within tolerance."""
        reach = measured * self.band / 100 if self.relative else self.band
        return measured - reach, measured + reach

    def text(self, number: str) -> str:
        """A number, already formatted, with its sign."""
        return f"{number} {self.sign}".rstrip()


PERCENT = Scale("per cent", "%", 5.0, relative=True)
POINTS = Scale("percentage points", "points", 5.0, whole=100.0)
INDEX = Scale("Mbit/s per %", "", 0.2)
QUOTIENT = Scale("units of the quotient", "", 0.03)

CPU_UNIT, INDEX_UNIT, QUOTIENT_UNIT = "%", "Mbit/s per %", "ratio"
_OF_UNIT = {CPU_UNIT: POINTS, INDEX_UNIT: INDEX, QUOTIENT_UNIT: QUOTIENT}


def scale_of(unit: str) -> Scale:
    """The scale of a quantity in this unit."""
    return _OF_UNIT.get(unit, PERCENT)
