"""NetWare's core protocol: a request and its reply, what is requested again, and when a frame is handed to the card."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import netsim as ns
from netsim.engine import Environment
from netsim.errors import SimulationError
from netsim.ethernet import Frame, Segment, SegmentSpec
from netsim.machine import Host
from netsim.machine.task import DEFERRED, INTERRUPT
from netsim.stack import NcpHostSpec, NcpServer, NcpWorkstation
from netsim.stack.ncp_costs import NcpCosts
from netsim.stack.ncp_messages import NcpExchange, NcpFrame
from netsim.stack.ncp_requests import NcpRequest
from netsim.stack.ncp_server import Service, answer_at_once

SECOND = 10**12
MS = SECOND // 1000
RETRY = 20 * MS
SERVER = ns.netware_host("compaq-cp3301", system="netware-3.11", nics=["plx-sonic/plx-sonic-lan"])
WORKSTATION = ns.netware_host("ast-premium-5", system="netx-3", nics=["ne2000/ne2000-odi"])
EARLY = "3c509/3c509-odi"


class Bench:
    """A server and a workstation on a cable that loses the frames listed in `lost`, numbered in the order in which they
    end; notes each frame and the time when it was handed over."""

    def __init__(
        self,
        server: NcpHostSpec = SERVER,
        workstation: NcpHostSpec = WORKSTATION,
        lost: tuple[int, ...] = (),
        service: Service = answer_at_once,
    ) -> None:
        self.env = Environment(1)
        self.segment = Segment(self.env, SegmentSpec.from_name("10base2"), "wire segment")
        quiet = {"system.kernel.tick": 0, "system.ncp.retry": "20 ms", "bus.refresh_interval": 0}
        still = [spec.replace(quiet) for spec in (server, workstation)]
        hosts = [
            self._join(spec, name, 5 * place) for place, (spec, name) in enumerate(zip(still, ("s", "w"), strict=True))
        ]
        self.hosts = hosts
        self.server = NcpServer(hosts[0], still[0], "s", service)
        self.workstation = NcpWorkstation(hosts[1], still[1], "w", "s", still[0].system.ncp)
        self.frames: list[tuple[int, NcpFrame]] = []  # (time of its last bit, frame)
        self.read: list[int] = []  # times when each was complete
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
        arrive: Callable[[Frame], None] = mac.deliver  # type: ignore[attr-defined]

        def noted(frame: NcpFrame) -> None:
            self.frames.append((self.env.now, frame))
            if len(self.frames) - 1 not in self._lost:
                arrive(frame)

        mac.deliver = noted  # type: ignore[attr-defined]

    def reads(self, *lengths: int) -> Bench:
        """Make these reads one after another, and run to the end of all."""
        return self.asks(*(NcpRequest("read", asked=length) for length in lengths))

    def asks(self, *requests: NcpRequest) -> Bench:
        """Make these requests one after another, and run to the end of all."""
        rest = list(requests)

        def following() -> None:
            if len(rest) < len(requests):
                self.read.append(self.env.now)
            if rest:
                self.workstation.ask(rest.pop(0), following)

        following()
        self.env.run(SECOND)
        return self

    @property
    def parts(self) -> list[tuple[str, int, int]]:
        """(part of an exchange, number of the frame in its message, bytes of data) of each frame."""
        return [(frame.part, frame.number, frame.length) for _, frame in self.frames]

    @property
    def wire(self) -> list[tuple[str, int, int]]:
        """(addressee, number, bytes) of each frame."""
        return [(frame.port, frame.exchange.sequence, frame.size) for _, frame in self.frames]


# --- a request and its reply -----------------------------------------------------------------------------------------


def test_a_read_is_a_request_and_a_reply() -> None:
    """14 of Ethernet and 30 of IPX, 20 and 10 + 1024 of the core protocol (ncp_read_kernel), 4 of FCS."""
    bench = Bench().reads(1024)
    assert bench.wire == [("s", 1, 68), ("w", 1, 1082)]
    assert (bench.server.requests, bench.server.replied_bytes) == (1, 1024)
    assert (bench.workstation.requests, bench.workstation.read_bytes, bench.workstation.repeated) == (1, 1024, 0)


def test_each_request_has_a_number_of_its_own_and_waits_for_the_reply_before() -> None:
    bench = Bench().reads(1024, 1, 500)
    assert bench.wire == [("s", 1, 68), ("w", 1, 1082), ("s", 2, 68), ("w", 2, 64), ("s", 3, 68), ("w", 3, 558)]
    asked = [time for time, frame in bench.frames if frame.port == "s"]
    assert len(bench.read) == 3
    assert all(there < next_asked for there, next_asked in zip(bench.read, asked[1:], strict=False))
    assert bench.workstation.read_bytes == bench.server.replied_bytes == 1525


def test_both_ends_take_their_time_for_a_request() -> None:
    """The cycles of the protocol are spent once per request at the server and once at the workstation."""
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
    """Whichever of the two frames is lost, the request is repeated with the same number, `retry` after the driver has
    released it."""
    bench = Bench(lost=(lost,)).reads(1024, 1024)
    assert bench.workstation.repeated == 1
    assert [number for to, number, _ in bench.wire if to == "s"] == [1, 1, 2]
    assert bench.server.requests == 2 + lost
    assert bench.workstation.read_bytes == 2048
    first, second = [time for time, frame in bench.frames if frame.port == "s"][:2]
    assert first < second - first - RETRY < first + MS // 10  # it takes as long as at first, and an interrupt


def test_it_is_asked_again_as_often_as_it_takes() -> None:
    bench = Bench(lost=(0, 1, 2, 3)).reads(1024)
    assert bench.workstation.repeated == 4
    assert (bench.server.requests, bench.workstation.read_bytes) == (1, 1024)
    times = [time for time, frame in bench.frames if frame.port == "s"]
    assert times == [times[0] + number * (times[1] - times[0]) for number in range(5)]


def test_nothing_is_asked_again_once_it_is_answered() -> None:
    bench = Bench().reads(1024)
    assert bench.workstation.repeated == 0
    assert len(bench.frames) == 2


@pytest.mark.parametrize("repeats", [1, 2])
def test_what_is_asked_again_meanwhile_is_dropped(repeats: int) -> None:
    """A server slower than `retry` knows which request it is working on, and answers it once."""
    slow = SERVER.replace("system.ncp.request_cycles", (repeats + 0.5) * RETRY / 10**12 * 50e6 / 2.5)
    assert 0.4 < NcpCosts(slow).request.total / RETRY - repeats < 0.6
    bench = Bench(server=slow).reads(1000, 500)
    assert [number for to, number, _ in bench.wire if to == "s"] == [1] * (1 + repeats) + [2] * (1 + repeats)
    assert [number for to, number, _ in bench.wire if to == "w"] == [1, 2]
    assert bench.workstation.repeated == 2 * repeats
    assert (bench.server.requests, bench.server.replied_bytes, bench.workstation.read_bytes) == (2, 1500, 1500)
    assert len(bench.read) == 2


# --- when the card gets a frame --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("masked", "level"), [(True, INTERRUPT), (False, DEFERRED)])
def test_a_driver_sends_masked_if_the_system_says_so(masked: bool, level: int) -> None:
    bench = Bench(workstation=WORKSTATION.replace("system.kernel.send_masked", masked)).reads(1024)
    assert bench.workstation.device._restart.level == level
    assert bench.workstation.read_bytes == 1024


def test_a_card_that_sends_early_begins_before_all_of_it_is_there() -> None:
    """It starts earlier by the time that the rest takes the processor, which spends that time anyway."""
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
        assert bench.hosts[0].drivers[0].rest(bench.frames[1][1]) is None or name == "early"
        assert bench.hosts[0].processors[0].busy()["programmed I/O"] > rest
    assert ends["whole"] - ends["early"] == rest


def test_early_receive_calls_the_driver_before_the_last_bit() -> None:
    """The driver has moved the frame by the time its last bit arrives, so the next request goes out earlier by the work
    done meanwhile."""
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
    """A server with several workstations answers requests in the order of their arrival."""
    bench = Bench()
    for number in range(1, 6):
        frame = NcpFrame(64, "s", "request", NcpExchange("w", number, NcpRequest("read", asked=100), 1024))
        frame.received_by = 0
        bench.server.arriving(frame)
    bench.env.run(SECOND)
    assert [number for _, number, _ in bench.wire] == [1, 2, 3, 4, 5]


# --- of any length ---------------------------------------------------------------------------------------------------

BURST = {"system.ncp.burst": "4 KiB", "system.ncp.fragment_cycles": 100}
BURSTS = (SERVER.replace(BURST), WORKSTATION.replace(BURST))


def test_without_burst_a_long_read_is_many() -> None:
    bench = Bench().reads(2500)
    assert bench.parts == [("request", 0, 0), ("reply", 0, 1024)] * 2 + [("request", 0, 0), ("reply", 0, 452)]
    assert [number for _, number, _ in bench.wire] == [1, 1, 2, 2, 3, 3]
    assert (bench.workstation.requests, bench.workstation.read_bytes, len(bench.read)) == (3, 2500, 1)


def test_with_burst_its_frames_follow_each_other() -> None:
    """At most `burst` bytes for each request."""
    bench = Bench(*BURSTS).reads(5000)
    replies = [("reply", 0, 1024), ("reply", 1, 1024), ("reply", 2, 1024), ("reply", 3, 1024)]
    assert bench.parts == [("request", 0, 0), *replies, ("request", 0, 0), ("reply", 0, 904)]
    assert (bench.server.requests, bench.workstation.read_bytes, bench.workstation.repeated) == (2, 5000, 0)


def test_a_burst_that_takes_longer_than_the_retry_is_not_asked_about() -> None:
    """The wait for an answer begins with the last frame of the request."""
    long = {**BURST, "system.ncp.burst": "64 KiB"}
    bench = Bench(SERVER.replace(long), WORKSTATION.replace(long)).asks(NcpRequest("write", sent=65536))
    assert bench.parts == [*(("request", number, 1024) for number in range(64)), ("reply", 0, 0)]
    assert bench.frames[-1][0] > 2 * RETRY
    assert bench.workstation.repeated == 0


def test_a_write_takes_its_data_along() -> None:
    """Each frame carries a request's bytes and its data: 64 + 1024 + 4 of FCS; the reply is padded to 64."""
    bench = Bench().asks(NcpRequest("write", sent=1500))
    assert bench.wire == [("s", 1, 1092), ("w", 1, 64), ("s", 2, 64 + 476 + 4), ("w", 2, 64)]
    assert bench.workstation.written_bytes == bench.server.written_bytes == 1500
    bench = Bench(*BURSTS).asks(NcpRequest("write", sent=1500))
    assert bench.parts == [("request", 0, 1024), ("request", 1, 476), ("reply", 0, 0)]
    assert bench.workstation.written_bytes == bench.server.written_bytes == 1500
    assert (bench.workstation.read_bytes, bench.server.replied_bytes) == (0, 0)


