"""A host whose processor is not an x86: exchanged by its name, with its chipset, under the same systems and cards."""

from __future__ import annotations

import pytest

import netsim as ns
from netsim.engine import Environment
from netsim.units import MS

ALPHA = ns.host("alphapc64-275", system="linux-2.2.16", nics="de500/tulip")


@pytest.mark.parametrize("card", ["de500/tulip", "de435/tulip", "3c905b/3c59x", "eepro100/eepro100"])
def test_it_runs_with_any_card_of_its_bus(card: str) -> None:
    host = ALPHA.replace("nics", [card])
    link = "10base-t" if host.nics[0].rate < 10**8 else "100base-tx"
    test = ns.Netperf("TCP_STREAM", host, ns.host("piii-600", system="linux-2.2.16", nics="3c905b/3c59x"), link=link)
    run = test.build(Environment(1))
    run.start()
    run.env.run(30 * MS)
    run.audit()
    assert 0 < run.delivered <= test.bounds().limit / 8 * 0.03 + 65_535


def test_a_machine_of_a_scenario_becomes_one() -> None:
    test = ns.load("examples/p166.toml").replace("receiver", "alphapc64-275")
    assert test.receiver.chipset.catalogue_name == "chipsets/dec-21071"
    assert test.receiver.nics == ns.load("examples/p166.toml").receiver.nics


def test_its_bridge_disconnects_after_one_cache_line_or_two() -> None:
    """AlphaPC64 User's Guide, 3.3.2.4: eight longwords, or sixteen for Memory Read Multiple."""
    assert [ALPHA.chipset.ahead(one) for one in ("read", "line", "multiple")] == [32, 32, 64]


def test_copying_every_frame_costs_more_than_handing_it_on() -> None:
    """As Linux' tulip does on Alpha."""
    copying = ALPHA.replace("nics.0.driver.rx_copybreak", 1518)
    pc = ns.host("piii-600", system="linux-2.2.16", nics="3c905b/3c59x")
    bounds = [ns.Netperf("TCP_STREAM", pc, one).bounds().demand for one in (ALPHA, copying)]
    whole, copied = ({str(name): time for name, time in one.items()}["receiver processors"] for one in bounds)
    assert copied > 1.1 * whole
