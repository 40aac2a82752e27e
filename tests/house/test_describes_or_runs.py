"""A module of the rooms that simulate describes (pydantic's classes) or runs, never both: so what runs can be compiled,
while pydantic's classes, which can't be, stay interpreted."""

import ast
from pathlib import Path

import netsim
from netsim.compiled import sources

ROOT = Path(netsim.__file__).parent
ROOMS = (
    "accounts", "bus", "closed_form", "engine", "ethernet", "machine", "measure", "nic", "scenario", "stack", "storage",
    "topology", "watch", "workload",
)  # fmt: skip
PLAIN = {"NamedTuple", "Protocol"}  # neither: they may stand in both

TREES = {path.relative_to(ROOT).as_posix(): ast.parse(path.read_text()) for path in sorted(ROOT.rglob("*.py"))}
BASES = {
    node.name: {ast.unparse(base).partition("[")[0] for base in node.bases}
    for tree in TREES.values()
    for node in ast.walk(tree)
    if isinstance(node, ast.ClassDef)
}


def _is_pydantic(name):
    """No two classes of netsim share a name: another test holds that."""
    return name == "BaseModel" or any(_is_pydantic(base) for base in BASES.get(name, ()))


def _classes(tree):
    """The names of a module's classes, but for plain ones."""
    names = {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    return {name for name in names if not BASES[name] & PLAIN}


def _runs(tree):
    return not all(map(_is_pydantic, _classes(tree)))


def test_a_module_describes_or_runs():
    simulating = {file: tree for file, tree in TREES.items() if file.startswith(tuple(f"{room}/" for room in ROOMS))}
    describing = sources.describing(ROOT)
    running = {file for file, tree in simulating.items() if _runs(tree)}
    assert {"nic/nic_spec.py", "stack/computer_spec.py", "workload/netperf/tool.py"} <= describing
    assert {"nic/nic.py", "stack/computer.py", "workload/netperf/run.py"} <= running
    assert describing & running == set()
