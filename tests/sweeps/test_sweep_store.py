"""The store: its contents, two sweeps that share it, and one clear message for everything that can be wrong with it."""

import os
import sqlite3
import tempfile
import threading
from pathlib import Path

import pytest

import netsim as ns
from netsim.errors import StoreError
from netsim.sweeps import Store, results
from netsim.sweeps.store import Key, Registered
from netsim.sweeps.worker import Outcome
from tests.killed_sweep import SHORT, scenario

KEY = Key("abc", 5, "{}", "model")


def good(text='{"throughput": 1.5}'):
    import zlib

    return Outcome(zlib.compress(text.encode()))


BAD = Outcome(None, "SimulationError: it stands still")


def rows(path):
    with sqlite3.connect(path) as db:
        return db.execute("SELECT scenario, seed, result, error FROM runs ORDER BY id").fetchall()


# --- contents --------------------------------------------------------------------------------------------------------


def test_a_run_is_there_at_once_for_everybody(tmp_path):
    store = Store(tmp_path / "a.db")
    assert store.known(KEY) is None
    store.put(KEY, good())
    assert store.known(KEY) == "done"
    assert Store(tmp_path / "a.db", writable=False).known(KEY) == "done"
    assert rows(tmp_path / "a.db") == [("abc", 5, '{"throughput": 1.5}', None)]


@pytest.mark.parametrize("part", range(4))
def test_each_part_of_the_key_tells_runs_apart(tmp_path, part):
    store = Store(tmp_path / "a.db")
    store.put(KEY, good())
    other = Key(*(6 if part == at == 1 else "other" if part == at else value for at, value in enumerate(KEY)))
    assert store.known(other) is None


def test_a_result_is_never_replaced_but_a_failure_is(tmp_path):
    store = Store(tmp_path / "a.db")
    store.put(KEY, BAD)
    assert store.known(KEY) == "failed"
    store.put(KEY, good("1"))
    store.put(KEY, good("2"))
    store.put(KEY, BAD)
    assert rows(tmp_path / "a.db") == [("abc", 5, "1", None)]


def test_it_is_in_wal_mode(tmp_path):
    Store(tmp_path / "a.db")
    with sqlite3.connect(tmp_path / "a.db") as db:
        assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_more_replications_are_remembered_and_fewer_do_not_hide_them(tmp_path):
    store = Store(tmp_path / "a.db")
    for seeds in ([1], [1, 2, 3], [1, 2]):
        store.register(Registered("id", "family", {"seeds": seeds}))
    assert store.sweeps() == [Registered("id", "family", {"seeds": [1, 2, 3]})]


def test_a_sweep_of_a_store_whose_ids_have_no_seed_goes_on(tmp_path):
    """It has its new id, with all of its seeds and points; one with another seed keeps its own."""
    store = Store(tmp_path / "a.db")
    for name in ("old", "other"):
        store.register(Registered(name, "family", {"seeds": [1, 2]}))
        store.add_points(name, "model", [(0, "abc", {"mtu": 1500})])
    store.register(Registered("new", "family", {"seeds": [1]}, "old"))
    store.register(Registered("another", "family", {"seeds": [3]}, "other"))
    seeds = [(one.id, one.about["seeds"]) for one in store.sweeps()]
    assert seeds == [("new", [1, 2]), ("other", [1, 2]), ("another", [3])]
    found = [store.scenarios(name, "model", range(1)) for name in ("old", "new", "other", "another")]
    assert found == [{}, {0: "abc"}, {0: "abc"}, {}]
    assert store.damaged() == []


def test_a_damaged_one_is_written_anew(tmp_path):
    store = Store(tmp_path / "a.db")
    store.register(Registered("old", "family", {"seeds": [1, 2]}))
    store._db.execute("UPDATE sweeps SET about = '{'")
    new = Registered("new", "family", {"seeds": [1]}, "old")
    store.register(new)
    assert store.damaged() == []
    assert [(one.id, one.about) for one in store.sweeps()] == [("new", new.about)]


def test_many_writers_at_once(tmp_path):
    def write(writer):
        store = Store(tmp_path / "a.db")
        for seed in range(50):
            store.put(Key("abc", seed, "{}", "model"), good(f'"{writer}"'))

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [row[1] for row in sorted(rows(tmp_path / "a.db"), key=lambda row: row[1])] == [*range(50)]


