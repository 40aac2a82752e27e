"""One run of a scenario to look at: its first iteration, for the requested time, regardless of the mean's precision.

A series (NetPIPE) makes two round trips of each of its sizes, from the smallest up, and repeats this until the time is
over: its own trials would spend a short time entirely on the first size.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import cycle

from netsim.errors import ScenarioError
from netsim.measure.simulation import check_run, seed_of, time_of
from netsim.scenario import Run, Scenario, SeriesRun, StreamRun
from netsim.units import format_time
from netsim.watch.watcher import Watcher
from netsim.watch.watching import Watching

CAPTURED = ("netperf", "netpipe", "chariot", "perform3", "serverbench", "netbench", "flows")  # tools with hosts
WATCHED = (*CAPTURED, "requests", "saturation")  # with parts that report
_ROUND_TRIPS = 2  # per size


def window(scenario: Scenario, start: str | int, duration: str | int, seed: int) -> tuple[int, int]:
    """The times (ps) between which to look at a run. Raises ScenarioError for wrong arguments."""
    check_run(scenario, seed)
    since = time_of("start", start, "time")
    return since, since + time_of("duration", duration)


def look_at(scenario: Scenario, watchers: Sequence[Watcher], since: int, until: int, seed: int) -> Run:
    """Run the first iteration until `until` (ps), and report to `watchers` what happens from `since` on. Raises
    ScenarioError if the tool has nothing to watch, or the test does not last that long; ConservationError if something
    is missing."""
    env = Watching(seed_of(seed, 0), watchers, since, until)
    run = scenario.turn(0).build(env)
    env.ready()
    if not env.watched:
        text = f"{scenario.tool()} computes many frames at once, so there are none to watch"
        raise ScenarioError(f"{text}; allowed: {', '.join(WATCHED)}", address="tool")
    drive(run, until)
    env.close()
    run.audit()
    return run


def drive(run: Run, until: int) -> None:
    """Run from the beginning until `until` (ps). Raises ScenarioError if the run does not last that long."""
    if isinstance(run, StreamRun):
        if until > run.duration:
            end, last = (format_time(time, None) for time in (until, run.duration))
            raise ScenarioError(f"{end} is after the end of the test, which lasts {last}", address="start + duration")
        run.start()
    elif isinstance(run, SeriesRun):
        _Series(run)
    run.env.run(until)


class _Series:
    """Endless round trips."""

    def __init__(self, run: SeriesRun) -> None:
        self._round_trip = run.round_trip
        self._sizes = self._in_turn(run.sizes)
        self._next()

    def _in_turn(self, sizes: Sequence[int]) -> Iterator[int]:
        for size in cycle(sizes):
            for _ in range(_ROUND_TRIPS):
                yield size

    def _next(self) -> None:
        self._round_trip(next(self._sizes), self._next)
