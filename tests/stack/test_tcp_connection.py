"""Connections opened and closed for each transaction (TCP_CRR): their segments follow the standard, lost ones are sent
again, no bound is exceeded, and nothing is invented."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import netsim as ns
from netsim.errors import ScenarioError
from netsim.ethernet import Frame
from netsim.stack.tcp import TcpSegment
from netsim.stack.tcp_connection import ACK, FIN, SYN, Connection, ControlSegment
from netsim.stack.tcp_connection_costs import ConnectionCosts
from netsim.stack.tcp_costs import TcpCosts
from netsim.units import MS

PC = ns.host("piii-600", system="linux-2.2.16", nics=["eepro100/eepro100"])
# Nothing is acknowledged that the next segment will acknowledge anyway (as in RFC 1122, and not in Linux 2.2).
PLAIN = {"system.tcp.delayed_ack_limit": 0}
OLD = ns.host("p166", system="linux-2.2.16", nics=["3c905b/3c59x"])
TWO = ns.host("2xpii-400", system="linux-2.2.14-smp", nics=["eepro100/eepro100"])
WINDOWS = ns.host("ml530", system="windows-2000", nics=["pro100s/e100bnt5"]).replace("processors.count", 1)
SEGMENT = 1448
FREE = {"system.kernel.interrupt_cycles": 0, "system.kernel.cold_cycles": 0, "system.kernel.wake_up_cycles": 0,
        "system.kernel.tick": 0, "processors.port_access": 0}  # fmt: skip


def crr(one: Any = PC, other: Any = None, **changes: Any) -> ns.Netperf:
    return ns.Netperf("TCP_CRR", one, other or one, **changes)


def named(frame: Frame) -> str:
    """The kind of a segment, and which end sent it."""
    assert isinstance(frame, TcpSegment)
    way = ">" if str(frame.port).endswith("b") else "<"
    if not isinstance(frame, ControlSegment):
        return f"{way} data" if frame.length else f"{way} ack"
    words = ((SYN, "SYN"), (FIN, "FIN"), (ACK, "ACK"))
    return f"{way} {'/'.join(word for flag, word in words if frame.flags & flag)}"


Lost = Callable[[Frame, int], bool]


def watched(test: ns.Netperf, lost: Lost = lambda frame, number: False) -> tuple[Any, list[Frame]]:
    """A run that notes its frames as they leave, and may lose them, by their number."""
    run: Any = test.build(ns.engine.Environment(1))
    frames: list[Frame] = []

    def leaves(frame: Frame) -> bool:
        frames.append(frame)
        return lost(frame, len(frames) - 1)

    for link in run.ledger.links:
        link.lost = leaves
    run.start()
    return run, frames


OPENING = ["> SYN", "< SYN/ACK", "> ACK"]
CLOSING = ["< FIN/ACK", "> ACK", "> FIN/ACK", "< ACK"]


def test_a_transactions_segments_are_the_standards() -> None:
    """RFC 793, figures 7 and 13, with data between; each segment is acknowledged by the next one."""
    run, frames = watched(crr(PC.replace(PLAIN)))
    while run.delivered < 2:
        run.env.run(run.env.now + MS)
    own = [frame for frame in frames if str(frame.port).startswith("connection 0 ")]  # another may begin meanwhile
    assert [named(frame) for frame in own] == [*OPENING, "> data", "< data", *CLOSING]
    numbers = [(frame.seq, frame.ack + getattr(frame, "finish", 0)) for frame in own[3:]]
    assert numbers == [(0, 0), (0, 1), (1, 1), (1, 2), (1, 2), (2, 2)]


@pytest.mark.parametrize("system", ["windows-2000", "windows-nt-4.0"])
def test_windows_opens_connections_too_by_the_same_segments(system: str) -> None:
    """Their cost is an assumption: objects opened by name, about three times Linux' sockets."""
    card = {"windows-2000": "pro100s/e100bnt5", "windows-nt-4.0": "etherjet-100/ibmfent"}[system]
    test = crr(ns.host("piii-600", system=system, nics=card))
    run, frames = watched(test)
    run.env.run(20 * MS)
    run.audit()
    own = [named(frame) for frame in frames if str(frame.port).startswith("connection 0 ")]
    assert own[:3] == OPENING
    assert [one for one in own if one[2:] not in ("ack", "data")][3:] == CLOSING
    linux, windows = (one.system.tcp.connection for one in (PC, test.sender))
    assert linux is not None
    assert windows is not None
    for name in ("socket_cycles", "connect_cycles", "accept_cycles", "close_cycles"):
        assert 2 < getattr(windows, name) / getattr(linux, name) < 8
    assert 10 < run.delivered <= 0.02 * test.bounds().limit
    assert run.delivered < watched_until(crr(), 20 * MS).delivered


def watched_until(test: ns.Netperf, until: int) -> Any:
    run, _ = watched(test)
    run.env.run(until)
    return run


