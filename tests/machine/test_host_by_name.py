"""A host given by name, and what is given beside the name: rules apply to the host that results, however it is written.
"""

from __future__ import annotations

from typing import Any

import pytest

import netsim as ns
from netsim.errors import ScenarioError
from netsim.stack import ComputerSpec

CARDS = ["3c905b/3c59x", "3c905b/3c59x"]
POLLED = {"model": "linux-2.2.16", "kernel": {"polling": "constant"}}
POLLED_ALONE = '"constant" is modelled for one processor, as in FreeBSD 4; allowed on several: "masked"'
ROUTER = ns.load("examples/router.toml").replace("hosts.gateway.system.kernel.polling", "constant")


def host(model: str, **given: Any) -> ComputerSpec:
    return ComputerSpec.model_validate({"model": model, "system": "linux-2.2.16", "nics": CARDS, **given})


def test_what_a_rule_asks_for_may_be_given_beside_the_name() -> None:
    one = host("2xpii-400", processors={"count": 1}, system=POLLED)
    in_steps = host("2xpii-400").replace("processors.count", 1).replace("system.kernel.polling", "constant")
    assert one == in_steps
    assert one.catalogue_name == "hosts/2xpii-400"
    assert one.catalogue_names() == in_steps.catalogue_names()
    assert one.provenance() == in_steps.provenance()


def test_a_card_may_be_in_a_bus_given_beside_the_name() -> None:
    nics = [CARDS[0], {"model": CARDS[1], "slot": 1}]
    assert host("piii-600", peers=["pci-64-33"], nics=nics).nics[1].slot == 1
    with pytest.raises(ScenarioError, match=r"^nics\.1\.slot: 1 is not a bus of this host; allowed: 0$"):
        host("piii-600", nics=nics)


@pytest.mark.parametrize(("given", "message"), [
    ({"system": POLLED}, f"system.kernel.polling: {POLLED_ALONE}"),
    ({"system": POLLED, "processors": {"clock": "450 MHz"}}, f"system.kernel.polling: {POLLED_ALONE}"),
    ({"processors": {"cout": 1}}, 'processors.cout: no such key (did you mean "count"?)'),
    ({"model": "2xpii-40"}, 'nothing in hosts is called "2xpii-40" (did you mean "2xpii-400"?)'),
])  # fmt: skip
def test_a_wrong_host_is_refused_as_before(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        host(**({"model": "2xpii-400"} | given))
    assert str(caught.value) == message


def test_a_mistake_in_the_catalogue_names_its_file(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "hosts").mkdir()
    (tmp_path / "hosts" / "own.toml").write_text('base = "piii-600"\nchipset = "none"\n')
    monkeypatch.setenv("NETSIM_MODELS", str(tmp_path))
    with pytest.raises(ScenarioError, match=r"^chipset: needed for a PCI bus.*\(in .*own\.toml\)$"):
        host("own")


# --- changed as a copy -----------------------------------------------------------------------------------------------


def test_another_model_and_what_its_rules_ask_for() -> None:
    changes = {"hosts.gateway": "2xpii-400", "hosts.gateway.processors.count": 1}
    test = ROUTER.replace(changes | {"hosts.gateway.nics.0.driver.rx_ring": 64, "hosts.gateway.system.kernel.tick": 0})
    gateway = test.computers["gateway"]
    assert (gateway.catalogue_name, gateway.processors.count) == ("hosts/2xpii-400", 1)
    assert (gateway.nics[0].driver.rx_ring, gateway.system.kernel.tick) == (64, 0)
    assert gateway.system.kernel.polling == ROUTER.computers["gateway"].system.kernel.polling
    one_by_one = ROUTER.replace("hosts.gateway.system.kernel.polling", None)
    for address, value in {**changes, "hosts.gateway.system.kernel.polling": "constant"}.items():
        one_by_one = one_by_one.replace(address, value)
    assert ROUTER.replace(changes) == one_by_one
    assert ROUTER.replace(changes).provenance() == one_by_one.provenance()


def test_a_spec_in_its_place_and_what_its_rules_ask_for() -> None:
    other = host("2xpii-400", forwards="ip")
    changes = {"hosts.gateway": other, "hosts.gateway.processors.count": 1}
    test = ROUTER.replace(changes | {"hosts.gateway.system.kernel.polling": "constant"})
    assert test.computers["gateway"] == other.replace("processors.count", 1).replace(
        "system.kernel.polling", "constant")  # fmt: skip


@pytest.mark.parametrize(("changes", "message"), [
    ({}, f"hosts.gateway.system.kernel.polling: {POLLED_ALONE}"),
    ({"processors.cout": 1}, 'hosts.gateway.processors.cout: no such key (did you mean "count"?)'),
    ({"processors.count": 0}, "hosts.gateway.processors.count: 0 is out of range for a number of parts; "
                              "allowed: 1 to 1000"),
])  # fmt: skip
def test_another_model_that_is_refused(changes: dict[str, Any], message: str) -> None:
    inside = {f"hosts.gateway.{address}": value for address, value in changes.items()}
    with pytest.raises(ScenarioError) as caught:
        ROUTER.replace({"hosts.gateway": "2xpii-400", **inside})
    assert str(caught.value) == message
