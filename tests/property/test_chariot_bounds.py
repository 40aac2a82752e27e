"""In any Chariot test, no bound is exceeded, nothing is lost or invented, and a seed always gives the same accounts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import netsim as ns
from benchmarks.cases import SYSTEM
from tests.stack.audited import DURATION, accounts

CARDS = ["3c905b/3c59x", "dfe570tx/tulip", "eepro100/eepro100", "rtl8139/rtl8139"]
CUT = {"nics.0.tx_segmentation": True, "nics.0.tx_checksum": True, "nics.0.driver.tx_checksum": "nic"}
MODELS = st.sampled_from(["p166", "piii-600", "2xpii-400"])
hosts = st.builds(
    lambda model, card, large_send: ns.host(model, system=SYSTEM, nics=[card]).replace(
        {"nics.0.max_frame": 9018} | (CUT | {"nics.0.driver.large_send": large_send} if large_send else {})
    ),
    MODELS,
    st.sampled_from(CARDS),
    st.sampled_from([0, 0, 5000, 20_000, 65_495]),
)


@st.composite
def scenarios(draw: st.DrawFn) -> ns.Chariot:
    clients = draw(st.one_of(st.lists(hosts, min_size=1, max_size=4), hosts.map(lambda pc: [pc] * 3)))
    mtu = draw(st.sampled_from([576, 1500, 9000]))
    return ns.Chariot(
        server=draw(hosts),
        clients=clients,
        switch={"model": "aceswitch-180", "buffer": draw(st.sampled_from([10_000, 100_000, 524_288]))},
        link={"model": "100base-tx", "mtu": mtu, "bit_error_rate": draw(st.sampled_from([0.0, 0.0, 1e-7]))},
        mtu=mtu,
        flow=draw(st.sampled_from(["download", "upload", "bidirectional"])),
        pairs=draw(st.integers(1, 2)),
        file_size=draw(st.sampled_from([1, 1000, 10_000, 100_000])),
        buffer=draw(st.sampled_from([512, 8_192, 32_767])),
        confirmation=draw(st.sampled_from([1, 5000])),
    )


POLICY = st.sampled_from(["address", "round-robin"])
CYCLES = st.integers(0, 20_000)
BOND = st.none() | st.fixed_dictionaries(
    {"policy": POLICY, "tx_cycles": CYCLES, "rx_cycles": st.none() | CYCLES, "detection": st.none()}
)

alike = st.builds(lambda pc, number: [pc] * number, hosts, st.integers(1, 8))


@st.composite
def several_ports(draw: st.DrawFn) -> ns.Chariot:
    """A server with up to four cards of different kinds, with or without a bond."""
    cards = draw(st.lists(st.sampled_from(CARDS), min_size=1, max_size=4))
    changes = {
        "processors.count": draw(st.integers(1, 3)),
        "system.kernel.interrupts": draw(st.sampled_from(["first", "spread"])),
        "system.kernel.big_lock": False,
        "system.kernel.ring_work": draw(st.sampled_from(["interrupt", "deferred"])),
        "system.tcp.backlog": draw(st.booleans()),
    }
    changes |= {f"nics.{number}.driver.serialised": draw(st.booleans()) for number, _ in enumerate(cards)}
    server = ns.host(draw(MODELS), system=draw(st.sampled_from([SYSTEM, "windows-2000"])), nics=cards).replace(changes)
    return ns.Chariot(
        server=server.replace("bond", draw(BOND)),
        clients=draw(st.lists(hosts, min_size=1, max_size=8) | alike),
        switch={"model": "aceswitch-180", "trunk": draw(POLICY)},
        link=draw(st.sampled_from(["10base-t", "100base-tx"])),
        flow=draw(st.sampled_from(["download", "upload", "bidirectional"])),
        file_size=draw(st.sampled_from([1000, 10_000, 100_000])),
    )


@settings(max_examples=30, deadline=None)
@given(scenarios() | several_ports(), st.integers(0, 2**32))
def test_no_bound_is_beaten_and_nothing_is_lost(test: ns.Chariot, seed: int) -> None:
    found = accounts(test, seed)
    assert found == accounts(test, seed)
    bounds = test.bounds()
    pairs = len(test.clients) * len(test.directions) * test.pairs
    # A file in progress counts in the accounts but not in the bound, which covers whole transactions.
    assert found.delivered <= bounds.limit * DURATION / 8e12 * 1.0001 + pairs * test.file_size
    assert found.delivered == sum(found.pairs.values())
    for name, share in found.utilisation().items():
        assert 0 <= share <= 1, name


# A Latin square: each number of clients occurs with each mtu and with each flow, and each mtu with each flow.
SQUARE = [
    (1, 576, "download"), (1, 1500, "upload"), (1, 9000, "bidirectional"),
    (2, 576, "upload"), (2, 1500, "bidirectional"), (2, 9000, "download"),
    (4, 576, "bidirectional"), (4, 1500, "download"), (4, 9000, "upload"),
]  # fmt: skip


@pytest.mark.parametrize(("clients", "mtu", "flow"), SQUARE)
def test_no_bound_is_beaten_in_steady_state(clients: int, mtu: int, flow: str) -> None:
    """The FIFO has room for more than a jumbo frame, so a frame that follows one still in the FIFO is not lost."""
    pc = ns.host("piii-600", system=SYSTEM, nics=["3c905b/3c59x"])
    pc = pc.replace({"nics.0.max_frame": 9018, "nics.0.rx_fifo": "32 KiB"})
    link = {"model": "100base-tx", "mtu": mtu}
    test = ns.Chariot(server=pc, clients=[pc] * clients, switch="aceswitch-180", link=link, mtu=mtu, flow=flow)
    result = ns.simulate(test, precision=0.01, limit="0.5 s")
    # A file's last segment may wait for an acknowledgement that is sent with a tick.
    assert 0.5 * test.bounds().limit < result.throughput <= test.bounds().limit * 1.002


@pytest.mark.parametrize("slow", ["1 us", "1 s", "1000000 s"])
def test_clients_may_differ_by_any_factor(slow: str) -> None:
    """The linear programme has numbers of similar size; a flow that is nearly stalled leaves the others their bound."""
    pc = ns.host("piii-600", system=SYSTEM, nics=["3c905b/3c59x"])
    server = pc.replace("nics", [pc.nics[0], pc.nics[0]])
    test = ns.Chariot(server=server, clients=[pc, pc], switch="aceswitch-180", flow="download")
    slowed = test.replace("clients.1.chipset.crossing", slow)
    assert 0.999 * test.bounds().limit / 2 < slowed.bounds().limit < 1.001 * test.bounds().limit
