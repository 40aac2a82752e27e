"""The scenarios of rows as files for `netsim run`: each once, however many rows use it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.job import LIMIT
from experiments.row import Row
from experiments.run import THOROUGH
from experiments.several import each
from netsim.export.whole_file import write_whole
from netsim.scenario import Scenario

FOLDER = "scenarios"
ABSOLUTE = 0.01  # precision of throughput, for rows whose errors are absolute
FLAGS = {"warm_up": "--warm-up", "limit": "--limit"}


@dataclass(frozen=True)
class ScenarioFiles:
    """`texts` by name, and the names of the files that each row needs (`by_row`, by its id): one, or for a quotient one
    per scenario."""

    texts: Mapping[str, str]
    by_row: Mapping[str, Sequence[str]]

    def write(self, folder: Path) -> None:
        """Writes them into scenarios/ of the folder, and leaves other files there alone."""
        target = folder / FOLDER
        target.mkdir(exist_ok=True)
        for name, text in self.texts.items():
            write_whole(target / name, text)


def of(rows: Sequence[Row]) -> ScenarioFiles:
    """The files of some rows."""
    shared: dict[tuple[str, str], list[tuple[Row, Scenario]]] = {}
    for row, scenario in _scenarios(rows):
        shared.setdefault((scenario.digest(), _flags(row)), []).append((row, scenario))
    texts: dict[str, str] = {}
    by_row: dict[str, list[str]] = {}
    for users in shared.values():
        name = _name(users[0][0], texts)
        own = [row for row, _ in users]
        texts[name] = _head(name, own) + users[0][1].to_toml()
        for at in dict.fromkeys(row.id for row in own):
            by_row.setdefault(at, []).append(name)
    return ScenarioFiles(texts, by_row)


def _scenarios(rows: Sequence[Row]) -> Iterator[tuple[Row, Scenario]]:
    return ((row, scenario) for row in rows for scenario in each(row.build()))


def _name(row: Row, known: Mapping[str, str]) -> str:
    """A file's name, after the first row that needs it; numbered if that row needs several."""
    plain = re.sub(r"[^\w.-]+", "-", row.id).strip("-")
    names = [f"{plain}.toml", *(f"{plain}-{number}.toml" for number in range(2, len(known) + 3))]
    return next(name for name in names if name not in known)


def _head(name: str, rows: Sequence[Row]) -> str:
    """The comment at a file's head: its rows, and how to run it."""
    measured = [f"# {row.id}: measured {row.quantity} {row.measured:g} {row.unit}" for row in rows]
    precision = min(THOROUGH * row.tolerance / 100 if row.scale.relative else ABSOLUTE for row in rows)
    return "\n".join([*measured, f"# netsim run {name} --precision {precision:g}{_flags(rows[0])}", "", ""])


def _flags(row: Row) -> str:
    """The row's settings of `simulate`, as command-line options."""
    settings: dict[str, Any] = LIMIT | dict(row.settings)
    return "".join(f' {flag} "{settings[name]}"' for name, flag in FLAGS.items() if name in settings)
