"""NetWare's core protocol: a request and its reply, what is asked again, and when a frame goes to the card."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import netsim as ns
from netsim.engine import Environment
from netsim.ethernet import Frame, Segment, SegmentSpec
from netsim.host import Host
from netsim.host.task import INTERRUPT, PROCESS
from netsim.stack import NcpHostSpec, NcpServer, NcpWorkstation
from netsim.stack.ncp import NcpCosts, NcpFrame

SECOND = 10**12
MS = SECOND // 1000
RETRY = 20 * MS
SERVER = ns.netware_host("compaq-cp3301", system="netware-3.11", nics=["plx-sonic/plx-sonic-lan"])
WORKSTATION = ns.netware_host("ast-premium-5", system="netx-3", nics=["ne2000/ne2000-odi"])
EARLY = "3c509/3c509-odi"


class Bench:
    """A server and a workstation on a cable that loses the frames that `lost` says, by their number in order of their
    ends, and notes when each was handed over and what it was."""

    def __init__(
        self, server: NcpHostSpec = SERVER, workstation: NcpHostSpec = WORKSTATION, lost: tuple[int, ...] = ()
    ) -> None:
        self.env = Environment(1)
        self.segment = Segment(self.env, SegmentSpec.from_name("10base2"), "wire segment")
        still = [spec.replace({"system.kernel.tick": 0, "system.ncp.retry": "20 ms"}) for spec in (server, workstation)]
        hosts = [
            self._join(spec, name, 5 * place) for place, (spec, name) in enumerate(zip(still, ("s", "w"), strict=True))
        ]
        self.hosts = hosts
        self.server = NcpServer(hosts[0], still[0], "s")
        self.workstation = NcpWorkstation(hosts[1], still[1], "w", "s")
        self.frames: list[tuple[int, NcpFrame]] = []  # (when its last bit came, what)
        self.read: list[int] = []  # when each was there
        self._lost = lost
        for mac in self.segment.macs:
            self._listen(mac)

    def _join(self, spec: NcpHostSpec, name: str, position: int) -> Host:
        host = Host(self.env, spec, name, half_duplex=True)
        mac = self.segment.mac(name, position)
        host.nics[0].join(mac, self.segment.spec)
        self.segment.learn(name, mac)
        return host

    def _listen(self, mac: object) -> None:
        arrive: Callable[[Frame], None] = mac.arrive  # type: ignore[attr-defined]

        def noted(frame: NcpFrame) -> None:
            self.frames.append((self.env.now, frame))
            if len(self.frames) - 1 not in self._lost:
                arrive(frame)

        mac.arrive = noted  # type: ignore[attr-defined]

    def reads(self, *lengths: int) -> Bench:
        """One after the other, to the end of all."""
        rest = list(lengths)

        def following() -> None:
            if self.workstation.read_bytes:
                self.read.append(self.env.now)
            if rest:
                self.workstation.read(rest.pop(0), following)

        following()
        self.env.run(SECOND)
        return self

    @property
    def wire(self) -> list[tuple[str, int, int]]:
        """(to whom, number, bytes) of each frame."""
        return [(frame.port, frame.sequence, frame.size) for _, frame in self.frames]


# --- a request and its reply -----------------------------------------------------------------------------------------


def test_a_read_is_a_request_and_a_reply() -> None:
    """57 and 54 + 1024 bytes as an analyser shows them; with FCS, and padding to 64."""
    bench = Bench().reads(1024)
    assert bench.wire == [("s", 1, 64), ("w", 1, 1082)]
    assert (bench.server.requests, bench.server.replied_bytes) == (1, 1024)
    assert (bench.workstation.requests, bench.workstation.read_bytes, bench.workstation.repeated) == (1, 1024, 0)


def test_each_request_has_a_number_of_its_own_and_waits_for_the_reply_before() -> None:
    bench = Bench().reads(1024, 1, 500)
    assert bench.wire == [("s", 1, 64), ("w", 1, 1082), ("s", 2, 64), ("w", 2, 64), ("s", 3, 64), ("w", 3, 558)]
    asked = [time for time, frame in bench.frames if frame.port == "s"]
    assert len(bench.read) == 3
    assert all(there < next_asked for there, next_asked in zip(bench.read, asked[1:], strict=False))
    assert bench.workstation.read_bytes == bench.server.replied_bytes == 1525


def test_both_ends_take_their_time_for_a_request() -> None:
    """The protocol's cycles once at the server; at the workstation for each request."""
    bench = Bench().reads(1024, 1024)
    for end in (bench.server, bench.workstation):
        spec = end.host.spec
        assert isinstance(spec, NcpHostSpec)
        protocol = end.host.processors[0].busy()["protocol"]
        seen = spec.bill().cycles("protocol", spec.system.kernel.lookahead_cycles).work().total
        assert protocol == 2 * NcpCosts(spec).request.total + 2 * seen