def test_another_call_has_one_frame_each_way() -> None:
    bench = Bench(*BURSTS).asks(NcpRequest("call", sent=20, asked=100))
    assert bench.parts == [("request", 0, 20), ("reply", 0, 100)]
    assert bench.workstation.read_bytes == bench.workstation.written_bytes == 0
    for sent, asked in ((1025, 0), (0, 1025)):
        with pytest.raises(SimulationError, match="1025 bytes; allowed: 1024"):
            bench.workstation.ask(NcpRequest("call", sent=sent, asked=asked), lambda: None)


def test_both_ends_agree_to_the_less() -> None:
    small = WORKSTATION.replace({**BURST, "system.ncp.largest": 500, "system.ncp.burst": 1000})
    bench = Bench(BURSTS[0], small).reads(1200)
    assert [length for _, _, length in bench.parts] == [0, 500, 500, 0, 200]
    bench = Bench(SERVER, BURSTS[1]).reads(2000)  # no packet burst at the server
    assert [length for _, _, length in bench.parts] == [0, 1024, 0, 976]


def test_frames_behind_the_first_cost_both_ends() -> None:
    """A reply of three frames has two of them; a copy of all bytes is added if the workstation's protocol makes one."""
    copying = BURSTS[1].replace("system.ncp.receive_copy", True)
    bench, copied = Bench(*BURSTS).reads(3000), Bench(BURSTS[0], copying).reads(3000)
    for end, frames in ((bench.server, 1), (bench.workstation, 3)):
        spec = end.host.spec
        costs, kernel = NcpCosts(spec), spec.system.kernel
        seen = frames * spec.bill().cycles("protocol", kernel.lookahead_cycles).work().total
        assert end.host.processors[0].busy()["protocol"] == costs.request.total + 2 * costs.fragment.total + seen
    assert costs.fragment.total > 0
    assert "copy" not in bench.workstation.host.processors[0].busy()
    place = copying.ports()[0].leaves(1082)
    copy = sum(copying.bill().copy(length, *place).work().total for length in (1024, 1024, 952))
    assert copied.workstation.host.processors[0].busy()["copy"] == copy
    assert copied.read[0] > bench.read[0]


