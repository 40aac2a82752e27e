"""An axis for errors that are mostly small and occasionally many times their tolerance."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MULTIPLES = (2, 4, 10, 20, 40, 100)
FAR = 3  # times the tolerance: beyond that a linear axis would hide the small errors
SMALL = 7  # points: size of a narrow axis's numbers, which would overlap at the usual size


def along(axes: Axes, allowed: float, most: float) -> bool:
    """Lay the axis out for errors up to `most`; return whether it is logarithmic beyond `allowed`, for large errors."""
    is_far = most > FAR * allowed
    reach = (2.0 if is_far else 1.3) * max(most, allowed)
    axes.set_xlim(-reach, reach)
    if not is_far:
        return False
    axes.set_xscale("symlog", linthresh=allowed)
    most = max(multiple * allowed for multiple in MULTIPLES if multiple * allowed < reach)
    ticks = [-most, -allowed, 0, allowed, most]
    axes.set_xticks(ticks, [f"{tick:g}".replace("-", "\N{MINUS SIGN}") for tick in ticks])
    axes.set_xticks([], minor=True)
    axes.tick_params(axis="x", labelsize=SMALL)
    return True
