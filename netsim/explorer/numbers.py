"""Every value of a scenario at its address: its text, the allowed values, its source, and how to move it."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from netsim.catalog import Provenance
from netsim.errors import ScenarioError
from netsim.explorer.case import Case
from netsim.explorer.place import SWITCH, FieldPlace, place_of
from netsim.scenario import Scenario
from netsim.show.spec_view import SET, Leaf
from netsim.units import QUANTITIES, bare, format_quantity, parse

STEPS = 100  # of a slider, from its middle to each end
_DEFAULT = "default"
_SPAN = 8.0  # times the current number: the range of a slider without a known range
MOST = 40  # values shown at once
_STOPPING = frozenset(Scenario.model_fields)  # when a test ends


class Number(NamedTuple):
    """A value as text. `words` are the words allowed; `position` is that of its slider (-STEPS to STEPS; None: no
    slider), `before` the value in the other scenario, "" if it is the same."""

    address: str
    text: str
    words: Sequence[str]
    allowed: str
    source: Provenance
    users: bool
    position: int | None
    before: str

    @property
    def kind(self) -> str:
        """The kind of its source, in a word or two."""
        if self.users:
            return SET
        return _DEFAULT if self.source.source.startswith(f"{_DEFAULT} of ") else self.source.kind

    @property
    def because(self) -> str:
        """Its source in words, if there is more than its kind."""
        if self.kind in (_DEFAULT, SET):
            return ""
        span = f"credible: {self.source.range[0]} to {self.source.range[1]}" if self.source.range else ""
        return "; ".join(filter(None, (self.source.source, self.source.reason, span)))


def parts(scenario: Scenario) -> list[str]:
    """The address prefixes by which values can be searched: "sender.processors", "sender.nics.0.driver"."""
    found = dict.fromkeys(_part(address) for address in scenario.addresses())
    return [one for one in found if one]


def _part(address: str) -> str:
    """Up to four steps; an index in a list counts as one."""
    above = address.split(".")[:-1]
    return ".".join(above[:4])


def found(
    case: Case, now: Case, words: str, part: str, wrong: Collection[str] = (), chosen: Collection[str] = ()
) -> tuple[list[Number], int]:
    """The first values whose address, source or text has all the words, and the number of all such values; without
    words or a part, the values of the test itself, and those that differ from `now`. Values in `wrong` are always
    included, those `chosen` by name never (netsim.explorer.choices)."""
    every = [leaf for leaf in case.leaves.values() if leaf.address not in chosen]
    asked = words.casefold().split()
    picked = [leaf for leaf in every if leaf.address in wrong or _is_asked(leaf, asked, part, now)]
    picked.sort(key=lambda leaf: (leaf.address not in wrong, "." not in leaf.address, leaf.address in _STOPPING))
    return [_number(case, now, leaf) for leaf in picked[:MOST]], len(picked)


def _is_asked(leaf: Leaf, asked: Sequence[str], part: str, now: Case) -> bool:
    if not asked and not part:
        return "." not in leaf.address or bool(_before(leaf, now))
    text = f"{leaf.address} {leaf.value} {leaf.source.kind} {leaf.source.source}".casefold()
    return f"{leaf.address}.".startswith(f"{part}." if part else "") and all(word in text for word in asked)


def _before(leaf: Leaf, now: Case) -> str:
    """The current value, if it differs."""
    old = now.leaves.get(leaf.address, leaf)
    return "" if old.value == leaf.value else old.value


def _number(case: Case, now: Case, leaf: Leaf) -> Number:
    place = place_of(case.scenario, leaf.address)
    return Number(
        address=leaf.address,
        text=_as_written(leaf.value, place),
        words=place.words if place else (),
        allowed=_allowed(place),
        source=leaf.source,
        users=leaf.is_users,
        position=_position(case, now, leaf.address, place),
        before=_before(leaf, now),
    )


def _as_written(text: str, place: FieldPlace | None) -> str:
    """As a user may write it."""
    if place is not None and place.words[:2] == SWITCH:
        return {"yes": "true", "no": "false"}.get(text, text)
    return text.removesuffix(" clocks")


def _allowed(place: FieldPlace | None) -> str:
    return f"{place.rule.name}, {place.rule.range}" if place and place.rule else ""


# ---- sliders ----


def _position(case: Case, now: Case, address: str, place: FieldPlace | None) -> int | None:
    ends = _ends(case, now, address, place)
    if ends is None:
        return None
    value, (low, high) = case.scenario.get(address), ends
    share = math.log(max(value, low) / low) / math.log(high / low)
    return round(2 * STEPS * min(max(share, 0), 1)) - STEPS


def moved(case: Case, now: Case, address: str, position: int) -> str:
    """The text of a number whose slider is at a position. Raises ScenarioError for a value without a slider."""
    place = place_of(case.scenario, address)
    ends = _ends(case, now, address, place)
    if ends is None or place is None:
        raise ScenarioError("not a number that a slider can move; allowed: a value", address=address)
    low, high = ends
    value = low * (high / low) ** ((min(max(position, -STEPS), STEPS) + STEPS) / (2 * STEPS))
    return _rounded(place.quantity, value)


def _rounded(quantity: str, value: float) -> str:
    """Rounded to three digits, and to the precision of the quantity."""
    rule = QUANTITIES[quantity]
    short = float(f"{value:.3g}")
    if rule.whole:
        short = round(short)
    return format_quantity(quantity, short, digits=None if rule.divides else 12)


def _ends(case: Case, now: Case, address: str, place: FieldPlace | None) -> tuple[float, float] | None:
    """The ends of a slider: a known range, or _SPAN times less and more than now."""
    if place is None or place.rule is None or not isinstance(case.scenario.get(address), int | float):
        return None
    start = _start(case, now, address)
    if not start or start <= 0:
        return None
    known = list(_credible(place, case.leaves[address].source))
    least = 1 if place.rule.whole else start / _SPAN
    low, high = known if len(known) == 2 and 0 < known[0] < known[1] else (start / _SPAN, start * _SPAN)
    low, high = max(low, least, place.rule.lowest), min(high, place.rule.highest)
    return (low, high) if low < high else None


def _start(case: Case, now: Case, address: str) -> float | None:
    """The current value, in the middle of the slider."""
    try:
        value = now.scenario.get(address)
    except ScenarioError:  # the current scenario has no such address
        value = case.scenario.get(address)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _credible(place: FieldPlace, source: Provenance) -> Iterator[float]:
    for one in source.range or ():
        try:
            yield parse(place.quantity, one)
        except ScenarioError:  # a range of another quantity
            return


def text_of(value: str, place: FieldPlace | None) -> object:
    """A user's text as data: a number, true or false, or text with a unit."""
    text = value.strip()
    if place is not None and place.words[:2] == SWITCH and text in SWITCH:
        return text == "true"
    return bare(text)
