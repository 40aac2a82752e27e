"""Servers with unequal ports, and unequal clients: some do more than others, and no bound is exceeded. All requests are
the same, so that a mix leaves nothing to chance."""

from __future__ import annotations

from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

import netsim as ns
from netsim.engine import Environment
from netsim.errors import ScenarioError
from netsim.scenario import Scenario
from netsim.units import MIB, MS
from tests.on_servers import FILE_MIX, LAN, NIC, NT, PC, kind, netware_server, nt_server, weights

WARM_UP, WINDOW = 30 * MS, 150 * MS

a_port = st.fixed_dictionaries({}, optional={
    "tx_descriptor": st.sampled_from([16, 2000, 32_000]),  # the bus is busy with them
    "rx_descriptor": st.sampled_from([16, 8000]),
    "tx_turnaround": st.sampled_from(["0 s", "50 us", "1 ms"]),
    "driver.rx_cycles": st.integers(0, 60_000),
    "driver.tx_cycles": st.integers(0, 60_000),
})  # fmt: skip


def unequal(host: Any, ports: list[dict[str, Any]]) -> Any:
    """A host with these changes, one dict for each port."""
    changes = [{f"nics.{number}.{at}": value for at, value in port.items()} for number, port in enumerate(ports)]
    return host.replace({address: value for one in changes for address, value in one.items()})


@st.composite
def net_benches(draw: st.DrawFn) -> Scenario:
    ports = draw(st.lists(a_port, min_size=2, max_size=4))
    size = draw(st.sampled_from([512, 4096, 8192]))
    mix = {"sizes": (size,), "size_weights": (1,), "writes": draw(st.sampled_from([0.0, 1.0])), "calls": 0}
    return ns.NetBench(
        server=unequal(netware_server(len(ports)), ports), client=NT, clients=draw(st.integers(1, 9)),
        workspace=2 * MIB, mix=FILE_MIX.replace(mix),
    )  # fmt: skip


@st.composite
def server_benches(draw: st.DrawFn) -> Scenario:
    ports = draw(st.lists(a_port, min_size=2, max_size=4))
    sizes = st.sampled_from([64, 1460, 9000])
    mix = weights(processor=1).replace("processor", kind(1, draw(sizes), draw(sizes), draw(st.integers(0, 300_000))))
    return ns.ServerBench(
        server=unequal(nt_server(len(ports)), ports), client=PC, clients=draw(st.integers(1, 9)), mix=mix,
        data_segment=MIB,
    )  # fmt: skip


@st.composite
def perform3s(draw: st.DrawFn) -> Scenario:
    clocks = draw(st.lists(st.sampled_from(["33 MHz", "166 MHz", "1 GHz"]), min_size=1, max_size=4))
    return ns.Perform3(
        server=ns.netware_host("netfinity-5500", system="netware-4.11", nics=[LAN]),
        workstations=[unequal(NT.replace("processors.clock", clock), [draw(a_port)]) for clock in clocks],
        segment="100base-tx-hub", file_sizes=[draw(st.sampled_from([1000, 8192, 50_000]))],
    )  # fmt: skip


@st.composite
def chariots(draw: st.DrawFn) -> Scenario:
    ports = draw(st.lists(a_port, min_size=1, max_size=3))
    clients = draw(st.lists(a_port, min_size=1, max_size=5))
    return ns.Chariot(
        flow=draw(st.sampled_from(["download", "upload", "bidirectional"])),
        server=unequal(ns.host("netfinity-5500", system="windows-nt-4.0", nics=[NIC] * len(ports)), ports),
        clients=[unequal(PC, [one]) for one in clients], switch="aceswitch-180", pairs=draw(st.integers(1, 2)),
        file_size=10_000,
    )  # fmt: skip


def at_the_most(test: Any) -> float:
    """The most that can be delivered in the window by what is in progress at its beginning: one transaction per
    client."""
    if isinstance(test, ns.Chariot):
        return len(test.clients) * len(test.directions) * test.pairs * test.file_size
    if isinstance(test, ns.Perform3):
        return len(test.workstations) * test.file_sizes[0]
    return test.clients * (test.mix.file_size if isinstance(test, ns.NetBench) else 1)


@settings(max_examples=25, deadline=None)
@given(st.one_of(net_benches(), server_benches(), perform3s(), chariots()), st.integers(0, 2**32))
def test_no_bound_is_beaten(test: Scenario, seed: int) -> None:
    try:
        bounds = test.bounds()
    except ScenarioError:
        assume(False)
    run: Any = test.build(Environment(seed))
    run.start()
    run.env.run(WARM_UP)
    before = run.delivered
    run.env.run(WARM_UP + WINDOW)
    run.audit()
    possible = bounds.limit / test.unit.each * WINDOW / 1e12
    assert run.delivered - before <= 1.0001 * possible + at_the_most(test)
