"""The measurements of RFC 2544 for a host that receives: throughput, latency, frame loss, and back-to-back frames. A
trial offers a burst of frames at one rate, and counts frames after the host has processed all that it holds. RFC 2544
has trials of 60 s (24): long enough for a load that the host can't sustain to overflow any ring. Here a trial is
shorter, so frames that rings absorb must not look like throughput: while frames wait longer and longer, but none is
lost, or the host has handled too few to tell, the trial is repeated with twice the length. Latency is that of frames in
the second half, as in RFC 2544 (26.2).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from netsim.engine import Environment
from netsim.errors import ScenarioError, check_type, plain
from netsim.measure.simulation import time_of, too_short
from netsim.units import MS, PS_PER_S
from netsim.workload import Packets
from netsim.workload.packets.run import PacketsRun

if TYPE_CHECKING:
    import pandas as pd

FRAMES = (64, 128, 256, 512, 1024, 1280, 1518)  # bytes: RFC 2544, 9.1
_COLUMNS = {  # of the printed table, and how wide they are at least
    "frame": 6, "line rate": 13, "throughput": 13, "mean": 9, "longest": 9, "back-to-back": 12, "loss at line rate": 18
}  # fmt: skip
_STEPS = 10  # of the frame loss rate: tenths of what the wire carries (26.3)
_FAR = 4  # times: a range this wide is halved on a logarithmic scale
_DRAIN = 20 * MS  # after the last frame: longer than any ring holds packets
_STEADY = 1e-4  # the share of time that passes by which the time of a frame may change
_ROUNDING = 1e-9  # of a bound: the line rate may be the bound
_LONGEST = 2 * PS_PER_S  # of a repeated trial


@dataclass(frozen=True)
class FrameTrial:
    """Frames that were `sent` at a `rate` (per second), and `received`; their `longest` time (s) from the last bit on
    the wire until the host had dealt with them, and the `mean` of those in the second half of the trial; that of those
    in the quarter before, `earlier` (NaN: none was dealt with then)."""

    rate: int
    sent: int
    received: int
    mean: float
    longest: float
    earlier: float

    @property
    def loss(self) -> float:
        """The share that was lost."""
        return 1 - self.received / self.sent

    @property
    def drift(self) -> float:
        """The change in the time of a frame, as a share of the time that passes: by what share the load is too high, if
        frames wait longer and longer. (The middles of the second half and of the quarter before are 3/8 of the trial
        apart.)"""
        return (self.mean - self.earlier) / (3 / 8 * self.sent / self.rate)

    @property
    def growing(self) -> bool:
        """Whether frames wait longer and longer, or may do so: the drift is NaN."""
        return not self.drift <= _STEADY

    @property
    def steady(self) -> bool:
        """Whether the time of a frame remains the same."""
        return abs(self.drift) <= _STEADY


@dataclass(frozen=True)
class FrameSizeResult:
    """For frames of `frame` bytes: the `line_rate` of the wire, and the highest rate without loss, `throughput` (frames
    per second); at that rate, the `mean` time in the host in steady state, and the `longest` time from the start on
    (s); the longest burst without loss at the line rate, `back_to_back` (frames; at most as many as a trial has); and
    `losses`, the share lost at each share of the line rate."""

    frame: int
    line_rate: int
    throughput: int
    mean: float
    longest: float
    back_to_back: int
    losses: tuple[tuple[float, float], ...]

    def cells(self) -> tuple[str, ...]:
        """What is printed of it: a cell for each of the table's columns."""
        rates = (f"{rate / 1e6:.3f} Mpps" for rate in (self.line_rate, self.throughput))
        times = (f"{time * 1e6:.2f} us" for time in (self.mean, self.longest))
        return f"{self.frame} B", *rates, *times, f"{self.back_to_back}", f"{100 * self.losses[0][1]:.2f} %"


@dataclass(frozen=True, repr=False)
class Rfc2544Result:
    """A result for each size of frames."""

    sizes: tuple[FrameSizeResult, ...]

    def to_frame(self) -> pd.DataFrame:
        """A row for each size, with a column for the loss at each per cent of the line rate."""
        import pandas as pd

        rows = [{**asdict(one), **{f"loss at {share:.0%}": loss for share, loss in one.losses}} for one in self.sizes]
        return pd.DataFrame(rows).drop(columns="losses")

    def __str__(self) -> str:
        lines = [tuple(_COLUMNS), *(one.cells() for one in self.sizes)]
        widths = [max(*map(len, column), _COLUMNS[column[0]]) for column in zip(*lines, strict=True)]
        return "\n".join("  ".join(map(str.rjust, line, widths)) for line in lines)

    __repr__ = __str__


