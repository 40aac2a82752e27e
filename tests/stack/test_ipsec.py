"""IPsec on a host: the cost of a packet to the cycle, what the card takes over, when the host does the work anyway, and
errors that name the address of what is not possible."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import netsim as ns
from netsim.errors import ScenarioError
from netsim.machine import Work
from netsim.stack import EspSpec
from netsim.stack.socket import CALLED
from netsim.stack.tcp_costs import TcpCosts
from netsim.workload import load

NAME = "3des-cbc/hmac-sha-1-96"
ESP = EspSpec.from_name(NAME)
ENGINE: dict[str, Any] = {
    "rate": "200 Mbit/s",
    "packet_time": "2 us",
    "ciphers": ["des-cbc", "3des-cbc"],
    "authentications": ["hmac-sha-1-96", "hmac-md5-96"],
    "modes": ["transport"],
    "associations": 6,
}
PLAIN = ns.host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"]).replace(
    {
        "system.kernel.tick": 0,
        "system.ipsec": {"cycles": 1500, "cipher_factor": 1.5},
        "system.tcp.timestamps": False,
        "system.socket.checksum_with_copy": False,
        "processors.relative_cpi": 1,
        "system.kernel.cycle_factor": 1,
        "processors.clock": "500 MHz",  # 2 ns a cycle
        "memory.cached": "1 GB/s",
        "memory.level1": "1 GB/s",
        "nics.0.tx_checksum": True,
        "nics.0.driver.tx_checksum": "nic",
        "nics.0.driver.ipsec_tx_cycles": 300,
        "nics.0.driver.ipsec_rx_cycles": 200,
        "nics.0.crypto": ENGINE,
    }
)
CARD = PLAIN.replace("nics.0.driver.ipsec", "nic")
CYCLE = 2000  # ps
MSS = 1426


def parts(work: Work) -> dict[str, int]:
    return dict(work.parts)


def more(protected: Work, plain: Work) -> dict[str, int]:
    """The work's additional time (ps) compared with another, by name."""
    ours, theirs = parts(protected), parts(plain)
    names = [*ours, *(name for name in theirs if name not in ours)]
    differences = {name: ours.get(name, 0) - theirs.get(name, 0) for name in names}
    return {name: ps for name, ps in differences.items() if ps}


def crypto(enciphered: int, blocks: int) -> int:
    """ps: 121.7 cycles a byte of 3DES, times 1.5 in this system, and 12.6 of SHA-1."""
    cipher, authentication = 121.7 * enciphered * 1.5, 12.6 * 64 * blocks
    return round(cipher * CYCLE) + round(authentication * CYCLE)


# ---- costs ----

PLAIN_COSTS, HOST = TcpCosts(PLAIN), TcpCosts(PLAIN.under(ESP))
CARDS = TcpCosts(CARD.under(ESP), by_card=True)


def test_software_enciphers_and_authenticates_what_is_sent() -> None:
    """The bytes that a frame has in addition to the plain one load the card's bus, but not the processor."""
    assert more(HOST.segment(MSS, 0), PLAIN_COSTS.segment(MSS, 0)) == {
        "ipsec": 1500 * CYCLE,
        "crypto": crypto(1448, 27),  # 24 for 1464 bytes and their padding, 3 for the HMAC itself
    }
    assert parts(HOST.segment(0, 0))["crypto"] == crypto(24, 1 + 3)


def test_the_host_sums_what_no_card_sees_in_clear() -> None:
    found = more(HOST.write_and_send(MSS, MSS, 0, CALLED), PLAIN_COSTS.write_and_send(MSS, MSS, 0, CALLED))
    assert found == {"ipsec": 1500 * CYCLE, "crypto": crypto(1448, 27), "checksum": MSS * 1000}


def test_what_is_received_is_summed_in_the_cache_that_the_cipher_has_left_it_in() -> None:
    assert "checksum" not in parts(PLAIN_COSTS.arrival(MSS, 0))
    found = more(HOST.arrival(MSS, 0), PLAIN_COSTS.arrival(MSS, 0))
    assert found == {"ipsec": 1500 * CYCLE, "crypto": crypto(1448, 27), "checksum": MSS * 1000}
    assert HOST.place(1518, 0).source == "cache"
    assert PLAIN_COSTS.place(1518, 0).source == "memory"
    assert HOST.place(1518, 0).aligned == PLAIN_COSTS.place(1518, 0).aligned


def test_an_acknowledgement_that_goes_out_at_once_is_enciphered_too() -> None:
    found = more(HOST.answered(MSS, 0, 0), HOST.arrival(MSS, 0))
    assert found["ipsec"] == 1500 * CYCLE
    assert found["crypto"] == crypto(24, 4)


