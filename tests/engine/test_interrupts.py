"""Ctrl-C while events are processed: each event is complete, or has not begun."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from threading import Thread
from typing import Any

import pytest

from netsim.engine import Environment

Done = list[int]


@pytest.fixture(autouse=True)
def ctrl_c() -> Iterator[None]:
    """As in a terminal, however the tests were started."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def _interrupted(env: Environment, times: int = 1) -> Done:
    """The calls at 1, 2 and 3 ps, as they are made: the second is interrupted halfway."""
    done: Done = []

    def second(_: Any) -> None:
        for _ in range(times):
            os.kill(os.getpid(), signal.SIGINT)
        done.append(2)

    for time, call in enumerate((done.append, second, done.append), start=1):
        env.call_at(time, call, time)
    return done


@pytest.mark.parametrize("until", [10, None])
def test_the_event_is_done_and_no_other_begun(until: int | None) -> None:
    env = Environment()
    done = _interrupted(env)
    with pytest.raises(KeyboardInterrupt):
        env.run(until)
    assert done == [1, 2]
    assert (env.now, env.events) == (2, 2)


def test_the_run_can_go_on() -> None:
    env = Environment()
    done = _interrupted(env)
    with pytest.raises(KeyboardInterrupt):
        env.run(10)
    env.run(10)
    assert done == [1, 2, 3]
    assert (env.now, env.events) == (10, 3)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_it_may_come_with_the_last_event() -> None:
    env = Environment()
    done = _interrupted(env)
    with pytest.raises(KeyboardInterrupt):
        env.run(3)
    env.run()
    assert done == [1, 2, 3]
    assert env.events == 3


def test_a_second_one_does_not_wait() -> None:
    env = Environment()
    done = _interrupted(env, times=2)
    with pytest.raises(KeyboardInterrupt):
        env.run(10)
    assert done == [1]


def test_a_handler_that_only_notes_it_interrupts_nothing() -> None:
    noted: Done = []
    signal.signal(signal.SIGINT, lambda number, _: noted.append(number))
    env = Environment()
    done = _interrupted(env)
    env.run(10)
    assert (done, noted, env.events) == ([1, 2, 3], [signal.SIGINT], 3)


def test_where_nothing_handles_it_nothing_does() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    env = Environment()
    done = _interrupted(env)
    env.run(10)
    assert done == [1, 2, 3]


def test_other_threads_get_no_signals() -> None:
    env = Environment()
    done: Done = []
    env.call_at(1, done.append, 1)
    thread = Thread(target=env.run, args=(10,))
    thread.start()
    thread.join()
    assert done == [1]
