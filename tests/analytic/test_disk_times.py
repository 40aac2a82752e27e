"""Disks, arrays and caches against closed forms."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from math import sqrt

import numpy as np
import pytest
from scipy.special import stdtrit  # all of scipy.stats takes a second to import

from netsim.engine import Environment
from netsim.storage import Disk, DiskSpec, FileCache, FileCacheSpec, RaidSpec
from netsim.units import MS
from tests.storage_parts import DISK, STORAGE, Machine

KB = 1024
BATCHES = 20
QUICK = {  # a controller that costs nothing
    "controller.command_time": 0, "controller.disk_command_time": 0, "controller.channel_rate": "1000000 GB/s",
}


def interval(samples: np.ndarray, confidence: float = 0.999) -> tuple[float, float]:
    """Of the mean, by batch means, since one seek begins where the last one ended."""
    means = samples[: len(samples) // BATCHES * BATCHES].reshape(BATCHES, -1).mean(axis=1)
    half = stdtrit(BATCHES - 1, (1 + confidence) / 2) * means.std(ddof=1) / sqrt(BATCHES)
    return float(means.mean() - half), float(means.mean() + half)


def mean_seek(disk: DiskSpec) -> float:
    """ps, between two random cylinders: the curve, weighted by the number of pairs at each distance."""
    count = disk.cylinders
    pairs = ((2 if distance else 1) * (count - distance) * disk.seek_time(distance) for distance in range(count))
    return sum(pairs) / count**2


def places(env: Environment, count: int, nbytes: int) -> list[int]:
    """Random offsets."""
    return [int(place) for place in env.stream("places").integers(DISK.capacity - nbytes, size=count)]


def closed(order: str, customers: int, count: int) -> tuple[Disk, Environment, list[int]]:
    """Customers that always have one random read of 4 KB in progress; also the times at which reads were done."""
    env = Environment(3)
    disk = Disk(env, DISK.replace("order", order), "disk")
    left = places(env, count, 4 * KB)
    done: list[int] = []

    def following(_: object) -> None:
        done.append(env.now)
        if left:
            disk.request(left.pop(), 4 * KB, following)

    for _ in range(customers):
        disk.request(left.pop(), 4 * KB, following)
    env.run()
    disk.audit()
    return disk, env, done


# ---- one disk ----


def test_the_mean_seek_is_near_that_over_a_third() -> None:
    """Which is why data sheets call a third the average."""
    assert mean_seek(DISK) == pytest.approx(DISK.average_seek, rel=0.03)


def test_a_random_read_takes_a_mean_seek_and_half_a_revolution() -> None:
    _, _, done = closed("fifo", 1, 8000)
    expected = DISK.overhead + mean_seek(DISK) + DISK.rotation / 2 + DISK.transfer_time(4 * KB)
    low, high = interval(np.diff(done, prepend=0))
    assert low < expected < high
    assert high - low < 0.03 * expected


def test_customers_who_always_wait_obey_littles_law_and_the_asymptote() -> None:
    """N = X R, exactly; and X = 1 / S with the service time of a lone customer, since the order is that of arrival."""
    for customers in (1, 2, 5):
        disk, env, done = closed("fifo", customers, 4000)
        inside = [customers] * (len(done) - customers + 1)  # until no requests are left
        stays = sum(n * (b - a) for n, (a, b) in zip(inside, pairwise([0, *done]), strict=False))
        fewer = zip(range(customers - 1, 0, -1), pairwise(done[-customers:]), strict=True)
        last = sum(n * (b - a) for n, (a, b) in fewer)
        assert disk.population.area_until(env.now) == disk.population.stayed == stays + last
        assert disk.busy_until(env.now) == env.now
        low, high = interval(np.diff(done, prepend=0))
        assert low < DISK.overhead + mean_seek(DISK) + DISK.rotation / 2 + DISK.transfer_time(4 * KB) < high


def test_an_elevator_passes_the_asymptote_of_the_order_of_arrival() -> None:
    ends = [closed("elevator", customers, 2000)[1].now for customers in (1, 4, 16)]
    assert ends[0] > 1.1 * ends[1] > 1.1**2 * ends[2]


# ---- arrays ----


def together(level: int, **changes: object) -> Machine:
    """Disks whose platters turn together."""
    machine = Machine(STORAGE.replace({**QUICK, "level": level, **changes}))
    for disk in machine.controller.array.disks:
        disk._angle = 0
    return machine


def test_a_small_write_with_parity_takes_one_revolution_more() -> None:
    """Read and write the same place: the head waits for it to come round again, and the overhead ends before that."""
    for offset in (0, 3 * KB, 123_456 * KB, STORAGE.size // 16 // KB * 8 * KB):
        machine = together(5)
        done = machine.run((offset, 4 * KB, True))
        start = machine.controller.spec.controller.bus_time(machine.bus.spec, 4 * KB, False)
        (piece,) = machine.controller.array.layout.pieces(offset, 4 * KB)
        once = DISK.service_time(start, 0, piece.offset, 4 * KB)
        assert done - start == once + DISK.rotation
        assert sum(machine.disk_commands) == 4


def test_a_small_write_takes_more_where_platters_do_not_turn_together() -> None:
    """Both writes begin after the later of two reads; both phases wait for the later of two random heads."""
    extra = []
    for seed in range(300):
        machine = Machine(STORAGE.replace({**QUICK, "level": 5}), seed)
        machine.run((0, 512, True))
        extra.append(machine.env.now / DISK.rotation)
    low, high = interval(np.array(extra))
    bus = machine.controller.spec.controller.bus_time(machine.bus.spec, 512, False)
    # The first phase lasts until the second of two places, each anywhere on the circle, has come round; the second
    # phase until both have come round again: the one read last takes a full revolution; the other is earlier, or, if it
    # passes within the overhead, later.
    fixed = (bus + DISK.overhead + DISK.transfer_time(512)) / DISK.rotation
    late = (DISK.overhead + DISK.transfer_time(512)) / DISK.rotation
    rng = np.random.default_rng(5)
    first, second = np.sort(rng.random((2, 400_000)), axis=0)
    gap = second - first
    missed = np.where(1 - gap < late, 1 - gap, 0)
    expected = float((fixed + second + 1 + missed).mean())
    assert low < expected < high
    assert high - low < 0.12 * expected


def test_striping_reads_at_the_rate_of_all_disks() -> None:
    """A long read takes a fifth of the time that one disk needs, plus each disk's own wait."""
    machine = together(0)
    nbytes = 500 * 8 * KB
    machine.run((0, nbytes, False))
    assert machine.disk_commands == [1] * 5
    disks = max(disk.busy_until(machine.env.now) for disk in machine.controller.array.disks)
    assert DISK.transfer_time(nbytes) / 5 <= disks <= DISK.transfer_time(nbytes) / 5 + DISK.overhead + DISK.rotation