def test_neither_takes_memory() -> None:
    assert HOST.segment(MSS, 0).memory == PLAIN_COSTS.segment(MSS, 0).memory == 0
    assert HOST.arrival(MSS, 0).memory == 0


def test_a_card_leaves_the_host_its_filters_and_the_drivers_part() -> None:
    found = more(CARDS.write_and_send(MSS, MSS, 0, CALLED), PLAIN_COSTS.write_and_send(MSS, MSS, 0, CALLED))
    assert found == {"ipsec": 1500 * CYCLE, "driver": 300 * CYCLE}
    found = more(CARDS.arrival(MSS, 0), PLAIN_COSTS.arrival(MSS, 0))
    assert found == {"ipsec": 1500 * CYCLE}
    assert CARDS.place(1518, 0) == PLAIN_COSTS.place(1518, 0)


def test_the_driver_reads_the_cards_verdict() -> None:
    port, bill = CARD.ports()[0], CARD.bill
    assert more(port.bill_receive(bill(), 1514, True).work(), port.bill_receive(bill(), 1514).work()) == {
        "driver": 200 * CYCLE
    }


def test_a_queued_frame_costs_the_driver_its_part_later() -> None:
    assert "driver" not in parts(CARDS.segment(MSS, None))


def test_another_core_takes_its_own_cycles() -> None:
    """If no factor is given for its ciphers, the factor for all code applies."""
    core = {"processors.relative_cpi": 2, "processors.crypto_cpi": None}
    slow = TcpCosts(PLAIN.replace(core).under(ESP))
    assert parts(slow.segment(MSS, 0))["crypto"] == pytest.approx(2 * crypto(1448, 27), abs=2)


# ---- card or host ----


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"nics.0.crypto.ciphers": ["des-cbc"]}, "the cipher"),
        ({"nics.0.crypto.authentications": ["hmac-md5-96"]}, "the authentication"),
        ({"nics.0.crypto.modes": ["tunnel"]}, "the mode"),
        ({"nics.0.crypto.associations": 1}, "one association for two directions"),
        ({"nics.0.driver.ipsec": "host"}, "the driver"),
    ],
)
def test_the_host_does_what_the_card_can_not(change: dict[str, Any], reason: str) -> None:
    assert CARD.under(ESP).offloads()
    able = CARD.replace(change)
    assert not able.under(ESP).offloads(), reason
    test = ns.Netperf(test="TCP_STREAM", sender=able, receiver=CARD, ipsec=NAME)
    result = ns.simulate(test, limit="0.1 s", precision=0.05)
    assert result.counts["sender IPsec packets by the card"] == 0
    assert result.counts["receiver IPsec packets by the host"] == 0
    assert result.counts["sender IPsec packets by the host"] > 100 < result.counts["receiver IPsec packets by the card"]
    assert result.utilisation["sender nic 0 crypto engine"] == 0 < result.utilisation["receiver nic 0 crypto engine"]
    assert "crypto" in result.cpu_by_name("sender")
    assert "crypto" not in result.cpu_by_name("receiver")


def test_a_bond_offloads_only_if_every_port_can() -> None:
    two = CARD.replace({"nics": [CARD.nics[0], CARD.nics[0].replace("crypto.modes", ["tunnel"])]})
    assert two.under(ESP).offloads()  # only the first one is used
    assert not two.replace("bond", "linux-2.2.17").under(ESP).offloads()


@pytest.mark.parametrize(("associations", "peers"), [(1, 0), (2, 1), (5, 2), (6, 3), (8, 4), (99, 4)])
def test_the_card_does_the_first_peers_as_far_as_it_has_room(associations: int, peers: int) -> None:
    """A pair of associations for each peer, however many connections there are to it."""
    server = CARD.replace("nics.0.crypto.associations", associations)
    test = chariot(server, clients=4, pairs=2)
    run: Any = test.build(ns.engine.Environment(1))
    by_card = {pair.name.split()[0]: pair.out.costs.by_card for pair in run.pairs}
    assert list(by_card.values()) == [number < peers for number in range(4)]
    assert all(pair.out.costs.by_card == by_card[pair.name.split()[0]] for pair in run.pairs)
    assert all(pair.into.costs.by_card for pair in run.pairs)  # a client has one peer
    assert [test.hosts()["server"].offloads(number) for number in range(4)] == list(by_card.values())


def chariot(server: ns.stack.ComputerSpec, clients: int = 2, **changes: Any) -> ns.Chariot:
    given = {"switch": "aceswitch-180", "flow": "download", "ipsec": NAME, **changes}
    return ns.Chariot(server=server, clients=[CARD] * clients, **given)


