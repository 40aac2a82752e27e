"""What choices made with knowledge of rows decided: the rows as they are, and as they would be otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from experiments import alternatives
from experiments.run import Outcome


@dataclass(frozen=True)
class Otherwise:
    """A `choice`, what it could have been `instead`, and each measured row with its move: the difference that this
    makes to its error. `instead` is empty, and all moves are 0, if no alternative is known."""

    choice: str
    instead: str
    moves: Sequence[tuple[Outcome, float]]

    @property
    def far(self) -> int:
        """How many rows move by more than a share of their tolerance (alternatives.WEIGHT)."""
        return sum(abs(move) > alternatives.WEIGHT * one.row.tolerance for one, move in self.moves)

    @property
    def near(self) -> tuple[int, int]:
        """How many rows are within tolerance as they are, and otherwise."""
        otherwise = (abs(one.error + move) <= one.row.tolerance for one, move in self.moves)
        return sum(one.near for one, _ in self.moves), sum(otherwise)

    @property
    def farthest(self) -> tuple[Outcome, float]:
        """The row that moves farthest, in multiples of its tolerance, and its move."""
        return max(self.moves, key=lambda move: abs(move[1]) / move[0].row.tolerance)


def otherwise(outcomes: Sequence[Outcome]) -> list[Otherwise]:
    """Each alternative to a choice made with knowledge of some of these rows, then the choices without alternatives."""
    measured = [one for one in outcomes if not one.row.parts]
    found = [
        Otherwise(of.choice, of.value, moves)
        for of in alternatives.stored()
        if (moves := [(one, of.moved[one.row.id]) for one in measured if one.row.id in of.moved])
    ]
    return [*found, *_without(measured)]


def _without(outcomes: Sequence[Outcome]) -> Iterator[Otherwise]:
    rows: dict[str, list[Outcome]] = {}
    for one in outcomes:
        for choice in one.row.chosen:
            if not choice.instead:
                rows.setdefault(choice.text, []).append(one)
    return (Otherwise(text, "", [(one, 0.0) for one in own]) for text, own in rows.items())


def unmoved(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """The chosen rows that no choice decides: all alternatives together would not move them by more than a share of
    their tolerance."""
    moved = alternatives.moved()
    return [
        one
        for one in outcomes
        if one.basis == "chosen" and not one.row.parts
        if all(choice.instead for choice in one.row.chosen)
        if one.row.id in moved and moved[one.row.id] <= alternatives.WEIGHT * one.row.tolerance
    ]
