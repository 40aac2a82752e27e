"""The medium of a link or a segment, and which cards have connectors for it."""

from __future__ import annotations

from typing import Any

import pytest

import netsim as ns
from netsim import catalog
from netsim.errors import ScenarioError
from netsim.ethernet import LinkSpec, SegmentSpec

FIBRE = ns.host("piii-600", system="linux-2.2.16", nics="3c985b/acenic")
COPPER = ns.host("piii-600", system="linux-2.2.16", nics="3c905b/3c59x")


@pytest.mark.parametrize("link", ["100base-tx", "1000base-t"])
def test_a_card_for_fibre_is_refused_on_twisted_pairs(link: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        ns.Netperf("TCP_STREAM", FIBRE, FIBRE, link=link)
    assert caught.value.address == "link"
    assert "allowed: 1000base-sx, 1000base-sx-jumbo" in caught.value.problem


def test_in_a_network_too() -> None:
    flows: dict[str, Any] = {"one": {"sender": "a", "receiver": "b"}}
    with pytest.raises(ScenarioError) as caught:
        ns.Flows({"a": FIBRE, "b": COPPER}, flows, links={"up": {"ends": ["a", "b"]}})
    assert caught.value.address == "links.up.link"


@pytest.mark.parametrize(
    ("segment", "medium"),
    [("1000base-t-hub", "twisted pair"), ("100base-tx-hub", "twisted pair"), ("10base2", "coaxial cable")],
)
def test_a_card_for_fibre_is_refused_on_other_segments(segment: str, medium: str) -> None:
    allowed = "any fibre segment, or as a link: 1000base-sx, 1000base-sx-jumbo"
    problem = f"is for fibre and can't be connected to a {medium} segment; allowed: {allowed}"
    with pytest.raises(ScenarioError, match=problem) as caught:
        ns.Netperf("TCP_STREAM", FIBRE, FIBRE, segment=segment)
    assert caught.value.address == "segment"
    flows: dict[str, Any] = {"one": {"sender": "a", "receiver": "b"}}
    with pytest.raises(ScenarioError, match=problem) as caught:
        ns.Flows({"a": FIBRE, "b": COPPER}, flows, segments={"s": {"stations": ["a", "b"], "segment": segment}})
    assert caught.value.address == "segments.s.segment"


def test_a_card_for_twisted_pairs_may_have_a_connector_for_coaxial_cable() -> None:
    card = FIBRE.replace("nics.0.medium", "twisted pair")
    for segment in ("10base2", "10base-t-hub", "100base-tx-hub"):
        ns.Netperf("TCP_STREAM", card, card, segment=segment)
    fibre = SegmentSpec.from_name("1000base-t-hub").replace("medium", "fibre")
    ns.Netperf("TCP_STREAM", FIBRE, FIBRE, segment=fibre)
    with pytest.raises(ScenarioError, match="allowed: any twisted pair segment, or as a link: 1000base-t, 100base-tx"):
        ns.Netperf("TCP_STREAM", card, card, segment=fibre)


def test_one_that_says_nothing_is_on_any_link() -> None:
    plain = FIBRE.replace("nics.0.medium", None)
    assert ns.Netperf("TCP_STREAM", plain, COPPER).link.medium == "twisted pair"
    assert ns.Netperf("TCP_STREAM", FIBRE, FIBRE, link={"rate": "1 Gbit/s", "propagation": "25 ns"}).link.medium is None


def test_every_link_and_segment_of_the_catalogue_says_what_it_is() -> None:
    assert all(LinkSpec.from_name(name).medium for name in catalog.names("links"))
    assert all(SegmentSpec.from_name(name).medium for name in catalog.names("segments"))
