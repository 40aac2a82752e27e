"""Chariot: its scripts call by call, its figures, its mistakes, and how its result looks."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import netsim as ns
from netsim.engine import Environment
from netsim.errors import ConservationError, ScenarioError
from netsim.stack import TcpSocket
from netsim.workload.chariot.file_pair import FilePair
from netsim.workload.chariot.run import ChariotRun

PC = ns.host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"])
SLOW = ns.host("p166", system="linux-2.2.16", nics=["3c905b/3c59x"])
SECOND = 10**12


def chariot(number: int = 2, **changes: Any) -> ns.Chariot:
    given = {"server": PC, "clients": [PC] * number, "switch": "aceswitch-180", "flow": "download", **changes}
    return ns.Chariot(**given)


def after(test: ns.Chariot, time: int, seed: int = 1) -> ChariotRun:
    """The run of a test after `time` ps."""
    run = test.build(Environment(seed))
    run.start()
    run.env.run(time)
    return run


# --- the scripts -----------------------------------------------------------------------------------------------------


class Calls:
    """Notes the calls on a socket instead of making them, and lets a test end them."""

    def __init__(self, socket: TcpSocket) -> None:
        self.calls: list[tuple[str, int]] = []
        self.then: Any = None
        socket.send, socket.receive = self.send, self.receive

    def send(self, nbytes: int, then: Any) -> None:
        self.calls.append(("send", nbytes))
        self.then = then

    def receive(self, nbytes: int, then: Any) -> None:
        self.calls.append(("receive", nbytes))
        self.then = then


def file_pair(file: int = 100_000, confirmation: int = 1) -> tuple[FilePair, Calls, Calls]:
    (pair,) = chariot(1).build(Environment()).pairs  # type: ignore[attr-defined]
    out, into = Calls(pair.out), Calls(pair.into)
    return FilePair("pair", pair.out, pair.into, file, 32_767, confirmation), out, into


def test_the_sending_end_writes_buffers_and_then_reads_the_confirmation() -> None:
    pair, out, _ = file_pair()
    pair.begin()
    for _ in range(4):
        out.then()
    file = [("send", 32_767)] * 3 + [("send", 1_699)]
    assert out.calls == [*file, ("receive", 1)]
    assert pair.transactions == 0
    out.then(1)
    assert pair.transactions == 1
    assert out.calls == [*file, ("receive", 1), ("send", 32_767)]


def test_the_receiving_end_reads_until_it_has_the_file_and_then_confirms() -> None:
    pair, _, into = file_pair()
    pair.listen()
    for got in (1448, 31_319, 32_767, 32_767, 699, 1000):
        assert into.calls[-1][0] == "receive"
        into.then(got)
    sizes = [32_767, 32_767, 32_767, 32_767, 1_699, 1_000, 1]
    assert into.calls == [*(("receive", size) for size in sizes[:-1]), ("send", 1)]
    into.then()
    assert into.calls[-1] == ("receive", 32_767)


def test_a_large_confirmation_goes_in_calls_too() -> None:
    pair, out, into = file_pair(file=10, confirmation=40_000)
    pair.listen()
    into.then(10)
    into.then()
    assert into.calls == [("receive", 10), ("send", 32_767), ("send", 7_233)]
    pair.begin()
    out.then()
    out.then(30_000)
    assert out.calls == [("send", 10), ("receive", 32_767), ("receive", 10_000)]


@pytest.mark.parametrize(
    ("flow", "names"),
    [
        ("download", ["client1 download", "client2 download"]),
        ("upload", ["client1 upload", "client2 upload"]),
        ("bidirectional", ["client1 download", "client1 upload", "client2 download", "client2 upload"]),
    ],
)
def test_pairs_go_the_ways_of_the_flow(flow: str, names: list[str]) -> None:
    run = after(chariot(flow=flow), 5 * 10**10)
    assert [pair.name for pair in run.pairs] == names
    for pair in run.pairs:
        client, way = pair.name.split()
        ends = ("server", client) if way == "download" else (client, "server")
        assert (pair.out.host.name, pair.into.host.name) == ends
        assert pair.transactions > 0
    run.audit()


def test_several_pairs_of_a_client_have_connections_of_their_own() -> None:
    run = after(chariot(1, pairs=3), 5 * 10**10)
    assert [pair.name for pair in run.pairs] == [f"client1 download {number}" for number in (1, 2, 3)]
    assert len({id(pair.out) for pair in run.pairs}) == 3
    assert all(pair.transactions for pair in run.pairs)


def test_books_count_files_and_not_confirmations() -> None:
    test = chariot(3, confirmation=1000)
    run = after(test, SECOND // 2)
    run.audit()
    accounts = run.accounts()
    assert accounts.delivered == sum(pair.into.read_bytes for pair in run.pairs) == run.delivered
    assert accounts.pairs == {pair.name: pair.into.read_bytes for pair in run.pairs}
    done = [pair.transactions for pair in run.pairs]
    assert accounts.counts["timing records"] == sum(number // 10 for number in done) > 0
    for pair in run.pairs:
        assert 0 <= accounts.pairs[pair.name] - 100_000 * pair.transactions <= 100_000
        assert 0 <= pair.out.read_bytes - 1000 * pair.transactions < 1000
    assert accounts.counts["segments sent"] > accounts.delivered / 1448


def test_a_byte_too_many_is_found() -> None:
    run = after(chariot(), 10**11)
    run.audit()
    run.pairs[1].transactions += 2
    with pytest.raises(ConservationError, match=r"^pair client2 download: -\d+ and -\d+ bytes read beyond"):
        run.audit()


def test_a_confirmation_that_deferred_work_has_copied_is_no_byte_too_many() -> None:
    """The sending end has received it before its call returns, and counts the transaction only then."""
    pc = PC.replace({"system.tcp.receive_copy": "deferred", "processors.clock": "60 MHz"})
    run = after(chariot(1, server=pc, confirmation=1000), 10**9)
    (pair,) = run.pairs
    copied = False
    while pair.transactions < 3:
        run.env.step()
        run.audit()
        copied = copied or pair.out.read_bytes == 1000 * (pair.transactions + 1)
    assert copied


def test_a_frame_too_many_in_the_switch_is_found() -> None:
    run = after(chariot(), 10**11)
    run._switch.ports[0].dropped += 1
    with pytest.raises(ConservationError, match="frames that arrived at switch"):
        run.audit()


def test_starts_are_spread_and_drawn_from_the_seed() -> None:
    def first_segments(seed: int) -> list[int]:
        run = chariot(4).build(Environment(seed))
        run.start()
        starts = []
        for pair in run.pairs:
            while not pair.out.output.write_seq:
                run.env.step()
            starts.append(run.env.now)
        return starts

    assert first_segments(1) == first_segments(1) != first_segments(2)
    assert len(set(first_segments(1))) > 1
    assert 2 * 10**9 < max(first_segments(1)) < 1.01 * 10**10  # they spread over 10 ms


def test_the_switch_drops_what_its_buffer_does_not_hold() -> None:
    run = after(chariot(4, flow="upload").replace("switch.buffer", 20_000), SECOND // 2)
    run.audit()
    drops = run.accounts().drops
    assert drops["switch: port to server"] > 0
    assert drops["switch: port to client1"] == 0
    assert run.accounts().counts["retransmitted segments"] > 0


def test_where_nothing_arrives_each_pair_says_what_it_waits_for() -> None:
    """Its segment is sent again for as long as the test lasts, so the pair is alive."""
    test = chariot(1).replace("link.bit_error_rate", 1.0)
    assert ns.simulate(test, limit="10 s").throughput == 0
    waits = after(test, SECOND).waiting_for()
    assert re.match(r"pair client1 download in transaction 1 \(file: \d+ bytes are not ack", waits)


# --- its figures -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def download() -> ns.Result:
    return ns.simulate(chariot(4).replace("clients.3", SLOW))


def test_there_are_three_iterations_and_their_mean_counts(download: ns.Result) -> None:
    assert len(download.iterations) == 3
    assert download.throughput == pytest.approx(sum(download.iterations) / 3)
    noisy = ns.simulate(chariot(1, duration="20 ms"), precision=0.1)
    assert len(noisy.iterations) == 3


def test_each_pair_has_its_part(download: ns.Result) -> None:
    assert list(download.pairs) == [f"client{number} download" for number in (1, 2, 3, 4)]
    assert sum(download.pairs.values()) == pytest.approx(download.throughput, rel=1e-3)
    assert all(rate == pytest.approx(download.throughput / 4, rel=0.05) for rate in download.pairs.values())
    assert download.counts["timing records"] > 0
    assert ns.simulate(ns.Netperf(test="TCP_STREAM", sender=PC, receiver=PC), limit="0.2 s").pairs == {}


def test_every_host_is_shown_by_its_name(download: ns.Result) -> None:
    assert list(download.cpu) == ["server", "client1", "client2", "client3", "client4"]
    assert download.cpu["client4"] > 2 * download.cpu["client1"]
    lines = str(download).splitlines()
    assert lines[0].startswith("FILESNDL   94.")
    assert lines[0].endswith("limited by the wire server to switch (100.0 %)")
    assert [line.split()[0] for line in lines[1:]] == [*download.cpu, "pairs"]
    assert lines[-1].split(maxsplit=1)[1].startswith("4, each 23.")
    assert len({line.index("bus ") for line in lines[1:-1]}) == 1
    assert max(map(len, lines)) < 120
    assert "wire switch to client3" in download._repr_html_()


def test_a_dropping_switch_is_no_bottleneck_but_the_wire_behind_it() -> None:
    test = chariot(4, flow="upload").replace("switch.buffer", 48_000)
    result = ns.simulate(test, limit="1 s", precision=0.02)
    assert result.dropped["switch: port to server"] > 0
    assert result.bottleneck == "wire switch to server"


def test_both_processors_are_in_the_mean() -> None:
    two = ns.host("2xpii-400", system="linux-2.2.16", nics=["3c905b/3c59x"])
    result = ns.simulate(chariot(server=two), limit="0.2 s")
    both = [result.utilisation[f"server processor {number}"] for number in (0, 1)]
    assert result.cpu["server"] == pytest.approx(sum(both) / 2)


def test_labels() -> None:
    labels = [chariot(flow=flow).label for flow in ("download", "upload", "bidirectional")]
    assert labels == ["FILESNDL", "FILERCVL", "FILESNDL + FILERCVL"]


# --- mistakes --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"clients": []}, r"^clients: \[\] is not allowed; allowed: at least one computer$"),
        ({"clients": [PC, PC.replace("nics", ())]}, r"^clients.1.nics: \[\] is not .*; allowed: at least one adapter$"),
        ({"mtu": 9000}, r"^mtu: 9000 bytes are more than the link allows \(1500\)$"),
        (
            {"mtu": 9000, "link": {"model": "100base-tx", "mtu": 9000}},
            r"^mtu: 9000 bytes make frames of 9018 bytes, more than the adapter of server accepts \(1518\)$",
        ),
        (
            {"switch": {"model": "aceswitch-180", "max_frame": 1500}},
            r"^mtu: 1500 bytes make frames of 1518 bytes, more than the switch accepts \(1500\)$",
        ),
        (
            {"link": "1000base-sx"},
            r"^link.rate: 1000000000 bit/s are more than the adapter of server supports \(100000000\)$",
        ),
        ({"flow": "both"}, r"^flow: .* download, upload, bidirectional"),
        ({"switch": "aceswitch"}, r'^switch: .*did you mean "aceswitch-180"'),
        ({"pairs": 0}, r"^pairs: "),
        ({"buffer": 0}, r"^buffer: "),
        ({"min_iterations": 4}, r"^min_iterations: more than max_iterations \(3\)$"),
    ],
)
def test_wrong_scenarios(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ScenarioError, match=message):
        chariot(**changes)


def test_jumbo_frames_need_every_part_to_take_them() -> None:
    pc = PC.replace({"nics.0.max_frame": 9018, "nics.0.rate": "1 Gbit/s"})
    assert chariot(server=pc, clients=[pc], link="1000base-sx-jumbo", mtu=9000).mtu == 9000
    for address in ("server.nics.0.max_frame", "clients.0.nics.0.max_frame", "switch.max_frame"):
        test = chariot(server=pc, clients=[pc], link="1000base-sx-jumbo", mtu=9000)
        with pytest.raises(ScenarioError, match=r"^mtu: .* \(9017\)$"):
            test.replace(address, 9017)


# --- as a file -------------------------------------------------------------------------------------------------------

EXAMPLE = Path(__file__).parents[2] / "examples" / "chariot.toml"


def test_the_example() -> None:
    test = ns.load(EXAMPLE)
    assert isinstance(test, ns.Chariot)
    assert test == chariot(4).replace("clients.3", SLOW)
    assert ns.Chariot.from_toml(test.to_toml()) == test


def test_a_client_with_a_part_laid_over(tmp_path: Path) -> None:
    path = tmp_path / "one.toml"
    path.write_text(EXAMPLE.read_text() + "processors = { clock = '200 MHz' }\n")
    test = ns.load(path)
    assert isinstance(test, ns.Chariot)
    assert test.clients[3].processors.clock == 200_000_000
    assert test.clients[3].processors.relative_cpi == SLOW.processors.relative_cpi


@pytest.mark.parametrize(
    ("wrong", "right", "words"),
    [
        ('model = "p166"', 'model = "p167"', ["clients.3", "p166"]),
        ('model = "p166"\nsystem', 'model = "p166"\nsystm', ["clients.3", "system"]),
        ('tool = "chariot"', 'tool = "chariots"', ["tool", 'did you mean "chariot"']),
        ("[[clients]]", "[[client]]", ["client"]),
    ],
)
def test_wrong_files(tmp_path: Path, wrong: str, right: str, words: list[str]) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(EXAMPLE.read_text().replace(wrong, right))
    with pytest.raises(ScenarioError) as caught:
        ns.load(path)
    assert all(word in str(caught.value) for word in [*words, ".toml"])


# --- the closed form -------------------------------------------------------------------------------------------------


def test_clients_that_are_one_object_stay_one() -> None:
    test = chariot(3).replace(dict.fromkeys((f"clients.{number}.system.tcp.timestamps" for number in range(3)), False))
    hosts = test.hosts()
    assert hosts["client1"] is hosts["client2"] is hosts["client3"]
    assert hosts["client1"].system.tcp.timestamps == hosts["server"].system.tcp.timestamps


@pytest.mark.parametrize("flow", ["download", "bidirectional"])
def test_equal_clients_share_the_bound_evenly(flow: str) -> None:
    """Whether they are one object or not; and each needs its own host and cables only for its own transactions."""
    one = chariot(3, flow=flow).bounds()
    assert chariot(3, flow=flow, clients=[PC.model_copy() for _ in range(3)]).bounds() == one
    (own, *others) = ({str(at).replace(f"client{number}", ""): ps for at, ps in one.demand.items()
                       if at.host == f"client{number}"} for number in (1, 2, 3))  # fmt: skip
    assert own
    assert others == [own, own]
