"""Imports point one way (docs: the journey of a frame). Imports for type checking only are left out."""

import ast
from pathlib import Path

import netsim
from netsim.sweep import version

ROOT = Path(netsim.__file__).parent
LAYERS = [
    ["errors", "html", "units"],
    ["provenance", "toml", "whole_file"],
    ["overlay"],
    ["catalog"],
    ["spec"],
    ["engine"],
    ["population"],
    ["closed"],
    ["ethernet", "bus"],  # these do not know each other
    ["nic", "storage"],  # nor do these: an adapter for each
    ["host"],
    ["stack"],
    ["bounds", "books", "occupancy", "plot", "scenario", "scenario_view"],
    ["axes"],
    ["grid"],
    ["workload"],
    ["bottleneck", "kinds", "queueing", "statistics"],
    ["measurement"],
    ["series", "phases"],
    ["result", "result_view", "simulation"],
    ["sweep", "export", "sensitivity", "sobol_indices"],
    ["calibrate", "cli", "cli_sweep", "cli_trace"],
]
RANK = {name: rank for rank, layer in enumerate(LAYERS) for name in layer}
STRANGERS = ({"ethernet", "bus"}, {"nic", "storage"})


def _imports(node):
    """Names of the modules that are imported when the module is, or when one of its functions runs."""
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return
    if isinstance(node, ast.Import):
        yield from (one.name for one in node.names)
    elif isinstance(node, ast.ImportFrom):
        yield from (f"{node.module}.{one.name}" for one in node.names)
    for child in ast.iter_child_nodes(node):
        yield from _imports(child)


def _edges():
    for path in sorted(ROOT.rglob("*.py")):
        module = path.relative_to(ROOT)
        for name in _imports(ast.parse(path.read_text())):
            yield str(module), module.parts[0].removesuffix(".py"), name


def test_nothing_that_simulates_imports_what_stands_above():
    """What a sweep's model version leaves out can't change a result."""
    above = {name.removesuffix(".py") for name in version.ABOVE}
    below = [(file, name) for file, here, name in _edges() if here not in above | {"__init__"}]
    wrong = [(file, name) for file, name in below if name.startswith("netsim.") and name.split(".")[1] in above]
    assert wrong == []
    assert above <= {path.stem for path in ROOT.iterdir()}


def test_imports_point_one_way():
    wrong = []
    for file, here, name in _edges():
        top, _, rest = name.partition(".")
        there = rest.partition(".")[0]
        if top != "netsim" or here == "__init__" or there not in RANK:
            continue
        assert here in RANK, f"{file}: say in LAYERS where it belongs"
        if RANK[there] > RANK[here] or (there != here and {there, here} in STRANGERS):
            wrong.append(f"{file} imports {name}")
    assert not wrong, "\n".join(wrong)


def test_netsim_knows_no_experiment():
    outside = {"experiments", "benchmarks", "tests", "notebooks"}
    assert not [f"{file} imports {name}" for file, _, name in _edges() if name.partition(".")[0] in outside]
