"""Random scenarios of every tool run identically whether compiled or interpreted: every event, frame and picosecond."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import Phase, given, seed, settings
from hypothesis import strategies as st

from netsim.scenario import Scenario
from netsim.workload import Netperf, NetPipe
from tests.compiled.test_variants import needs_library, python
from tests.packet_tools import pktgens, receivers
from tests.property import (
    catalogued,
    test_accounts,
    test_chariot_bounds,
    test_failing_cables,
    test_ipsec_bounds,
    test_perform3_reads,
    test_serialised_ports,
    test_servers,
)
from tests.stream_hosts import streams
from tests.workload.test_dma import transfers

OF_EACH = 10
SIZES = st.lists(st.integers(1, 40_000), min_size=1, max_size=4, unique=True).map(sorted)
RUNS = """
import json
import netsim as ns
from netsim.compiled import VARIANT
from netsim.units import MS
from netsim.watch.driving import drive
TIMES = {{
    ns.Dma: MS // 10, ns.Packets: MS, ns.Pktgen: MS, ns.Iperf3: MS // 2, ns.Perform3: 40 * MS,
    ns.ServerBench: 40 * MS,
}}
for number in range({count}):
    test = ns.load(f"{{number}}.toml")
    run = test.turn(0).build(ns.Environment(seed=number))
    drive(run, TIMES.get(type(test), 12 * MS))
    run.audit()
    accounts = run.accounts()
    print(json.dumps([VARIANT, run.env.events, sum(accounts.frames.values()), repr(accounts)]))
"""


@st.composite
def netpipes(draw: st.DrawFn) -> NetPipe:
    hosts = {end: draw(test_accounts.hosts()) for end in ("sender", "receiver")}
    return NetPipe(sizes=draw(SIZES), mpi=draw(st.sampled_from([None, "mpich-1.2.1"])), **hosts)


@st.composite
def conversations(draw: st.DrawFn) -> Netperf:
    test = draw(catalogued.conversations(250))
    return test.replace("burst", draw(st.integers(0, 6)))


KINDS = (
    test_accounts.scenarios(), test_chariot_bounds.scenarios(), test_chariot_bounds.several_ports(),
    test_failing_cables.scenarios(), test_ipsec_bounds.scenarios(), test_serialised_ports.scenarios(),
    test_perform3_reads.scenarios(), test_servers.server_benches, test_servers.net_benches, netpipes(), conversations(),
    transfers(), pktgens(), receivers(), streams(),
)  # fmt: skip


def drawn() -> list[Scenario]:
    """Some scenarios of each kind. They are drawn here, and not by each variant separately, because hypothesis looks
    for numbers to try in the sources of the loaded modules, which compiled ones do not have."""
    tests: list[Scenario] = []

    @seed(1)
    @settings(max_examples=OF_EACH, deadline=None, database=None, phases=[Phase.generate])
    @given(st.tuples(*KINDS))
    def draw(some: tuple[Scenario, ...]) -> None:
        tests.extend(some)

    draw()
    return tests


def told(where: Path, count: int, pure: bool) -> list[list[Any]]:
    """For each run: the variant, the events, the frames, and everything in its accounts."""
    lines = python(RUNS.format(count=count), where, pure=pure).stdout.splitlines()
    return [json.loads(line) for line in lines]


@needs_library
def test_random_scenarios_go_the_same(tmp_path: Path) -> None:
    tests = drawn()
    for number, test in enumerate(tests):
        (tmp_path / f"{number}.toml").write_text(test.to_toml(), encoding="utf-8")
    compiled, interpreted = (told(tmp_path, len(tests), pure) for pure in (False, True))
    for test, one, other in zip(tests, compiled, interpreted, strict=True):
        assert (one.pop(0), other.pop(0)) == ("compiled", "interpreted")
        assert one == other, test.to_toml()
    assert len(tests) >= OF_EACH * len(KINDS)
    assert sum(events for events, _, _ in compiled) > 150_000
