"""Compiled constructors run once. mypyc's `__new__` calls the constructor, unless the class is open to interpreted
subclasses; then `type.__call__` calls it. A class that is not open but inherits its constructor from one that is gets
both calls, so that each part that it builds exists twice."""

import ast
from pathlib import Path

import netsim
from netsim.compiled import sources

ROOT = Path(netsim.__file__).parent


def _classes():
    """Compiled classes: whether they are open, their bases, and whether they have a constructor."""
    nodes = [node for file in sources.compiled(ROOT) for node in ast.walk(ast.parse((ROOT / file).read_text()))]
    return {
        node.name: (
            any("allow_interpreted_subclasses=True" in ast.unparse(one) for one in node.decorator_list),
            [ast.unparse(base) for base in node.bases],
            any(isinstance(one, ast.FunctionDef) and one.name == "__init__" for one in node.body),
        )
        for node in nodes
        if isinstance(node, ast.ClassDef)
    }


def _inherited(name, classes):
    """The class from which the class of this name has its constructor."""
    _, bases, has_own = classes.get(name, (False, (), False))
    return name if has_own else next(filter(None, (_inherited(base, classes) for base in bases)), None)


def test_a_class_is_open_if_the_one_of_its_constructor_is():
    classes = _classes()
    inherited = {name: _inherited(name, classes) for name in classes}
    assert sum(name != of for name, of in inherited.items() if of) > 30
    assert [name for name, of in inherited.items() if of and classes[of][0] and not classes[name][0]] == []
