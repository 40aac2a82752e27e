"""Resources and places by their printed text, for tests that write accounts by hand."""

import re

from netsim.accounts import DropPlace, Resource

PATTERNS = [
    (r"wire segments", lambda m: Resource("", "segments")),
    (r"wire segment(?: (\d+))?", lambda m: Resource("", "segment", _number(m[1]))),
    (r"wire(?: (\d+))? to (\w+)", lambda m: Resource(m[2], "cable", _number(m[1]))),
    (r"wire switch to (\w+?)(?: (\d+))?", lambda m: Resource(m[1], "downlink", _number(m[2]))),
    (r"wire (\w+?)(?: (\d+))? to switch", lambda m: Resource(m[1], "uplink", _number(m[2]))),
    (r"wire (\w+ to \w+)", lambda m: Resource(m[1], "link")),
    (r"wire (\w+) segment", lambda m: Resource(m[1], "segment")),
    (r"(\w+) nic (\d+) (.+)", lambda m: Resource(m[1], m[3], int(m[2]))),
    (r"(clients|workstations|latency|offered load)", lambda m: Resource("", m[1])),
    (r"(\w+) (.+?)(?: (\d+))?", lambda m: Resource(m[1], m[2], _number(m[3]))),
]


def _number(text):
    return None if text is None else int(text)


def resource(text):
    """The resource with this printed text."""
    made = next(make(found) for pattern, make in PATTERNS if (found := re.fullmatch(pattern, text)))
    assert made == text
    return made


def by_resource(values):
    """A mapping with resources for keys, from one with their texts."""
    return {resource(name): value for name, value in values.items()}


def place(text):
    """The place with this printed text: on a wire, in a host, " before " a wire or not, or at a switch's port to a
    host."""
    where, what = text.split(": ")
    ahead = resource(f"wire switch to {what.removeprefix('port to ')}") if what.startswith("port to ") else None
    what, _, ahead_of = what.partition(" before ")
    ahead = resource(ahead_of) if ahead_of else ahead
    made = DropPlace(resource(where) if where.startswith("wire") else where, what, ahead)
    assert made == text.partition(" before ")[0]
    return made


def by_place(values):
    """A mapping with places for keys, from one with their texts."""
    return {place(name): value for name, value in values.items()}
