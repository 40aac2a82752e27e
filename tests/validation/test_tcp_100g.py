"""TCP over 100 Gbit/s: the simulation's errors against published values, and the page that states them."""

from __future__ import annotations

from pathlib import Path

import pytest

from experiments.tcp_100g import AIMS, FITTED, SIDES, rows, shares_table, table

PAGE = Path(__file__).parents[2] / "docs" / "concepts" / "tcp-streams.md"
OFFLOADS = ("throughput", "sender-cpu", "receiver-cpu", "per-core")
MISSES = {
    f"tcp-100g/{name}" for name in (
        "throughput-none", "receiver-cpu-none", "receiver-tcpip-none", "sender-cpu-tso+gro", "receiver-memory-tso+gro",
        "receiver-cpu-tso+gro+jumbo", "per-core-jumbo",
    )
}  # fmt: skip


@pytest.mark.parametrize("start", OFFLOADS)
def test_every_row_is_as_near_as_the_page_says(start: str) -> None:
    page = PAGE.read_text(encoding="utf-8")
    for line in table(f"tcp-100g/{start}-").splitlines()[2:]:
        assert line in page


@pytest.mark.parametrize("side", SIDES)
def test_shares_of_cycles_are_those_of_the_page(side: str) -> None:
    assert shares_table(side) in PAGE.read_text(encoding="utf-8")


def test_every_row_is_within_its_aim_but_those_that_are_known_to_miss() -> None:
    """The page says why."""
    assert {row.id for row in rows() if abs(row.error) > AIMS[row.quantity]} == MISSES


def test_labels_are_those_of_the_catalogue() -> None:
    assert len({row.id for row in rows()}) == len(rows()) == 79
    assert {row.basis for row in rows() if "per-core" in row.id} == {"predicted"}
    assert 3 * len(FITTED) <= len(rows())
