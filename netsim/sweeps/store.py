"""The store: one row for each run, written as soon as it is known, and the sweeps that were requested.

A run is identified by the hash of its scenario, its seed, its settings and the model version. A row with a result is
never written again; one with an error only by a later attempt. One process writes for each sweep; several sweeps may
have the same store open, and each finds what the others have stored.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from netsim.errors import ScenarioError, StoreError, path_of, show
from netsim.sweeps.schema import explained, insertion, opened, renaming, whole
from netsim.sweeps.worker import Outcome

NO_FILES = (":memory:", "-")  # what SQLite, and programs that write to standard output, understand by these names
_FAILED = f"(runs.result IS NULL OR NOT {whole('runs')})"


class Key(NamedTuple):
    """The identity of a run."""

    scenario: str
    seed: int
    settings: str
    model: str


class Registered(NamedTuple):
    """A sweep in a store: `family` is the same for sweeps that differ only in the scenario below their axes, or in
    their seed. `former` is the id that it had when ids didn't depend on the seed."""

    id: str
    family: str
    about: Mapping[str, Any]
    former: str = ""

    @property
    def first_seed(self) -> int:
        """That of its first replication, which tells sweeps of a family apart."""
        return int(self.about["seeds"][0])


class StoredRun(NamedTuple):
    """A row: where it belongs, and its record (JSON) or error."""

    point: int
    shown: Mapping[str, Any]
    seed: int
    model: str
    record: str | None
    error: str | None


