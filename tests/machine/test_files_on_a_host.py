"""Files on a host: threads that sleep while disks work, the costs of their calls, and the memory they all share."""

from __future__ import annotations

from typing import Any

import pytest

import netsim as ns
from netsim.bus import Slot
from netsim.engine import Environment
from netsim.errors import ConservationError, ScenarioError
from netsim.machine import Host, Threads
from netsim.topology.ledger import Ledger
from netsim.units import MIB, MS, US
from tests.on_servers import DISKS, PAGE, addresses, nt_server

CYCLE = 2000  # ps at 500 MHz
SERVER = nt_server(0, processors__count=1, system__kernel__tick=0)
KERNEL = SERVER.system.kernel
LOOKED_UP = (2000 + 500) * CYCLE  # a request for one page
COPIED = SERVER.memory.copy_time(PAGE, "memory")


class Machine:
    """A host without cards and clock, and its threads; `done` has what jobs report by calls of `say`, and when."""

    def __init__(self, most: int = 2, **changes: Any) -> None:
        self.env = Environment(1)
        self.spec = SERVER.replace(addresses(changes)) if changes else SERVER
        self.host = Host(self.env, self.spec, "server")
        self.threads = Threads(self.host, most)
        self.ledger = Ledger(self.env, {"server": self.host}, [])
        self.done: list[tuple[Any, int]] = []

    @property
    def seen(self) -> Slot:
        """The bus with the registers of its controller."""
        assert self.spec.storage is not None
        return self.spec.storage.controller.sees(self.spec.slots[0])

    def say(self, what: Any) -> None:
        self.done.append((what, self.env.now))

    def computing(self, name: str, cycles: int) -> Any:
        """A job that only computes."""
        work = self.host.bill().cycles("application", cycles).work()

        def job(thread: Any) -> None:
            def end() -> None:
                self.say(name)
                thread.leave()

            thread.work(work, end)

        return job

    def reading(self, offset: int, nbytes: int, write: bool = False) -> Any:
        """A job that reads, or writes, once."""

        def job(thread: Any) -> None:
            def end() -> None:
                self.say(offset)
                thread.leave()

            (thread.write if write else thread.read)(offset, nbytes, end)

        return job

    def run(self, until: int | None = None) -> None:
        self.env.run(until)
        self.ledger.audit()
        self.threads.busy.audit()

    @property
    def busy(self) -> dict[str, int]:
        """ps by name, for all processors together."""
        found: dict[str, int] = {}
        for processor in self.host.processors:
            for name, ps in processor.busy().items():
                found[name] = found.get(name, 0) + ps
        return {name: ps for name, ps in found.items() if ps}


# ---- threads ----


