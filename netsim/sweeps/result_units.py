"""The units of a result's columns, by the names that they have in Result.to_record."""

from __future__ import annotations

from netsim.units import MBIT_PER_S, RateUnit

_RATE = "rate"  # of what the test counts: bits, or transactions or packets
_GROUPS = {  # all that a group has; counts have no unit
    "pairs": _RATE,
    "cpu": "1",
    "cpu_half_width": "1",
    "utilisation": "1",
    "processors": "1",
    "counts": "",
    "drops": "",
    "waiting": "",
}
_OWN = {
    _RATE: ("throughput", "half_width"),
    "1/s": ("rate", "transactions", "harmonic_mean"),
    "s": ("latency", "elapsed", "simulated", "start", "end", "response", "jitter"),
    "1": ("bottleneck_share", "share", "hit_ratio", "fairness", "confidence", "precision"),
}
_NAMES = {name: unit for unit, names in _OWN.items() for name in names}


def rate_unit(unit: RateUnit) -> str:
    """The base unit of a test's throughput."""
    return "bit/s" if unit.common == MBIT_PER_S else "1/s"


def unit_of_result(name: str, unit: RateUnit) -> str:
    """The unit of a column of a test that prints its throughput in `unit`: "1" for shares, "" for counts and names."""
    parts = name.split(".")
    if "latencies" in parts:
        found = "" if parts[-1] == "count" else "s"
    else:
        found = _GROUPS.get(parts[0], _NAMES.get(parts[-1], ""))
    return rate_unit(unit) if found == _RATE else found
