"""Random valid and nearly valid input: changes for the Python interface, files, command lines."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

import netsim as ns
from netsim.spec.field_types import quantity_at
from netsim.units import QUANTITIES, Exact

EXAMPLES = Path(__file__).parents[2] / "examples"
NAMES = sorted(one.stem for one in EXAMPLES.glob("*.toml"))
ODD = [None, True, -1, 0, 1, 2, 1e308, float("nan"), float("inf"), 10**30, "", "none", "x", "1e999", "5 s",
       "64 B", "-1 us", "3c905b/3c59x", "p166", "\x1b[31m", "\0", "9" * 500, [], {}, [[]],
       {"model": "p166"}, object()]  # fmt: skip
WORDS = ["--set", "--json", "--seed", "--precision", "--for", "--from", "--pcap", "--perfetto", "--csv", "--store",
         "--force", "--all-versions", "--jobs", "--wall-limit", "--progress", "-h", "--", "1", "-1", "0.5", "10 ms",
         "=", "mtu=40", "mtu=68", "mtu=1e9", "a.b.c=1", "receiver=p166", "receiver.model=x", "message=64", "",
         "\x1b[0m", "nics", "3c905b", "hosts/p166", "{toml}", "{store}", "{out}", "{out}", "/dev/null",
         "/no/such/file"]  # fmt: skip
COMMANDS = ["run", "bounds", "sweep", "results", "trace", "list", "show", "compare", "nonsense"]


@cache
def scenario(name: str) -> ns.Scenario:
    """An example."""
    return ns.load(EXAMPLES / f"{name}.toml")


@cache
def addresses(name: str) -> list[str]:
    """Addresses of its numbers and words, and one that does not exist."""
    return [*scenario(name).addresses(), "no.such.address"]


def warm() -> None:
    """Loads every example and everything that its closed form imports, once for all processes forked later."""
    for name in NAMES:
        scenario(name).bounds()
        addresses(name)


@st.composite
def values(draw: st.DrawFn, name: str, address: str) -> Any:
    """Values for an address: at and around the limits of its quantity, anywhere between them, or anything."""
    quantity = quantity_at(scenario(name), address) if address != "no.such.address" else ""
    if not quantity or draw(st.integers(0, 4)) == 0:
        return draw(st.sampled_from(ODD))
    rule = QUANTITIES[quantity]
    if not rule.whole:
        return draw(st.floats(rule.lowest, rule.highest) | st.sampled_from([rule.lowest, rule.highest]))
    power = st.integers(0, rule.highest.bit_length()).map(lambda bits: min(1 << bits, rule.highest))
    edges = st.sampled_from([rule.lowest - 1, rule.lowest, rule.lowest + 1, rule.highest, rule.highest + 1])
    return Exact(draw(power | edges))


@st.composite
def changes(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """An example's name, and changes to it."""
    name = draw(st.sampled_from(NAMES))
    asked = draw(st.lists(st.sampled_from(addresses(name)), min_size=1, max_size=3, unique=True))
    return name, {address: draw(values(name, address)) for address in asked}


@st.composite
def tomls(draw: st.DrawFn) -> str:
    """An example's text with lines dropped, doubled, exchanged, or altered."""
    lines = (EXAMPLES / f"{draw(st.sampled_from(NAMES))}.toml").read_text().splitlines()
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(lines) - 1))
        known = ["[", "]]", '"""', "a.b = 1", "[sender]", "mtu = nan", "\ufeff"]
        odd = draw(st.text(max_size=20) | st.sampled_from(known))
        key = lines[at].partition("=")[0]
        lines[at : at + 1] = draw(st.sampled_from([[], [lines[at]] * 2, [odd], [f"{key}= {odd}"], [lines[at] + odd]]))
        if not lines:
            return ""
    return "\n".join(lines)


def command_lines() -> st.SearchStrategy[list[str]]:
    """A command, and words that it may or may not accept; {toml}, {store} and {out} are files."""
    words = st.sampled_from(WORDS) | st.text(max_size=8)
    return st.tuples(st.sampled_from(COMMANDS), st.lists(words, max_size=6), st.booleans()).map(
        lambda drawn: [drawn[0], *(["{toml}"] if drawn[2] else []), *drawn[1]]
    )


def damage() -> st.SearchStrategy[tuple[str, int, list[tuple[float, int]]]]:
    """The damaged file, how much of it is left (in 256ths), and other bytes at fractions of its length."""
    byte = st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255))
    kinds, left = st.sampled_from(["toml", "store", "json"]), st.just(256) | st.integers(0, 256)
    return st.tuples(kinds, left, st.lists(byte, max_size=5))
