"""Which pictures of a result there are."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from netsim.errors import no_choice
from netsim.show import bars, curves

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from netsim.results.result import Result

Draw = Callable[["Result", "Axes | None"], "Axes"]


def pictures(result: Result) -> dict[str, Draw]:
    """Those that suit it, by name, what says most about it first."""
    own: dict[str, Draw] = {}
    if result.curve:
        own = {"curve": curves.curve, "latency": curves.latency}
    elif result.history:
        own = {"history": curves.history}
    if result.kinds:
        own |= {"kinds": bars.kinds}
    return own | {"breakdown": bars.breakdown, "utilisation": bars.utilisation}


def draw(result: Result, kind: str | None, ax: Axes | None) -> Axes:
    """See Result.plot."""
    found = pictures(result)
    if kind is not None and kind not in found:
        raise no_choice(kind, [*found]).at("kind")
    return found[kind or next(iter(found))](result, ax)
