"""A module of the rooms that simulate either describes (pydantic's classes) or runs, never both: so running code can be
compiled, while pydantic's classes, which can't be, stay interpreted."""

import ast
from functools import cache
from pathlib import Path

import netsim
from netsim.compiled import sources

ROOT = Path(netsim.__file__).parent
ROOMS = (
    "accounts", "bus", "closed_form", "engine", "ethernet", "machine", "measure", "nic", "scenario", "stack", "storage",
    "topology", "watch", "workload",
)  # fmt: skip
PLAIN = {"NamedTuple", "Protocol"}  # neither describe nor run: they may be in both

@cache
def _bases():
    """The classes of each module, each with its bases."""
    return {path.relative_to(ROOT).as_posix(): _bases_in(path) for path in sorted(ROOT.rglob("*.py"))}


def _bases_in(path):
    return {
        node.name: {ast.unparse(base).partition("[")[0] for base in node.bases}
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ClassDef)
    }


@cache
def _is_pydantic(name):
    """By name: no two classes of netsim share one, as another test ensures."""
    every = {one: bases for own in _bases().values() for one, bases in own.items()}
    return name == "BaseModel" or any(_is_pydantic(base) for base in every.get(name, ()))


def _runs(classes):
    """Whether any of a module's classes runs, except for plain ones."""
    return not all(_is_pydantic(name) for name, bases in classes.items() if not bases & PLAIN)


def test_a_module_describes_or_runs():
    simulating = {file: own for file, own in _bases().items() if file.startswith(tuple(f"{room}/" for room in ROOMS))}
    describing = sources.describing(ROOT)
    running = {file for file, classes in simulating.items() if _runs(classes)}
    assert {"nic/nic_spec.py", "stack/computer_spec.py", "workload/netperf/tool.py"} <= describing
    assert {"nic/nic.py", "stack/computer.py", "workload/netperf/run.py"} <= running
    assert describing & running == set()
