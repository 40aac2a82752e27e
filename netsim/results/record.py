"""A result as a flat row, with a key for each number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from netsim.results.flow_results import FlowResult
    from netsim.results.latencies import Latencies

_LONG = ("scenario", "curve", "history", "samples", "compiled")  # separate tables, or not a result


def flat_row(
    data: dict[str, Any], latencies: Latencies | None, flows: Sequence[FlowResult] = ()
) -> dict[str, Any]:
    """The row from the plain `data` of a Result; iterations are only counted."""
    data = {name: value for name, value in data.items() if name not in (*_LONG, "latencies", "flows")}
    phases = {str(number): phase for number, phase in enumerate(data.pop("phases"))}
    kinds = {kind.pop("name"): kind for kind in data.pop("kinds")}
    nested = {"phases": phases, "kinds": kinds, "latencies": latencies.record() if latencies else {}}
    nested["flows"] = {one.name: one.record() for one in flows}
    data |= {name: parts for name, parts in nested.items() if parts}
    data["iterations"] = len(data["iterations"])
    plain = {name: value for name, value in data.items() if not isinstance(value, Mapping)}
    return plain | dict(_flat({name: value for name, value in data.items() if name not in plain}))


def _flat(nested: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in nested.items():
        address = f"{above}{name}"
        yield from _flat(value, f"{address}.") if isinstance(value, Mapping) else [(address, value)]
