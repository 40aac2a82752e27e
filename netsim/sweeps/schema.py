"""The store's file: its tables, how it is recognized, and one clear message for each thing that can be wrong.

A file is first opened read-only, so that one that is refused stays as it was. It is kept in SQLite's WAL mode with
synchronous = NORMAL: killed processes lose nothing that was stored, a power failure loses at worst the last rows, and
neither leaves half a row.
"""

from __future__ import annotations

import sqlite3
import time
import zlib
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from netsim.errors import StoreError

APPLICATION = 0x6E73776D  # "nswm", SQLite's application_id
FORMAT = 2  # 1 had no checksums
PATIENCE = 60.0  # s to wait for another writer, which holds a store for less than a millisecond

TABLES = """
CREATE TABLE IF NOT EXISTS runs (
    id INTEGER PRIMARY KEY,
    scenario TEXT NOT NULL,
    seed INTEGER NOT NULL,
    settings TEXT NOT NULL,
    model TEXT NOT NULL,
    result TEXT,
    error TEXT,
    checksum INTEGER,
    UNIQUE (scenario, seed, settings, model));
CREATE TABLE IF NOT EXISTS sweeps (
    id TEXT PRIMARY KEY,
    family TEXT NOT NULL,
    about TEXT NOT NULL,
    checksum INTEGER);
CREATE TABLE IF NOT EXISTS points (
    sweep TEXT NOT NULL,
    model TEXT NOT NULL,
    number INTEGER NOT NULL,
    scenario TEXT NOT NULL,
    shown TEXT NOT NULL,
    checksum INTEGER,
    PRIMARY KEY (sweep, model, number)) WITHOUT ROWID
"""

COLUMNS = {  # that each table's checksum covers
    "runs": ("scenario", "seed", "settings", "model", "result", "error"),
    "sweeps": ("id", "family", "about"),
    "points": ("sweep", "model", "number", "scenario", "shown"),
}


def insertion(table: str) -> str:
    """SQL that writes a row of these columns, with their checksum."""
    columns = COLUMNS[table]
    values = [f"?{number}" for number, _ in enumerate(columns, 1)]
    return f"INSERT INTO {table} ({', '.join(columns)}, checksum) VALUES ({', '.join(values)}, {_sum_of(values)})"


def renaming(table: str, column: str) -> str:
    """SQL that replaces a name, ?1, in one of these columns by another, ?2, unless that is there already. A damaged row
    stays damaged."""
    values = ["?2" if name == column else name for name in COLUMNS[table]]
    checksum = f"CASE WHEN {whole(table)} THEN {_sum_of(values)} ELSE checksum END"
    return f"UPDATE OR IGNORE {table} SET {column} = ?2, checksum = {checksum} WHERE {column} = ?1"


def whole(table: str) -> str:
    """Whether a row is as it was written, in SQL."""
    return f"({table}.checksum IS {_sum_of([f'{table}.{name}' for name in COLUMNS[table]])})"


def _sum_of(values: Iterable[str]) -> str:
    """The checksum of these, whatever bytes they are."""
    return f"checksum({', '.join(f'CAST({one} AS BLOB)' for one in values)})"


def _checksum(*values: bytes | None) -> int:
    return zlib.crc32(b"\0".join(b"" if value is None else b"\1" + value for value in values))


def opened(path: Path | None, writable: bool = True) -> sqlite3.Connection:
    """A store's connection; None is a private one that disappears when it is closed. Raises StoreError."""
    with explained(path):
        if path is None:
            return _made(_connection("", "", PATIENCE))
        if not path.parent.is_dir():
            raise StoreError(f"{path} can't be made: there is no folder {path.parent}")
        if path.exists() and not path.is_file():
            what = "a folder" if path.is_dir() else "a device or a pipe"
            raise StoreError(f"{path} is not a store of netsim: it is {what}")
        new = not path.exists() or path.stat().st_size == 0
        if new and not writable:
            reason = "it is empty" if path.exists() else "no such file"
            raise StoreError(f"{path} is not a store of netsim: {reason}")
        new = new or _checked(path)
        if not writable:
            return _reading(path)
        return _made(_connection(path.absolute().as_uri(), "?mode=rwc", PATIENCE), new)


