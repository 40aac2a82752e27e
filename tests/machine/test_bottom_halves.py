"""Bottom halves and calls on two processors, as in Linux 2.2: which run together, which spin, which leave."""

from __future__ import annotations

from collections import deque

from netsim.machine.caller import Caller
from netsim.machine.task import DEFERRED, INTERRUPT, WAITS, Task
from netsim.machine.work import Work
from tests.on_processors import Processors, work

Done = tuple[str, int, int]  # name, processor, time (ps)


class Machine(Processors):
    """Two processors. `call` and `task` make tasks of works, and note when and where each is done."""

    def __init__(self) -> None:
        super().__init__(2)
        self.log: list[Done] = []

    def task(self, name: str, *works: int, level: int = DEFERRED, marks: Task | None = None) -> Task:
        """A task that kicks `marks` after each work."""
        left = deque(map(work, works))

        def end() -> bool:
            left.popleft()
            here = self._note(name, task)
            if marks is not None:
                self.cpus[here].kick(marks)
            return bool(left)

        task = Task(level, lambda: left[0] if left else None, end)
        return task

    def call(self, name: str, *works: Work, returns: bool = False) -> Task:
        """One call of these works, or (`returns`) a call for each."""
        left = deque(works)

        def end() -> bool:
            left.popleft()
            self._note(name, task)
            task.returns = returns
            return bool(left)

        task = Caller(lambda: left[0] if left else None, end, self.kernel)
        return task

    def _note(self, name: str, task: Task) -> int:
        here = next(i for i, cpu in enumerate(self.cpus) if cpu.task is task)
        self.log.append((name, here, self.env.now))
        return here

    def at(self, time: int, cpu: int, task: Task) -> None:
        self.env.call_at(time, self.cpus[cpu].kick, task)

    def run(self, until: int = 1000) -> list[Done]:
        for now in range(self.env.now + 1, until + 1):
            self.env.run(until=now)
            for cpu in self.cpus:
                assert sum(cpu.busy().values()) + cpu.idle_until_now() == now
        assert self.halves.token.holder is self.kernel.holder is None
        return self.log


# --- only one bottom half runs at a time (do_bottom_half) ------------------------------------------------------------


def test_what_is_marked_elsewhere_is_taken_along_by_the_pass_that_goes_on() -> None:
    one = Machine()
    one.at(0, 0, one.task("a", 100))
    one.at(30, 1, one.task("b", 20))
    assert one.run() == [("a", 0, 100), ("b", 0, 120)]
    assert one.cpus[1].busy() == {}


def test_a_pass_is_not_begun_while_another_processor_handles_an_interrupt() -> None:
    """The other processor begins it when it leaves its handler."""
    one = Machine()
    one.at(0, 1, one.task("other", 50, level=INTERRUPT))
    one.at(0, 0, one.task("handler", 20, level=INTERRUPT, marks=one.task("half", 10)))
    assert one.run() == [("handler", 0, 20), ("other", 1, 50), ("half", 1, 60)]


def test_a_handler_runs_beside_a_pass() -> None:
    one = Machine()
    one.at(0, 0, one.task("half", 100))
    one.at(10, 1, one.task("handler", 20, level=INTERRUPT))
    assert one.run() == [("handler", 1, 30), ("half", 0, 100)]


def test_a_handler_suspends_the_pass_on_its_own_processor() -> None:
    one = Machine()
    one.at(0, 0, one.task("half", 100))
    one.at(10, 0, one.task("handler", 20, level=INTERRUPT))
    one.at(15, 1, one.task("more", 5))
    assert one.run() == [("handler", 0, 30), ("half", 0, 120), ("more", 0, 125)]


# --- calls exclude calls (lock_kernel) -------------------------------------------------------------------------------


def test_a_second_call_spins_to_the_end_of_the_first() -> None:
    one = Machine()
    one.at(0, 0, one.call("a", work(100), work(100)))
    one.at(30, 1, one.call("b", work(50)))
    assert one.run() == [("a", 0, 100), ("a", 0, 200), ("b", 1, 250)]
    assert one.cpus[1].busy() == {"spin": 170, "protocol": 50}