def test_who_asks_waits_for_the_answer() -> None:
    bench = Bench()
    bench.workstation.read(1, lambda: None)
    with pytest.raises(SimulationError, match="not answered"):
        bench.workstation.read(1, lambda: None)


# --- answers that take time ------------------------------------------------------------------------------------------


class Disk:
    """Serves each request after a fixed number of ps."""

    def __init__(self, env: Environment, late: int) -> None:
        self.env = env
        self.late = late
        self.asked: list[tuple[int, NcpRequest]] = []

    def __call__(self, request: NcpRequest, reply: Callable[[], None]) -> None:
        self.asked.append((self.env.now, request))
        self.env.call_in(self.late, lambda _: reply())


def disked(late: int, *requests: NcpRequest, lost: tuple[int, ...] = ()) -> tuple[Bench, Disk]:
    bench = Bench(*BURSTS, lost=lost)
    disk = bench.server.service = Disk(bench.env, late)
    return bench.asks(*requests), disk


def test_a_service_gets_what_is_asked_and_answers_when_it_is_done() -> None:
    """The service starts after the request's processor time, and each part carries its offset in the whole."""
    early, _ = disked(0, NcpRequest("read", asked=5000))
    bench, disk = disked(5 * MS, NcpRequest("read", asked=5000, extra="a"))
    assert [request for _, request in disk.asked] == [
        NcpRequest("read", asked=4096, extra="a"), NcpRequest("read", asked=904, extra="a", offset=4096),
    ]  # fmt: skip
    arrived = next(time for time, frame in bench.frames if frame.part == "request")
    assert disk.asked[0][0] - arrived > bench.server.costs.request.total
    assert bench.read[0] - early.read[0] == 10 * MS
    assert bench.workstation.repeated == 0


