"""Python's garbage collector in simulations: an object that it visits more often than it is referenced counts as
garbage while it is in use, and is cleared."""

from __future__ import annotations

import ast
import gc
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import netsim as ns
from netsim.compiled import sources
from netsim.engine import Environment

ROOT = Path(ns.__file__).parent
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
MS = 10**9  # ps


def test_nothing_in_use_passes_for_garbage() -> None:
    """In any of the examples; one check for all, since it covers all of Python's objects."""
    built = [ns.load(one).build(Environment(seed=1)) for one in EXAMPLES.glob("*.toml")]
    assert len(built) > 20
    for one in built:
        one.env.run(until=MS)
    gc.disable()  # nothing is cleared during the check
    try:
        once, again = mistaken(), mistaken()  # other threads free objects during a look, but not of the same ones
        assert {once[one] for one in once.keys() & again.keys()} == set()
    finally:
        gc.enable()


def mistaken() -> dict[int, str]:
    """The objects that the collector would visit more often than they are referenced: the type of each, by its id."""
    found = gc.get_objects()
    met = Counter(id(one) for holder in found for one in gc.get_referents(holder))
    # Each has three more references: the list, the loop's name and the call.
    return {id(one): type(one).__name__ for one in found if met[id(one)] > sys.getrefcount(one) - 3}


def test_no_compiled_class_declares_what_its_base_does() -> None:
    """mypyc 2.4 visits an attribute once for each class that declares it (generate_traverse_for_class)."""
    every = (ast.walk(ast.parse((ROOT / file).read_bytes())) for file in sources.compiled(ROOT))
    classes = {one.name: one for nodes in every for one in nodes if isinstance(one, ast.ClassDef)}
    assert len(classes) > 200
    assert {name: twice for name, one in classes.items() if (twice := declared(one) & inherited(one, classes))} == {}


def inherited(one: ast.ClassDef, classes: dict[str, ast.ClassDef]) -> set[str]:
    """The attributes of its compiled bases."""
    bases = [classes[name] for base in one.bases if (name := ast.unparse(base).partition("[")[0]) in classes]
    return {name for base in bases for name in declared(base) | assigned(base) | inherited(base, classes)}


def declared(one: ast.ClassDef) -> set[str]:
    """The attributes with type annotations, in a class's body or in its methods."""
    own = {ast.unparse(node.target) for node in one.body if isinstance(node, ast.AnnAssign)}
    return own | of_self(node.target for node in ast.walk(one) if isinstance(node, ast.AnnAssign))


def assigned(one: ast.ClassDef) -> set[str]:
    """The attributes that it assigns without an annotation."""
    return of_self(target for node in ast.walk(one) if isinstance(node, ast.Assign) for target in node.targets)


def of_self(targets: Iterable[ast.expr]) -> set[str]:
    return {text.removeprefix("self.") for one in targets if (text := ast.unparse(one)).startswith("self.")}
