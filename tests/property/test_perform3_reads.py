"""PERFORM3 on any machines: every request and every byte is accounted for, the same seed gives the same accounts, no
bound is exceeded, and additional workstations never lower the bound."""

from __future__ import annotations

from statistics import fmean
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import netsim as ns
from netsim.engine import Environment
from netsim.stack import NcpHostSpec
from netsim.stack.ncp_requests import cut
from netsim.units import PS_PER_S
from netsim.workload.perform3.run import Perform3Run

DURATION = 10**11  # ps
CLIENTS = ("3c509/3c509-odi", "at1500/at1500-odi", "smc-elite16/8390-shared-odi", "ne2000/ne2000-odi",
           "etherexpress16/exp16-odi")  # fmt: skip
SERVERS = ("plx-sonic/plx-sonic-lan", "ne3200/ne3200-lan", "lne390/lne390-lan", "sonic-at/sonic-at-lan",
           "3c509/3c509-lan", "ne2000/ne2000-lan", "hp-ethertwist/hp-lan")  # fmt: skip
LARGEST = st.sampled_from([256, 512, 1024, 1400])
BURST = st.sampled_from([0, 0, 3000, 16_384])


@st.composite
def machines(draw: st.DrawFn, model: str, system: str, nics: tuple[str, ...]) -> NcpHostSpec:
    """Machines with any settings that a system may have; it does no harm if a workstation asks again too early for a
    reply."""
    host = ns.netware_host(model, system=system, nics=[draw(st.sampled_from(nics))])
    slave = host.nics[0].get("moved_by") == "processor"
    return host.replace(
        {
            "system.ncp.largest": draw(LARGEST),
            "system.ncp.burst": draw(BURST),
            "system.ncp.retry": draw(st.sampled_from(["2 ms", "1 s"])),
            "system.ncp.request_cycles": draw(st.integers(0, 20_000)),
            "system.kernel.send_masked": draw(st.booleans()),
            "system.kernel.lookahead_cycles": draw(st.integers(0, 5000)),
            "system.kernel.tick": draw(st.sampled_from(["0 s", "1 ms"])),
            "processors.clock": draw(st.sampled_from(["25 MHz", "66 MHz"])),
        }
        | ({"nics.0.tx_early": draw(st.sampled_from([None, 60, 500]))} if slave else {})
        | ({"nics.0.rx_early": draw(st.sampled_from([None, 60, 500]))} if slave else {})
    )


@st.composite
def scenarios(draw: st.DrawFn) -> ns.Perform3:
    workstation = machines("ast-premium-5", "netx-3", CLIENTS)
    return ns.Perform3(
        server=draw(machines("compaq-cp3301", "netware-3.11", SERVERS)),
        workstations=draw(st.lists(workstation, min_size=1, max_size=6)),
        segment=draw(st.sampled_from(["10base2", "10base-t-hub"])),
        spacing=draw(st.integers(1, 25)),
        file_sizes=draw(st.lists(st.integers(1, 10_240), min_size=1, max_size=3)),
    )


def most_at_once(test: ns.Perform3, workstation: NcpHostSpec) -> int:
    """Bytes of each request for a file, except the last one."""
    return workstation.system.ncp.agreed(test.server.system.ncp).at_once


def after(test: ns.Perform3, seed: int) -> Perform3Run:
    """A run of the test, audited on the way."""
    run = test.build(Environment(seed))
    run.start()
    for part in (1, 2, 3):
        run.env.run(until=DURATION * part // 3)
        run.audit()
    return run


def check_requests(run: Perform3Run) -> None:
    """Each workstation has the reply to all its requests except the current one; the server has received no more
    requests than were made, and answers each once."""
    made = 0
    for one, spec in zip(run.workstations, run.test.workstations, strict=True):
        reads = cut(run.test.file_sizes[0], most_at_once(run.test, spec))
        rounds, rest = divmod(one.requests, len(reads))
        asked = rounds * sum(reads) + sum(reads[:rest])
        assert one.read_bytes in (asked, asked - (reads[rest - 1] if one.requests else 0))
        made += one.requests + one.repeated
    assert run.server.requests <= made
    segment = run.segment
    assert segment.frames_arrived + segment.frames_lost + segment.in_flight == segment.frames
    assert run.delivered <= run.server.replied_bytes


@settings(max_examples=40, deadline=None)
@given(scenarios(), st.integers(0, 2**32))
def test_every_request_and_every_byte_is_accounted_for(test: ns.Perform3, seed: int) -> None:
    run = after(test, seed)
    check_requests(run)
    assert run.accounts() == after(test, seed).accounts()
    for name, share in run.accounts().utilisation().items():
        assert 0 <= share <= 1, name


@settings(max_examples=40, deadline=None)
@given(scenarios(), st.integers(0, 2**32))
def test_the_mean_over_file_sizes_is_within_the_bound(test: ns.Perform3, seed: int) -> None:
    """Each workstation may have one read that the clock's first tick has made shorter."""
    read = fmean(after(test.turn(number), seed).delivered for number in range(test.turns))
    longest = max(min(max(test.file_sizes), most_at_once(test, one)) for one in test.workstations)
    assert read <= test.bounds().limit * DURATION / (8 * PS_PER_S) + longest * len(test.workstations)


@settings(max_examples=40, deadline=None)
@given(scenarios(), st.data())
def test_more_workstations_are_never_allowed_less(test: ns.Perform3, data: Any) -> None:
    fewer = data.draw(st.integers(1, len(test.workstations)))
    before = test.replace("workstations", list(test.workstations[:fewer])).bounds()
    after_all = test.bounds()
    for name in before.demand:
        assert after_all.throughput(name) >= before.throughput(name) * (1 - 1e-12)
    assert after_all.limit >= before.limit * (1 - 1e-12)


@settings(max_examples=20, deadline=None)
@given(scenarios())
def test_a_longer_cable_is_never_faster_for_one(test: ns.Perform3) -> None:
    """It is slower by at least the additional propagation of its frames, unless the clock's ticks help."""
    still = {"workstations.0.system.kernel.tick": 0, "server.system.kernel.tick": 0}
    alone = test.turn(0).replace("workstations", [test.workstations[0]]).replace(still)
    near, far = (alone.replace("spacing", metres).bounds().demand["workstations"] for metres in (1, 25))
    reads = len(cut(alone.file_sizes[0], most_at_once(alone, alone.workstations[0])))
    there = [alone.segment.propagation(alone.position(0), alone.position(1)) for alone in
             (alone.replace("spacing", metres) for metres in (1, 25))]  # fmt: skip
    assert round(far - near) == 2 * reads * (there[1] - there[0])