class Store:
    """Results in one SQLite file, or in a temporary one (None). Raises StoreError for a file that is not a store, is
    damaged, or can't be written to. Every method raises it if writing fails."""

    def __init__(self, path: str | Path | None = None, *, writable: bool = True) -> None:
        self.path = None if path is None else path_of("store", path)
        if str(self.path) in NO_FILES:
            text = "stands for no file here; allowed: a file's path; without a store, results last as long as the Sweep"
            raise ScenarioError(f"{show(str(self.path))} {text}", address="store")
        self._writable = writable
        self._db = opened(self.path, writable)

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy, also in another process, opens the same file. Raises StoreError if that is a temporary one."""
        if self.path is None:
            raise StoreError("a sweep without a file can't be copied or pickled; allowed: a sweep with store=FILE")
        return partial(Store, self.path.absolute(), writable=self._writable), ()

    def close(self) -> None:
        """Leave the file."""
        db: sqlite3.Connection | None = getattr(self, "_db", None)  # none if it could not be opened
        if db is not None:
            db.close()

    __del__ = close

    def register(self, sweep: Registered) -> None:
        """Store a requested sweep. If it was stored before, it has the seeds of both: one list begins the other. One
        stored under its former id is the same sweep."""
        text = f"""
            {insertion("sweeps")}
            ON CONFLICT (id) DO UPDATE
            SET family = excluded.family, about = excluded.about, checksum = excluded.checksum
            """
        with explained(self.path), self._transaction():
            if sweep.former:
                self._rename(sweep)
            about = {**sweep.about, "seeds": max(sweep.about["seeds"], self._seeds(sweep.id), key=len)}
            self._db.execute(text, (sweep.id, sweep.family, json.dumps(about, ensure_ascii=False)))

    def _seeds(self, sweep: str) -> Sequence[int]:
        """The seeds of a stored sweep; none if it is not there, or damaged."""
        text = f"SELECT about FROM sweeps WHERE id = ? AND {whole('sweeps')}"
        row = self._db.execute(text, (sweep,)).fetchone()
        return json.loads(row[0])["seeds"] if row else ()

    def _rename(self, sweep: Registered) -> None:
        """Give a sweep that has its former id, and the same seed, its own id. A damaged row may be that sweep's: it
        stays damaged, and is then written anew."""
        text = f"SELECT about, {whole('sweeps')} FROM sweeps WHERE id = ?"
        row = self._db.execute(text, (sweep.former,)).fetchone()
        if row and (not row[1] or json.loads(row[0])["seeds"][0] == sweep.first_seed):
            for table, column in {"sweeps": "id", "points": "sweep"}.items():
                self._db.execute(renaming(table, column), (sweep.former, sweep.id))

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """All that is written within is stored, or nothing is."""
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            if self._db.in_transaction:  # SQLite rolls back by itself when the disk is full
                self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    def add_points(self, sweep: str, model: str, points: Iterable[tuple[int, str, Mapping[str, Any]]]) -> None:
        """Store some of a sweep's points: number, hash of the scenario, and the values that vary."""
        rows = [(sweep, model, number, scenario, json.dumps(shown)) for number, scenario, shown in points]
        text = f"""
            {insertion("points")}
            ON CONFLICT DO UPDATE SET scenario = excluded.scenario, shown = excluded.shown, checksum = excluded.checksum
            WHERE NOT {whole("points")}
            """
        with explained(self.path), self._transaction():
            self._db.executemany(text, rows)

    def scenarios(self, sweep: str, model: str, numbers: range) -> dict[int, str]:
        """The hashes of points that were stored before, by number."""
        text = f"""
            SELECT number, scenario FROM points
            WHERE sweep = ? AND model = ? AND number >= ? AND number < ? AND {whole("points")}
            """
        with explained(self.path):
            return dict(self._db.execute(text, (sweep, model, numbers.start, numbers.stop)).fetchall())

    def known(self, key: Key) -> str | None:
        """ "done" or "failed" if the run is stored; a damaged one has failed."""
        text = f"SELECT {_FAILED} FROM runs WHERE (scenario, seed, settings, model) = (?, ?, ?, ?)"
        with explained(self.path):
            row = self._db.execute(text, key).fetchone()
        return None if row is None else ("done", "failed")[row[0]]

    def put(self, key: Key, outcome: Outcome) -> None:
        """Store a run, in a transaction of its own."""
        text = f"""
            {insertion("runs")}
            ON CONFLICT DO UPDATE SET result = excluded.result, error = excluded.error, checksum = excluded.checksum
            WHERE {_FAILED}
            """
        with explained(self.path):
            self._db.execute(text, (*key, outcome.record, outcome.error))

    def damaged(self) -> list[str]:
        """The names of all rows that are not as they were written."""
        names = {"sweeps": "'sweep ' || substr(id, 1, 12)", "points": "'point ' || number", "runs": "'run ' || id"}
        with explained(self.path):
            found = [self._db.execute(f"SELECT {name} FROM {table} WHERE NOT {whole(table)}").fetchall()
                     for table, name in names.items()]
        return [name for rows in found for (name,) in rows]

    def sweeps(self) -> list[Registered]:
        """All sweeps that were ever requested, in that order, without damaged rows."""
        with explained(self.path):
            text = f"SELECT id, family, about FROM sweeps WHERE {whole('sweeps')} ORDER BY rowid"
            rows = self._db.execute(text).fetchall()
        return [Registered(own, family, json.loads(about)) for own, family, about in rows]

    def models(self, sweep: str) -> list[str]:
        """The model versions that a sweep was computed with, the latest last."""
        text = """
            SELECT points.model FROM points LEFT JOIN runs USING (scenario, model)
            WHERE sweep = ? GROUP BY points.model ORDER BY coalesce(max(runs.id), 0)
            """
        with explained(self.path):
            return [row[0] for row in self._db.execute(text, (sweep,))]

    def runs(self, sweep: str, model: str, settings: str, seeds: Sequence[int]) -> Iterator[StoredRun]:
        """The runs of a sweep with one model version, point by point and each in the order of `seeds`. Only runs
        that were done, without damaged rows, which `damaged` names."""
        text = f"""
            SELECT number, shown, seed, result, error FROM points JOIN runs USING (scenario, model)
            WHERE sweep = ? AND points.model = ? AND settings = ? AND {whole("points")} AND {whole("runs")}
            ORDER BY number
            """
        place = {seed: number for number, seed in enumerate(seeds)}
        with explained(self.path):
            waiting: list[StoredRun] = []
            for number, shown, seed, record, error in self._db.execute(text, (sweep, model, settings)):
                if waiting and waiting[0].point != number:
                    yield from sorted(waiting, key=lambda run: place[run.seed])
                    waiting = []
                if seed in place:
                    waiting.append(StoredRun(number, json.loads(shown), seed, model, record, error))
            yield from sorted(waiting, key=lambda run: place[run.seed])

    def count(self, sweep: str, model: str, settings: str, seeds: Sequence[int]) -> tuple[int, int]:
        """How many runs of a sweep are done, and how many failed."""
        found = list(self._kinds(sweep, model, settings, seeds))
        return found.count(0), found.count(1)

    def _kinds(self, sweep: str, model: str, settings: str, seeds: Sequence[int]) -> Iterator[int]:
        text = f"""
            SELECT seed, {_FAILED} FROM points JOIN runs USING (scenario, model)
            WHERE sweep = ? AND points.model = ? AND settings = ?
            """
        wanted = set(seeds)
        with explained(self.path):
            rows = self._db.execute(text, (sweep, model, settings))
            yield from (failed for seed, failed in rows if seed in wanted)
