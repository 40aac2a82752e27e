"""Whether senders stay in step, so that a full port of a switch always has room for the same ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from netsim.results.result import Result

IN_STEP = "senders with exact clocks stay in step, and a full port favours one of them (clock_tolerance of the links)"


def in_step(result: Result) -> bool:
    """Whether flows are lost at a switch, and differ by all of their throughput between iterations or get nothing."""
    full = any(place.ahead is not None and place.ahead.is_wire for place, count in result.drops.items() if count)
    apart = any(one.half_width is not None and one.half_width >= one.throughput for one in result.flows)
    return full and apart and len(result.flows) > 1 and result.scenario.exact_clocks