def _connection(uri: str, mode: str, patience: float) -> sqlite3.Connection:
    db = sqlite3.connect(uri + mode, uri=True, timeout=patience, isolation_level=None, check_same_thread=False)
    db.create_function("checksum", -1, _checksum, deterministic=True)
    db.text_factory = lambda text: text.decode(errors="replace")  # checksums reveal damaged rows
    return db


def _reading(path: Path) -> sqlite3.Connection:
    """A connection that can't write. If not even a lock file can be made, no other process writes either."""
    uri = path.absolute().as_uri()
    db = _connection(uri, "?mode=ro", PATIENCE)
    try:
        db.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError:
        db.close()
        wal = path.with_name(f"{path.name}-wal")
        if wal.exists() and wal.stat().st_size:
            raise
        return _connection(uri, "?mode=ro&immutable=1", PATIENCE)
    return db


def _checked(path: Path) -> bool:
    """Whether an existing file has no tables yet. Raises StoreError unless it is an undamaged store."""
    with path.open("rb") as file:
        if file.read(16) != b"SQLite format 3\0":
            raise StoreError(f"{path} is not a store of netsim; it was left unchanged")
    with closing(_reading(path)) as db:
        application, version = (_pragma(db, name) for name in ("application_id", "user_version"))
        if application == 0 and db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0:
            return True
        if application != APPLICATION:
            raise StoreError(f"{path} is the database of another program; it was left unchanged")
        if version != FORMAT:
            raise StoreError(f"{path} has format {version}; this netsim reads format {FORMAT}; it was left unchanged")
        if db.execute("PRAGMA integrity_check(1)").fetchone()[0] != "ok":
            raise sqlite3.DatabaseError("database disk image is malformed")
    return False


def _pragma(db: sqlite3.Connection, name: str) -> int:
    return int(db.execute(f"PRAGMA {name}").fetchone()[0])


def _made(db: sqlite3.Connection, new: bool = True) -> sqlite3.Connection:
    """The connection, ready for writing: with tables, and in WAL mode. A file that can't be written is noticed here."""
    try:
        db.execute("BEGIN IMMEDIATE")
        for statement in TABLES.split(";") if new else ():
            db.execute(statement)
        for name, value in {"application_id": APPLICATION, "user_version": FORMAT}.items() if new else ():
            db.execute(f"PRAGMA {name} = {value}")
        db.execute("COMMIT")
        _wal(db)
        db.execute("PRAGMA synchronous = NORMAL")
    except sqlite3.Error:
        db.close()
        raise
    return db


def _wal(db: sqlite3.Connection) -> None:
    """Set WAL mode. SQLite doesn't wait for other processes by itself when the mode is changed."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            db.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
            time.sleep(0.01)


@contextmanager
def explained(path: Path | None) -> Iterator[None]:
    """Errors of SQLite and the system, as a StoreError of one line."""
    name = "the sweep's temporary file" if path is None else str(path)
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(f"{name} {_words(str(error))}") from None
    except UnicodeDecodeError:  # in SQLite's message
        raise StoreError(f"{name} {_WORDS['malformed']}") from None
    except OSError as error:
        raise StoreError(f"{name} can't be used: {error.strerror or error}") from None


_KEPT = "everything stored before is still there; run it again to continue"
_WORDS = {
    "full": f"can't be written to: the disk is full; {_KEPT}",
    "readonly": "can't be written to: it is read-only",
    "unable to open": "can't be opened: it, or its folder, may not be written to",
    "locked": f"is in use: another process has held it for more than {PATIENCE:.0f} s; {_KEPT}",
    "malformed": "is damaged or truncated; it was left unchanged",
    "not a database": "is not a store of netsim; it was left unchanged",
    "disk I/O": f"can't be read or written (the disk may be full or broken); {_KEPT}",
}


def _words(message: str) -> str:
    found = [words for part, words in _WORDS.items() if part in message]
    return found[0] if found else f"can't be used: {message}"
