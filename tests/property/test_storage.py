"""Any requests to disks, arrays and caches: nothing is lost or invented, and a repetition gives the same."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netsim.engine import Environment
from netsim.storage import Disk, FileCache, FileCacheSpec, RaidSpec
from netsim.units import MS
from tests.storage_parts import DISK, STORAGE, Machine

UNIT = 512  # small units make short tests
PAGE = 4096

quick = settings(deadline=None, max_examples=60)
levels = st.sampled_from([0, 5])
arrays = st.builds(lambda level, disks: RaidSpec(level=level, disks=disks, stripe_unit=UNIT), levels, st.integers(3, 7))
extents = st.tuples(st.integers(0, 9000), st.integers(1, 9000))


# ---- layout ----


def _bytes(pieces: list[Any]) -> list[tuple[int, int]]:
    return [(piece.disk, at) for piece in pieces for at in range(piece.offset, piece.end)]


@quick
@given(arrays, extents)
def test_every_byte_has_a_place_of_its_own(raid: RaidSpec, extent: tuple[int, int]) -> None:
    """An extent has as many bytes on the disks, no two of them in the same place; and it can be split anywhere."""
    offset, nbytes = extent
    places = _bytes(raid.layout.pieces(offset, nbytes))
    assert len(places) == len(set(places)) == nbytes
    cut = nbytes // 3
    assert places[:cut] == _bytes(raid.layout.pieces(offset, cut))
    assert places[cut:] == _bytes(raid.layout.pieces(offset + cut, nbytes - cut))


@quick
@given(arrays, st.integers(0, 50))
def test_a_row_is_a_unit_of_each_disk(raid: RaidSpec, row: int) -> None:
    """The parity is on the disk that holds no data of its row."""
    layout = raid.layout
    pieces = layout.pieces(row * layout.row, layout.row)
    assert {piece.offset // UNIT for piece in pieces} == {row}
    with_data = {piece.disk for piece in pieces}
    parity = {layout.parity(row)} if raid.level == 5 else set()  # type: ignore[attr-defined]
    assert not with_data & parity
    assert with_data | parity == set(range(raid.disks))


@quick
@given(arrays, extents, st.integers(0, 2**20))
def test_the_new_parity_can_be_computed_from_what_is_read(raid: RaidSpec, extent: tuple[int, int], known: int) -> None:
    """For every byte of parity written, either the old bytes of everything that changes are available, or all the
    others."""
    layout = raid.layout
    offset, nbytes = extent

    def cached(piece: Any) -> bool:
        return bool(known >> (piece.disk + piece.offset // UNIT) % 20 & 1)

    plan = layout.writing(offset, nbytes, cached)
    data = set(_bytes(layout.pieces(offset, nbytes)))
    written, read = set(_bytes(plan.writes)), set(_bytes(plan.reads))
    assert data <= written
    if raid.level == 0:
        assert data == written
        assert not read
        return

    def there(place: tuple[int, int]) -> bool:
        disk, at = place
        return place in read or bool(known >> (disk + at // UNIT) % 20 & 1)  # a unit is known as a whole or not at all

    for parity, at in written - data:
        assert parity == layout.parity(at // UNIT)  # type: ignore[attr-defined]
        others = {(disk, at) for disk in range(raid.disks) if disk != parity}
        modify = all(there(place) for place in {(parity, at), *(others & data)})
        assert modify or all(there(place) for place in others - data)
    assert {at for _, at in data} <= {at for _, at in written - data}


@quick
@given(arrays, st.integers(0, 5), st.integers(1, 4))
def test_whole_rows_need_no_reads(raid: RaidSpec, row: int, rows: int) -> None:
    assert not raid.layout.writing(row * raid.layout.row, rows * raid.layout.row).reads


# ---- disks ----

requests = st.lists(
    st.tuples(st.integers(0, 30 * MS), st.integers(0, DISK.capacity - 2**16), st.integers(0, 2**16)),
    min_size=1, max_size=30,
)


@quick
@given(requests, st.sampled_from(["fifo", "elevator"]))
def test_a_disk_serves_everybody_and_is_idle_only_without_anybody(asked: list[Any], order: str) -> None:
    env = Environment()
    disk = Disk(env, DISK.replace("order", order), "disk")
    done: list[int] = []
    for number, (when, offset, nbytes) in enumerate(sorted(asked)):
        env.call_at(when, lambda one: disk.request(one[1], one[2], done.append, one[0]), (number, offset, nbytes))
    env.run()
    disk.audit()
    assert sorted(done) == list(range(len(asked)))
    assert order == "elevator" or done == sorted(done)
    most = DISK.overhead + DISK.full_stroke + DISK.rotation
    least = sum(DISK.overhead + DISK.transfer_time(nbytes) for _, _, nbytes in asked)
    busy = disk.busy_until(env.now)
    assert least <= busy <= least + len(asked) * (most + 1)
    assert min(when for when, _, _ in asked) + busy <= env.now <= max(when for when, _, _ in asked) + busy


# ---- controllers ----

commands = st.lists(
    st.tuples(st.integers(0, 20 * MS), st.integers(0, 200), st.integers(1, 100), st.booleans()), min_size=1, max_size=25
)
controllers = st.fixed_dictionaries(
    {
        "level": levels,
        "disks": st.integers(3, 6),
        "stripe_unit": st.just("8 KiB"),
        "controller.cache": st.sampled_from([0, "64 KiB", "4 MiB"]),
        "controller.write_back": st.booleans(),
        "controller.commands": st.integers(1, 8),
        "controller.channels": st.integers(1, 3),
    }
)


def _run(asked: list[Any], changes: dict[str, Any]) -> Machine:
    machine = Machine(STORAGE.replace(changes))
    for when, place, size, write in asked:
        machine.env.call_at(when, lambda one: machine.submit(*one), (place * 2048, size * 1024, write))
    for stop in (5, 10, 20, 40):
        machine.env.run(stop * MS)
        machine.controller.audit()
    machine.run()
    return machine


@quick
@given(commands, controllers)
def test_no_command_is_lost_and_it_happens_the_same_twice(asked: list[Any], changes: dict[str, Any]) -> None:
    machine, again = _run(asked, changes), _run(asked, changes)
    assert machine.done == again.done
    assert len(machine.done) == len(asked)
    assert dict(machine.controller.counts()) == dict(again.controller.counts())
    assert not any(population.inside for population in machine.controller.array.populations())
    assert not machine.controller._lines._pins
    now = machine.env.now
    assert all(0 <= ps <= now for _, ps in machine.controller.occupied(now))


@quick
@given(commands, controllers.map(lambda changes: changes | {"controller.cache": 0}))
def test_without_a_cache_the_disks_move_what_is_asked_for(asked: list[Any], changes: dict[str, Any]) -> None:
    reads = [(when, place, size, False) for when, place, size, _ in asked]
    machine = _run(reads, changes)
    assert sum(disk.bytes for disk in machine.controller.array.disks) == sum(size * 1024 for _, _, size, _ in reads)


@pytest.mark.parametrize("level", [0, 5])
def test_more_disks_do_a_batch_of_random_reads_sooner(level: int) -> None:
    """On average over several batches; a single one may be unlucky."""
    def mean(disks: int) -> float:
        times = []
        for seed in range(12):
            machine = Machine(STORAGE.replace({"level": level, "disks": disks}), seed)
            places = machine.env.stream("places").integers(STORAGE.disk.capacity // 8192, size=60)
            times.append(machine.run(*((int(place) * 8192, 4096, False) for place in places)))
        return sum(times) / len(times)

    means = [mean(disks) for disks in (3, 4, 6, 9)]
    assert means == sorted(means, reverse=True)


# ---- file caches ----


class Volume:
    """Each request takes some time, which varies."""

    def __init__(self, env: Environment) -> None:
        self.env = env
        self.read_pages: list[int] = []
        self.written_pages: list[int] = []

    def read(self, offset, nbytes, done):
        self._serve(self.read_pages, offset, nbytes, done)

    def write(self, offset, nbytes, done):
        self._serve(self.written_pages, offset, nbytes, done)

    def _serve(self, pages, offset, nbytes, done):
        assert offset % PAGE == nbytes % PAGE == 0 < nbytes
        pages += range(offset // PAGE, (offset + nbytes) // PAGE)
        self.env.call_in(MS + offset // PAGE % 5 * MS, lambda _: done())


asked_of_caches = st.lists(
    st.tuples(
        st.integers(0, 60 * MS), st.integers(0, 40 * PAGE), st.integers(0, 4 * PAGE), st.booleans(), st.integers(0, 2)
    ),
    min_size=1, max_size=60,
)
caches = st.builds(
    FileCacheSpec,
    page=st.just(PAGE),
    read_ahead=st.sampled_from([0, 4 * PAGE]),
    write_delay=st.sampled_from(["0 ms", "10 ms", "1 s", None]),
    concurrent_writes=st.integers(1, 3),
    cluster=st.sampled_from([PAGE, 4 * PAGE]),
    dirty_limit=st.sampled_from([0.0, 0.3, 1.0]),
    clean_reserve=st.sampled_from([1, 3, 100]),
)


class Users:
    """Readers and writers of a cache, which note their completions."""

    def __init__(self, spec: FileCacheSpec, capacity: int) -> None:
        self.env = Environment()
        self.volume = Volume(self.env)
        self.cache = FileCache(self.env, spec, capacity * PAGE, self.volume)
        self.done: list[tuple[int, int]] = []  # number, when

    def ask(self, one: tuple[int, int, int, bool, int]) -> None:
        number, offset, nbytes, write, reader = one

        def then() -> None:
            self.done.append((number, self.env.now))

        at_once = self.cache.write(offset, nbytes, then) if write else self.cache.read(offset, nbytes, then, reader)
        if at_once:
            then()

    def run(self, asked: list[Any], sizes: list[tuple[int, int]]) -> None:
        for number, (when, *request) in enumerate(asked):
            self.env.call_at(when, self.ask, (number, *request))
        for when, capacity in sizes:
            self.env.call_at(when, lambda pages: self.cache.resize(pages * PAGE), capacity)
        for stop in range(5, 100, 5):
            self.env.run(stop * MS)
            self.cache.audit()
        self.env.run()
        self.cache.audit()


sizes = st.lists(st.tuples(st.integers(0, 60 * MS), st.integers(6, 40)), max_size=4)


@settings(deadline=None, max_examples=200)
@given(asked_of_caches, caches, st.integers(6, 40), sizes)
def test_no_request_and_no_page_is_lost(
    asked: list[Any], spec: FileCacheSpec, capacity: int, resized: list[tuple[int, int]]
) -> None:
    users, again = Users(spec, capacity), Users(spec, capacity)
    users.run(asked, resized)
    again.run(asked, resized)
    assert sorted(number for number, _ in users.done) == list(range(len(asked)))
    assert users.done == again.done
    assert users.cache.readers.inside == users.cache.writers.inside == 0
    pages = users.cache._pages
    assert pages.free >= 0
    assert not pages.claimed
    assert pages.unwritten <= max(0, len(pages) if spec.write_delay is None else 0)
    touched = {page for _, at, n, write, _ in asked if write and n for page in range(at // PAGE, -(-(at + n) // PAGE))}
    assert touched == set(users.volume.written_pages) | pages.dirty.keys()


@quick
@given(asked_of_caches, caches)
def test_a_cache_that_holds_everything_fetches_each_page_once(asked: list[Any], spec: FileCacheSpec) -> None:
    users = Users(spec, 100)
    users.run(asked, [])
    assert len(users.volume.read_pages) == len(set(users.volume.read_pages))
    wanted = {page for _, at, n, _, _ in asked if n for page in range(at // PAGE, -(-(at + n) // PAGE))}
    assert all(page in users.cache._pages for page in wanted)
    counts = dict(users.cache.counts())
    assert counts["file cache pages evicted clean"] == counts["file cache pages evicted dirty"] == 0
