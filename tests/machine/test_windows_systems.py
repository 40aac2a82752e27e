"""Windows NT 4.0 and Windows 2000: what they share, what their drivers leave to the card, and that both run."""

from __future__ import annotations

from functools import cache

import pytest

import netsim as ns
from experiments import tolly_201105 as report
from netsim.errors import ScenarioError
from netsim.machine import DriverSpec
from netsim.spec import Spec
from netsim.stack.computer_spec import NetworkSystemSpec
from netsim.stack.tcp_receive import Reception

SYSTEMS = report.WINDOWS, report.NT
DRIVERS = {"e199xnd5": "e199xnd4", "e100bnt5": "e100bnt"}  # Windows 2000's, and Windows NT 4.0's
SEGMENT = 1460  # bytes, on Ethernet


def system(name: str) -> NetworkSystemSpec:
    return NetworkSystemSpec.from_name(name)


def differing(one: Spec, other: Spec) -> set[str]:
    """The addresses at which they differ."""
    a, b = one.addresses(), other.addresses()
    return {at for at in a.keys() | b.keys() if (at in a, a.get(at)) != (at in b, b.get(at))}


# --- their specs -----------------------------------------------------------------------------------------------------


def test_the_systems_share_all_that_is_not_said_to_differ() -> None:
    """NT has no IPsec, and more is known of its files; the cycles of other code may differ."""
    found = differing(*map(system, SYSTEMS))
    ipsec = {address for address in found if address.split(".")[0] in ("ipsec", "files")}
    behaviour = {address for address in found - ipsec if not address.endswith("_cycles")}
    assert behaviour == {"tcp.sack", "tcp.receive_buffer", "tcp.window_scaling"}
    assert system(report.NT).ipsec is None
    assert system(report.WINDOWS).ipsec is not None


@pytest.mark.parametrize(("name", "window"), [(report.WINDOWS, 17_520), (report.NT, 8_760)])
def test_the_window_on_ethernet(name: str, window: int) -> None:
    spec = system(name)
    assert spec.tcp.window(0, SEGMENT) == window
    assert Reception(spec.tcp, SEGMENT, spec.socket).rcv_wnd_end == window


def test_losses_are_reported_and_noticed_as_each_has_it() -> None:
    new, old = (system(name).tcp for name in SYSTEMS)
    assert (new.sack, old.sack) == (True, False)
    assert (new.duplicate_acks, old.duplicate_acks) == (2, 2)  # TcpMaxDupAcks; for Windows NT from service pack 2 on


@pytest.mark.parametrize(("new", "old"), DRIVERS.items())
def test_drivers_for_nt_leave_nothing_to_the_card(new: str, old: str) -> None:
    """Tasks are offloaded from NDIS 5 on; everything else is shared."""
    for name, way in ((new, "nic"), (old, "host")):
        spec = DriverSpec.from_name(name)
        assert (spec.rx_checksum, spec.tx_checksum, spec.ipsec) == (way, way, way)
    assert differing(DriverSpec.from_name(new), DriverSpec.from_name(old)) == {"rx_checksum", "tx_checksum", "ipsec"}


# --- their behaviour -------------------------------------------------------------------------------------------------


@cache
def result(name: str, nic: str, aggregated: bool) -> ns.Result:
    """The report's test with four clients."""
    test = report.chariot(name, aggregated, "none", "bidirectional", nic)
    few = test.replace({"clients": test.clients[-4:], "min_iterations": 1, "max_iterations": 1})
    return ns.simulate(few, limit="60 ms", precision=0.2)


cases = pytest.mark.parametrize(
    ("nic", "aggregated"), [(nic, aggregated) for nic in report.BOTH for aggregated in (False, True)]
)


@cases
def test_both_run(nic: str, aggregated: bool) -> None:
    for name in SYSTEMS:
        found = result(name, nic, aggregated)
        assert found.throughput > 100e6
        assert len(found.pairs) == 8
        assert min(found.pairs.values()) > 0
        assert not found.dropped
        assert found.counts["retransmitted segments"] == 0


@cases
def test_sums_are_the_hosts_under_nt(nic: str, aggregated: bool) -> None:
    """The clients stay the same."""
    new, old = (result(name, nic, aggregated) for name in SYSTEMS)
    assert "checksum" not in new.cpu_by_name("server")
    assert old.cpu_by_name("server")["checksum"] > 0.01
    assert ("checksum" in old.cpu_by_name("client1")) == ("checksum" in new.cpu_by_name("client1"))


@pytest.mark.parametrize("ipsec", ["host", "offload"])
@pytest.mark.parametrize("nic", report.BOTH)
def test_there_is_no_ipsec_under_nt(nic: str, ipsec: str) -> None:
    """At either end."""
    with pytest.raises(ScenarioError, match=r"^server\.system\.ipsec: this system has no IPsec; allowed"):
        report.chariot(report.NT, False, ipsec, "download", nic)
    test = report.chariot(report.WINDOWS, False, ipsec, "download", nic)
    client = ns.host("piii-550", system=report.NT, nics=["3cr990tx97/el99xnd4"])
    with pytest.raises(ScenarioError, match=r"^clients\.3\.system\.ipsec: this system has no IPsec; allowed"):
        test.replace("clients.3", client)
    with pytest.raises(ScenarioError, match=r"^system\.ipsec: this system has no IPsec"):
        client.replace("ipsec", report.ESP)
