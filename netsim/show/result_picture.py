"""The available pictures of a result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from netsim.errors import ScenarioError, no_choice
from netsim.show import bars, curves, latency_view
from netsim.show.occupancy import IDLE, Occupancy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from netsim.results.result import Result

Draw = Callable[["Result", "Axes | None"], "Axes"]

_LAST = "utilisation"
# Pictures with a bar for each busy resource; without any, there is nothing to draw.
_OF_BUSY: Mapping[str, tuple[Callable[[Result], Sequence[Occupancy]], Draw]] = {
    "breakdown": (bars.parted, bars.breakdown),
    _LAST: (bars.busy, bars.utilisation),
}


def pictures(result: Result) -> dict[str, Draw]:
    """The pictures that suit it, by name, the most informative one first."""
    own: dict[str, Draw] = {}
    if result.curve:
        own = {"curve": curves.curve, "latency": curves.latency}
    elif result.history:
        own = {"history": curves.history}
    if result.latencies:
        own = {"latencies": latency_view.distribution, "stages": latency_view.stages}
    elif result.kinds:
        own |= {"kinds": bars.kinds}
    return own | {name: drawn for name, (lines, drawn) in _OF_BUSY.items() if lines(result)}


def draw(result: Result, what: str | None, ax: Axes | None) -> Axes:
    """Draw one of them into `ax`, and return it. Raises ScenarioError if no picture has this name, or nothing was busy
    enough to be drawn."""
    found = pictures(result)
    wanted = next(iter(found), _LAST) if what is None else what
    if wanted not in found and wanted in _OF_BUSY:
        text = f"no resource was busy for {100 * IDLE:g} % of the time, so there is nothing to draw"
        raise ScenarioError(f"{text}; allowed: {', '.join(found) or 'nothing'}", address="what")
    if wanted not in found:
        raise no_choice(wanted, [*found]).at("what")
    return found[wanted](result, ax)
