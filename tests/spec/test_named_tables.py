"""Tables with names that a user chooses: specs like any other."""

from __future__ import annotations

import copy
import pickle

import pytest

import netsim as ns
from netsim.ethernet import LinkSpec
from netsim.spec.named_table import TableOf, by_name
from tests.in_networks import behind_a_switch

read = TableOf(LinkSpec)


def test_names_are_steps_of_addresses() -> None:
    test = behind_a_switch()
    assert test.get("links.to-a.link.rate") == 10**8
    changed = test.replace({"links.to-a.link": "10base-t", "hosts.b.processors.clock": "300 MHz"})
    assert changed.get("links.to-a.link.rate") == 10**7
    assert changed.get("links.to-b.link.rate") == 10**8
    assert changed.catalogue_names()["links.to-a.link"] == "links/10base-t"
    assert changed.catalogue_names()["hosts.b"] == "hosts/piii-600"
    assert test.provenance()["links.to-a.link.rate"].kind == "standard"


def test_tables_are_in_the_order_of_their_names() -> None:
    names = ["client10", "client2", "server", "a"]
    one, other = (read(dict.fromkeys(each, "100base-tx")) for each in (names, names[::-1]))
    assert [*by_name(one, LinkSpec)] == ["a", "client2", "client10", "server"]
    assert one == other
    assert (hash(one), one.digest(), one.to_toml()) == (hash(other), other.digest(), other.to_toml())
    assert one != read({"a": "100base-tx"})


def test_tables_are_copied_and_pickled() -> None:
    table = read({"b10": "100base-tx", "b2": {"model": "100base-tx", "propagation": "1 us"}})
    for twin in (copy.deepcopy(table), pickle.loads(pickle.dumps(table)), read(table)):
        assert twin == table
        assert type(twin) is type(table)
        assert twin.catalogue_names() == table.catalogue_names()
        assert twin.provenance() == table.provenance()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([1], r"\[1\] is not allowed; allowed: a table with a name for each"),
        ({"1a": "100base-tx"}, r'"1a" is not a name; allowed: a letter, then letters, digits, - and _'),
        ({"a.b": "100base-tx"}, r'"a.b" is not a name; allowed: .*'),
        ({3: "100base-tx"}, r"3 is not a name; allowed: .*"),
        ({"replace": "100base-tx"}, r"replace: this name is reserved; allowed: any other"),
        ({"model": "100base-tx"}, r"model: this name is reserved; allowed: any other"),
        ({"a": "100base-t"}, r'a: nothing in links is called "100base-t" \(did you mean "100base-tx"\?\)'),
        ({"a": {"model": "100base-tx", "rat": 3}}, r'a\.rat: no such key \(did you mean "rate"\?\)'),
    ],
)
def test_what_is_no_table_is_refused(data: object, message: str) -> None:
    with pytest.raises(ns.ScenarioError, match=f"^{message}$"):
        read(data)


def test_another_name_has_the_nearest_one() -> None:
    with pytest.raises(ns.ScenarioError, match=r'^links\.to-d: no such address \(did you mean "links\.to-[abc]"\?\)$'):
        behind_a_switch().get("links.to-d")
