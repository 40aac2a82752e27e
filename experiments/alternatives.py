"""How far rows move if something that was chosen with knowledge of them is chosen otherwise, as stored in
alternatives.json (experiments.choose_otherwise)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path

STORED = Path(__file__).parent / "alternatives.json"
WEIGHT = 1 / 4  # of a row's tolerance: choices that move a row by more decide its value


@dataclass(frozen=True)
class Alternative:
    """The `choice` is a number of models/, or what a report leaves open. With this other `value`, rows move by `moved`:
    from row id to the difference between its errors, on its own scale. The `digest` is that of the scenarios with it,
    which changes with every number that they use."""

    choice: str
    value: str
    digest: str
    moved: Mapping[str, float]


@lru_cache
def stored() -> tuple[Alternative, ...]:
    """The stored alternatives, in the order of their choices."""
    return tuple(Alternative(**entry) for entry in json.loads(STORED.read_text(encoding="utf-8")))


def text(alternatives: Sequence[Alternative]) -> str:
    """The text of alternatives.json."""
    return json.dumps([asdict(one) for one in alternatives], indent=0) + "\n"


@lru_cache
def moved() -> Mapping[str, float]:
    """By row id, how far its choices could have moved it: for each choice the alternative that moves it most, all added
    up as if they went the same way."""
    most: dict[str, dict[str, float]] = {}
    for one in stored():
        for row, distance in one.moved.items():
            own = most.setdefault(row, {})
            own[one.choice] = max(own.get(one.choice, 0.0), abs(distance))
    return {row: sum(own.values()) for row, own in most.items()}
