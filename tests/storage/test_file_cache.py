"""A file cache: what requests wait for, which page is evicted, and when dirty ones are written."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from netsim.engine import Environment
from netsim.errors import ConservationError, ScenarioError, SimulationError
from netsim.storage import FileCache, FileCacheSpec
from netsim.units import MS

PAGE = 4096
SPEC = FileCacheSpec(
    page="4 KiB", read_ahead=0, write_delay=None, concurrent_writes=4, cluster="16 KiB", dirty_limit=1.0,
    clean_reserve=1,
)
TAKES = 10 * MS  # for anything the volume does


class Volume:
    """Records its operations, by page; each takes the same time."""

    def __init__(self, env: Environment) -> None:
        self.env = env
        self.reads: list[tuple[int, int]] = []  # first page, pages
        self.writes: list[tuple[int, int]] = []

    def read(self, offset, nbytes, done):
        self.reads.append((offset // PAGE, nbytes // PAGE))
        self.env.call_in(TAKES, lambda _: done())

    def write(self, offset, nbytes, done):
        self.writes.append((offset // PAGE, nbytes // PAGE))
        self.env.call_in(TAKES, lambda _: done())


class Cached:
    """A cache of `pages` pages; requests are by page, and `done` has the completion times."""

    def __init__(self, pages: int, **changes: object) -> None:
        self.env = Environment()
        self.volume = Volume(self.env)
        spec = SPEC.replace(changes) if changes else SPEC
        self.cache = FileCache(self.env, spec, pages * PAGE, self.volume)
        self.done: list[tuple[object, int]] = []

    def read(self, page: float, count: float = 1, tag: object = "read", **more: object) -> bool:
        then = lambda: self.done.append((tag, self.env.now))  # noqa: E731
        return self.cache.read(int(page * PAGE), int(count * PAGE), then, **more)  # type: ignore[arg-type]

    def write(self, page: float, count: float = 1, tag: object = "write") -> bool:
        then = lambda: self.done.append((tag, self.env.now))  # noqa: E731
        return self.cache.write(int(page * PAGE), int(count * PAGE), then)

    def run(self, until: int | None = None) -> None:
        self.env.run(until)
        self.cache.audit()

    @property
    def counts(self) -> dict[str, int]:
        return {name.removeprefix("file cache "): count for name, count in self.cache.counts()}


# ---- reads ----


def test_what_is_not_there_is_waited_for_and_then_it_is_there() -> None:
    one = Cached(8)
    assert not one.read(3, 2)
    one.run()
    assert one.done == [("read", TAKES)]
    assert one.read(3, 2)
    assert one.read(4)
    assert one.volume.reads == [(3, 2)]
    assert (one.cache.hits, one.cache.misses) == (3, 2)
    assert one.cache.hit_ratio == 0.6


def test_a_request_that_is_partly_there_fetches_the_rest() -> None:
    one = Cached(8)
    one.read(2)
    one.run()
    assert not one.read(0, 5)
    one.run()
    assert one.volume.reads == [(2, 1), (0, 2), (3, 2)]


def test_a_few_bytes_take_the_pages_they_touch() -> None:
    one = Cached(8)
    one.read(0.9, 0.2)
    one.run()
    assert one.volume.reads == [(0, 2)]
    assert one.read(5, 0)


def test_a_page_is_fetched_once_for_all_who_want_it() -> None:
    one = Cached(8)
    assert not one.read(0, 2, "a")
    one.run(TAKES // 2)
    assert not one.read(1, 2, "b")
    one.run()
    assert one.volume.reads == [(0, 2), (2, 1)]
    assert one.done == [("a", TAKES), ("b", TAKES * 3 // 2)]


def test_the_least_recently_used_page_goes() -> None:
    one = Cached(4)
    for page in (0, 1, 2, 3, 0, 4):
        one.read(page)
        one.run()
    assert one.read(0)
    assert not one.read(1)
    assert one.counts["pages evicted clean"] == 2
    assert one.cache.pages == 3  # and one being read


def test_a_request_larger_than_the_cache_is_refused() -> None:
    one = Cached(4)
    for ask in (one.read, one.write):
        with pytest.raises(SimulationError, match="a request for 5 pages, and room for 4"):
            ask(0, 5)


# ---- read ahead ----


def test_a_reader_who_goes_on_has_more_fetched() -> None:
    one = Cached(64, read_ahead="32 KiB")
    for page in range(4):
        one.read(page, reader="a")
        one.run()
    assert one.volume.reads == [(0, 1), (1, 8)]
    assert (one.cache.hits, one.cache.misses) == (2, 2)


def test_a_reader_who_jumps_has_not() -> None:
    one = Cached(64, read_ahead="32 KiB")
    for page, reader in ((0, "a"), (5, "a"), (6, "b"), (30, None), (31, None)):
        one.read(page, reader=reader)
        one.run()
    assert [count for _, count in one.volume.reads] == [1] * 5


def test_nothing_is_read_ahead_beyond_the_file_or_again() -> None:
    one = Cached(64, read_ahead="32 KiB")
    one.read(0, reader="a")
    one.read(4, tag="other")
    one.run()
    one.read(1, reader="a", end=6 * PAGE - 100)
    one.run()
    assert one.volume.reads == [(0, 1), (4, 1), (1, 3), (5, 1)]


def test_a_long_request_is_its_own_read_ahead() -> None:
    one = Cached(64, read_ahead="8 KiB")
    one.read(0, reader="a")
    one.run()
    one.read(1, 5, reader="a")
    one.run()
    assert one.volume.reads == [(0, 1), (1, 5)]


# ---- writes ----


def test_a_whole_page_is_written_without_reading() -> None:
    one = Cached(8)
    assert one.write(0, 3)
    one.run()
    assert one.volume.reads == one.volume.writes == []
    assert one.read(0, 3)


def test_a_part_of_a_page_that_is_not_there_is_read_first() -> None:
    one = Cached(8)
    assert not one.write(0.5, 3)
    one.run()
    assert one.volume.reads == [(0, 1), (3, 1)]
    assert one.done == [("write", TAKES)]
    assert one.write(0.25, 0.5)
    assert one.read(0, 4)
    assert one.cache._pages.unwritten == 4


def test_a_write_joins_a_read_under_way() -> None:
    one = Cached(8)
    one.read(0, tag="a")
    assert not one.write(0.5, 0.25, "b")
    one.run()
    assert one.volume.reads == [(0, 1)]
    assert one.done == [("a", TAKES), ("b", TAKES)]
    assert one.cache._pages.unwritten == 1


def test_a_dirty_page_is_written_when_it_is_old_enough() -> None:
    one = Cached(8, write_delay="3 s")
    one.write(0)
    one.run(1000 * MS)
    one.write(0)  # it has been dirty before
    one.write(5)
    one.run(3000 * MS)
    assert one.volume.writes == []
    one.run(3000 * MS + 1)
    assert one.volume.writes == [(0, 1)]
    one.run()
    assert one.env.now == 4000 * MS + TAKES
    assert one.volume.writes == [(0, 1), (5, 1)]
    assert one.cache._pages.unwritten == 0


def test_without_a_delay_it_stays_dirty_while_nobody_wants_its_room() -> None:
    one = Cached(8)
    one.write(0, 4)
    one.run()
    assert one.volume.writes == []


def test_neighbours_are_written_together_up_to_a_cluster() -> None:
    one = Cached(16, write_delay="1 s", cluster="16 KiB")
    for page in (7, 6, 5, 4, 3, 10):
        one.write(page)
    one.run()
    assert one.volume.writes == [(4, 4), (3, 1), (10, 1)]
    assert one.counts["pages written"] == 6


def test_no_more_writes_are_under_way_than_allowed() -> None:
    one = Cached(16, write_delay=0, concurrent_writes=2)
    for page in (0, 2, 4, 6, 8):
        one.write(page)
    one.run(TAKES - 1)
    assert len(one.volume.writes) == 2
    one.run()
    assert one.env.now == 3 * TAKES


def test_what_is_written_to_while_it_is_being_written_is_written_again() -> None:
    one = Cached(16, write_delay=0)
    one.write(0)
    one.run(TAKES // 2)
    assert one.write(0)
    one.run()
    assert one.volume.writes == [(0, 1), (0, 1)]
    assert one.env.now == 2 * TAKES


# ---- room ----


def test_a_dirty_page_is_written_before_its_room_is_free() -> None:
    """And once it has been evicted, the next one is kept clean."""
    one = Cached(2)
    one.write(0)
    one.write(5)
    assert not one.read(9)
    one.run()
    assert one.volume.writes == [(0, 1), (5, 1)]
    assert one.done == [("read", 2 * TAKES)]
    assert (one.counts["pages evicted clean"], one.counts["pages evicted dirty"]) == (0, 1)
    assert one.counts["waits for room"] == 1


def test_a_reserve_of_clean_pages_is_kept_in_advance() -> None:
    """Eight dirty pages; the reserve of three is written when the last free ones are used."""
    one = Cached(8, clean_reserve=3, cluster="4 KiB")
    for page in range(0, 16, 2):
        one.write(page)
    one.run()
    assert one.volume.writes == [(0, 1), (2, 1), (4, 1)]
    assert not one.read(21)
    one.run()
    assert one.done == [("read", 2 * TAKES)]
    assert one.counts["waits for room"] == 0


def test_a_dirty_page_that_is_used_again_leaves_the_reserve() -> None:
    one = Cached(4, concurrent_writes=1)
    for page in (0, 2, 4, 6):
        one.write(page)  # the first one is being written, as it is next
    one.read(0)
    one.read(2)
    one.run()
    assert one.volume.writes == [(0, 1), (4, 1)]
    one.read(8)
    one.run()
    assert one.read(0)
    assert one.read(2)
    assert not one.read(4)


def test_the_next_of_the_reserve_is_written_when_one_leaves_it() -> None:
    one = Cached(4)
    for page in (0, 2, 4, 6):
        one.write(page)
    one.run()
    assert one.read(0)
    one.run()
    assert one.volume.writes == [(0, 1), (2, 1)]


def test_a_page_that_gets_dirty_in_the_reserve_is_written() -> None:
    one = Cached(4, clean_reserve=100)
    one.read(0, 4)
    one.run()
    assert one.write(0)
    one.run()
    assert one.volume.writes == [(0, 1)]


def test_evicted_dirty_are_those_that_were_dirty_when_they_came_to_the_reserve() -> None:
    one = Cached(4, cluster="4 KiB")
    for page in (0, 2, 4, 6):
        one.write(page)
    one.run()
    one.read(0)  # it is clean now, and enters the reserve a second time
    for page in (8, 10, 12, 14):
        one.read(page)
        one.run()
    assert (one.counts["pages evicted clean"], one.counts["pages evicted dirty"]) == (1, 3)


def test_writers_wait_while_too_much_is_dirty() -> None:
    one = Cached(10, dirty_limit=0.2, cluster="4 KiB")
    assert all(one.write(page) for page in (0, 2, 4))
    assert not one.write(6, tag="a")
    assert not one.write(8, tag="b")
    one.run()
    assert one.done == [("a", TAKES), ("b", TAKES)]
    assert one.volume.writes == [(0, 1), (2, 1), (4, 1), (6, 1)]  # the last one while another writer waited
    assert one.cache.writers.departures == 2


def test_a_writer_waits_for_room_behind_those_before_him() -> None:
    one = Cached(2, cluster="4 KiB", concurrent_writes=1)
    one.write(0)
    one.write(2)
    assert not one.write(4, tag="a")
    assert not one.read(7, tag="b")
    one.run()
    assert [tag for tag, _ in one.done] == ["a", "b"]
    assert one.done[0][1] == TAKES


def test_pages_that_have_just_come_can_go_for_those_who_wait() -> None:
    one = Cached(6)
    for page, tag in ((0, "a"), (8, "b"), (16, "c")):
        one.read(page, 3, tag)
    one.run()
    assert one.done == [("a", TAKES), ("b", TAKES), ("c", 2 * TAKES)]


def test_pages_that_come_when_their_room_is_gone_do_not_stay() -> None:
    one = Cached(6)
    one.read(0, 6)
    one.cache.resize(2 * PAGE)
    one.run()
    assert one.done == [("read", TAKES)]
    assert one.cache.pages == 2


def test_memory_can_be_taken_away_and_given_back() -> None:
    one = Cached(8, clean_reserve=2, cluster="4 KiB")
    one.write(0)
    for page in range(1, 8):
        one.read(page)
    one.run()
    one.write(3)
    one.write(5)
    one.cache.resize(2 * PAGE)
    assert one.cache.pages == 2
    one.cache.resize(1 * PAGE)
    assert one.cache.pages == 2  # one of them is dirty
    one.run()
    assert one.cache.pages == 1
    assert one.volume.writes[-1][0] in (3, 5)
    one.cache.resize(8 * PAGE)
    one.read(20, 7)
    one.run()
    assert one.cache.pages == 8


# ---- a warm start ----


def touches() -> Iterator[tuple[int, int, bool, int]]:
    """Page by page, one per ms; every fifth is a write."""
    for number in range(100):
        yield number * 7 % 30 * PAGE, PAGE, number % 5 == 0, (100 - number) * MS


def test_a_warm_cache_holds_what_was_used_last() -> None:
    one = Cached(10)
    one.cache.warm(touches())
    assert one.cache.pages == 10
    last = {number * 7 % 30 for number in range(90, 100)}
    assert all(one.read(page) for page in last)
    assert (one.cache.hits, one.cache.misses) == (10, 0)
    one.cache.audit()


def test_in_a_warm_cache_old_dirt_is_clean_and_young_dirt_is_not() -> None:
    one = Cached(10, write_delay="7 ms")
    one.cache.warm(touches())
    assert dict(one.cache._pages.dirty) == {95 * 7 % 30: -5 * MS}  # written 5 ms ago; the one 10 ms ago is clean
    one.run()
    assert one.env.now == 2 * MS + TAKES


def test_a_page_that_is_written_again_in_time_is_clean_and_dirty_again() -> None:
    one = Cached(10, write_delay="7 ms")
    one.cache.warm((0, PAGE, True, ago * MS) for ago in (20, 14, 12, 4))
    assert dict(one.cache._pages.dirty) == {0: -4 * MS}


def test_a_warm_cache_keeps_its_limit_and_its_reserve() -> None:
    one = Cached(10, dirty_limit=0.3, clean_reserve=4)
    one.cache.warm([(page * PAGE, PAGE, True, 100 - page) for page in range(10)])
    assert list(one.cache._pages.dirty) == [7, 8, 9]
    two = Cached(10, clean_reserve=4)
    two.cache.warm([(page * PAGE, PAGE, True, 100 - page) for page in range(10)])
    assert list(two.cache._pages.dirty) == [4, 5, 6, 7, 8, 9]


def test_warm_is_as_if_it_had_been_so() -> None:
    """The same requests in real time, 1 ms apart, from a fast volume: the same pages, in the same order."""
    slow, warm = Cached(10), Cached(10)
    for offset, nbytes, _, _ in touches():
        slow.cache.read(offset, nbytes, lambda: None)
        slow.run()
    warm.cache.warm((offset, nbytes, False, age) for offset, nbytes, _, age in touches())
    orders = [[*one.cache._pages._old, *one.cache._pages._young] for one in (slow, warm)]
    assert orders[0] == orders[1]


# ---- audit ----


def test_a_lost_page_is_found() -> None:
    one = Cached(4)
    one.read(0, 2)
    one.run()
    del one.cache._pages._young[0]
    with pytest.raises(ConservationError, match="file cache: pages added and given up"):
        one.cache.audit()


def test_a_lost_reader_is_found() -> None:
    one = Cached(4)
    one.env.run(1 * MS)
    one.read(0, 2)
    one.cache._incoming._coming.clear()
    with pytest.raises(ConservationError, match="pages on their way"):
        one.cache.audit()


def test_a_limit_above_all_pages_is_refused() -> None:
    with pytest.raises(ScenarioError, match=r"dirty_limit: 1.5 is out of range for a fraction; allowed: 0 to 1"):
        SPEC.replace("dirty_limit", 1.5)