def test_a_request_is_served_once_however_often_it_is_asked_for() -> None:
    """A repeat is dropped while the request is served, and answered from the known result afterwards."""
    bench, disk = disked(50 * MS, NcpRequest("write", sent=100), NcpRequest("read", asked=100))
    assert (bench.workstation.repeated, len(disk.asked), bench.server.requests) == (4, 2, 2)
    bench, disk = disked(5 * MS, NcpRequest("write", sent=100), lost=(1,))
    assert (bench.workstation.repeated, len(disk.asked), bench.server.requests) == (1, 1, 2)
    assert bench.server.written_bytes == bench.workstation.written_bytes == 100


def test_a_service_answers_once() -> None:
    bench = Bench()
    bench.server.service = lambda _, reply: (reply(), reply())
    with pytest.raises(SimulationError, match="replies twice to request 1 of w"):
        bench.reads(1)


# --- losses in a burst -----------------------------------------------------------------------------------------------


def test_of_a_reply_only_what_is_lacking_comes_again() -> None:
    bench = Bench(*BURSTS, lost=(2, 3)).reads(4000)
    first = [("request", 0, 0), ("reply", 0, 1024), ("reply", 1, 1024), ("reply", 2, 1024), ("reply", 3, 928)]
    assert bench.parts == [*first, ("request", 0, 0), ("reply", 1, 1024), ("reply", 2, 1024)]
    assert (bench.workstation.repeated, bench.workstation.read_bytes) == (1, 4000)
    last, again = bench.frames[4][0], bench.frames[5][0]
    assert last + RETRY < again < last + RETRY + 5 * MS  # nothing arrived for that long


@pytest.mark.parametrize("lost", [(0,), (1,), (0, 2), (2,), (1, 2)])
def test_of_a_write_only_what_is_lacking_goes_again(lost: tuple[int, ...]) -> None:
    """The first frame asks; the server says what else is missing."""
    bench = Bench(*BURSTS, lost=lost).asks(NcpRequest("write", sent=3000))
    rest = [number for number in lost if number]
    assert bench.parts[:4] == [("request", 0, 1024), ("request", 1, 1024), ("request", 2, 952), ("request", 0, 1024)]
    lacking = [("lacking", 0, 0), *(("request", number, (1024, 1024, 952)[number]) for number in rest)] if rest else []
    assert bench.parts[4:] == [*lacking, ("reply", 0, 0)]
    assert bench.server.written_bytes == bench.workstation.written_bytes == 3000


def test_a_ring_that_is_too_small_for_a_burst_is_filled_again_and_again() -> None:
    """With a card that holds two frames and a slow driver, part of each burst gets through."""
    slow = BURSTS[1].replace({"nics.0.driver.rx_ring": 1, "nics.0.driver.rx_ring_bytes": 1536,
                              "nics.0.driver.rx_cycles": 200_000})  # fmt: skip
    bench = Bench(BURSTS[0], slow).reads(4096)
    assert bench.workstation.read_bytes == 4096
    assert bench.workstation.repeated > 0
    assert sum(bench.hosts[1].nics[0].drops.values()) > 0
