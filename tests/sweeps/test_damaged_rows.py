"""Damaged rows of a store: named and counted, left out, recomputed by a retry; intact ones are shown."""

from __future__ import annotations

import random
import shutil
import sqlite3
import warnings
from pathlib import Path

import pytest

import netsim as ns
from netsim.cli import main
from netsim.errors import StoreError
from netsim.sweeps import Store, results
from tests.killed_sweep import scenario

MTUS = (800, 1000, 1500)
QUICK = {"precision": 0.5, "limit": "20 ms", "jobs": 1, "progress": False}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole") / "a.db"
    ns.sweep(scenario(), {"mtu": MTUS}, store=path, **QUICK).store.close()
    return path


@pytest.fixture
def store(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(whole, tmp_path / "a.db"))


def change(path: Path, statement: str) -> None:
    """Behind the store's back."""
    with sqlite3.connect(path) as db:
        assert db.execute(statement).rowcount == 1


DAMAGE = {
    "run 2": "UPDATE runs SET result = substr(result, 1, 40) WHERE id = 2",
    "run 1": "UPDATE runs SET result = replace(result, 'throughput', 'througnput') WHERE id = 1",
    "run 3": "UPDATE runs SET result = CAST(x'7bfffe7d' AS TEXT) WHERE id = 3",
    "point 1": "UPDATE points SET shown = '{' WHERE number = 1",
}


@pytest.mark.parametrize("name", DAMAGE)
def test_one_damaged_row_hides_no_good_one(name: str, store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(store, DAMAGE[name])
    with pytest.warns(UserWarning, match=f"a.db: 1 damaged row, left out: {name};"):
        table = results(store)
    assert len(table) == len(MTUS) - 1
    assert main(["results", str(store)]) == 0
    printed = capsys.readouterr()
    assert printed.err.startswith(f"netsim: {store}: 1 damaged row, left out: {name};")
    assert "2 of 3 runs" in printed.out


def test_two_are_several(store: Path) -> None:
    change(store, DAMAGE["run 1"])
    change(store, DAMAGE["run 3"])
    with pytest.warns(UserWarning, match="2 damaged rows, left out: run 1, run 3;"):
        results(store)


@pytest.mark.parametrize("name", DAMAGE)
def test_a_retry_makes_it_anew(name: str, store: Path, whole: Path) -> None:
    change(store, DAMAGE[name])
    again = ns.sweep(scenario(), {"mtu": MTUS}, store=store, retry_failures=True, **QUICK)
    assert again.computed <= 1
    assert again.store.damaged() == []
    assert results(store).equals(results(whole))


def test_any_byte_may_be_another_one(store: Path, whole: Path) -> None:
    """No traceback, and no wrong results: every row that is shown is unchanged."""
    good, data, draw = results(whole), store.read_bytes(), random.Random(1)
    told = 0
    for _ in range(150):
        at = draw.randrange(100, len(data))
        store.write_bytes(data[:at] + bytes([data[at] ^ (1 << draw.randrange(8))]) + data[at + 1 :])
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            try:
                table = results(store)
            except StoreError as error:
                told += _is_one_line(error)
                continue
        told += bool(warned)
        assert table.empty or table.merge(good).shape == table.shape
        assert len(table) == len(good) or warned
    assert told > 10


def _is_one_line(error: StoreError) -> bool:
    assert "\n" not in str(error)
    assert len(str(error)) < 300
    return True


def test_a_sweep_that_is_damaged_is_named(store: Path) -> None:
    change(store, "UPDATE sweeps SET about = '{'")
    assert Store(store, writable=False).damaged()[0].startswith("sweep ")
    with pytest.warns(UserWarning, match="1 damaged row,"):
        assert len(results(store)) == 0
