"""Sums of floats that reach a result are the same on every Python: from 3.12 on the builtin corrects rounding."""

from __future__ import annotations

import ast
import builtins
from pathlib import Path

import pytest

import netsim as ns
from netsim.units import total

ROOT = Path(ns.__file__).parent
EXAMPLES = Path(__file__).parents[2] / "examples"
TERMS = [0.1] * 10  # 0.9999999999999999 from left to right, 1.0 with corrections


def test_from_left_to_right() -> None:
    assert total(TERMS) == 0.9999999999999999
    assert type(total([1, 2])) is int


def corrected(values, start=0):
    """The builtin of Python 3.12, for floats."""
    from math import fsum

    values = list(values)
    floats = bool(values) and all(type(one) is float for one in values)
    return start + fsum(values) if floats else _plain(values, start)


_plain = builtins.sum


@pytest.mark.parametrize("name", [one.stem for one in sorted(EXAMPLES.glob("*.toml"))])
def test_a_bound_does_not_depend_on_the_builtin(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    test = ns.load(EXAMPLES / f"{name}.toml")
    before = test.bounds().demand
    monkeypatch.setattr(builtins, "sum", corrected)
    assert test.bounds().demand == before


@pytest.mark.parametrize("name", ["netbench", "netpipe"])
def test_a_result_does_not_depend_on_the_builtin(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    test = ns.load(EXAMPLES / f"{name}.toml")
    found = ns.simulate(test, seed=3, precision=0.5, limit="50 ms").to_record()
    monkeypatch.setattr(builtins, "sum", corrected)
    assert ns.simulate(test, seed=3, precision=0.5, limit="50 ms").to_record() == found


def test_what_tells_results_adds_whole_numbers_only_by_the_builtin() -> None:
    """Counts, and times in ps."""
    for module in ("statistics.py", "queueing.py", "results/transaction_kinds.py"):
        tree = ast.parse((ROOT / module).read_text())
        calls = [one for one in ast.walk(tree) if isinstance(one, ast.Call) and ast.unparse(one.func) == "sum"]
        assert all(any(word in ast.unparse(one) for word in ("degrees for", "ended.values()")) for one in calls), module