def test_linux_acknowledges_the_first_data_at_once_at_both_ends() -> None:
    run, frames = watched(crr())
    run.env.run(20 * MS)
    run.audit()
    assert [named(frame) for frame in frames[:11]].count("< ack") == 1
    assert [named(frame) for frame in frames[:11]].count("> ack") == 1
    assert [named(frame) for frame in frames[:3]] == OPENING
    counts = run.accounts().counts
    assert counts["SYN, FIN and their acknowledgements"] == pytest.approx(7 * run.delivered, abs=7)
    assert counts["segments sent"] == pytest.approx(2 * run.delivered, abs=2)


def test_a_syn_has_its_options_and_all_else_has_none_but_timestamps() -> None:
    sizes = {}
    run, frames = watched(crr())
    run.env.run(5 * MS)
    for frame in frames:
        sizes.setdefault(named(frame)[2:], set()).add(frame.size)
    assert sizes["SYN"] == sizes["SYN/ACK"] == {14 + 20 + 20 + 20 + 4}
    assert sizes["FIN/ACK"] == sizes["ACK"] == {14 + 20 + 32 + 4}


@pytest.mark.parametrize("number", range(8))
def test_whatever_is_lost_comes_again(number: int) -> None:
    """SYNs are sent again after 3 s, data and FINs after the retransmission timeout. Acknowledged segments are not sent
    again."""
    run, frames = watched(crr(PC.replace(PLAIN)), lambda frame, count: count == number)
    for _ in range(130):
        run.env.run(run.env.now + (1 if number == 2 else 25) * MS)
        if not run._live.get(0):
            break
    run.audit()
    assert run.delivered > 0
    assert 0 not in run._live
    lost, name = frames[number], named(frames[number])
    again = [frame for frame in frames[number + 1 :] if frame.port == lost.port and named(frame) == name]
    if name == "> ACK":
        return  # the next segment acknowledges the same
    if name in ("> SYN", "< SYN/ACK"):
        assert again[0].tsval - lost.tsval >= 3000 * MS  # type: ignore[attr-defined]
    else:
        assert again[0].tsval - lost.tsval >= 200 * MS  # type: ignore[attr-defined]


def test_lossy_wires_end_all_connections() -> None:
    run, _ = watched(crr(), lambda frame, count: count % 23 == 22)
    while run.delivered < 20:
        run.env.run(run.env.now + 20 * MS)
        run.audit()
    assert len(run._live) < 10


def test_without_queueing_a_transaction_is_the_sum_of_its_steps() -> None:
    """A cable of a millisecond, and processors that take almost no time: the server's FIN follows its response."""
    host = PC.replace(PLAIN | FREE | {"processors.clock": "20 GHz"})
    test = crr(host, link={"model": "100base-tx", "propagation": "1 ms"})
    result = ns.simulate(test, precision=0.01, limit="2 s")
    assert test.bounds().limit == pytest.approx(250, rel=0.03)
    assert result.throughput == pytest.approx(test.bounds().limit, rel=0.01)
    assert result.throughput <= test.bounds().limit


@pytest.mark.parametrize("size", [1, 1000, 4000])
def test_no_bound_is_beaten(size: int) -> None:
    test = crr(request=size, response=size)
    result = ns.simulate(test, precision=0.05, limit="0.05 s")
    assert 0.5 * test.bounds().limit < result.throughput <= test.bounds().limit
    assert result.latencies is not None
    assert result.throughput == pytest.approx(1 / result.latencies.mean, rel=0.02)


@pytest.mark.parametrize("host", [OLD, WINDOWS, WINDOWS.replace("processors.count", 2)], ids=["old", "one", "two"])
def test_longer_responses_take_a_little_longer(host: Any) -> None:
    """The rate follows the processors' and the wire's time for the segments. No step of 10 or 200 ms comes between."""
    before = None
    for size in (1, *(number * SEGMENT + more for number in (1, 2, 3, 4, 6, 8, 14) for more in (-200, 1))):
        run, frames = watched(crr(host, response=size))
        while run.delivered < 20:
            run.env.run(run.env.now + MS)
        time = run.env.now / run.delivered
        assert before is None or 0.8 * before < time < 1.6 * before, size
        assert sum(FIN & frame.flags for frame in frames if isinstance(frame, ControlSegment)) <= 2 * len(frames)
        before = time


@pytest.mark.parametrize("size", [1, SEGMENT, 2 * SEGMENT, 2 * SEGMENT + 1, 8 * SEGMENT, 20_000])
@pytest.mark.parametrize("host", [OLD, PC, TWO, WINDOWS], ids=["old", "pc", "two", "windows"])
def test_seven_segments_open_and_close_whatever_lies_between(host: Any, size: int) -> None:
    run, _ = watched(crr(host, response=size))
    run.env.run(30 * MS)
    run.audit()
    counts = run.accounts().counts
    assert run.delivered > 3
    assert counts["SYN, FIN and their acknowledgements"] == pytest.approx(7 * run.delivered, abs=7)
    assert not counts["retransmission timeouts"]


