"""Counts that a run is watched by."""

from pathlib import Path

import numpy as np
import pytest

import netsim as ns
from netsim.engine import CountMeter, Environment, FunctionMeter, SumMeter
from netsim.scenario import StreamRun

NO_STREAMS = {"netpipe", "sweep"}
EXAMPLES = [path for path in sorted(Path("examples").glob("*.toml")) if path.stem not in NO_STREAMS]
SOON = 20 * 10**9  # ps


def test_a_count_a_sum_and_a_function() -> None:
    one, other = CountMeter(), CountMeter()
    both = SumMeter([one, other, FunctionMeter(lambda: 10 * other.value)])
    one.value += 2
    other.value += 3
    assert (one.reading(), other.reading(), both.reading()) == (2, 3, 35)
    assert FunctionMeter(lambda: np.int64(7)).reading() == 7


def test_a_run_goes_on_until_the_count_changes_after_a_time() -> None:
    env, counted = Environment(), CountMeter()

    def count(by: int) -> None:
        counted.value += by

    for time, by in ((3, 0), (5, 1), (5, 1), (7, 0), (9, 1)):
        env.call_at(time, count, by)
    env.run_until(counted, 20)
    assert (env.now, counted.value) == (5, 1)
    env.run_until(counted, 20, after=5)
    assert (env.now, counted.value) == (7, 2)  # the second change at 5 counts once that time is over
    env.run_until(counted, 8)
    assert (env.now, counted.value) == (7, 2)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_meter_of_a_run_shows_what_is_delivered(path: Path) -> None:
    run = ns.load(path).build(Environment(seed=1))
    assert isinstance(run, StreamRun)
    run.start()
    meter, before = run.meter, run.delivered
    assert meter.reading() == before
    run.env.run(until=SOON)
    assert meter.reading() == run.delivered > before
