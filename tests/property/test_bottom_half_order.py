"""For any calls, bottom halves and interrupts on several processors: calls exclude calls, bottom halves exclude each
other and the hand-over of frames, everything is done in the end, and the accounts are exact."""

from __future__ import annotations

from collections import deque
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from netsim.machine.caller import Caller
from netsim.machine.task import BESIDE, DEFERRED, EXCLUDES, INTERRUPT, PROCESS, WAITS, Task
from netsim.machine.work import Work
from tests.on_processors import Processors, work

CPUS = 3
LAST = 300  # when the last of them starts
PS = st.integers(0, 60)
PLACES = st.tuples(st.integers(0, LAST), st.integers(0, CPUS - 1))  # time and processor
IN_CALLS = st.tuples(PS, st.none() | PS, st.sampled_from([BESIDE, WAITS, EXCLUDES]), st.booleans())
CALLS = st.lists(st.tuples(PLACES, st.lists(IN_CALLS)), max_size=4)
OTHERS = st.lists(
    st.tuples(PLACES, st.lists(PS, min_size=1, max_size=3), st.sampled_from([INTERRUPT, DEFERRED, DEFERRED, PROCESS])),
    max_size=8,
)


class Machine(Processors):
    def __init__(self) -> None:
        super().__init__(CPUS)
        self.tasks: list[Task] = []

    def add(self, place: tuple[int, int], works: list[int], level: int) -> None:
        left = deque(map(work, works))

        def begin() -> Work | None:
            if level == DEFERRED:
                self._check_passes()
            return left[0] if left else None

        def end() -> bool:
            left.popleft()
            return bool(left)

        self._start(place, Task(level, begin, end))

    def call(self, place: tuple[int, int], works: list[tuple[int, int | None, int, bool]]) -> None:
        """Works, each with what it requires of bottom halves, and whether the call returns with it."""
        left = deque(works)

        def begin() -> Work | None:
            assert self.kernel.holder is task
            return work(*left[0][:2]) if left else None

        def end() -> bool:
            _, inside, _, task.returns = left.popleft()
            assert inside is None or self.halves.token.holder is task
            if left:
                task.window = left[0][2]
            return bool(left)

        task = Caller(begin, end, self.kernel)
        if left:
            task.window = left[0][2]
        self._start(place, task)

    def _start(self, place: tuple[int, int], task: Task) -> None:
        self.tasks.append(task)
        self.env.call_at(place[0], self.cpus[place[1]].kick, task)

    def _check_passes(self) -> None:
        """Exactly one processor runs bottom halves, and no call excludes them."""
        passes = [cpu for cpu in self.cpus for one in (cpu.task, *cpu._suspended) if one and one.level == DEFERRED]
        assert len(passes) == 1
        assert self.halves.token.holder is not None
        assert self.halves.token.holder.level == DEFERRED


@settings(max_examples=300, deadline=None)
@given(CALLS, OTHERS)
def test_all_is_done_and_nothing_at_the_same_time_that_must_not_be(calls: Any, others: Any) -> None:
    one = Machine()
    for place, works in calls:
        one.call(place, works)
    for place, works, level in others:
        one.add(place, works, level)
    done = sum(ps + (inside or 0) for _, works in calls for ps, inside, *_ in works)
    done += sum(sum(works) for _, works, _ in others)
    end = LAST + done  # when all is done even if nothing ran in parallel
    for now in [*range(7, end, 7), end + 1]:
        one.env.run(until=now)
        for cpu in one.cpus:
            assert sum(cpu.busy().values()) + cpu.idle_until_now() == now
    assert not any(task.ready for task in one.tasks)
    assert one.halves.token.holder is one.kernel.holder is None
    spun = sum(cpu.busy().get("spin", 0) for cpu in one.cpus)
    assert sum(sum(cpu.busy().values()) for cpu in one.cpus) == done + spun