def arrived(end: Connection, frame: TcpSegment) -> TcpSegment:
    """`frame` has been received and checked at this end."""
    frame.received_by, frame.push = 0, True
    end.socket.arriving(frame)
    end.socket.put(frame)
    return frame


def established() -> tuple[Any, list[Frame], Connection]:
    """A client in whose connection nothing happens any more, as the server's data are lost."""
    run, frames = watched(crr(), lambda frame, number: str(frame.port).endswith("a") and number > 2)
    run.env.run(100 * MS)
    return run, frames, run._exchange.client


def data(seq: int, length: int) -> TcpSegment:
    return TcpSegment(length + 70, "connection 0 a", seq, length, 1, 30_000, 0, -1)


def fin(run: Any, seq: int) -> ControlSegment:
    return ControlSegment(70, run._exchange.far, seq, FIN | ACK, False)


def test_a_fin_waits_in_the_backlog_behind_data() -> None:
    """A process inside a call takes them up in turn (Linux 2.2: tcp_v4_rcv)."""
    run, _, client = established()
    client.socket.locked = True
    for frame in (data(0, 1), fin(run, 1)):
        arrived(client, frame)
    assert [frame.seq for frame in client.socket.backlog] == [0, 1]
    assert not client.came_to_end
    client.socket.locked = False
    client.socket._kick_output()
    run.env.run(run.env.now + MS)
    assert client.came_to_end


def test_what_waits_is_checked_before_and_paid_for_once() -> None:
    costs = ConnectionCosts(TcpCosts(PC))
    check, whole, rest = costs.costs.check(0, 0), costs.finished(0), costs.finished(0, checked=True)
    assert check.total + rest.total == pytest.approx(whole.total, abs=2)
    assert rest.total < whole.total


@pytest.mark.parametrize("missing", [1, 3])
def test_a_fin_beyond_a_hole_takes_effect_when_the_hole_is_filled(missing: int) -> None:
    """It is acknowledged without its number first, and with it then (Linux 2.2: tcp_ofo_queue, tcp_fin)."""
    run, frames, client = established()
    run.test = run.test.replace("response", missing)
    number = len(frames)
    arrived(client, fin(run, missing))
    assert not client.came_to_end
    for seq in reversed(range(missing)):
        run.env.run(run.env.now + MS)
        assert not client.came_to_end
        arrived(client, data(seq, 1))
    run.env.run(run.env.now + MS)
    assert client.came_to_end
    own = [frame for frame in frames[number:] if isinstance(frame, ControlSegment) and str(frame.port).endswith("b")]
    assert [(named(frame), frame.finish) for frame in own[:2]] == [("> ACK", False), ("> ACK", True)]


@pytest.mark.parametrize("number", range(3, 12))
@pytest.mark.parametrize("system", ["linux", "windows"])
def test_a_loss_costs_one_timeout_at_most(number: int, system: str) -> None:
    """Whichever segment is lost; what arrives behind a lost one is kept, the FIN as well."""
    host = PC if system == "linux" else WINDOWS
    run, frames = watched(crr(host, response=3 * SEGMENT + 100), lambda frame, count: count == number)
    while run.delivered < 1:
        run.env.run(run.env.now + MS)
    run.audit()
    assert run.env.now < 1000 * MS
    assert [named(frame) for frame in frames if str(frame.port) == "connection 0 a"].count("< FIN/ACK") <= 2


def test_it_takes_more_than_transactions_on_one_connection() -> None:
    tests = [ns.Netperf(name, PC, PC) for name in ("TCP_CRR", "TCP_RR")]
    one, other = (ns.simulate(test, precision=0.05, limit="0.05 s") for test in tests)
    assert 0.25 * other.throughput < one.throughput < 0.5 * other.throughput
    assert "connection" in one.cpu_by_name("sender")


def test_half_duplex_segments_and_two_processors_do() -> None:
    slow = ns.host("486dx-33", system="linux-2.2.16", nics=["3c509/3c509"])
    two = ns.host("2xpii-400", system="linux-2.2.14-smp", nics=["eepro100/eepro100"])
    for test in (crr(slow, segment="10base2"), crr(two)):
        run: Any = test.build(ns.engine.Environment(1))
        run.start()
        run.env.run(30 * MS)
        run.audit()
        assert 0 < run.delivered <= 0.03 * test.bounds().limit + 1


@pytest.mark.parametrize(
    ("change", "address", "words"),
    [
        ({"burst": 1}, "burst", "one transaction"),
        ({"ipsec": "3des-cbc/hmac-md5-96", "sender.system.ipsec": "freeswan-1.97",
          "receiver.system.ipsec": "freeswan-1.97"}, "ipsec", "IPsec is not modelled"),
        ({"receiver.system.tcp.connection": None}, "receiver.system.tcp.connection", "not known"),
    ],
)  # fmt: skip
def test_what_is_not_modelled_is_refused(change: dict[str, Any], address: str, words: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        crr().replace(change)
    assert caught.value.address == address
    assert words in caught.value.problem
