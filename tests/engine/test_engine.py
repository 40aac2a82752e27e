"""The engine: SimPy processes beside callbacks, integer time, lazy timers, random streams."""

import re

import numpy as np
import pytest
import simpy

from netsim.engine import Environment, Timer
from netsim.errors import SimulationError

STABLE = [308864549, 199006642, 997686196]  # drawn once; must be the same forever

def test_a_simpy_process_waits_for_an_event_that_a_callback_triggers():
    env = Environment()
    event, log = env.event(), []

    def process():
        value = yield event
        log.append((env.now, value))

    env.process(process())
    env.call_at(700, lambda _: event.succeed("arrived"))
    env.run(until=1000)
    assert log == [(700, "arrived")]


def test_a_process_interrupts_another():
    env = Environment()
    log = []

    def sleeper():
        try:
            yield env.timeout(1000)
        except simpy.Interrupt as interrupt:
            log.append((env.now, interrupt.cause))

    def waker(other):
        yield env.timeout(10)
        other.interrupt("wake up")

    env.process(waker(env.process(sleeper())))
    env.run()
    assert log == [(10, "wake up")]


def test_callbacks_and_processes_share_one_order():
    env = Environment()
    log = []

    def process():
        for _ in range(3):
            yield env.timeout(10)
            log.append(("process", env.now))

    env.call_at(10, log.append, ("before", 10))
    env.process(process())
    env.call_at(20, log.append, ("callback", 20))
    env.run(until=25)
    assert log == [("before", 10), ("process", 10), ("callback", 20), ("process", 20)]


def test_run_until_an_event_returns_its_value():
    env = Environment()
    event = env.event()
    env.call_in(5, lambda _: event.succeed(42))
    assert env.run(until=event) == 42
    assert env.now == 5


def test_run_stops_before_what_happens_at_that_time():
    env = Environment()
    log = []
    env.call_at(10, log.append, "now")
    env.run(until=10)
    assert (log, env.now, env.events) == ([], 10, 0)
    env.run(until=11)
    assert (log, env.now, env.events) == (["now"], 11, 1)


def test_step_and_peek():
    env = Environment()
    env.call_at(10, lambda _: None)
    assert env.peek() == 10
    env.step()
    assert (env.now, env.events) == (10, 1)
    assert env.peek() == float("inf")
    with pytest.raises(simpy.core.EmptySchedule):
        env.step()


def test_an_exception_leaves_the_count_right():
    env = Environment()

    def fail(_):
        raise ValueError("broken")

    env.call_at(1, lambda _: None)
    env.call_at(2, fail)
    with pytest.raises(ValueError, match="broken"):
        env.run(until=10)
    assert env.events == 2
    env.call_at(20, lambda _: None)
    env.run(until=30)  # the failed run's stop is forgotten
    assert (env.now, env.events) == (30, 3)


def test_a_failed_process_raises_in_run():
    env = Environment()

    def process():
        yield env.timeout(1)
        raise RuntimeError("broken")

    env.process(process())
    with pytest.raises(RuntimeError, match="broken"):
        env.run(until=10)


def test_a_delay_is_not_negative():
    with pytest.raises(SimulationError, match="a delay of -1 ps lies in the past; allowed: 0 or more"):
        Environment().timeout(-1)


@pytest.mark.parametrize("plan", ["timeout", "call_in", "call_at"])
@pytest.mark.parametrize("time", [0.5, 1e-3, "5 us", None])
def test_times_that_are_no_whole_numbers_are_refused(plan, time):
    env = Environment()
    more = [] if plan == "timeout" else [print]
    with pytest.raises(SimulationError, match=f"whole number of picoseconds, and {time!r} is not"):
        getattr(env, plan)(time, *more)


@pytest.mark.parametrize("until", [15.5, "5", float("-inf"), [5]])
def test_the_end_of_a_run_is_a_whole_number_too(until):
    text = f"time is a whole number of picoseconds, and {until!r} is not"
    with pytest.raises(SimulationError, match=f"^{re.escape(text)}$"):
        Environment().run(until=until)