def rfc2544(
    test: Packets, frames: int | Sequence[int] = FRAMES, *, trial: str | int = "50 ms", resolution: float = 0.005
) -> Rfc2544Result:
    """Measure the host of `test` by RFC 2544, for each size of frames (bytes; one, or several); the frames, load and
    burst of `test` are ignored. Rates and bursts are found to within a `resolution`, which is a share of them.

    A rate passes if no frame is lost, frames do not wait longer and longer, and the closed form allows it: what rings
    absorb is not throughput. A `trial` (text with a unit, or ps) without a loss, but with ever longer waits or too few
    frames handled to tell, is repeated with twice the length, and so on, up to 2 s. So is the trial at the throughput,
    until its latency is steady. Raises ScenarioError for a wrong argument, or if the test has a `pause`: its sender
    does not keep to a rate."""
    check_type("test", test, Packets, "a test of packets, ns.Packets")
    if test.pause is not None:
        raise ScenarioError("a sender that obeys pause frames can't keep a rate; allowed here: none", address="pause")
    if not 0 < resolution < 1:
        raise ScenarioError(f"{resolution} is not allowed; allowed: a share, above 0 to below 1", address="resolution")
    time, resolution = time_of("trial", trial), plain(resolution)
    tests = [test.replace({"frame": frame, "offered": None, "burst": None}) for frame in _listed(frames)]
    for one in tests:
        _check(one, time)
    return Rfc2544Result(tuple(_measured(one, time, resolution) for one in tests))


def _listed(frames: Any) -> list[Any]:
    """Sizes as a list. Raises ScenarioError if there is none."""
    found = [plain(one) for one in frames] if isinstance(frames, Iterable) and not isinstance(frames, str) else [frames]
    if not found:
        raise ScenarioError("[] is not allowed; allowed: at least one size", address="frames")
    return found


def _check(test: Packets, time: int) -> None:
    """Raise ScenarioError if a trial of that time (ps) has no frame, or the host can't handle a frame per second."""
    if test.rate * time < PS_PER_S:
        raise too_short("trial", time, -(-PS_PER_S // test.rate))
    if (limit := test.bounds().limit) < 1:
        text = f"it handles {limit:.3g} frames per second; allowed: a host that handles at least one"
        raise ScenarioError(text, address="test")


def frame_trial(test: Packets, rate: int, frames: int) -> FrameTrial:
    """A burst of that many frames, at a rate per second."""
    run = test.replace({"offered": rate, "burst": frames}).build(Environment())
    begin, time = run.test.first_arrival, frames * PS_PER_S // rate
    run.start()
    handled = [_handled_until(run, begin + end) for end in (time // 4, time // 2, time + _DRAIN)]
    run.audit()
    received, sent = run.delivered, max(1, sum(one.queue.arrived for one in run.cores))
    earlier, mean = (_mean(*both) for both in pairwise(handled))
    return FrameTrial(rate, sent, received, mean, run.longest / PS_PER_S, earlier)


def _mean(since: tuple[int, int], until: tuple[int, int]) -> float:
    """The mean time (s) of the frames handled between two looks."""
    frames, times = until[0] - since[0], until[1] - since[1]
    return times / frames / PS_PER_S if frames else math.nan


def _handled_until(run: PacketsRun, end: int) -> tuple[int, int]:
    """The number of frames handled up to that time (ps), and the sum of their times (ps)."""
    run.env.run(end)
    accounts = run.accounts()
    return sum(accounts.ended.values()), sum(accounts.stays.values())


def _certain(test: Packets, rate: int, time: int, uncertain: Callable[[FrameTrial], bool]) -> FrameTrial:
    """A trial of that time (ps), or a longer one as long as nothing is lost and it is `uncertain`."""
    found = None
    while found is None or (not found.loss and uncertain(found) and time <= _LONGEST):
        found = frame_trial(test, rate, max(1, rate * time // PS_PER_S))
        time *= 2
    return found


def _measured(test: Packets, time: int, resolution: float) -> FrameSizeResult:
    line = test.rate

    def at(rate: int) -> FrameTrial:
        return _certain(test, rate, time, lambda one: one.growing)

    losses = _losses(at, line)
    possible = int(test.bounds().limit * (1 + _ROUNDING))
    rate = _highest(1, line, resolution, lambda rate: rate <= possible and _passes(at(rate)))
    most = line * time // PS_PER_S
    burst = _highest(1, most, resolution, lambda frames: frame_trial(test, line, frames).loss == 0)
    best = _certain(test, rate, time, lambda one: not one.steady)
    return FrameSizeResult(test.frame, line, rate, best.mean, best.longest, burst, tuple(losses))


def _passes(trial: FrameTrial) -> bool:
    return not trial.loss and not trial.growing


def _losses(at: Callable[[int], FrameTrial], line: int) -> list[tuple[float, float]]:
    """From the line rate down, until there were two trials without loss (26.3)."""
    found: list[tuple[float, float]] = []
    for step in range(_STEPS, 0, -1):
        found.append((step / _STEPS, at(max(1, line * step // _STEPS)).loss))
        if len(found) > 1 and not found[-1][1] and not found[-2][1]:
            break
    return found


def _highest(low: int, high: int, resolution: float, holds: Callable[[int], bool]) -> int:
    """The highest number for which something holds, to within a share of it, if it holds below and not above that."""
    if holds(high):
        return high
    while high - low > max(1, resolution * low):
        middle = math.isqrt(low * high) if high > _FAR * low else (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low
