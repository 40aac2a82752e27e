"""Scenarios of catalogue parts: every host, card, driver and system that fit together, in every tool."""

from __future__ import annotations

from hypothesis import strategies as st

import netsim as ns
from netsim.ethernet import LinkSpec
from netsim.stack import ComputerSpec
from netsim.workload import Chariot, Netperf, NetPipe
from tests.property.test_perform3_reads import scenarios as perform3s

LINUX = ("linux-2.2.16", "linux-2.2.14-smp")
WINDOWS = ("windows-2000", "windows-nt-4.0")
HOSTS = ("2xpii-400", "ml530", "netfinity-5500", "netfinity-5500-450", "p166", "pc-350-133", "pc-750-166", "piii-550",
         "piii-600", "proliant-5500", "proliant-6400r")  # fmt: skip
FAST = {  # cards with a driver for 100 Mbit/s, by system
    LINUX: ("3c905b/3c59x", "3c905b/3c90x", "dfe570tx/tulip", "eepro100/eepro100", "eepro100-dual/eepro100",
            "lne100tx/tulip", "rtl8139/rtl8139"),
    WINDOWS: ("3cr990svr97/e199xnd5", "3cr990tx97/el99xnd4", "etherjet-100/ibmfent", "pro100s/e100bnt5",
              "pro100s/e100bnt"),
}  # fmt: skip
GIGABIT = {
    LINUX: ("pro1000f/e1000", "sk9843/sk98lin", "3c985b/acenic"),
    WINDOWS: ("pro1000f/e1000nt5", "sk9843/sk98win", "3c985b/e1985nd5"),
}
ISA = ("at1500/lance", "ne2000/ne", "smc-ultra/smc-ultra", "3c509/3c509")
LINKS = {"100base-tx": FAST, "1000base-sx": GIGABIT, "1000base-sx-jumbo": GIGABIT}


@st.composite
def computers(draw: st.DrawFn, link: str, most_cards: int = 1) -> ComputerSpec:
    """A host with cards for a link; if it has several buses, the cards are on any one of them."""
    systems, cards = draw(st.sampled_from([*LINKS[link].items()]))
    card = draw(st.sampled_from(cards))
    host = ns.host(draw(st.sampled_from(HOSTS)), system=draw(st.sampled_from(systems)), nics=[])
    slot = draw(st.integers(0, len(host.peers)))
    nics = [card] * draw(st.integers(1, most_cards))
    return host.replace("nics", nics).replace({f"nics.{number}.slot": slot for number, _ in enumerate(nics)})


def _linked(name: str) -> dict[str, object]:
    link = LinkSpec.from_name(name)
    return {"link": link, "mtu": link.mtu}


@st.composite
def streams(draw: st.DrawFn, *tests: str) -> Netperf:
    """TCP and UDP from one computer to another, or only the tests named."""
    link = draw(st.sampled_from([*LINKS]))
    return Netperf(
        test=draw(st.sampled_from(tests or ("TCP_STREAM", "UDP_STREAM"))),
        sender=draw(computers(link)), receiver=draw(computers(link)),
        message=draw(st.sampled_from([64, 1024, 8192, 32768])),
        send_buffer=draw(st.sampled_from([32768, 65535])), receive_buffer=draw(st.sampled_from([32768, 65535])),
        **_linked(link),
    )  # fmt: skip


@st.composite
def shared_streams(draw: st.DrawFn) -> Netperf:
    """Streams over a half-duplex segment, between computers of one kind."""
    segment = draw(st.sampled_from(["10base2", "100base-tx-hub"]))
    old = st.sampled_from(ISA).map(lambda card: ns.host("486dx-33", system="linux-2.2.16", nics=[card]))
    pc = draw(old if segment == "10base2" else computers("100base-tx"))
    size = draw(st.sampled_from([8192, 32768, 65535]))
    return Netperf("TCP_STREAM", pc, pc, segment=segment, send_buffer=size, receive_buffer=size)


@st.composite
def pcix_streams(draw: st.DrawFn) -> Netperf:
    """Streams between servers with PCI-X slots."""
    ends = []
    for _ in range(2):
        host = draw(st.sampled_from(["xeon-2400-gc-le", "xeon-2800"]))
        pc = ns.host(host, system=draw(st.sampled_from(LINUX)), nics=["pro1000mt/e1000-5"])
        bus = draw(st.sampled_from(["pci-x-66", "pci-x-100", "pci-x-133"]))
        own = {"max_read": st.sampled_from([512, 2048]), "outstanding": st.sampled_from([1, 2, 8])}
        ends.append(pc.replace({"bus": bus} | {f"nics.0.{name}": draw(value) for name, value in own.items()}))
    test, message = draw(st.sampled_from(["TCP_STREAM", "UDP_STREAM"])), draw(st.sampled_from([1024, 8192, 32768]))
    return Netperf(test=test, sender=ends[0], receiver=ends[1], message=message, **_linked("1000base-t"))


@st.composite
def ping_pongs(draw: st.DrawFn, sizes: st.SearchStrategy[int]) -> NetPipe:
    """Messages back and forth; both ends have the same number of processors, as NetPIPE's bounds require."""
    link = draw(st.sampled_from([*LINKS]))
    ends = draw(computers(link)), draw(computers(link))
    sender, receiver = (end.replace("processors.count", ends[0].processors.count) for end in ends)
    mpi = draw(st.sampled_from([None, "mpich-1.2.1", "mpipro-1.5"]))
    return NetPipe(sender=sender, receiver=receiver, mpi=mpi, sizes=[draw(sizes)], **_linked(link))


@st.composite
def conversations(draw: st.DrawFn, most: int = 20_000) -> Netperf:
    """Requests and responses of up to `most` bytes, with several of them in progress at a time in some tests."""
    link = draw(st.sampled_from([*LINKS]))
    sizes = st.sampled_from(sorted({min(most, size) for size in (1, 100, 1000, 5000, 20_000)}))
    return Netperf(
        test=draw(st.sampled_from(["TCP_RR", "UDP_RR"])),
        sender=draw(computers(link)), receiver=draw(computers(link)),
        request=draw(sizes), response=draw(sizes),
        **_linked(link),
    )  # fmt: skip


@st.composite
def files(draw: st.DrawFn) -> Chariot:
    """Files between a server and its clients."""
    link = draw(st.sampled_from([*LINKS]))
    client = draw(computers(link))
    return Chariot(
        flow=draw(st.sampled_from(["download", "upload", "bidirectional"])),
        server=draw(computers(link, most_cards=2)),
        clients=[client] * draw(st.integers(1, 4)),
        switch={"model": "summit48" if link == "1000base-sx" else "aceswitch-180", "max_frame": 9018},
        **_linked(link),
    )


def scenarios() -> st.SearchStrategy[ns.Scenario]:
    """Scenarios of every tool."""
    return st.one_of(streams(), ping_pongs(st.integers(1, 100_000)), files(), perform3s())
