"""GRO: which segments become one packet."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from netsim.stack.gro import Gro, merged_at_most

ETHERNET, JUMBO, HEADERS = 1448, 8948, 52


def test_a_packet_has_less_than_64_kib_with_its_headers() -> None:
    """45 segments of 1448 bytes are 65,160; one more is too long. Of jumbo frames seven fit."""
    assert merged_at_most(ETHERNET, HEADERS) == 45
    assert merged_at_most(JUMBO, HEADERS) == 7


def test_a_full_packet_goes_up_and_the_rest_when_the_poll_ends() -> None:
    gro = Gro(45, keeps=False)
    assert gro.merge([(0, 64)], complete=False) == [(0, 45), (45, 19)]


def test_what_is_left_of_a_full_poll_waits_where_a_jiffy_is_short() -> None:
    gro = Gro(45, keeps=True)
    assert gro.merge([(0, 64)], complete=False) == [(0, 45)]
    assert gro.merge([(64, 30)], complete=True) == [(45, 45), (90, 4)]


def test_a_hole_ends_a_packet() -> None:
    gro = Gro(45, keeps=False)
    assert gro.merge([(0, 10), (12, 5)], complete=True) == [(0, 10), (12, 5)]


def test_off_it_merges_nothing() -> None:
    assert Gro(1, keeps=False).merge([(7, 3)], complete=True) == [(7, 1), (8, 1), (9, 1)]


@given(st.lists(st.tuples(st.integers(0, 300), st.integers(1, 70)), max_size=12), st.integers(1, 50), st.booleans())
def test_nothing_is_lost_or_put_out_of_order(runs: list[tuple[int, int]], most: int, keeps: bool) -> None:
    gro = Gro(most, keeps)
    found = [one for run in runs for one in gro.merge([run], complete=False)] + gro.merge([], complete=True)
    segments = [first + number for first, count in found for number in range(count)]
    assert segments == [first + number for first, count in runs for number in range(count)]
    assert all(count <= most for _, count in found)