# --- what is lost ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lost", [0, 1])
def test_what_is_not_answered_is_asked_again(lost: int) -> None:
    """Whichever of both frames is lost, under the same number, `retry` after the request was made."""
    bench = Bench(lost=(lost,)).reads(1024, 1024)
    assert bench.workstation.repeated == 1
    assert [number for to, number, _ in bench.wire if to == "s"] == [1, 1, 2]
    assert bench.server.requests == 2 + lost
    assert bench.workstation.read_bytes == 2048
    first, second = [time for time, frame in bench.frames if frame.port == "s"][:2]
    assert second - first == RETRY


def test_it_is_asked_again_as_often_as_it_takes() -> None:
    bench = Bench(lost=(0, 1, 2, 3)).reads(1024)
    assert bench.workstation.repeated == 4
    assert (bench.server.requests, bench.workstation.read_bytes) == (1, 1024)
    times = [time for time, frame in bench.frames if frame.port == "s"]
    assert times == [times[0] + number * RETRY for number in range(5)]


def test_nothing_is_asked_again_once_it_is_answered() -> None:
    bench = Bench().reads(1024)
    assert bench.workstation.repeated == 0
    assert len(bench.frames) == 2


@pytest.mark.parametrize("repeats", [1, 2])
def test_replies_to_what_was_asked_twice_are_ignored(repeats: int) -> None:
    """A server slower than `retry` answers each request; only the first reply counts, and the others are no answer to
    the next read."""
    slow = SERVER.replace("system.ncp.request_cycles", (repeats + 0.5) * RETRY / 10**12 * 50e6 / 2.5)
    assert 0.4 < NcpCosts(slow).request.total / RETRY - repeats < 0.6
    bench = Bench(server=slow).reads(1000, 500)
    replies = [number for to, number, _ in bench.wire if to == "w"]
    assert replies.count(1) == repeats + 1
    assert bench.workstation.read_bytes == 1500
    assert len(bench.read) == 2
    assert bench.server.replied_bytes > 1500


# --- when the card gets it -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("masked", "level"), [(True, INTERRUPT), (False, PROCESS)])
def test_a_driver_sends_masked_if_the_system_says_so(masked: bool, level: int) -> None:
    bench = Bench(workstation=WORKSTATION.replace("system.kernel.send_masked", masked)).reads(1024)
    assert bench.workstation._driver.level == level
    assert bench.workstation.read_bytes == 1024


def test_a_card_that_sends_early_begins_before_all_of_it_is_there() -> None:
    """By the time that the rest takes the processor, which it spends all the same."""
    nic = "3c509/3c509-lan"
    early = ns.netware_host("compaq-cp3301", system="netware-3.11", nics=[nic])
    whole = early.replace("nics.0.tx_early", None)
    port = early.ports()[0]
    rest = port.bill_rest(early.bill(), 1082 - 4).work().total
    assert rest > 0
    ends = {}
    for name, spec in (("early", early), ("whole", whole)):
        bench = Bench(server=spec).reads(1024)
        ends[name] = bench.frames[1][1].last_bit
        assert bench.server.device._left(bench.frames[1][1]) is None or name == "early"
        assert bench.hosts[0].processors[0].busy()["programmed I/O"] > rest
    assert ends["whole"] - ends["early"] == rest


def test_early_receive_calls_the_driver_before_the_last_bit() -> None:
    """So that it has moved the frame when that is in: the next request goes out sooner by what it did meanwhile."""
    early = ns.netware_host("ast-premium-5", system="netx-3", nics=[EARLY])
    late = early.replace("nics.0.rx_early", None)
    one, other = (Bench(workstation=spec).reads(1024, 1024) for spec in (early, late))
    reply, frame = one.frames[1]
    assert reply < frame.last_bit
    reply, frame = other.frames[1]
    assert reply > frame.last_bit  # on its way along the cable
    handling = early.ports()[0].handling_time(early.bill, early.system.kernel, 1082 - 4)
    longest = SegmentSpec.from_name("10base2").time(1082 - 60)
    assert other.read[0] - one.read[0] == min(handling, longest)


def test_replies_keep_the_requests_order() -> None:
    """A server with several workstations answers them as they came."""
    bench = Bench()
    asked = [NcpFrame(64, "s", "w", number, 100) for number in range(1, 6)]
    for frame in asked:
        bench.server.arriving(frame)
    bench.env.run(SECOND)
    assert [number for _, number, _ in bench.wire] == [1, 2, 3, 4, 5]