def test_a_random_small_write_costs_four_commands_with_parity_and_one_without() -> None:
    for level, commands in ((0, 1), (5, 4)):
        machine = together(level)
        writes = [(place // 512 * 512 // (8 * KB) * 8 * KB, 2 * KB, True) for place in places(machine.env, 200, 8 * KB)]
        machine.run(*writes)
        assert sum(machine.disk_commands) == commands * 200


def test_parity_costs_one_disk_of_room() -> None:
    zero, five = (RaidSpec(level=level, disks=5, stripe_unit="8 KiB").capacity(DISK) for level in (0, 5))
    assert five == zero * 4 // 5


# ---- caches ----


class Volume:
    """Takes 1 ms for everything."""

    def __init__(self, env: Environment) -> None:
        self.env = env

    def read(self, offset: int, nbytes: int, done: Callable[[], None]) -> None:
        self.env.call_in(MS, lambda _: done())

    write = read


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
def test_least_recently_used_pages_of_uniform_references_hit_by_their_share(share: float) -> None:
    """References that are equally frequent to all P pages hit C / P of the time, whichever C are kept (King, 1971)."""
    env, pages, count = Environment(2), 1000, 20_000
    spec = FileCacheSpec(
        page="4 KiB", read_ahead=0, write_delay=None, concurrent_writes=1, cluster="4 KiB", dirty_limit=1,
        clean_reserve=1,
    )
    cache = FileCache(env, spec, int(share * pages) * 4096, Volume(env))
    wanted = [int(page) for page in env.stream("references").integers(pages, size=count + 10_000)]
    cache.warm((page * 4096, 4096, False, 0) for page in wanted[count:])
    hits = []
    for page in wanted[:count]:
        hits.append(cache.read(page * 4096, 4096, lambda: None))
        env.run()
    cache.audit()
    low, high = interval(np.array(hits, dtype=float))
    assert low < share < high
    assert high - low < 0.05
    assert cache.hit_ratio == np.mean(hits)
