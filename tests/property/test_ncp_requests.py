"""Requests of the core protocol, whatever their kinds and lengths, their senders and the losses: each is served whole,
once and in order; all bytes are accounted for, and packet burst delays no request."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import netsim as ns
from netsim.engine import Environment
from netsim.stack import NcpRequest
from netsim.topology.hubs_run import NcpHubsRun
from tests.on_hubs import NcpTest, ask_all

MS = 10**9  # ps
NIC, LAN = "etherjet-100/ibmfent", "etherjet-100/e100b-lan"
NT = ns.netware_host("pc-350-133", system="csnw-nt-4.0", nics=[NIC])
NETWARE = ns.netware_host("netfinity-5500", system="netware-4.11", nics=[LAN] * 2)
LONGEST = 20_000  # bytes
LONG_ENOUGH = 1000  # tenths of a second: to repeat each of a thousand requests a few times
LENGTHS = st.integers(0, LONGEST) | st.sampled_from([1406, 2812, 32_768])


@st.composite
def requests(draw: st.DrawFn) -> NcpRequest:
    kind = draw(st.sampled_from(["read", "write", "call"]))
    if kind == "call":
        return NcpRequest("call", draw(st.integers(0, 200)), draw(st.integers(0, 200)))
    length = draw(LENGTHS)
    return NcpRequest("read", asked=length) if kind == "read" else NcpRequest("write", sent=length)


@st.composite
def protocols(draw: st.DrawFn) -> dict[str, Any]:
    return {
        "system.ncp.largest": draw(st.sampled_from([200, 512, 1406])),
        "system.ncp.burst": draw(st.sampled_from([0, 1000, 4096, 65_536])),
        "system.ncp.fragment_cycles": draw(st.integers(0, 3000)),
        "system.ncp.receive_copy": draw(st.booleans()),
        "system.ncp.retry": draw(st.sampled_from(["5 ms", "20 ms"])),
        "nics.0.driver.rx_ring": draw(st.sampled_from([1, 4, 32])),
        "nics.0.driver.tx_ring": draw(st.sampled_from([1, 32])),
        "nics.0.driver.tx_queue": draw(st.sampled_from([0, 1000])),
    }


class Served:
    """Notes what is served, by client, and takes its time; replies to each request once."""

    def __init__(self, run: NcpHubsRun, late: list[int]) -> None:
        self.env = run.env
        self.late = late
        self.of: dict[str, list[NcpRequest]] = {}
        run.server.service = self

    def __call__(self, request: NcpRequest, reply: Callable[[], None]) -> None:
        client, _ = request.extra
        mine = self.of.setdefault(client, [])
        mine.append(request)
        self.env.call_in(self.late[len(mine) % len(self.late)], lambda _: reply())


def lose(run: NcpHubsRun, share: float) -> None:
    """This share of each station's frames, chosen at random, finds no room; the station's own accounts count them."""
    for segment in run.segments:
        for mac in segment.macs:
            draws = run.env.stream(f"{segment.name} {mac.name} losses")
            mac.deliver = _losing(mac.deliver, lambda draws=draws: draws.random() < share, mac.station)


def _losing(arrive: Callable[[Any], None], lost: Callable[[], bool], station: Any) -> Callable[[Any], None]:
    def noted(frame: Any) -> None:
        if lost():
            station.frames_arrived += 1
            station.drops["receive ring"] += 1
        else:
            arrive(frame)

    return noted


def whole(run: NcpHubsRun, served: Served, asked: list[list[NcpRequest]]) -> None:
    """Everything requested was served: in order, without holes, nothing twice."""
    for name, wanted in zip((one.address for one in run.workstations), asked, strict=True):
        pieces = served.of.get(name, [])
        for number, request in enumerate(wanted):
            mine = [one for one in pieces if one.extra[1] == number]
            assert [one.offset for one in mine] == [
                sum(max(one.sent, one.asked) for one in mine[:at]) if request.kind != "call" else 0
                for at in range(len(mine))
            ]
            assert (sum(one.sent for one in mine), sum(one.asked for one in mine)) == (request.sent, request.asked)
            assert mine
            assert all(one.kind == request.kind for one in mine)
        assert [one.extra[1] for one in pieces] == sorted(one.extra[1] for one in pieces)


@settings(max_examples=60, deadline=None)
@given(
    protocols(), protocols(), st.lists(st.lists(requests(), max_size=6), min_size=1, max_size=5),
    st.lists(st.sampled_from([0, 1, 10**8, 2 * 10**10]), min_size=1, max_size=3),
    st.sampled_from([0.0, 0.05, 0.3]), st.integers(0, 2**32),
)  # fmt: skip
def test_all_is_served_whole_and_in_order(
    server: dict[str, Any],
    client: dict[str, Any],
    asked: list[list[NcpRequest]],
    late: list[int],
    share: float,
    seed: int,
) -> None:
    test = NcpTest(server=NETWARE.replace(server), client=NT.replace(client), clients=len(asked))
    run = test.build(Environment(seed))
    served = Served(run, late)
    lose(run, share)
    done: list[str] = []
    for one, wanted in zip(run.workstations, asked, strict=True):
        labelled = [request._replace(extra=(one.address, number)) for number, request in enumerate(wanted)]
        ask_all(one, labelled, lambda one=one: done.append(one.address))
    for _ in range(LONG_ENOUGH):
        run.env.run(run.env.now + 100 * MS)
        run.audit()
        if len(done) == len(asked):
            break
    assert sorted(done) == sorted(one.address for one in run.workstations)
    whole(run, served, asked)
    for one, wanted in zip(run.workstations, asked, strict=True):
        assert one.read_bytes == sum(request.asked for request in wanted if request.kind == "read")
        assert one.written_bytes == sum(request.sent for request in wanted if request.kind == "write")
    assert run.server.written_bytes == sum(one.written_bytes for one in run.workstations)
    assert run.server.requests <= sum(one.requests + one.repeated for one in run.workstations)


@settings(max_examples=40, deadline=None)
@given(requests(), st.integers(0, 10_000), st.booleans(), st.sampled_from(["33 MHz", "133 MHz", "1 GHz"]))
def test_burst_is_never_slower_for_one_alone(request: NcpRequest, fragment: int, copy: bool, clock: str) -> None:
    """As long as each further frame costs no more than a request would."""
    ncp = {"system.ncp.fragment_cycles": fragment, "system.ncp.request_cycles": fragment + 1000,
           "system.ncp.receive_copy": copy, "system.kernel.tick": 0, "system.ncp.retry": "1 s"}  # fmt: skip
    server, client = NETWARE.replace(ncp), NT.replace({**ncp, "processors.clock": clock})
    times = []
    for burst in (0, 65_536):
        test = NcpTest(server=server.replace("system.ncp.burst", burst), client=client, clients=1)
        run = test.build(Environment(1))
        ended: list[int] = []
        ask_all(run.workstations[0], [request], lambda: ended.append(run.env.now))  # noqa: B023
        run.env.run(1000 * MS)
        assert not run.workstations[0].repeated
        times += ended
    without, with_burst = times
    assert with_burst <= without
