"""The compilable queue behaves like a deque, in the operations it has."""

from __future__ import annotations

import runpy
from collections import deque
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import netsim
from netsim.engine.fifo import Fifo

SOURCE = Path(netsim.__file__).with_name("engine") / "fifo.py"
KINDS = [Fifo, runpy.run_path(str(SOURCE))["Fifo"]]
kinds = pytest.mark.parametrize("kind", KINDS, ids=["fifo", "interpreted"])

ITEMS = st.integers(0, 9)
PLACES = st.integers(-30, 30)
# With `most`, a deque drops its last item when one is put in front; a Fifo is not used like that.
BEHIND = (
    st.tuples(st.sampled_from(["append", "append", "append", "remove"]), ITEMS)
    | st.tuples(st.just("extend"), st.lists(ITEMS, max_size=20))
    | st.tuples(st.just("__getitem__"), PLACES)
    | st.tuples(st.just("__setitem__"), PLACES, ITEMS)
    | st.tuples(st.sampled_from(["popleft", "popleft", "pop", "clear"]))
)
AHEAD = BEHIND | st.tuples(st.just("appendleft"), ITEMS)


def done(queue: Any, name: str, *arguments: Any) -> Any:
    """Result or exception of an operation, and the queue's contents after it."""
    try:
        returned = getattr(queue, name)(*arguments)
    except (IndexError, ValueError) as error:
        returned = type(error)
    return returned, list(queue), len(queue), bool(queue)


@kinds
@settings(max_examples=300, deadline=None)
@given(st.lists(ITEMS, max_size=20), st.lists(AHEAD, max_size=60))
def test_it_does_what_a_deque_does(kind: Any, items: list[int], operations: list[Any]) -> None:
    one, other = kind(items), deque(items)
    for operation in operations:
        assert done(one, *operation) == done(other, *operation)


@kinds
@settings(max_examples=200, deadline=None)
@given(st.lists(ITEMS, max_size=20), st.integers(1, 20), st.lists(BEHIND, max_size=60))
def test_it_takes_no_more_than_its_most(kind: Any, items: list[int], most: int, operations: list[Any]) -> None:
    one, other = kind(items, most), deque(items, most)
    for operation in operations:
        assert done(one, *operation) == done(other, *operation)


@kinds
def test_it_keeps_nothing_that_has_left(kind: Any) -> None:
    """A place in the ring is emptied, so that its item is freed."""
    queue = kind(object() for _ in range(20))
    while queue:
        queue.popleft()
        if queue:
            queue.pop()
    assert all(place is None for place in queue._places)
