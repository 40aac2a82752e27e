"""The sizes of units in base units.

pint reads the units that netsim itself never writes, such as microsecond; it is imported for the first of them, and
knows only the units defined here, so that no odd ones are accepted.
"""

from __future__ import annotations

from fractions import Fraction as Exactly
from functools import lru_cache
from typing import Any

DEFINITIONS = """
second = [time] = s
minute = 60 * second = min
hour = 60 * minute = h
hertz = 1 / second = Hz
bit = [information]
byte = 8 * bit = B
cycle = [cycle]
giga- = 1e9 = G-
mega- = 1e6 = M-
kilo- = 1e3 = k-
milli- = 1e-3 = m-
micro- = 1e-6 = u- = µ- = μ-
nano- = 1e-9 = n-
pico- = 1e-12 = p-
kibi- = 1024 = Ki-
mebi- = 1048576 = Mi-
gibi- = 1073741824 = Gi-
"""


def in_base_units(unit: str, base: str) -> Exactly | None:
    """The size of a unit in units of `base`; None if it is not a unit, or has another dimension."""
    registry = _registry()
    try:
        return Exactly(registry.Quantity(Exactly(1), registry.parse_units(unit)).to(base).magnitude)
    except Exception:  # pint's parser answers odd text with anything from AssertionError to TokenError
        return None


@lru_cache(maxsize=1)
def _registry() -> Any:
    import pint  # here, because it takes a tenth of a second

    registry: Any = pint.UnitRegistry(None, non_int_type=Exactly)
    for line in DEFINITIONS.split("\n"):
        if line:
            registry.define(line)
    return registry
