"""Choices made with knowledge of rows: each has alternatives, and how far these move rows is stored."""

from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from experiments import alternatives, choose_otherwise, found, reports
from experiments.alternatives import Alternative
from experiments.basis import chosen
from experiments.choose_otherwise import Change
from experiments.otherwise import Otherwise, otherwise, unmoved
from experiments.row import LeftOpen
from netsim import catalog
from netsim.catalog import NOTES
from tests.validation_page import made_up

ROWS = reports.rows()
UNREAD = "a message's parts, read from MPICH's source because these rows were outside tolerance"


@cache
def changes() -> list[Change]:
    """Every alternative; not a constant, because each process that collects tests would compute it."""
    return choose_otherwise.changes(ROWS)


def test_every_number_chosen_with_knowledge_of_rows_has_an_alternative() -> None:
    for category in catalog.categories():
        for name in catalog.names(category):
            tables = catalog.read_toml(catalog.path(category, name))
            _, sources = catalog.split({key: value for key, value in tables.items() if key not in NOTES})
            for address, source in sources.items():
                if source.kind == "assumed" and source.rows:
                    assert source.instead or source.range, f"{category}/{name}:{address}"


def test_every_chosen_row_is_tried_otherwise() -> None:
    """A library's message format is the exception: it was read in its source."""
    tried = {row.id for one in changes() for row in one.rows}
    untried = {row.id for row in ROWS if chosen(row, row.build().provenance())} - tried
    assert all("/NPmpi-mpich/" in row for row in untried)
    assert {choice.text for row in ROWS if row.id in untried for choice in row.chosen} == {UNREAD}


def test_what_is_stored_is_what_the_models_and_the_reports_leave_open() -> None:
    """With all numbers as they are now: if any has changed, python -m experiments alternatives renews them."""
    wanted = [(one.choice, one.value, one.digest, {row.id for row in one.rows}) for one in changes()]
    assert [(one.choice, one.value, one.digest, set(one.moved)) for one in alternatives.stored()] == wanted


def test_an_alternative_changes_a_scenario() -> None:
    (firewall,) = [one for one in changes() if one.choice.endswith(":ip.filter_rx_cycles")]
    with catalog.overlay(firewall.overlay):
        assert firewall.rows[0].build().get("receiver.system.ip.filter_rx_cycles") == 0
    pairs = [one for one in changes() if one.choice.startswith("one pair of endpoints")]
    assert [one.rows[0].build().get("pairs") for one in pairs] == [2, 4]


@pytest.mark.parametrize("choice", ["nics/pro1000f:retry_clocks", "drivers/e1000nt5:tx_buffer"])
def test_rows_move_as_stored(choice: str) -> None:
    again = choose_otherwise.simulated([one for one in changes() if one.choice == choice])
    assert again == [one for one in alternatives.stored() if one.choice == choice]


def documented() -> list[str]:
    """Lines of the table in docs/validation.md."""
    tolerance = {row.id: row.tolerance for row in ROWS}
    lines = []
    for one in alternatives.stored():
        kept = {row: found.stored()[row]["error"] for row in one.moved if not found.stored()[row]["made_of"]}
        far = sum(abs(one.moved[row]) > alternatives.WEIGHT * tolerance[row] for row in kept)
        near = sum(abs(error) <= tolerance[row] for row, error in kept.items())
        otherwise = sum(abs(error + one.moved[row]) <= tolerance[row] for row, error in kept.items())
        name = f"`{one.choice}`" if ":" in one.choice.split()[0] else one.choice.partition(":")[0]
        lines.append(f"| {name} | {one.value} | {len(kept)} | {far} | {near} | {otherwise} |")
    return lines


def test_the_documentation_says_what_choices_decide() -> None:
    text = Path("docs/validation.md").read_text(encoding="utf-8")
    for line in documented():
        assert f"\n{line}\n" in text
    told, moved = " ".join(text.split()), alternatives.moved()
    of_kind = [row for row in ROWS if found.stored()[row.id]["basis"] == "chosen" and not row.parts]
    still = [row.id for row in of_kind if row.id in moved and moved[row.id] <= alternatives.WEIGHT * row.tolerance]
    near = sum(found.stored()[row]["near"] for row in still)
    assert f"{len(still)} of the {len(of_kind)} chosen rows" in told
    assert f"{near} of these {len(still)}" in told
    readme = " ".join(Path("README.md").read_text(encoding="utf-8").split())
    assert f"Another {len(still)} were known when something was chosen" in readme


# ---- what they decide ----


def test_choices_add_up_whatever_their_direction(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of each choice, the alternative that moves a row most counts."""
    two = Alternative("a", "1", "", {"x": -2.0, "y": 0.5}), Alternative("a", "2", "", {"x": 1.0})
    stored = (*two, Alternative("b", "", "", {"x": 3.0}))
    monkeypatch.setattr(alternatives, "stored", lambda: stored)
    alternatives.moved.cache_clear()
    assert alternatives.moved() == {"x": 5.0, "y": 0.5}
    monkeypatch.undo()
    alternatives.moved.cache_clear()


def test_a_choice_says_how_many_rows_move_and_how_many_stay_near() -> None:
    one, two, three = made_up("beowulf", lambda number: 1.02)[:3]
    choice = Otherwise("a", "1", [(one, 1.3), (two, -1.2), (three, 4.0)])  # per cent, of a tolerance of 5
    assert (choice.far, choice.near, choice.farthest) == (2, (3, 2), (three, 4.0))


def test_each_stored_alternative_is_listed_once_for_the_rows_it_moves() -> None:
    outcomes = made_up("perform3")
    listed = otherwise(outcomes)
    of_report = [one for one in alternatives.stored() if any(row.startswith("perform3/") for row in one.moved)]
    assert [(one.choice, one.instead) for one in listed] == [(one.choice, one.value) for one in of_report]
    assert not any(row.row.parts for one in listed for row, _ in one.moves)


def test_a_choice_without_alternatives_is_listed_and_counts_as_decisive() -> None:
    outcomes = made_up("beowulf")
    (last,) = [one for one in otherwise(outcomes) if not one.instead]
    assert (last.choice, len(last.moves)) == (UNREAD, 8)
    unread = replace(unmoved(outcomes)[0].row, chosen=(LeftOpen("something"),))
    assert not unmoved([replace(unmoved(outcomes)[0], row=unread)])


def test_only_chosen_rows_count_as_unmoved() -> None:
    assert {one.basis for one in unmoved(made_up("perform3"))} == {"chosen"}


def test_the_table_has_a_line_for_each_alternative() -> None:
    lines = list(choose_otherwise.table(alternatives.stored()))
    assert len(lines) == 1 + len(alternatives.stored())
    assert all(len(one) <= 200 for one in lines)
    numbers = [one.choice for one in alternatives.stored() if ":" in one.choice and "/" in one.choice]
    assert all(one <= two for one, two in pairwise(numbers))