def test_every_packet_is_counted_once_at_each_end() -> None:
    run: Any = chariot(CARD.replace("nics.0.crypto.associations", 2)).build(ns.engine.Environment(1))
    run.start()
    run.env.run(5 * 10**10)
    run.audit()
    counts = run.accounts().counts
    sent = [pair.out.segments_sent + pair.out.acks_sent for pair in run.pairs]
    back = [pair.into.segments_sent + pair.into.acks_sent for pair in run.pairs]
    assert counts["server IPsec packets by the card"] == pytest.approx(sent[0] + back[0], abs=20)  # some are in transit
    assert counts["server IPsec packets by the host"] == pytest.approx(sent[1] + back[1], abs=20)
    assert counts["client2 IPsec packets by the card"] == pytest.approx(sent[1] + back[1], abs=20)


def test_without_ipsec_nothing_is_counted() -> None:
    run: Any = chariot(CARD, ipsec=None).build(ns.engine.Environment(1))
    assert not [name for name in run.accounts().counts if "IPsec" in name]


# ---- not possible ----


@pytest.mark.parametrize(
    ("change", "address", "words"),
    [
        ({"sender.system.ipsec": None}, "sender.system.ipsec", "no IPsec"),
        ({"receiver.system.ipsec": None}, "receiver.system.ipsec", "no IPsec"),
        ({"test": "UDP_STREAM", "message": 1000}, "ipsec", 'none, or driver.ipsec = "host"'),
        ({"sender.ipsec": "des-cbc/hmac-sha-1-96"}, "sender.ipsec", "the test's"),
        ({"ipsec": "3des-cbc"}, "ipsec", "cipher/authentication"),
        ({"ipsec": "3des/hmac-sha-1-96"}, "ipsec", 'did you mean "3des-cbc"'),
        ({"ipsec.mode": "tunel"}, "ipsec.mode", 'did you mean "tunnel"'),
        ({"mtu": 70}, "mtu", "no room"),
        ({"sender.nics.0.crypto.ciphers": ["3des-cbc", "3des-cbd"]}, "sender.nics.0.crypto.ciphers.1", "3des-cbc"),
        ({"sender.nics.0.crypto": None}, "sender.nics.0.driver.ipsec", "no crypto engine"),
        (
            {"sender.nics.0.tx_segmentation": True, "sender.nics.0.driver.large_send": 20_000},
            "sender.nics.0.driver.large_send",
            "IPsec",
        ),
    ],
)
def test_the_message_names_the_address(change: dict[str, Any], address: str, words: str) -> None:
    test = ns.Netperf(test="TCP_STREAM", sender=CARD, receiver=CARD, ipsec=NAME)
    with pytest.raises(ScenarioError) as caught:
        test.replace(change)
    assert caught.value.address == address
    assert words in caught.value.problem


def test_a_host_that_was_handed_a_policy_is_in_no_test_without() -> None:
    with pytest.raises(ScenarioError, match="the test's") as caught:
        chariot(CARD.under(ESP), ipsec=None)
    assert caught.value.address == "server.ipsec"
    assert chariot(CARD.under(ESP)).hosts() == chariot(CARD).hosts()


# ---- in files ----

FILE = """
tool = "netperf"
test = "TCP_STREAM"
{ipsec}
[sender]
model = "ml530"
system = "windows-2000"
nics = ["3c905b/3c90x"]
[receiver]
model = "ml530"
system = "windows-2000"
nics = ["3c905b/3c90x"]
{table}
"""


@pytest.mark.parametrize(
    ("ipsec", "table", "mode"),
    [
        (f'ipsec = "{NAME}"', "", "transport"),
        ("", f'[ipsec]\nmodel = "{NAME}"\nmode = "tunnel"', "tunnel"),
        ("", '[ipsec]\ncipher = "3des-cbc"\nauthentication = "hmac-sha-1-96"', "transport"),
    ],
)
def test_a_scenario_in_toml_says_it(ipsec: str, table: str, mode: str, tmp_path: Path) -> None:
    file = tmp_path / "scenario.toml"
    file.write_text(FILE.format(ipsec=ipsec, table=table))
    test: Any = load(file)
    assert test.ipsec == ESP.replace("mode", mode)
    assert type(test).from_toml(test.to_toml() + "\n") == test
    assert test.provenance()["ipsec.cipher.block"].kind == "standard"


def test_numbers_of_a_cipher_have_addresses() -> None:
    test = ns.Netperf(test="TCP_STREAM", sender=PLAIN, receiver=PLAIN, ipsec=NAME)
    slower = test.replace("ipsec.cipher.cycles_per_byte", 243.4)
    assert slower.bounds().throughput("sender processors") < test.bounds().throughput("sender processors")
    assert test.replace("ipsec", None).ends[0] == PLAIN
