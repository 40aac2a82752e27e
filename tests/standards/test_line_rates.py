"""Links of 1 to 100 Gbit/s: frames per second, and the time added by their codes and error correction."""

from __future__ import annotations

import pytest

from netsim import catalog
from netsim.ethernet import LinkSpec

GBIT = {"1000base-t": 1, "2.5gbase-t": 2.5, "10gbase-sr": 10, "10gbase-t": 10, "25gbase-sr": 25, "40gbase-sr4": 40,
        "100gbase-sr4": 100, "100gbase-lr4": 100}  # fmt: skip
links = pytest.mark.parametrize(("name", "gbit"), GBIT.items())


@links
@pytest.mark.parametrize("size", [64, 128, 256, 512, 1024, 1280, 1518])  # RFC 2544, 9.1
def test_frames_per_second_are_rate_by_frame_preamble_and_gap(name: str, gbit: float, size: int) -> None:
    link = LinkSpec.from_name(name)
    assert link.frame_time(size) * gbit == (size + 20) * 8 * 1000  # in whole picoseconds: nothing is rounded
    assert link.frame_rate(size) == pytest.approx(gbit * 1e9 / (8 * (size + 20)), rel=1e-12)


@pytest.mark.parametrize(("name", "million"), [("1000base-t", 1.488), ("10gbase-sr", 14.88), ("25gbase-sr", 37.20),
                                               ("40gbase-sr4", 59.52), ("100gbase-sr4", 148.8)])  # fmt: skip
def test_frames_of_64_bytes(name: str, million: float) -> None:
    assert LinkSpec.from_name(name).frame_rate(64) / 1e6 == pytest.approx(million, rel=5e-4)


@pytest.mark.parametrize(("name", "lanes", "gbd"), [("25gbase-sr", 1, 25.78125), ("100gbase-sr4", 4, 25.78125)])
def test_error_correction_waits_for_a_code_word_at_least(name: str, lanes: int, gbd: float) -> None:
    """RS(528,514) has 528 symbols of 10 bits."""
    link = LinkSpec.from_name(name)
    word = 5280 / (lanes * gbd) * 1000
    assert word <= link.coding_delay <= word + 150_000
    assert link.rate == lanes * gbd * 1e9 * 64 / 66
    assert link.delay == link.propagation + link.coding_delay


@links
def test_delays_stand_with_their_range(name: str, gbit: float) -> None:
    sources = {address: source for address, _, source in catalog.describe(f"links/{name}")}
    assert sources["coding_delay"].kind == "assumed"
    assert sources["coding_delay"].range
    assert sources["rate"].kind == "standard"
