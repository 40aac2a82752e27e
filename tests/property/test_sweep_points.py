"""Whatever the axes, the points are those of a plain loop over them, each once and in order."""

import itertools
from functools import cache
from math import prod

from hypothesis import given, settings
from hypothesis import strategies as st

import netsim as ns
from netsim.explore import Axes, Points

ADDRESSES = ["mtu", "message", "sender.nics.0.driver.rx_ring", "receiver.nics.0.driver.rx_ring", "max_iterations"]


@cache
def scenario():
    pc = ns.host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"])
    return ns.Netperf(test="TCP_STREAM", sender=pc, receiver=pc)


values = st.lists(st.integers(68, 1500), min_size=1, max_size=5)


@st.composite
def blocks(draw):
    """Some addresses, divided among blocks, each block with rows of values."""
    addresses = draw(st.permutations(ADDRESSES))
    found = []
    while addresses and (not found or draw(st.booleans())):
        width = draw(st.integers(1, len(addresses)))
        taken, addresses = addresses[:width], addresses[width:]
        rows = draw(st.integers(1, 4))
        column = st.lists(st.integers(68, 1500), min_size=rows, max_size=rows)
        found.append({address: draw(column) for address in taken})
    return found


def axes_of(parts):
    axes = ns.zipped(parts[0])
    for part in parts[1:]:
        axes = axes * ns.zipped(part)
    return axes


@given(blocks())
@settings(max_examples=60, deadline=None)
def test_points_are_those_of_nested_loops(parts):
    points = Points.of(scenario(), axes_of(parts))
    rows = [[dict(zip(part, row, strict=True)) for row in zip(*part.values(), strict=True)] for part in parts]
    expected = [{name: value for one in chosen for name, value in one.items()} for chosen in itertools.product(*rows)]
    assert len(points) == len(expected) == prod(len(one) for one in rows)
    assert [points.shown(points.place(number)) for number in range(len(points))] == expected
    assert [points.changes(points.place(number)) for number in range(len(points))] == expected


@given(st.dictionaries(st.sampled_from(ADDRESSES), values, min_size=1, max_size=4))
@settings(max_examples=40, deadline=None)
def test_a_mapping_is_a_product_of_its_axes(given_axes):
    one, other = Axes.of(given_axes), axes_of([{name: column} for name, column in given_axes.items()])
    assert one == other
    assert Points.of(scenario(), one).digest == Points.of(scenario(), other).digest


@given(blocks(), blocks())
@settings(max_examples=40, deadline=None)
def test_axes_that_differ_have_another_digest(one, other):
    digests = [Points.of(scenario(), axes_of(parts)).digest for parts in (one, other)]
    same = [[*map(list, part.items())] for part in one] == [[*map(list, part.items())] for part in other]
    assert (digests[0] == digests[1]) == same


@given(st.integers(1, 5), st.integers(200, 800), st.integers(1, 500), st.sampled_from([ns.sobol, ns.latin_hypercube]))
@settings(max_examples=15, deadline=None)
def test_samples_stay_within_limits_of_whole_numbers(power, low, width, method):
    limits = {"mtu": (low, low + width), "sender.nics.0.driver.rx_ring": (1, 64)}
    points = Points.of(scenario(), method(limits, 2**power))
    for number in range(len(points)):
        shown = points.shown(points.place(number))
        assert low <= shown["mtu"] <= low + width
        assert scenario().replace(points.changes(points.place(number))).mtu == shown["mtu"]
