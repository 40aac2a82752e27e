"""All published packet rates: the simulation's errors, and the page that states them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from experiments.packet_rates import FITTED_TO, rows, table

PAGE = Path(__file__).parents[2] / "docs" / "concepts" / "packet-rates.md"
STARTS = {"pktgen-moderation/": 5, "packet-rate/": 10, "idle/": 10}  # per cent, or points of an idle share
BEYOND = ["packet-rate/linux-drop-conntrack-1024-6"]  # 10.06 % above, at its bound: shared lines also wait


@pytest.mark.parametrize("start", STARTS)
def test_every_row_is_as_near_as_the_page_says(start: str) -> None:
    assert table(start) in PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize(("start", "most"), STARTS.items())
def test_every_row_is_within_its_aim(start: str, most: float) -> None:
    beyond = [row.id for row in rows() if row.id.startswith(start) and abs(row.error) > most]
    assert beyond == [one for one in BEYOND if one.startswith(start)]


def test_labels_are_those_of_the_catalogue() -> None:
    """A row is fitted if a number says so, and chosen if an assumption names it."""
    assert Counter(row.basis for row in rows()) == {"chosen": 45, "fitted": 29, "predicted": 3}
    assert len({row.id for row in rows()}) == len(rows()) == 77
    assert 3 * len(FITTED_TO) <= len(rows())
