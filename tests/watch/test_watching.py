"""Runs are watched through public methods of the parts, and through attributes that classes declare."""

import ast
import inspect
import pkgutil
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

import netsim
from netsim import watch

MODULES = [import_module(f"netsim.watch.{one.name}") for one in pkgutil.iter_modules(watch.__path__)]
CLASSES = [
    cls
    for module in MODULES
    for cls in vars(module).values()
    if inspect.isclass(cls) and cls.__module__ == module.__name__
]


@cache
def _tree(module):
    """A module's source, which may run compiled."""
    return ast.parse((Path(netsim.__file__).parents[1] / f"{module.replace('.', '/')}.py").read_text())


TREES = {module.__name__: _tree(module.__name__) for module in MODULES}


def _is_private(name):
    return name.startswith("_") and not name.endswith("__")


def _attributes(tree):
    """(name of the object, attribute) of each assignment to an attribute; "" for objects that are not plain names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.value.id if isinstance(node.value, ast.Name) else "", node.attr


def _declared(cls):
    """Attributes that a class itself declares: in its body, its slots, its constructor, or `watched_by`."""
    names = {*vars(cls), *vars(cls).get("__slots__", ()), *vars(cls).get("__annotations__", ())}
    if cls.__module__.startswith("netsim."):
        (own,) = (node for node in _tree(cls.__module__).body if getattr(node, "name", "") == cls.__name__)
        for node in own.body:
            if isinstance(node, ast.FunctionDef) and node.name in ("__init__", "watched_by"):
                names |= {name for who, name in _attributes(node) if who == "self"}
    return names


def test_the_parts_are_watched():
    assert len([cls for cls in CLASSES if cls.__name__.startswith("Watched")]) > 20


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_only_public_methods_are_overridden(cls):
    outside = [base for base in cls.__mro__[1:] if not base.__module__.startswith("netsim.watch")]
    methods = {name for base in outside for name, what in vars(base).items() if callable(what)}
    own = {name for name in vars(cls) if _is_private(name) and not name.startswith("__")}  # those with two are mypyc's
    assert own & methods == set()


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_every_attribute_is_declared(cls):
    (body,) = (node for node in ast.walk(TREES[cls.__module__]) if getattr(node, "name", "") == cls.__name__)
    assert {name for who, name in _attributes(body) if who == "self"} <= set().union(*map(_declared, cls.__mro__))


@pytest.mark.parametrize("module", TREES)
def test_nothing_is_put_into_the_parts(module):
    """Outside of `self`, only attributes that watching classes declare are assigned: a task's subject, a journey."""
    watchers = set().union(*map(_declared, CLASSES))
    assert {name for who, name in _attributes(TREES[module]) if who != "self"} <= watchers
