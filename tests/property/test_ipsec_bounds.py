"""Any protection on any cards and hosts: no bound is exceeded, nothing is lost, nothing is busy for more than the whole
time, and the same seed gives the same accounts."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import netsim as ns
from netsim.stack import ComputerSpec, EspSpec
from tests.stack.audited import DURATION, accounts
from tests.stack.test_ipsec import ENGINE, PLAIN

policies = st.builds(
    lambda name, mode: EspSpec.from_name(name).replace("mode", mode),
    st.sampled_from(["3des-cbc/hmac-sha-1-96", "des-cbc/hmac-md5-96", "null/hmac-md5-96"]),
    st.sampled_from(["transport", "tunnel"]),
)
engines = st.builds(
    lambda rate, packet_time, modes, associations: {
        **ENGINE,
        "rate": rate,
        "packet_time": packet_time,
        "modes": modes,
        "associations": associations,
    },
    st.sampled_from(["5 Mbit/s", "90 Mbit/s", "1 Gbit/s"]),
    st.sampled_from(["0 us", "40 us"]),
    st.sampled_from([["transport"], ["transport", "tunnel"]]),
    st.sampled_from([2, 4, 100]),
)


@st.composite
def hosts(draw: st.DrawFn) -> ComputerSpec:
    """Fast or slow, with or without an engine, with FIFOs for one frame or many."""
    frames = draw(st.sampled_from([1, 2, 16]))
    card: dict[str, Any] = {
        "crypto": draw(st.one_of(st.none(), engines)),
        "tx_frames": frames,
        "tx_fifo": draw(st.sampled_from([2048, 3072])) if frames == 2 else 65536,
        "rx_fifo": draw(st.sampled_from([3072, 65536])),
    }
    if card["crypto"]:
        card["driver.ipsec"] = draw(st.sampled_from(["nic", "nic", "host"]))
        card["onboard"] = draw(st.sampled_from([None, {"clock": "100 MHz", "tx_cycles": 700, "rx_cycles": 900}]))
    clock = draw(st.sampled_from(["400 MHz", "5 GHz"]))
    return PLAIN.replace({"processors.clock": clock} | {f"nics.0.{name}": value for name, value in card.items()})


@st.composite
def scenarios(draw: st.DrawFn) -> ns.Chariot:
    return ns.Chariot(
        server=draw(hosts()),
        clients=draw(st.lists(hosts(), min_size=1, max_size=3)),
        switch="aceswitch-180",
        ipsec=draw(policies),
        flow=draw(st.sampled_from(["download", "upload", "bidirectional"])),
        mtu=draw(st.sampled_from([576, 1500])),
        link={"model": "100base-tx", "bit_error_rate": draw(st.sampled_from([0.0, 0.0, 1e-7]))},
        pairs=draw(st.integers(1, 2)),
        file_size=draw(st.sampled_from([1, 10_000, 100_000])),
    )


@settings(max_examples=40, deadline=None)
@given(scenarios(), st.integers(0, 2**32))
def test_no_bound_is_beaten_and_nothing_is_lost(test: ns.Chariot, seed: int) -> None:
    found = accounts(test, seed)
    assert found == accounts(test, seed)
    pairs = len(test.clients) * len(test.directions) * test.pairs
    # A file in progress counts in the accounts but not in the bound, which covers whole transactions.
    assert found.delivered <= test.bounds().limit * DURATION / 8e12 * 1.0001 + pairs * test.file_size
    for name, share in found.utilisation().items():
        assert 0 <= share <= 1, name
    packets = {name: count for name, count in found.counts.items() if "IPsec" in name}
    assert sum(packets.values()) >= found.counts["segments sent"] + found.counts["acknowledgements sent"]
    for name, count in packets.items():
        host, _, who = name.partition(" IPsec packets by the ")
        used = found.occupied.get(f"{host} nic 0 crypto engine", 0) > 0
        assert who == "host" or used == (count > 0)


@settings(max_examples=10, deadline=None)
@given(hosts(), hosts(), policies, st.sampled_from([576, 1500]))
def test_no_bound_is_beaten_in_steady_state(one: ComputerSpec, other: ComputerSpec, esp: EspSpec, mtu: int) -> None:
    test = ns.Netperf(test="TCP_STREAM", sender=one, receiver=other, ipsec=esp, mtu=mtu)
    result = ns.simulate(test, precision=0.01, limit="0.5 s")
    # Data in transit when an iteration's measurement began had been processed before: at most a window.
    segment = test.ends[0].mss(mtu)
    underway = len(result.iterations) * 8 * other.system.tcp.window(0, segment)
    assert result.throughput * result.elapsed <= test.bounds().limit * result.elapsed * 1.002 + underway
