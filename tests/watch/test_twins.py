"""Watched classes whose code stands several times, because a compiled class can't get it from a second base
(netsim/watch/watching.py): the copies stay the same."""

import ast
from pathlib import Path

import pytest

import netsim.watch

FOLDER = Path(netsim.watch.__file__).parent
TWINS = [
    ("watched_driver.py", {"WatchedDriver", "WatchedSerialisedDriver", "WatchedPolledDriver", "WatchedSharedDriver"}),
    ("watched_transmitter.py", {"WatchedHalfDuplexTransmitter", "WatchedFifoTransmitter"}),
    ("watched_host.py", {"WatchedHost", "WatchedComputer"}),
    ("watched_host.py", {"WatchedBacklog", "WatchedIndications"}),
    ("watched_stack.py", {"WatchedForwarder", "WatchedEncapsulator"}),
    ("watched_stack.py", {"WatchedNcpServer", "WatchedNcpWorkstation"}),
]


def code(of: ast.ClassDef) -> str:
    """A class's body without its docstring."""
    return "\n".join(ast.unparse(one) for one in of.body[1:])


@pytest.mark.parametrize(("file", "names"), TWINS, ids=lambda one: one if isinstance(one, str) else min(one))
def test_copies_are_the_same(file: str, names: set[str]) -> None:
    classes = [one for one in ast.parse((FOLDER / file).read_text("utf-8")).body if isinstance(one, ast.ClassDef)]
    copies = {one.name: code(one) for one in classes if one.name in names}
    assert copies.keys() == names
    assert len({*copies.values()}) == 1
