"""The progress of a run, as a line on stderr: simulated time, frames, the interval reached, and the time left."""

from __future__ import annotations

import math

from netsim.units import format_time

_FORMAT = "{desc}: {percentage:3.0f} %|{bar:20}| {elapsed}, {remaining} left{postfix}"


class RunBar:
    """The bar of a run that began `waited` (s) ago. The time left is extrapolated from the finished share."""

    def __init__(self, label: str, waited: float) -> None:
        from tqdm import tqdm  # here, because most runs end before there is anything to show

        self._bar = tqdm(
            desc=label,
            total=1.0,
            bar_format=_FORMAT,
            smoothing=0,
            leave=False,
            dynamic_ncols=True,
            delay=waited,  # otherwise it would appear before there is anything to show
        )
        self._bar.start_t -= waited

    def show(self, share: float, simulated: int, frames: int, reached: float) -> None:
        """Show the finished `share`; simulated ps; frames; the half-width as a share of the mean, NaN if unknown."""
        interval = "" if math.isnan(reached) else f", +/- {reached:.2%}"
        self._bar.n = min(share, 1.0)
        self._bar.set_postfix_str(f"{format_time(simulated)} simulated, {frames:,} frames{interval}", refresh=False)
        self._bar.refresh()

    def close(self) -> None:
        """Remove the bar."""
        self._bar.close()
