"""A disk: its seek curve, its angle, and the order in which it serves."""

from __future__ import annotations

from itertools import pairwise

import pytest

from netsim.engine import Environment
from netsim.errors import ScenarioError
from netsim.storage import Disk
from netsim.units import MS, PS_PER_S, US
from tests.storage_parts import DISK

CYLINDER = DISK.capacity // DISK.cylinders
TRACK = DISK.media_rate * DISK.rotation // PS_PER_S  # bytes of a revolution


def served(order: str, *requests: tuple[int, int]) -> list[tuple[int, int]]:
    """(offset, time of completion) of requests that all arrive at once, in the order of service."""
    env = Environment()
    disk = Disk(env, DISK.replace("order", order), "disk")
    done: list[tuple[int, int]] = []
    for offset, nbytes in requests:
        disk.request(offset, nbytes, lambda offset: done.append((offset, env.now)), offset)
    env.run()
    disk.audit()
    assert disk.commands == len(requests)
    assert disk.bytes == sum(nbytes for _, nbytes in requests)
    assert disk.busy_until(env.now) == env.now
    return done


# ---- the spec ----


def test_the_seek_curve_goes_through_its_three_points() -> None:
    assert DISK.seek_time(0) == 0
    assert DISK.seek_time(1) == DISK.track_to_track
    assert DISK.seek_time(3000) == DISK.average_seek
    assert DISK.seek_time(8999) == DISK.full_stroke


def test_the_seek_curve_is_a_root_and_then_a_line() -> None:
    times = [DISK.seek_time(distance) for distance in range(9000)]
    assert times == sorted(times)
    steps = [b - a for a, b in pairwise(times[1:])]
    assert steps[0] > 10 * steps[2000]
    assert max(steps[3000:]) - min(steps[3000:]) <= 1  # ps, by rounding


@pytest.mark.parametrize("cylinders", [1, 2, 3, 4])
def test_few_cylinders_have_a_seek_curve_too(cylinders: int) -> None:
    few = DISK.replace("cylinders", cylinders)
    times = [few.seek_time(distance) for distance in range(cylinders)]
    assert times == sorted(times)
    assert times[-1] == {1: 0, 2: few.track_to_track}.get(cylinders, few.full_stroke)


def test_a_cylinder_is_a_share_of_the_bytes() -> None:
    assert [DISK.cylinder(offset) for offset in (0, CYLINDER - 1, CYLINDER, DISK.capacity)] == [0, 0, 1, 8999]


def test_seeks_out_of_order_are_refused() -> None:
    with pytest.raises(ScenarioError, match=r"average_seek: 500 us is less than track_to_track; allowed: 800 us"):
        DISK.replace("average_seek", "0.5 ms")
    with pytest.raises(ScenarioError, match=r"full_stroke: 5 ms is less than average_seek; allowed: 5.3 ms or more"):
        DISK.replace("full_stroke", "5 ms")


def test_an_unknown_order_is_refused() -> None:
    with pytest.raises(ScenarioError, match=r"order.*allowed: fifo, elevator"):
        DISK.replace("order", "sstf")


# ---- rotation ----


def test_the_platter_turns_while_the_head_moves() -> None:
    """300 us of overhead and a seek of 800 us: the track's first byte next comes round at the end of a revolution."""
    assert DISK.service_time(0, 1, 0, 0) == 6 * MS
    assert DISK.service_time(6 * MS - 1100 * US, 1, 0, 0) == 1100 * US
    assert DISK.service_time(6 * MS - 1100 * US + 1, 1, 0, 0) == 1100 * US + 6 * MS - 1


def test_half_a_track_further_is_half_a_revolution_later() -> None:
    assert DISK.service_time(0, 0, TRACK // 2, 0) == 3 * MS


def test_a_track_takes_a_revolution() -> None:
    assert DISK.transfer_time(TRACK) == DISK.rotation
    assert DISK.angle(TRACK) == 0


def test_a_transfer_goes_on_at_media_rate_over_cylinders() -> None:
    assert DISK.service_time(0, 0, 0, 5 * CYLINDER) - DISK.service_time(0, 0, 0, 0) == DISK.transfer_time(5 * CYLINDER)


def test_two_disks_need_not_turn_together() -> None:
    env = Environment()
    done: list[int] = []
    for angle in (0, 1 * MS):
        Disk(env, DISK, "disk", angle).request(0, 0, lambda _: done.append(env.now))
    env.run()
    assert sorted(done) == [5 * MS, 6 * MS]


# ---- order ----


def test_what_follows_at_once_costs_no_seek_and_nothing_of_a_revolution() -> None:
    """The media rate of 7 MB/s makes odd times: rounding must never lose a revolution."""
    quick = DISK.replace({"overhead": 0, "media_rate": "7 MB/s"})
    env = Environment()
    disk = Disk(env, quick, "disk")
    left = list(range(1, 400))

    def following(_: object) -> None:
        if left:
            disk.request(left.pop(0) * 1001, 1001, following)

    disk.request(0, 1001, following)
    env.run()
    assert disk.commands == 400
    assert env.now == quick.transfer_time(400 * 1001)


def test_what_follows_misses_its_place_by_the_overhead() -> None:
    (_, first), (_, second) = served("fifo", (0, 4096), (4096, 4096))
    assert second - first == DISK.rotation + DISK.transfer_time(8192) - DISK.transfer_time(4096)


def test_behind_a_long_transfer_the_head_is_where_that_has_ended() -> None:
    """On the last cylinder: no seek, which would take longer than the revolution lost to the overhead."""
    nbytes = 8999 * CYLINDER
    (_, first), (_, second) = served("fifo", (0, nbytes), (nbytes, 0))
    assert second - first == DISK.rotation


PLACES = [5000, 2000, 7000, 1000, 6000]


def test_first_come_first_served() -> None:
    done = served("fifo", *((place * CYLINDER, 512) for place in PLACES))
    assert [offset // CYLINDER for offset, _ in done] == PLACES


def test_the_elevator_sweeps_up_and_begins_again_at_the_lowest() -> None:
    done = served("elevator", *((place * CYLINDER, 512) for place in PLACES))
    assert [offset // CYLINDER for offset, _ in done] == [5000, 6000, 7000, 1000, 2000]


def test_the_elevator_serves_one_cylinder_as_they_come() -> None:
    done = served("elevator", (0, 512), (9000, 512), (1000, 512), (5000, 512))
    assert [offset for offset, _ in done] == [0, 9000, 1000, 5000]


def test_the_elevator_is_quicker_under_load() -> None:
    requests = [((number * 6_180_339_887) % DISK.capacity, 4096) for number in range(200)]
    assert served("elevator", *requests)[-1][1] < 0.8 * served("fifo", *requests)[-1][1]


def test_its_busy_time_is_known_in_mid_command() -> None:
    env = Environment()
    disk = Disk(env, DISK, "disk")
    disk.request(0, 4096, lambda _: None)
    env.run(2 * MS)
    assert disk.busy_until(env.now) == 2 * MS
    assert disk.population.inside == 1
    env.run(20 * MS)
    assert disk.busy_until(env.now) == DISK.rotation + DISK.transfer_time(4096)