# --- damage and refusals ---------------------------------------------------------------------------------------------


def filled(path):
    """A store with something in it, closed and without its log."""
    store = Store(path)
    for seed in range(200):
        store.put(Key("abc", seed, "{}", "model"), good('"' + "x" * 2000 + '"'))
    store.close()
    return path


def refused(path, *words):
    """By everything that opens it, with one line; the file is unchanged."""
    before = path.read_bytes() if path.is_file() else None
    for refuse in (Store, results, lambda path: ns.sweep(scenario(), {"mtu": [1500]}, store=path)):
        with pytest.raises(StoreError) as told:
            refuse(path)
        assert str(path) in str(told.value)
        assert "\n" not in str(told.value)
        for word in words:
            assert word in str(told.value)
    if before is not None:
        assert path.read_bytes() == before


def test_another_format(tmp_path):
    path = tmp_path / "a.db"
    path.write_text("point,throughput\n0,94.1\n")
    refused(path, "is not a store of netsim", "left unchanged")


def test_a_database_of_something_else(tmp_path):
    path = tmp_path / "a.db"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE runs (anything)")
    refused(path, "another program")


def test_another_version_of_the_format(tmp_path):
    path = filled(tmp_path / "a.db")
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 3")
    refused(path, "has format 3", "reads format 2")


@pytest.mark.parametrize("left", [50, 3000, 100_000, 300_000])
def test_truncated(tmp_path, left):
    path = filled(tmp_path / "a.db")
    assert path.stat().st_size > left
    os.truncate(path, left)
    refused(path)


def test_a_page_in_the_middle_that_is_noise(tmp_path):
    path = filled(tmp_path / "a.db")
    with path.open("r+b") as file:
        file.seek(5 * 4096)
        file.write(b"\xa5" * 3 * 4096)
    refused(path, "damaged")


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(StoreError, match="there is no folder"):
        Store(tmp_path / "none" / "a.db")


def test_a_folder_in_its_place(tmp_path):
    with pytest.raises(StoreError, match=str(tmp_path)):
        Store(tmp_path)


def test_results_of_nothing(tmp_path):
    with pytest.raises(StoreError, match="no such file"):
        results(tmp_path / "none.db")


@pytest.fixture
def readable():
    """A folder that may be read but not written to, even as the superuser (which switches to another user)."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)
        if os.geteuid() != os.getuid():
            os.seteuid(os.getuid())
        os.chmod(folder, 0o755)


def test_read_only(readable):
    """Everything except the store is read beforehand: the other user may have no access to the other files."""
    path, test = readable / "a.db", scenario()
    sweep = ns.sweep(test, {"mtu": [1000, 1500]}, store=path, **SHORT)
    before = sweep.to_frame()
    sweep.store.close()
    os.chmod(path, 0o444)
    os.chmod(readable, 0o555)
    if os.getuid() == 0:
        os.seteuid(65534)
    with pytest.raises(StoreError, match=r"a\.db can't be (written to|opened)"):
        ns.sweep(test, {"mtu": [1000, 1500]}, store=path)
    assert results(path).equals(before)


def test_a_full_disk(tmp_path):
    """A limit on the number of pages makes SQLite report a full disk."""
    store = Store(tmp_path / "a.db")
    store._db.execute("PRAGMA max_page_count = 40")
    words = r"a\.db can't be written to: the disk is full; everything stored before"
    with pytest.raises(StoreError, match=words) as told:
        ns.sweep(scenario(), {"mtu": range(1000, 1200)}, store=store, **SHORT)
    assert "\n" not in str(told.value)
    store.close()
    kept = results(tmp_path / "a.db")
    assert 0 < len(kept) < 200
    assert kept["error"].isna().all()
    again = ns.sweep(scenario(), {"mtu": range(1000, 1200)}, store=tmp_path / "a.db", **SHORT)
    assert again.computed == 200 - len(kept)
    assert again.to_frame().iloc[: len(kept)].shape == kept.shape


def test_in_use_for_too_long(tmp_path, monkeypatch):
    monkeypatch.setattr("netsim.sweeps.schema.PATIENCE", 0.1)
    store = Store(tmp_path / "a.db")
    with sqlite3.connect(tmp_path / "a.db", isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="is in use"):
            store.put(KEY, good())
        other.execute("ROLLBACK")
    store.put(KEY, good())
