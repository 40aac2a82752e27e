"""Imports point one way: along the path of a frame, and up from the parts to the results about them (docs/design.md).

Imports within functions and those for type checking count too, except for the few in EXCEPTIONS.
"""

import ast
from functools import cache
from pathlib import Path

import netsim
from netsim.sweeps import version

ROOT = Path(netsim.__file__).parent
LAYERS = [
    ["compiled"],
    ["errors", "lazy"],
    ["units", "statistics", "queueing"],
    ["catalog"],
    ["spec"],
    ["accounts"],
    ["engine"],
    ["ethernet", "bus"],  # neither imports the other
    ["nic", "storage"],  # nor here: each is one kind of adapter
    ["machine"],
    ["stack"],
    ["scenario"],
    ["topology"],
    ["closed_form"],
    ["workload"],
    ["results"],
    ["measure"],
    ["explore"],
    ["sweeps", "watch"],
    ["calibration", "export"],
    ["own_machine"],
    ["show"],
    ["explorer"],
    ["cli"],
]
RANK = {name: rank for rank, layer in enumerate(LAYERS) for name in layer}
STRANGERS = ({"ethernet", "bus"}, {"nic", "storage"})
SHOWN = "it shows itself in print, a notebook or a picture, and views rank above what they show"
EXCEPTIONS = {
    ("spec/spec.py", "show"): SHOWN,
    ("machine/host_spec.py", "show"): SHOWN,
    ("accounts/bounds.py", "show"): SHOWN,
    ("scenario/scenario.py", "show"): SHOWN,
    ("results/result.py", "show"): SHOWN,
    ("explore/bounds_grid.py", "show"): SHOWN,
    ("explore/sobol_indices.py", "show"): SHOWN,
    ("sweeps/sweeping.py", "show"): SHOWN,
    ("watch/timeline.py", "show"): SHOWN,
    ("results/found.py", "__version__"): "a result says which version found it",
}


def _imports(tree):
    """Names of the modules that a file imports, anywhere and for any purpose."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{one.name}" for one in node.names)


@cache
def _edges():
    """(file, its room, name that it imports) for every import."""
    return [
        (module.as_posix(), module.parts[0].removesuffix(".py"), name)
        for path in sorted(ROOT.rglob("*.py"))
        for module in [path.relative_to(ROOT)]
        for name in _imports(ast.parse(path.read_text()))
    ]


def _upward():
    """(file, imported room) for every import that points up."""
    for file, here, name in _edges():
        top, _, rest = name.partition(".")
        there = rest.partition(".")[0]
        if top != "netsim" or here in ("__init__", "__main__") or (here == "cli" and not there):
            continue
        if RANK.get(there, len(LAYERS)) > RANK[here] or (there != here and {there, here} in STRANGERS):
            yield file, there


def test_every_room_has_its_place():
    rooms = {path.stem for path in ROOT.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()}
    assert rooms - {"__init__", "__main__"} == set(RANK)


def test_imports_point_one_way():
    assert set(_upward()) == set(EXCEPTIONS)
    assert len(EXCEPTIONS) <= 10


def test_at_most_six_modules_stand_beside_the_rooms():
    assert len([*ROOT.glob("*.py")]) <= 6


def test_what_the_model_version_leaves_out_changes_no_result():
    """No simulating module imports these rooms, except for modules that show themselves."""
    above = set(version.ABOVE)
    found = [(file, name.split(".")[1]) for file, here, name in _edges() if here in RANK.keys() - above and "." in name]
    assert {edge for edge in found if edge[1] in above} <= set(EXCEPTIONS)
    assert above <= set(RANK)


def test_netsim_knows_no_experiment():
    outside = {"experiments", "benchmarks", "tests", "notebooks"}
    assert not [f"{file} imports {name}" for file, _, name in _edges() if name.partition(".")[0] in outside]


def test_no_two_classes_or_modules_share_a_name():
    """Modules may, if they do the same for different tools."""
    classes, modules = {}, {}
    for path in sorted(ROOT.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef):
                classes.setdefault(node.name, []).append(path.relative_to(ROOT).as_posix())
        if path.stem != "__init__":
            modules.setdefault(path.stem, []).append(path.relative_to(ROOT).as_posix())
    assert {name: places for name, places in classes.items() if len(places) > 1} == {}
    twice = {name for name, places in modules.items() if len(places) > 1}
    assert twice <= {"tool", "run", "bounds", "dataset"}
