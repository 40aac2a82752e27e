"""The available pictures of a result."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from netsim.errors import no_choice
from netsim.show import bars, curves, latency_view

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from netsim.results.result import Result

Draw = Callable[["Result", "Axes | None"], "Axes"]


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
    return own | {"breakdown": bars.breakdown, "utilisation": bars.utilisation}


def draw(result: Result, what: str | None, ax: Axes | None) -> Axes:
    """Draw one of them into `ax`, and return it. Raises ScenarioError if no picture has this name."""
    found = pictures(result)
    if what is not None and what not in found:
        raise no_choice(what, [*found]).at("what")
    return found[what or next(iter(found))](result, ax)
