"""A file that appears complete or not at all, and replaces only files that netsim wrote before."""

from __future__ import annotations

import os
import re
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import current_thread, main_thread
from typing import NamedTuple

from netsim.errors import ScenarioError

_HEAD, _TAIL = 4096, 65536  # bytes that are inspected: they identify a file's kind
NO_STDOUT = '"-" does not stand for standard output; allowed: a file'
_STORE = re.compile(rb"\ASQLite format 3\0.{52}nswm", re.DOTALL)  # with application_id of netsim.sweeps.schema


class Kind(NamedTuple):
    """A kind of file that netsim writes: its name, and the pattern of a file's first and last bytes that identifies
    it."""

    name: str
    pattern: bytes

    def made(self, path: Path) -> bool:
        """Whether the file is empty, or of this kind and netsim's."""
        found = _ends(path)
        return not found or re.match(self.pattern, found, re.DOTALL) is not None


def check_place(path: Path, address: str, kind: Kind, *, force: bool = False) -> None:
    """Check that `path` can be a file, in an existing folder, and is not a sweep's store; nor, without `force`, a
    device, or a file that is not of this `kind`. Raises ScenarioError."""
    if problem := _problem(path, kind, force):
        raise ScenarioError(problem, address=address)


def check_other(path: Path, read: Path, address: str) -> None:
    """Check that writing to `path` does not overwrite the file `read`. Raises ScenarioError."""
    if path.exists() and read.exists() and path.samefile(read):
        raise ScenarioError(f'"{path}" is the input; allowed: another file', address=address)


def _problem(path: Path, kind: Kind, force: bool) -> str:
    try:
        if str(path) == "-":
            return f"{NO_STDOUT}; /dev/stdout with force"
        if not path.parent.is_dir():
            return f'no folder "{path.parent}"; allowed: a file in an existing folder'
        if path.is_dir():
            return f'"{path}" is a folder; allowed: a file'
        path.stat()
        if _is_special(path):
            return "" if force else f'"{path}" is a device or a pipe; allowed with force'
        if _STORE.match(_ends(path)):
            return f'"{path}" is a store; allowed: another file'
        return "" if force or kind.made(path) else f'"{path}" is not {kind.name} of netsim; allowed with force'
    except FileNotFoundError:
        return ""
    except (OSError, ValueError) as error:
        name = path.name if len(path.name) < _LONGEST else f"{path.name[:_LONGEST]}..."
        return f'"{name}" can\'t be a file: {getattr(error, "strerror", None) or error}'


_LONGEST = 60  # characters of a name that are shown or kept


def _is_special(path: Path) -> bool:
    """A device, a pipe or a socket; also /dev/stdout, if that is a file now."""
    return not path.is_file() or path.absolute().is_relative_to("/dev") or path.absolute().is_relative_to("/proc")


def _ends(path: Path) -> bytes:
    """The first and the last bytes of a file."""
    with path.open("rb") as file:
        head = file.read(_HEAD)
        file.seek(max(len(head), path.stat().st_size - _TAIL))
        return head + file.read()


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """The name of a file to write, which replaces `path` at the end, unless an error occurs: it is in the folder of
    `path`, or of a link's target, and every process has its own. A device is written directly."""
    if path.exists() and _is_special(path):
        yield path
        return
    place = path.resolve()
    unfinished = place.with_name(f".{place.name[:_LONGEST]}.{os.getpid()}")
    try:
        with _removed_by_sigterm(unfinished):
            yield unfinished
            if place.exists():
                shutil.copymode(place, unfinished)
            unfinished.replace(place)
    finally:
        unfinished.unlink(missing_ok=True)


_unfinished: set[Path] = set()


@contextmanager
def _removed_by_sigterm(path: Path) -> Iterator[None]:
    """Within it, SIGTERM removes the file and then ends the process as ever. A handler that the user has set is left
    alone, and so is any thread but the main one. Nothing is raised: compiled code may be running."""
    if current_thread() is not main_thread() or signal.getsignal(signal.SIGTERM) not in (signal.SIG_DFL, _end):
        yield
        return
    _unfinished.add(path)
    signal.signal(signal.SIGTERM, _end)
    try:
        yield
    finally:
        _unfinished.discard(path)
        if not _unfinished:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _end(*_: object) -> None:
    for path in _unfinished:
        path.unlink(missing_ok=True)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.raise_signal(signal.SIGTERM)


def write_whole(path: Path, text: str) -> None:
    """Write a text as such a file, whatever was there: for files edited in place. Raises OSError."""
    with whole_file(path) as unfinished:
        unfinished.write_text(text, encoding="utf-8", newline="")
