"""An array's layout, and the commands of a write."""

from __future__ import annotations

import pytest

from netsim.errors import ScenarioError
from netsim.storage import Piece, RaidSpec, merged
from tests.storage_parts import DISK

KB = 1024
UNIT = 8 * KB
RAID0 = RaidSpec(level=0, disks=5, stripe_unit="8 KiB")
RAID5 = RaidSpec(level=5, disks=5, stripe_unit="8 KiB")
ROW = 4 * UNIT  # bytes of data on five disks with parity


def units(raid: RaidSpec, count: int) -> list[tuple[int, int]]:
    """Disk and row of the first `count` units."""
    return [raid.layout.place(number) for number in range(count)]


# ---- the layout ----


def test_level_0_takes_the_disks_in_turn() -> None:
    assert units(RAID0, 7) == [(0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (0, 1), (1, 1)]


def test_level_5_is_left_symmetric() -> None:
    """Lee and Katz: parity starts on the last disk and moves one to the left in each row; data begin behind it, and so
    visit all disks before one of them again."""
    assert [RAID5.layout.parity(row) for row in range(6)] == [4, 3, 2, 1, 0, 4]  # type: ignore[attr-defined]
    assert units(RAID5, 8) == [(0, 0), (1, 0), (2, 0), (3, 0), (4, 1), (0, 1), (1, 1), (2, 1)]
    disks = [disk for disk, _ in units(RAID5, 20)]
    assert all(sorted(disks[first : first + 5]) == [0, 1, 2, 3, 4] for first in range(16))


def test_an_extent_is_cut_at_units() -> None:
    assert RAID0.layout.pieces(UNIT - 100, 300) == [Piece(0, UNIT - 100, 100), Piece(1, 0, 200)]
    assert RAID0.layout.pieces(5, 0) == []


def test_pieces_that_touch_are_one_command() -> None:
    assert merged(RAID0.layout.pieces(0, 15 * UNIT)) == [Piece(disk, 0, 3 * UNIT) for disk in range(5)]
    assert merged([Piece(0, 0, 5), Piece(1, 5, 5), Piece(0, 6, 5)]) == [
        Piece(0, 0, 5), Piece(0, 6, 5), Piece(1, 5, 5),
    ]


def test_capacity() -> None:
    rows = DISK.capacity // UNIT
    assert RAID0.capacity(DISK) == rows * 5 * UNIT
    assert RAID5.capacity(DISK) == rows * 4 * UNIT


@pytest.mark.parametrize("disks", [1, 2])
def test_parity_needs_three_disks(disks: int) -> None:
    text = rf"disks: {disks} are too few for RAID level 5; allowed: 3 or more"
    with pytest.raises(ScenarioError, match=text):
        RaidSpec(level=5, disks=disks, stripe_unit=512)


def test_other_levels_are_refused() -> None:
    with pytest.raises(ScenarioError, match=r"level: 3 is not allowed; allowed: 0, 5"):
        RaidSpec(level=3, disks=5, stripe_unit=512)


# ---- commands of a write ----


def test_level_0_reads_nothing() -> None:
    assert RAID0.layout.writing(0, 2 * UNIT) == ([], [Piece(0, 0, UNIT), Piece(1, 0, UNIT)])


def test_a_small_write_is_two_reads_and_two_writes_of_the_same_places() -> None:
    plan = RAID5.layout.writing(4 * KB, 2 * KB)
    assert plan.reads == plan.writes == [Piece(0, 4 * KB, 2 * KB), Piece(4, 4 * KB, 2 * KB)]


def test_a_whole_row_is_written_without_reading() -> None:
    assert RAID5.layout.writing(ROW, ROW) == ([], [Piece(disk, UNIT, UNIT) for disk in range(5)])


def test_most_of_a_row_reads_what_is_left_of_it() -> None:
    plan = RAID5.layout.writing(0, 3 * UNIT)
    assert plan.reads == [Piece(3, 0, UNIT)]
    assert plan.writes == [Piece(disk, 0, UNIT) for disk in (0, 1, 2, 4)]


def test_half_a_row_needs_fewer_reads_the_other_way() -> None:
    assert RAID5.layout.writing(0, 2 * UNIT).reads == [Piece(2, 0, UNIT), Piece(3, 0, UNIT)]
    assert RAID5.layout.writing(0, UNIT).reads == [Piece(0, 0, UNIT), Piece(4, 0, UNIT)]


def test_with_three_disks_the_other_unit_says_it_all() -> None:
    plan = RAID5.replace("disks", 3).layout.writing(0, UNIT)
    assert plan == ([Piece(1, 0, UNIT)], [Piece(0, 0, UNIT), Piece(2, 0, UNIT)])


def test_parity_of_two_parts_of_units_is_one_command() -> None:
    """The end of a unit and the beginning of the next: the parity command spans from the lower place to the higher."""
    plan = RAID5.layout.writing(UNIT - KB, 2 * KB)
    assert plan.writes == [Piece(0, UNIT - KB, KB), Piece(1, 0, KB), Piece(4, 0, UNIT)]
    assert plan.reads == plan.writes  # reading the others would take four


def test_rows_are_written_together() -> None:
    plan = RAID5.layout.writing(0, 5 * ROW)
    assert plan == ([], [Piece(disk, 0, 5 * UNIT) for disk in range(5)])


def test_a_row_that_begins_in_another() -> None:
    plan = RAID5.layout.writing(3 * UNIT, ROW + UNIT)
    assert plan.reads == [Piece(3, 0, UNIT), Piece(4, 0, UNIT)]
    assert plan.writes == [
        Piece(0, UNIT, UNIT), Piece(1, UNIT, UNIT), Piece(2, UNIT, UNIT), Piece(3, 0, 2 * UNIT), Piece(4, 0, 2 * UNIT),
    ]


def test_what_is_cached_is_not_read() -> None:
    def writing(*cached: Piece) -> list[Piece]:
        return RAID5.layout.writing(0, UNIT, lambda piece: piece in cached).reads

    data, parity = Piece(0, 0, UNIT), Piece(4, 0, UNIT)
    others = [Piece(disk, 0, UNIT) for disk in (1, 2, 3)]
    assert writing(data) == [parity]
    assert writing(parity) == [data]
    assert writing(data, parity) == []
    assert writing(*others) == []
    assert writing(*others[:2]) == others[2:]
