"""PCI Express: rates, packets and their sizes, and where transfers are split, by the numbers of the standard."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netsim.bus import PcieSpec
from netsim.errors import ScenarioError

X8 = PcieSpec.from_name("pcie-3-x8")
SIZES = (128, 256, 512, 1024, 2048, 4096)
# Ack latency limits in symbol times by generation and lanes, for payloads of 128, 256, 512, 1024 and 2048 bytes: PCI
# Express Base Specification 5.0, tables 3-7 to 3-9 (as in pcie-bench/pcie-model 40703cf, model/pcie.py).
ACK_LIMITS = {
    (1, 1): (237, 416, 559, 1071, 2095), (1, 2): (128, 217, 289, 545, 1057), (1, 4): (73, 118, 154, 282, 538),
    (1, 8): (67, 107, 86, 150, 278), (1, 16): (48, 72, 86, 150, 278),
    (2, 1): (288, 467, 610, 1122, 2146), (2, 2): (179, 268, 340, 596, 1108), (2, 4): (124, 169, 205, 333, 589),
    (2, 8): (118, 158, 137, 201, 329), (2, 16): (99, 123, 137, 201, 329),
    (3, 1): (333, 512, 655, 1167, 2191), (3, 2): (224, 313, 385, 641, 1153), (3, 4): (169, 214, 250, 378, 634),
    (3, 8): (163, 203, 182, 246, 374), (3, 16): (144, 168, 182, 246, 374),
}  # fmt: skip


def link(generation: int = 3, lanes: int = 8, **more: object) -> PcieSpec:
    return X8.replace({"generation": generation, "lanes": lanes} | more)


@pytest.mark.parametrize(
    ("generation", "lanes", "mbit"),
    [(1, 1, 2_000), (1, 16, 32_000), (2, 1, 4_000), (2, 8, 32_000), (3, 1, 7_876.9), (3, 8, 63_015.4),
     (3, 16, 126_030.8), (4, 16, 252_061.5), (5, 16, 504_123.1)],
)  # fmt: skip
def test_the_rate_behind_the_code(generation: int, lanes: int, mbit: float) -> None:
    assert round(float(link(generation, lanes).rate) / 1e6, 1) == mbit


@pytest.mark.parametrize(("generation", "lanes"), ACK_LIMITS)
def test_limits_of_acknowledgements_are_the_tables(generation: int, lanes: int) -> None:
    found = [link(generation, lanes, max_payload=size).ack_limit for size in SIZES[:5]]
    assert tuple(found) == ACK_LIMITS[generation, lanes]


def test_a_control_packet_is_striped_over_the_lanes() -> None:
    """Ack and UpdateFC, of 8 bytes each, once in 203 symbol times: on one lane they take 16 of 203, on eight lanes an
    eighth of that."""
    skip = Fraction(1, 375)
    assert 1 - X8.packet_share == Fraction(16, 203 * 8) + skip
    assert float(1 - X8.packet_share) < 0.0126
    assert 1 - link(lanes=1).packet_share == Fraction(16, 512) + skip


def test_times_are_bytes_over_the_rate() -> None:
    ideal = 280 * 8 * 10**12 / (8 * 8e9 * 128 / 130)
    assert X8.time(280) == round(ideal / float(X8.packet_share))
    assert link(1, 1).time(20) == round(20 * 4000 / float(link(1, 1).packet_share))  # 4 ns a byte


@pytest.mark.parametrize(
    ("changes", "asking", "write", "completion"),
    [({}, 24, 24, 20), ({"address_bits": 32}, 20, 20, 20), ({"ecrc": True}, 28, 28, 24),
     ({"address_bits": 32, "ecrc": True}, 24, 24, 24)],
)  # fmt: skip
def test_bytes_around_a_payload(changes: dict[str, object], asking: int, write: int, completion: int) -> None:
    spec = X8.replace(changes)
    assert spec.request_bytes == asking
    assert spec.writes(0, 64) == [(64, 64 + write)]
    assert spec.completions(0, 64, 256) == [(64, 64 + completion)]


def test_payloads_are_whole_words() -> None:
    assert X8.writes(0, 1) == [(1, 24 + 4)]
    assert X8.writes(3, 2) == [(2, 24 + 8)]


def test_where_transfers_are_cut() -> None:
    assert [size for size, _ in X8.writes(0, 1500)] == [256] * 5 + [220]
    assert X8.reads(0, 1500) == [(0, 512), (512, 512), (1024, 476)]
    assert X8.reads(4000, 512) == [(4000, 96), (4096, 416)]  # not across a page
    assert [size for size, _ in X8.writes(4064, 64)] == [32, 32]


def test_completions_end_at_boundaries() -> None:
    assert [size for size, _ in X8.completions(0, 512, 256)] == [256, 256]
    assert [size for size, _ in X8.completions(20, 512, 256)] == [236, 256, 20]  # up to 256 less the preceding bytes
    assert [size for size, _ in X8.completions(20, 200, 64)] == [44, 64, 64, 28]


@given(
    st.integers(0, 10_000), st.integers(1, 20_000), st.sampled_from(SIZES), st.sampled_from(SIZES),
    st.sampled_from([64, 128]),
)  # fmt: skip
def test_pieces_are_the_whole_and_keep_the_rules(address: int, size: int, payload: int, read: int, rcb: int) -> None:
    spec = X8.replace({"max_payload": payload, "max_read": read, "read_boundary": rcb})
    at = address
    for own, wire in spec.writes(address, size):
        assert own <= payload
        assert at // 4096 == (at + own - 1) // 4096
        assert 0 <= wire - 24 - own < 8
        at += own
    assert at == address + size
    reads = spec.reads(address, size)
    assert all(start + own == following for (start, own), (following, _) in pairwise(reads))
    for start, asked in reads:
        assert asked <= read
        assert start // 4096 == (start + asked - 1) // 4096
        ends = start
        for own, _ in (answers := spec.completions(start, asked, payload)):
            assert own <= payload
            ends += own
            assert ends == start + asked or ends % rcb == 0
        assert ends == start + asked
        assert len(answers) <= 1 + -(-asked // payload)


@pytest.mark.parametrize(
    ("address", "value", "message"),
    [
        ("max_payload", 100, "max_payload: 100 B is not allowed; allowed: 128 B, 256 B, 512 B, 1024 B, 2048 B, 4096 B"),
        ("read_boundary", "256 B", "read_boundary: 256 B is not allowed; allowed: 64 B, 128 B"),
        ("lanes", 3, "lanes: 3 is not allowed; allowed: 1, 2, 4, 8, 16"),
        ("generation", 6, "generation: 6 is not allowed; allowed: 1, 2, 3, 4, 5"),
    ],
)
def test_what_no_link_has_is_refused(address: str, value: object, message: str) -> None:
    with pytest.raises(ScenarioError) as error:
        X8.replace(address, value)
    assert str(error.value) == message
