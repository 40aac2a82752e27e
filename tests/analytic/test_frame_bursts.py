"""Frame bursts at 1000 Mbit/s (IEEE 802.3, 4.2.3.4): only the first frame of a burst is extended to the slot time, and
no closed form may count more. Hosts are so fast that the wire's share of the time is large."""

from __future__ import annotations

from typing import Any

import pytest

import netsim as ns
from netsim.closed_form.ncp_exchange import ncp_exchange
from netsim.engine import Environment
from netsim.ethernet import SegmentSpec
from netsim.stack import NcpRequest
from netsim.units import PS_PER_S
from tests.analytic.test_hubs_alone import NT, PC, SERVER
from tests.on_hubs import NcpTest, ask_all

HUB = SegmentSpec.from_name("1000base-t-hub")


def lean(host: Any) -> Any:
    """A host with a gigabit card whose drivers and system take no cycles, and handle an interrupt without reads."""
    free = {
        address: 0
        for address, value in host.addresses().items()
        if value is not None and address.startswith(("nics.0.driver.", "system."))
        if address.endswith(("_cycles", "interrupt_reads"))
    }
    card = {"nics.0.rate": "1 Gbit/s", "nics.0.bus_width": 8, "nics.0.bus_clock": "66.666667 MHz"}
    return host.replace({**free, **card, "bus": "pci-64-66"})


@pytest.mark.parametrize("nbytes", [1, 1480, 3000])
def test_no_read_is_faster_than_its_exchange(nbytes: int) -> None:
    server, workstation = lean(SERVER), lean(NT)
    request = NcpRequest("read", asked=nbytes)
    exchange = ncp_exchange(workstation, server, HUB, HUB.propagation(20, 20), request)
    run = NcpTest(server=server, client=workstation, clients=1, segment=HUB).build(Environment(1))
    times: list[int] = []
    for _ in range(2):
        begun = run.env.now
        ask_all(run.workstations[0], [request], lambda: times.append(run.env.now))
        run.env.run(begun + PS_PER_S // 10)
    assert exchange.time() < times[1] - begun < 1.3 * exchange.time()


@pytest.mark.parametrize(("asked", "answered"), [(1, 1), (1480, 1), (3000, 1), (3000, 3000)])
def test_no_datagram_is_faster_than_its_fragments(asked: int, answered: int) -> None:
    """A lone small one is extended; the last fragment of a larger one is not."""
    host = lean(PC)
    test = ns.Netperf("UDP_RR", host, host, segment=HUB, request=asked, response=answered)
    share = ns.simulate(test, precision=0.02, limit="50 ms").throughput / test.bounds().limit
    assert 0.85 < share < 1.0001
    flow = {"kind": "request-response", "sender": "a", "receiver": "b", "over": "udp", "request": asked}
    network = ns.Flows.model_validate({
        "hosts": {"a": host, "b": host}, "segments": {"s": {"segment": HUB, "stations": ["a", "b"], "spacing": 5}},
        "flows": {"f": flow | {"response": answered, "outstanding": 1}},
    })  # fmt: skip
    assert ns.simulate(network, precision=0.02, limit="50 ms").throughput < 1.0001 * network.bounds().limit