def test_jobs_beyond_the_threads_wait_and_go_on_in_order() -> None:
    """The number of processors equals the number of threads."""
    one = Machine(2, processors__count=2)
    for number in range(4):
        one.threads.serve(one.computing(f"job {number}", 1000))
    assert (one.threads.made, one.threads.waiting, one.threads.busy.inside) == (2, 2, 2)
    one.run()
    assert one.done == [(f"job {number}", (number // 2 + 1) * 1000 * CYCLE) for number in range(4)]
    assert (one.threads.made, one.threads.waiting, one.threads.busy.inside) == (2, 0, 0)


def test_time_with_a_thread_is_counted_and_not_the_time_without() -> None:
    """Two jobs begin on one processor: the first has a thread for 1000 cycles, the third continues with that thread for
    the same time, and the second has to wait for both."""
    one = Machine(2)
    for number in range(3):
        one.threads.serve(one.computing(f"job {number}", 1000))
    one.run()
    assert one.threads.busy.departures == 3
    assert one.threads.busy.stayed == (1 + 1 + 3) * 1000 * CYCLE


def test_threads_are_busy_on_average() -> None:
    """Two processors do the first two jobs at once, and then the third one alone."""
    for most, busy in ((2, 1500), (3, 4000 // 3), (1, 3000)):
        one = Machine(most, processors__count=2)
        for number in range(3):
            one.threads.serve(one.computing(f"job {number}", 1000))
        one.run()
        assert one.threads.busy_until(one.env.now) == pytest.approx(busy * CYCLE, rel=1e-3)


def test_threads_run_on_all_processors_at_once() -> None:
    one = Machine(3, processors__count=2)
    for number in range(3):
        one.threads.serve(one.computing(f"job {number}", 1000))
    one.run()
    assert [when for _, when in one.done] == [1000 * CYCLE, 1000 * CYCLE, 2000 * CYCLE]


def test_the_thread_that_worked_last_goes_first() -> None:
    one = Machine(3)
    used: list[Any] = []

    def job(thread: Any) -> None:
        used.append(thread)

    for _ in range(3):
        one.threads.serve(job)
    first, second, third = used
    for thread in (third, first, second):
        thread.leave()
    one.threads.serve(job)
    one.threads.serve(job)
    assert used[3:] == [second, first]
    one.threads.busy.audit(2)


def test_threads_are_made_when_there_is_work_for_them_or_before() -> None:
    one = Machine(3)
    assert one.threads.made == 0
    one.threads.serve(one.computing("job", 1000))
    one.run()
    one.threads.serve(one.computing("job", 1000))
    assert one.threads.made == 1
    for jobs, made in ((2, 2), (5, 3)):
        before = Machine(3)
        before.threads.make(jobs)
        assert before.threads.made == made
        for number in range(4):
            before.threads.serve(before.computing(f"job {number}", 1000))
        assert (before.threads.made, before.threads.waiting) == (3, 1)


def test_a_thread_goes_on_as_long_as_it_has_work() -> None:
    """No time slices: a thread that waits for a processor waits until the running one sleeps, or has no more to do."""
    one = Machine(3)
    work = one.host.bill().cycles("application", 1000).work()

    def twice(name: str) -> Any:
        def job(thread: Any) -> None:
            one.say(f"{name} begins")
            thread.work(work, lambda: thread.work(work, lambda: (one.say(name), thread.leave())))

        return job

    one.threads.serve(twice("first"))
    one.threads.serve(twice("second"))
    one.run()
    assert [(what, when // CYCLE) for what, when in one.done] == [
        ("first begins", 0), ("second begins", 0), ("first", 2000), ("second", 4000)
    ]  # fmt: skip


def test_who_waited_for_a_disk_goes_behind_those_who_wait_for_a_processor() -> None:
    one = Machine(3)
    one.threads.serve(one.reading(0, PAGE))
    for number in range(2):
        one.threads.serve(one.computing(f"job {number}", 20_000_000))
    one.run()
    assert [what for what, _ in one.done] == ["job 0", "job 1", 0]


def test_a_job_that_waited_goes_on_with_the_thread_that_is_free() -> None:
    """It goes ahead of another thread, which waits for the processor."""
    one = Machine(2)
    for number, cycles in enumerate((1000, 5000, 1000)):
        one.threads.serve(one.computing(f"job {number}", cycles))
    one.run()
    assert [what for what, _ in one.done] == ["job 0", "job 2", "job 1"]


# ---- reads and writes ----


def test_a_read_that_hits_costs_the_processor_and_nobody_else() -> None:
    one = Machine()
    assert one.host.volume is not None
    one.host.volume.cache.warm([(0, 16 * PAGE, False, 0)])
    one.threads.serve(one.reading(3 * PAGE, PAGE))
    one.run()
    assert one.busy == {"file service": LOOKED_UP, "copy": COPIED}
    assert one.done == [(3 * PAGE, LOOKED_UP + COPIED)]
    assert one.host.volume.counts() == {"file cache hits": 1, "file cache misses": 0}


def test_pages_are_looked_up_one_by_one_and_bytes_are_copied() -> None:
    """100 bytes across the boundary of two pages; a system that copies nothing hands the page over."""
    for copies, copied in ((True, SERVER.memory.copy_time(100, "memory")), (False, 0)):
        one = Machine(system__files__copies=copies)
        assert one.host.volume is not None
        one.host.volume.cache.warm([(0, 4 * PAGE, False, 0)])
        one.threads.serve(one.reading(2 * PAGE - 50, 100))
        one.run()
        assert one.busy == {"file service": (2000 + 2 * 500) * CYCLE} | ({"copy": copied} if copied else {})


def test_a_read_that_misses_sleeps_until_the_disk_has_it() -> None:
    """The processor hands the command over, is interrupted when it is done, wakes the thread up, and then continues as
    if all bytes had been cached."""
    one = Machine()
    one.threads.serve(one.reading(0, PAGE))
    one.run()
    slot = one.seen
    bill = one.host.bill().interrupt(KERNEL.interrupt_cycles, KERNEL.masks_interrupts)
    bill.accesses("interrupt", slot, 2, 1, 0, "memory")
    submit = one.host.bill().cycles("disk driver", 5000).accesses("disk driver", slot, 0, 1, 0, "memory")
    assert one.busy == {
        "interrupt": bill.work().total,
        "disk driver": submit.work().total + 3000 * CYCLE,
        "wake-up": round(KERNEL.wake_up_cycles * CYCLE),
        "file service": LOOKED_UP,
        "copy": COPIED,
    }
    ((_, when),) = one.done
    disk = DISKS.disk
    command = DISKS.controller.command_time + DISKS.controller.disk_command_time + disk.overhead
    assert when - sum(one.busy.values()) >= command + disk.transfer_time(PAGE)  # no seek: the head may be in place
    assert one.host.volume is not None
    assert one.host.volume.counts() == {"file cache hits": 0, "file cache misses": 1}
    assert one.host.volume.driver.interrupts == 1


def test_while_one_thread_sleeps_another_one_works() -> None:
    """If there is another thread: one that waits for a disk is kept by its job."""
    for most, order in ((2, ["computed", 0]), (1, [0, "computed"])):
        one = Machine(most)
        one.threads.serve(one.reading(0, PAGE))
        one.threads.serve(one.computing("computed", 10_000))
        one.run()
        assert [what for what, _ in one.done] == order


def test_a_call_follows_the_other_on_the_same_thread() -> None:
    """The second read of the page hits, without a wake-up."""
    one = Machine(1)
    job = one.reading(0, PAGE)
    one.threads.serve(lambda thread: thread.read(0, PAGE, lambda: job(thread)))
    one.run()
    assert one.busy["wake-up"] == round(KERNEL.wake_up_cycles * CYCLE)
    assert one.busy["file service"] == 2 * LOOKED_UP
    assert one.host.volume is not None
    assert one.host.volume.cache.hits == 1


def test_a_page_written_wholly_waits_for_nobody() -> None:
    one = Machine()
    one.threads.serve(one.reading(0, PAGE, write=True))
    one.run(MS)
    assert one.busy == {"file service": LOOKED_UP, "copy": COPIED}
    assert one.host.volume is not None
    assert one.host.volume.controller.array.commands == 0


def test_a_page_written_in_part_is_read_first() -> None:
    one = Machine()
    one.threads.serve(one.reading(10, 100, write=True))
    one.run()
    assert one.done[0][1] > DISKS.disk.overhead
    assert one.busy["wake-up"] == round(KERNEL.wake_up_cycles * CYCLE)
    assert one.host.volume is not None
    assert one.host.volume.controller.array.commands == 1


def test_dirty_pages_are_written_when_they_are_due() -> None:
    """The driver's costs are those of a command; no thread is woken up."""
    one = Machine(system__files__cache__write_delay="50 ms")
    one.threads.serve(one.reading(0, PAGE, write=True))
    one.run(50 * MS)
    assert "disk driver" not in one.busy
    one.run()
    assert one.busy["disk driver"] > 8000 * CYCLE
    assert "wake-up" not in one.busy


# ---- interrupts ----


def test_commands_that_end_while_an_interrupt_is_dealt_with_share_it() -> None:
    """On separate disks, and with an interrupt that takes 20 ms."""
    one = Machine(4, system__kernel__interrupt_cycles=10_000_000)
    unit = DISKS.stripe_unit
    for number in range(4):
        one.threads.serve(one.reading(number * unit, PAGE))
    one.run()
    assert one.host.volume is not None
    driver = one.host.volume.driver
    assert driver.interrupts == 1
    bill = one.host.bill().interrupt(10_000_000, KERNEL.masks_interrupts)
    bill.accesses("interrupt", one.seen, 2, 1, 0, "memory")
    assert one.busy["interrupt"] == bill.work().total
    submit = one.host.bill().cycles("disk driver", 5000).accesses("disk driver", one.seen, 0, 1, 0, "memory")
    assert one.busy["disk driver"] == 4 * (submit.work().total + 3000 * CYCLE)


def test_commands_that_end_apart_have_an_interrupt_each() -> None:
    one = Machine(1)
    for number in range(4):
        one.threads.serve(one.reading(number * DISKS.stripe_unit, PAGE))
    one.run()
    assert one.host.volume is not None
    assert one.host.volume.driver.interrupts == 4


# ---- memory ----


def test_memory_that_nobody_else_needs_is_the_caches() -> None:
    one = Machine(3)
    assert one.host.volume is not None
    volume = one.host.volume
    assert volume.capacity == 64 * MIB
    one.threads.make(2)
    assert volume.capacity == 64 * MIB - 2 * 65536
    one.threads.make(1)
    assert volume.capacity == 64 * MIB - 3 * 65536


def test_a_thread_takes_pages_from_the_cache() -> None:
    """It takes the least recently used ones."""
    one = Machine(4, memory__size=8 * MIB + 4 * 65536)
    assert one.host.volume is not None
    cache = one.host.volume.cache
    cache.warm([(0, 64 * PAGE, False, 0)])
    assert cache.pages == 64
    one.threads.make(3)
    assert cache.pages == 16
    one.run()
    one.threads.serve(one.reading(63 * PAGE, PAGE))
    one.threads.serve(one.reading(0, PAGE))
    one.run()
    assert (cache.hits, cache.misses) == (1, 1)


def test_a_server_without_room_for_its_threads_says_so() -> None:
    one = Machine(4, memory__size=8 * MIB + 2 * 65536)
    with pytest.raises(ScenarioError) as error:
        one.threads.make(2)
    assert error.value.address == "memory.size"
    most = 8 * MIB + 2 * 65536 + PAGE - 1
    assert f"not enough for the system and 2 threads; allowed: more than {most} bytes" in str(error.value)


@pytest.mark.parametrize(
    ("changes", "address", "words"),
    [
        ({"memory__size": None}, "memory.size", "needed for a host with disks"),
        ({"memory__size": 8 * MIB}, "memory.size", f"allowed: more than {8 * MIB + PAGE - 1} bytes"),
        ({"memory__size": 8 * MIB + PAGE - 1}, "memory.size", "not enough for the system and 0 threads"),
        ({"storage__slot": 1}, "storage.slot", "1 is not a bus of this host; allowed: 0"),
    ],
)
def test_a_host_with_disks_needs_a_slot_and_memory(changes: dict[str, Any], address: str, words: str) -> None:
    with pytest.raises(ScenarioError) as error:
        SERVER.replace(addresses(changes))
    assert error.value.address == address
    assert words in str(error.value)
    assert SERVER.replace("memory.size", 8 * MIB + PAGE).has_files


# ---- without ----


def test_a_system_without_files_lets_its_disks_be() -> None:
    spec = ns.host("netfinity-5500", system="linux-2.2.16").replace("storage", DISKS)
    assert spec.system.files is None
    assert not spec.has_files
    assert not spec.replace("memory.size", None).has_files
    env = Environment(1)
    host = Host(env, spec, "server")
    assert host.volume is None
    threads = Threads(host, 1)
    ledger = Ledger(env, {"server": host}, [])
    threads.serve(lambda thread: thread.work(host.bill().cycles("application", 1000).work(), thread.leave))
    env.run(MS)
    threads.busy.audit(0)
    accounts = ledger.read(0, {}, {})
    once = spec.bill().cycles("application", 1000).work().total
    assert sum(parts.get("application", 0) for parts in accounts.busy.values()) == once
    assert not any("disk" in name for name in accounts.occupied)
    assert "file cache hits" not in accounts.counts
    ledger.audit()


def test_a_system_with_files_needs_no_disks() -> None:
    spec = SERVER.replace({"storage": None, "memory.size": None})
    assert spec.system.files is not None
    assert not spec.has_files
    assert Host(Environment(1), spec, "server").volume is None


# ---- accounts ----


def test_books_have_the_disks_and_the_cache() -> None:
    one = Machine(8)
    for number in range(8):
        one.threads.serve(one.reading(number * MIB, PAGE))
        one.threads.serve(one.reading(number * MIB, PAGE))
    one.run(40 * MS)
    accounts = one.ledger.read(0, {}, {})
    assert one.host.volume is not None
    controller = one.host.volume.controller
    disks = sum(disk.busy_until(one.env.now) for disk in controller.array.disks) / 5
    assert accounts.utilisation()["server disks"] == pytest.approx(disks / one.env.now, rel=1e-6)
    assert 0 < accounts.utilisation()["server disk controller"] < 1
    cache = one.host.volume.cache
    assert (accounts.counts["file cache hits"], accounts.counts["file cache misses"]) == (cache.hits, cache.misses)
    assert cache.hits + cache.misses == 16
    assert accounts.occupied["server bus"] > 8 * one.spec.slots[0].transfer_time(PAGE, True, 512)


def test_calls_about_files_are_billed() -> None:
    files = SERVER.system.files
    assert files is not None
    assert files.bill_call(SERVER.bill()).work().parts == (("file service", 10_000 * CYCLE),)
    extents = ((0, PAGE), (1, PAGE), (PAGE - 1, 2), (0, 1), (100, 3 * PAGE))
    assert [files.pages(*extent) for extent in extents] == [1, 2, 2, 1, 4]
    assert files.room(8 * MIB + 3 * 65536 + 10_000, 3) == 10_000


@pytest.mark.parametrize("part", ["reader", "command", "page"])
def test_what_is_lost_on_the_way_is_found(part: str) -> None:
    one = Machine()
    one.threads.serve(one.reading(0, PAGE))
    one.run(200 * US)
    volume = one.host.volume
    assert volume is not None
    if part == "reader":
        volume.cache.readers.stayed += 1
    elif part == "command":
        volume.controller.population.stayed += 1
    else:
        volume.cache._pages.claimed -= 1
    with pytest.raises(ConservationError):
        one.ledger.audit()