@pytest.mark.parametrize("until", [2**63, float("inf"), float("nan")])
def test_a_run_ends_at_a_time_that_can_be_planned(until):
    with pytest.raises(SimulationError, match=rf"^an event can't be planned for {until} ps; allowed: up to 2\^62 ps"):
        Environment().run(until=until)


def test_a_run_may_end_where_it_is():
    """SimPy refuses that; here a run without a warm-up ends it at once."""
    env = Environment()
    env.run(until=np.int64(12))
    env.run(until=12.0)
    assert (env.now, env.events) == (12, 0)


@pytest.mark.parametrize("delay", [2**63, 2**70, 2**62, 1e30, float("inf"), float("nan")])
def test_times_without_room_are_refused(delay):
    """The same in both variants, by all that plan."""
    env = Environment()
    env.run(until=1)
    for plan in (env.timeout, lambda time: env.call_at(1 + time, print), lambda time: env.call_in(time, print)):
        with pytest.raises(SimulationError, match=r"^an event can't be planned for .* ps; allowed: up to 2\^62 ps"):
            plan(delay)


def test_the_last_time_is_allowed():
    env = Environment()
    env.timeout(2**62)
    env.call_in(2**62, print)
    assert env.peek() == 2**62


def test_a_process_that_never_lets_time_pass_is_ended():
    env = Environment()

    def process():
        yield env.timeout(5)
        while True:
            yield env.timeout(0)

    env.process(process())
    with pytest.raises(SimulationError, match="time stands still at 5 ps"):
        env.run(until=10)


def test_time_does_not_go_back():
    env = Environment()
    env.run(until=100)
    with pytest.raises(SimulationError, match="was planned too late"):
        env.call_at(99, print)
    with pytest.raises(SimulationError, match=r"^can't run until 99 ps from 100 ps; allowed: 100 to 2\^61 ps"):
        env.run(until=99)


class TestTimer:
    def test_it_expires_once(self):
        env, log = Environment(), []
        timer = Timer(env, lambda: log.append(env.now))
        timer.set(50)
        env.run(until=1000)
        assert log == [50]
        assert not timer.runs

    def test_moving_it_costs_no_entry(self):
        env, log = Environment(), []
        timer = Timer(env, lambda: log.append(env.now))
        for deadline in range(50, 500):
            timer.set(deadline)
        assert len(env.calendar) == 1
        env.run(until=1000)
        assert log == [499]
        assert env.events == 2  # the first look, and the second

    def test_it_can_be_set_earlier(self):
        env, log = Environment(), []
        timer = Timer(env, lambda: log.append(env.now))
        timer.set(500)
        timer.set(20)
        env.run(until=1000)
        assert log == [20]

    def test_cancelled_and_set_again(self):
        env, log = Environment(), []
        timer = Timer(env, lambda: log.append(env.now))
        timer.set(50)
        timer.cancel()
        env.run(until=30)
        timer.set(80)
        env.run(until=1000)
        assert log == [80]

    def test_it_can_set_itself_again(self):
        env, log = Environment(), []

        def expired():
            log.append(env.now)
            if env.now < 30:
                timer.set(env.now + 10)

        timer = Timer(env, expired)
        timer.set(10)
        env.run(until=1000)
        assert log == [10, 20, 30]


class TestStreams:
    def test_the_same_seed_and_name_give_the_same_numbers(self):
        a, b = Environment(seed=5).stream("wire"), Environment(seed=5).stream("wire")
        assert a.random(4).tolist() == b.random(4).tolist()

    def test_they_never_change(self):
        assert Environment(seed=1).stream("start").integers(10**9, size=3).tolist() == STABLE

    def test_other_seeds_and_names_give_others(self):
        draws = {Environment(seed=seed).stream(name).random() for seed in range(3) for name in ("a", "b", "c")}
        assert len(draws) == 9

    def test_one_does_not_disturb_another(self):
        env = Environment(seed=7)
        env.stream("noise").random(1000)
        assert env.stream("wire").random() == Environment(seed=7).stream("wire").random()
