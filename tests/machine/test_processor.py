"""Processors: levels, preemption and resumption, several processors, and accounts that miss no picosecond."""

from collections import deque

from netsim.accounts import Resource
from netsim.accounts.resource import PROCESSOR
from netsim.engine import Environment, Fifo
from netsim.machine.processor import Processor
from netsim.machine.task import DEFERRED, INTERRUPT, PROCESS, Task, worker
from netsim.machine.work import Work


def work(ps, name="protocol", accesses=0):
    return Work(((name, ps),), accesses)


class Job:
    """A task with a list of works; notes when each is done."""

    def __init__(self, env, level, works, log=None, name=""):
        self.env, self.works, self.name = env, deque(works), name
        self.log = [] if log is None else log
        self.task = Task(level, self._begin, self._end)

    def _begin(self):
        return self.works[0] if self.works else None

    def _end(self):
        self.works.popleft()
        self.log.append((self.name, self.env.now) if self.name else self.env.now)
        return bool(self.works)


def processor(env, wait=0):
    return Processor(env, Resource("cpu", PROCESSOR), [lambda duration: wait])


def check_books(env, one):
    assert sum(one.busy().values()) + one.idle_until_now() == env.now


def test_works_follow_each_other():
    env = Environment()
    cpu = processor(env)
    job = Job(env, PROCESS, [work(10), work(5)])
    env.call_at(100, lambda _: cpu.kick(job.task))
    env.run(until=200)
    assert job.log == [110, 115]
    assert cpu.busy() == {"protocol": 15}
    assert cpu.idle_until_now() == 185


def test_an_interrupt_suspends_a_process_which_then_goes_on():
    env = Environment()
    cpu = processor(env)
    process, handler = Job(env, PROCESS, [work(100)]), Job(env, INTERRUPT, [work(7, "interrupt")])
    cpu.kick(process.task)
    env.call_at(40, lambda _: cpu.kick(handler.task))
    env.run(until=50)
    check_books(env, cpu)
    assert cpu.busy() == {"protocol": 43, "interrupt": 7}
    env.run(until=1000)
    assert handler.log == [47]
    assert process.log == [107]
    check_books(env, cpu)


def test_suspended_twice_and_by_both_levels():
    env = Environment()
    cpu = processor(env)
    process = Job(env, PROCESS, [work(100)])
    deferred, handler = Job(env, DEFERRED, [work(50)]), Job(env, INTERRUPT, [work(20), work(20)])
    cpu.kick(process.task)
    env.call_at(10, lambda _: cpu.kick(deferred.task))
    env.call_at(30, lambda _: cpu.kick(handler.task))
    for now in range(5, 180, 10):
        env.run(until=now)
        check_books(env, cpu)
    env.run(until=1000)
    assert handler.log == [50, 70]
    assert deferred.log == [100]
    assert process.log == [190]
    check_books(env, cpu)


def test_deferred_work_waits_for_the_handler_and_goes_before_processes():
    env = Environment()
    cpu = processor(env)
    log = []
    low, middle, high = (Job(env, level, [work(10)], log, name) for level, name in
                         ((PROCESS, "process"), (DEFERRED, "deferred"), (INTERRUPT, "interrupt")))
    cpu.kick(high.task)
    cpu.kick(low.task)
    cpu.kick(middle.task)
    env.run(until=100)
    assert log == [("interrupt", 10), ("deferred", 20), ("process", 30)]


def test_tasks_of_one_level_take_turns_work_by_work():
    env = Environment()
    cpu = processor(env)
    log = []
    a, b = (Job(env, PROCESS, [work(10), work(10)], log, name) for name in "ab")
    cpu.kick(a.task)
    cpu.kick(b.task)
    env.run(until=100)
    assert log == [("a", 10), ("b", 20), ("a", 30), ("b", 40)]


def test_kicking_a_ready_task_changes_nothing():
    env = Environment()
    cpu = processor(env)
    job = Job(env, PROCESS, [work(10)])
    for _ in range(3):
        cpu.kick(job.task)
    env.run(until=5)
    cpu.kick(job.task)
    env.run(until=100)
    assert job.log == [10]


def test_a_task_kicked_from_an_end_waits_for_its_turn():
    env = Environment()
    cpu = processor(env)
    handler = Job(env, INTERRUPT, [work(5)])
    process = Job(env, PROCESS, [work(10), work(10)])
    process.task.worker = worker(process._begin, lambda: (process._end(), cpu.kick(handler.task))[0])
    cpu.kick(process.task)
    env.run(until=100)
    assert handler.log == [15]
    assert process.log == [10, 25]


def test_processes_are_shared_by_processors():
    env = Environment()
    shared = Fifo()
    cpus = [Processor(env, Resource("cpu", PROCESSOR, i), [lambda duration: 0], shared) for i in range(2)]
    handler = Job(env, INTERRUPT, [work(100)])
    jobs = [Job(env, PROCESS, [work(30)]) for _ in range(3)]
    cpus[0].kick(handler.task)
    for job in jobs:
        cpus[1].kick(job.task)
    env.run(until=1000)
    assert [job.log for job in jobs] == [[30], [60], [90]]
    assert handler.log == [100]
    for cpu in cpus:
        check_books(env, cpu)


def test_waiting_for_the_bus_is_booked_under_the_first_name():
    env = Environment()
    cpu = processor(env, wait=4)
    job = Job(env, PROCESS, [Work((("driver", 10), ("copy", 5)), accesses=3)])
    cpu.kick(job.task)
    env.run(until=3)
    assert cpu.busy() == {"driver": 3}
    env.run(until=16)
    assert cpu.busy() == {"driver": 14, "copy": 2}
    env.run(until=100)
    assert job.log == [19]
    assert cpu.busy() == {"driver": 14, "copy": 5}


def test_interrupts_wait_for_each_other_unless_they_nest():
    """If nested, the handler that began last finishes first: the order in which frames are handed up is reversed."""
    assert order_of_interrupts(nested=False) == ["a", "b", "c"]
    assert order_of_interrupts(nested=True) == ["c", "b", "a"]


def order_of_interrupts(nested):
    """The order in which three handlers finish that begin 2 ps after one another and take 10 ps each."""
    env, log = Environment(), []
    cpu = Processor(env, Resource("cpu", PROCESSOR), [lambda duration: 0], nested_interrupts=nested)
    for start, name in enumerate("abc"):
        env.call_at(100 + 2 * start, cpu.kick, Job(env, INTERRUPT, [work(10, "interrupt")], log, name).task)
    env.run(until=500)
    assert cpu.busy() == {"interrupt": 30}
    check_books(env, cpu)
    return [name for name, _ in log]


def test_deferred_work_waits_for_the_last_of_nested_interrupts():
    env, log = Environment(), []
    cpu = Processor(env, Resource("cpu", PROCESSOR), [lambda duration: 0], nested_interrupts=True)
    jobs = [Job(env, level, [work(10)], log, name) for name, level in (("a", INTERRUPT), ("d", DEFERRED))]
    inner = Job(env, INTERRUPT, [work(10)], log, "b")
    for job in jobs:
        cpu.kick(job.task)
    env.call_at(5, lambda _: cpu.kick(inner.task))
    env.run(until=100)
    assert log == [("b", 15), ("a", 20), ("d", 30)]
