"""A processor as a server: waiting times by queueing theory (Kleinrock, Queueing Systems I and II)."""

from __future__ import annotations

import numpy as np
import pytest

from netsim.accounts import Resource
from netsim.accounts.resource import PROCESSOR
from netsim.engine import Environment
from netsim.machine.processor import Processor
from netsim.machine.task import INTERRUPT, PROCESS, Task
from netsim.machine.work import Work

US = 10**6  # ps
JOBS = 60_000


class Jobs:
    """Jobs of one length with Poisson arrivals, each a task of its own; records how long each stays."""

    def __init__(self, env: Environment, processor: Processor, level: int, service: int, load: float) -> None:
        self.env, self.processor, self.level = env, processor, level
        self.work = Work((("application", service),), 0)
        self.stays: list[int] = []
        gaps = env.stream(f"level {level}").exponential(service / load, JOBS)
        for arrival in np.cumsum(gaps).astype(int):
            env.call_at(int(arrival), self._arrive)
        self.last = int(gaps.sum())

    def _arrive(self, _: object) -> None:
        arrival = self.env.now

        def end() -> bool:
            self.stays.append(self.env.now - arrival)
            return False

        self.processor.kick(Task(self.level, lambda: self.work, end))

    @property
    def mean(self) -> float:
        return float(np.mean(self.stays)) / US


def one_processor() -> tuple[Environment, Processor]:
    env = Environment(seed=7)
    return env, Processor(env, Resource("cpu", PROCESSOR), [lambda _: 0])


@pytest.mark.parametrize("load", [0.3, 0.6, 0.8])
def test_one_class_is_an_m_d_1_queue(load: float) -> None:
    """Mean stay S + load S / (2 (1 - load)); busy share equal to the load."""
    env, processor = one_processor()
    jobs = Jobs(env, processor, PROCESS, 10 * US, load)
    env.run(jobs.last)
    assert jobs.mean == pytest.approx(10 + load * 10 / (2 * (1 - load)), rel=0.04)
    assert processor.busy()["application"] / env.now == pytest.approx(load, rel=0.02)


def test_two_classes_are_a_preemptive_resume_queue() -> None:
    """Processes don't delay interrupts; a process stays S / (1 - a) + R / ((1 - a)(1 - a - b)), with a and b the two
    loads and R the mean work that an arrival finds in service."""
    env, processor = one_processor()
    a, b, short, long = 0.4, 0.3, 5.0, 20.0
    interrupts = Jobs(env, processor, INTERRUPT, int(short * US), a)
    processes = Jobs(env, processor, PROCESS, int(long * US), b)
    env.run(min(interrupts.last, processes.last))
    assert interrupts.mean == pytest.approx(short + a * short / (2 * (1 - a)), rel=0.03)
    residual = (a * short + b * long) / 2
    assert processes.mean == pytest.approx(long / (1 - a) + residual / ((1 - a) * (1 - a - b)), rel=0.05)
    assert sum(processor.busy().values()) + processor.idle_until_now() == env.now