def test_a_call_that_returns_lets_one_in_that_spins() -> None:
    one = Machine()
    one.at(0, 0, one.call("a", work(100), work(100), returns=True))
    one.at(30, 1, one.call("b", work(50)))
    assert one.run() == [("a", 0, 100), ("b", 1, 150), ("a", 0, 250)]


def test_bottom_halves_run_beside_a_call() -> None:
    one = Machine()
    one.at(0, 0, one.call("a", work(100)))
    one.at(10, 1, one.task("half", 50))
    assert one.run() == [("half", 1, 60), ("a", 0, 100)]


def test_bottom_halves_suspend_a_call_that_keeps_its_lock() -> None:
    one = Machine()
    one.at(0, 0, one.call("a", work(100)))
    one.at(10, 0, one.task("half", 50))
    one.at(20, 1, one.call("b", work(50)))
    assert one.run() == [("half", 0, 60), ("a", 0, 150), ("b", 1, 200)]


# --- a frame is handed to a device (dev_queue_xmit) ------------------------------------------------------------------


def test_a_call_spins_for_the_end_of_a_pass_before_it_hands_a_frame_over() -> None:
    one = Machine()
    one.at(0, 0, one.call("a", work(100, inside=50)))
    one.at(90, 1, one.task("half", 80))
    assert one.run() == [("half", 1, 170), ("a", 0, 220)]
    assert one.cpus[0].busy() == {"spin": 70, "protocol": 150}


def test_what_is_marked_meanwhile_waits_for_the_end_of_the_call() -> None:
    """end_bh_atomic starts nothing, and a refused processor idles."""
    one = Machine()
    one.at(0, 0, one.call("a", work(100, inside=50), work(40)))
    one.at(110, 1, one.task("handler", 10, level=INTERRUPT, marks=one.task("half", 10)))
    assert one.run() == [("handler", 1, 120), ("a", 0, 150), ("a", 0, 190), ("half", 0, 200)]


def test_or_for_the_next_interrupt() -> None:
    one = Machine()
    one.at(0, 0, one.call("a", work(100, inside=50), work(40)))
    one.at(110, 1, one.task("handler", 10, level=INTERRUPT, marks=one.task("half", 10)))
    one.at(160, 1, one.task("tick", 10, level=INTERRUPT))
    assert one.run()[2:] == [("tick", 1, 170), ("half", 1, 180), ("a", 0, 190)]


def test_a_handler_suspends_the_hand_over_and_starts_nothing() -> None:
    one = Machine()
    one.at(0, 0, one.call("a", work(100, inside=50)))
    one.at(110, 0, one.task("handler", 10, level=INTERRUPT, marks=one.task("half", 10)))
    assert one.run() == [("handler", 0, 120), ("a", 0, 160), ("half", 0, 170)]


# --- a socket is locked (lock_sock) ----------------------------------------------------------------------------------


def test_a_call_that_locks_a_socket_waits_for_the_pass_and_keeps_nothing() -> None:
    one = Machine()
    call = one.call("a", work(100))
    call.window = WAITS
    one.at(0, 1, one.task("half", 30, 30))
    one.at(10, 0, call)
    one.at(70, 1, one.task("another", 20))
    assert one.run() == [("half", 1, 30), ("half", 1, 60), ("another", 1, 90), ("a", 0, 160)]
    assert one.cpus[0].busy() == {"spin": 50, "protocol": 100}


def test_an_interrupt_where_it_spins_begins_no_second_pass() -> None:
    one = Machine()
    call = one.call("a", work(100))
    call.window = WAITS
    one.at(0, 1, one.task("half", 60))
    one.at(10, 0, call)
    one.at(20, 0, one.task("handler", 10, level=INTERRUPT, marks=one.task("more", 5)))
    assert one.run() == [("handler", 0, 30), ("half", 1, 60), ("more", 1, 65), ("a", 0, 165)]
    assert one.cpus[0].busy() == {"spin": 45, "protocol": 110}
