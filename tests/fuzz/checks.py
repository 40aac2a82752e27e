"""Checks for any input: a result without negative numbers or NaN, or one clear line; within time and memory limits."""

from __future__ import annotations

import contextlib
import io
import math
import os
import resource
import shutil
import signal
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

import netsim as ns
from netsim.cli import main
from netsim.errors import NetsimError
from netsim.sweeps import results
from tests.fuzz import inputs

SECONDS, BYTES = 20, 3 * 2**30  # processor time and memory of each case; one that waits is ended with its lot
SHORT: dict[str, Any] = {"precision": 0.5, "warm_up": "1 ms", "sample": "1 ms", "limit": "20 ms", "wall_limit": "3 s"}
LONGEST = 2000  # characters of a message


class Failure(AssertionError):
    """A case's forbidden behaviour."""


@contextlib.contextmanager
def limited() -> Iterator[None]:
    """With a limit on processor time, and a check of errors that a user may meet: one line, not too long."""

    def over(*_: object) -> None:
        raise Failure(f"more than {SECONDS} s of processor")

    signal.signal(signal.SIGPROF, over)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except NetsimError as error:
        _line(str(error))
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def limit_memory() -> None:
    """Limits the memory of this process, from now on."""
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))


def _line(text: str) -> None:
    if "\n" in text or len(text) > LONGEST or not text:
        raise Failure(f"not one short line: {text[:200]!r}")


def _number(name: str, value: float) -> None:
    if not (0 <= value < math.inf):
        raise Failure(f"{name} is {value}")


def change(case: tuple[str, dict[str, Any]]) -> None:
    """A changed scenario has bounds, prints, writes TOML that reads back, and, occasionally, simulates."""
    name, asked = case
    with limited():
        test = inputs.scenario(name).replace(asked)
        bounds = test.bounds()
        for resource_, ps in bounds.demand.items():
            _number(resource_, ps)
        str(bounds), str(test)
        if crc32(repr(sorted(asked)).encode(errors="replace")) % 4 == 0:
            result = ns.simulate(test, **SHORT)
            _number("throughput", result.throughput)
            str(result)
            for resource_, share in result.utilisation.items():
                _number(resource_, share)


def toml(text: str) -> None:
    """Text as a file."""
    with limited(), _folder() as folder:
        (folder / "a.toml").write_text(text, encoding="utf-8", errors="surrogatepass")
        ns.load(folder / "a.toml").bounds()


def command_line(words: list[str]) -> None:
    """Exits with one of its codes, writes at most one line to stderr, and changes no files that it did not make."""
    with _folder() as folder:
        files = {name: str(folder / name) for name in ("toml", "store", "out")}
        shutil.copy(inputs.EXAMPLES / "p166.toml", files["toml"])
        shutil.copy(made()["store"], files["store"])
        kept = {path: Path(files[path]).read_bytes() for path in ("toml", "store")}
        asked = [files.get(word[1:-1], word) if word[:1] + word[-1:] == "{}" else word for word in words]
        asked += ["--wall-limit", "2 s"] if words[0] in ("run", "compare") else []
        err = io.StringIO()
        out = contextlib.redirect_stdout(io.StringIO())
        with contextlib.chdir(folder), out, contextlib.redirect_stderr(err), limited():
            code = _exit_code(asked)
        if code not in (0, 1, 2) or err.getvalue().count("\n") > 1 or "Traceback" in err.getvalue():
            raise Failure(f"exit code {code}, {err.getvalue()[:300]!r}")
        for path, before in kept.items():
            if Path(files[path]).read_bytes() != before and words[0] != "sweep":
                raise Failure(f"{path} is another one now")


def _exit_code(words: list[str]) -> int:
    try:
        return main(words)
    except SystemExit as end:
        return int(end.code or 0)


def damaged(case: tuple[str, int, list[tuple[float, int]]]) -> None:
    """A file with other bytes, or without its end."""
    kind, left, bytes_ = case
    data = bytearray(made()[kind].read_bytes())
    for place, byte in bytes_:
        data[int(place * len(data))] = byte
    with limited(), _folder() as folder:
        path = folder / "damaged"
        path.write_bytes(data[: len(data) * left // 256])
        if kind == "toml":
            ns.load(path).bounds()
        elif kind == "store":
            results(path)
        else:
            str(ns.Result.from_json(path.read_text(encoding="utf-8", errors="replace")))


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="netsim-fuzz-") as name:
        yield Path(name)


_made: dict[str, Path] = {}


def made() -> dict[str, Path]:
    """An intact scenario, store and result; made once."""
    if not _made:
        folder = Path(tempfile.mkdtemp(prefix=f"netsim-fuzz-{os.getpid()}-"))
        test = inputs.scenario("p166")
        quick = {name: value for name, value in SHORT.items() if name != "wall_limit"}
        ns.sweep(test, {"mtu": [576, 1500]}, store=folder / "a.db", jobs=1, progress=False, **quick).store.close()
        (folder / "a.json").write_text(ns.simulate(test, **quick).to_json(), encoding="utf-8")
        _made.update(store=folder / "a.db", json=folder / "a.json", toml=inputs.EXAMPLES / "p166.toml")
    return _made


CHECKS: dict[str, tuple[Callable[[], Any], Callable[[Any], None]]] = {
    "changes": (inputs.changes, change),
    "files of TOML": (inputs.tomls, toml),
    "command lines": (inputs.command_lines, command_line),
    "damaged files": (inputs.damage, damaged),
}
