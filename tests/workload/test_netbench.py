"""NetBench: files and their visitors, what is refused, what long use leaves in memory, and how fast that can be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import netsim as ns
from netsim.engine import Environment
from netsim.errors import ScenarioError
from netsim.stack import NcpRequest, NcpWorkstation
from netsim.units import MIB, MS, PS_PER_S
from netsim.workload import NetBench
from netsim.workload.netbench.file_mix import FileMixSpec
from netsim.workload.netbench.steady_files import SteadyFiles
from netsim.workload.netbench.workspace import Workspace
from tests.on_servers import DISKS, FILE_MIX, LAN, NIC, PAGE, net_bench, netware_server
from tests.own_parts import WithParts

FILE = 65536
OWN = 16 * MIB // FILE  # files of each client in `net_bench`


def built(test: NetBench, until: int = 0) -> Any:
    """The test's run up to that time (ps), audited."""
    run = test.build(Environment(1))
    run.start()
    run.env.run(until)
    run.audit()
    return run


# ---- scenarios ----


TEXT = f"""
tool = "netbench"
clients = 3
mix = "disk-mix"
server = {{ model = "netfinity-5500", system = "netware-4.11", nics = ["{LAN}"] }}
client = {{ model = "pc-350-133", system = "csnw-nt-4.0", nics = ["{NIC}"] }}
"""


def test_a_scenario_of_names(tmp_path: Path) -> None:
    """As a user writes it, in Python and in a file."""
    server = ns.netware_host("netfinity-5500", system="netware-4.11", nics=[LAN])
    client = ns.netware_host("pc-350-133", system="csnw-nt-4.0", nics=[NIC])
    test = NetBench(server=server, client=client, clients=3, mix="disk-mix")
    assert test.mix == FileMixSpec.from_name("disk-mix")
    assert (test.label, test.unit.name, test.closed) == ("NetBench Disk Mix", "KB/s", True)
    assert (test.workspace, test.threads) == (80_000_000, 70)
    again = NetBench.from_toml(test.to_toml())
    assert (again, again.hash12) == (test, test.hash12)
    file = tmp_path / "scenario.toml"
    file.write_text(TEXT, encoding="utf-8")
    assert ns.load(file) == test


@pytest.mark.parametrize(
    ("changes", "address", "words"),
    [
        ({"server.storage": None}, "server.storage", "a file server needs disks"),
        ({"server.system.files": None}, "server.system.files", "the costs of file access are not known"),
        ({"workspace": FILE - 1}, "workspace", "65535 bytes don't hold a file; allowed: 65536 (mix.file_size) or more"),
        ({"workspace": 10**9, "clients": 60}, "workspace", f"{60 * 10**9 + MIB} bytes of files don't fit"),
        ({"mix.size_weights": [1, 2]}, "mix.size_weights", "2 weights for 3 sizes; allowed: one for each, not all 0"),
        ({"mix.size_weights": [0, 0, 0]}, "mix.size_weights", "not all 0"),
        ({"mix.sizes": [], "mix.size_weights": []}, "mix.size_weights", "0 weights for 0 sizes"),
        ({"mix.shared_bytes": FILE - 1}, "mix.shared_bytes", "bytes don't hold a file; allowed: 65536 (file_size)"),
        ({"server.memory.size": 8 * MIB + 4 * 65536}, "server.memory.size", "not enough for the system and 4 threads"),
        ({"mix": "disk-mx"}, "mix", 'did you mean "disk-mix"?'),
        ({"mix.writes": 1.5}, "mix.writes", "allowed"),
    ],
)
def test_mistakes_are_told_by_address(changes: dict[str, Any], address: str, words: str) -> None:
    with pytest.raises(ScenarioError) as error:
        net_bench().replace(changes)
    assert error.value.address == address
    assert words in str(error.value)


def test_nothing_shared_needs_no_room_for_it() -> None:
    test = net_bench(mix=FILE_MIX.replace({"shared": 0.0, "shared_bytes": 0}))
    assert built(test, 30 * MS).delivered > 0


# ---- files and visits ----


def workspace(clients: int = 3, **changes: Any) -> Workspace:
    return Workspace(FILE_MIX.replace(changes), clients, 16 * MIB, np.random.default_rng(1))


@pytest.mark.parametrize("changes", [{}, {"popularity": 0.0}, {"shared": 0.0}, {"shared": 1.0}, {"popularity": 2.5}])
def test_every_visit_is_to_one_file(changes: dict[str, float]) -> None:
    one = workspace(**changes)
    visits = one.visits()
    assert visits.sum() == pytest.approx(1, rel=1e-12)
    shared = FILE_MIX.replace(changes).shared
    assert visits[3 * OWN :].sum() == pytest.approx(shared, rel=1e-12)
    own = [visits[client * OWN : (client + 1) * OWN].sum() for client in range(3)]
    assert own == pytest.approx([(1 - shared) / 3] * 3)


def test_without_popularity_all_files_are_alike() -> None:
    visits = workspace(popularity=0.0).visits()
    assert visits[: 3 * OWN] == pytest.approx(0.9 / 3 / OWN)
    assert visits[3 * OWN :] == pytest.approx(0.1 / 16)


def test_the_second_is_visited_half_as_often() -> None:
    """Zipf's law with an exponent of 1."""
    own = np.sort(workspace().visits()[:OWN])[::-1]
    assert own / own[0] == pytest.approx(1 / np.arange(1, OWN + 1))


def test_files_are_drawn_as_often_as_they_are_visited() -> None:
    """Within four standard deviations; a client visits its own files and the shared ones."""
    one, rng = workspace(), np.random.default_rng(2)
    found = Counter(one.draw(1, rng) for _ in range(20_000))
    visits = one.visits()
    assert all(at % FILE == 0 and at // FILE in {*range(OWN, 2 * OWN), *range(3 * OWN, len(visits))} for at in found)
    for place in (int(np.argmax(visits[OWN : 2 * OWN])) + OWN, int(np.argmax(visits[3 * OWN :])) + 3 * OWN):
        share = visits[place] * (3 if place < 2 * OWN else 1)
        assert found[place * FILE] == pytest.approx(20_000 * share, abs=4 * (20_000 * share) ** 0.5)


def asked(test: NetBench) -> dict[int, list[tuple[str, int, int, Any]]]:
    """The requests of each client."""
    run = test.build(WithParts(NotingWorkstation, seed=7))
    run.start()
    run.env.run(150 * MS)
    return {number: one.asked for number, one in enumerate(run.workstations) if one.asked}  # type: ignore[attr-defined]


class NotingWorkstation(NcpWorkstation):
    """Notes the requests it is told to make."""

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.asked: list[tuple[str, int, int, Any]] = []

    def ask(self, request: NcpRequest, then: Callable[[], None]) -> None:
        self.asked.append((request.kind, request.sent, request.asked, request.extra))
        super().ask(request, then)


def test_clients_ask_for_the_same_whatever_the_server_is() -> None:
    slow = asked(net_bench(3, server__processors__clock="100 MHz", server__storage__disks=1))
    fast = asked(net_bench(3))
    assert set(slow) == set(fast) == {0, 1, 2}
    for client, before in slow.items():
        assert fast[client][: len(before)] == before
    assert sum(map(len, slow.values())) < sum(map(len, fast.values()))


def test_a_visit_is_calls_and_then_requests_through_the_file() -> None:
    """Four calls, and then the file from beginning to end, all reads or all writes."""
    requests = asked(net_bench(1))[0]
    visits: list[list[tuple[str, int, int, Any]]] = []
    for number, one in enumerate(requests):
        if one[0] == "call" and (number == 0 or requests[number - 1][0] != "call"):
            visits.append([])
        visits[-1].append(one)
    assert len(visits) > 5
    for visit in visits[:-1]:
        assert [kind for kind, *_ in visit[:4]] == ["call"] * 4
        assert len({kind for kind, *_ in visit[4:]}) == 1
        end = visit[4][3].end
        place = end - FILE
        for _, sent, asked_for, where in visit[4:]:
            assert (where.client, where.offset, where.end) == (0, place, end)
            place += sent + asked_for
        assert place == end
    assert {kind for kind, *_ in requests} == {"call", "read", "write"}


def test_the_last_request_ends_with_the_file() -> None:
    mix = FILE_MIX.replace({"sizes": [24576], "size_weights": [1], "calls": 0})
    requests = asked(net_bench(1, mix=mix))[0]
    assert [sent + asked_for for _, sent, asked_for, _ in requests[:3]] == [24576, 24576, FILE - 2 * 24576]


# ---- memory ----


@pytest.mark.parametrize("changes", [{}, {"shared": 1.0}, {"popularity": 0.0}, {"writes": 0.0}, {"writes": 1.0}])
def test_what_is_remembered_fits_and_its_newest_is_the_last(changes: dict[str, float]) -> None:
    mix = FILE_MIX.replace(changes)
    one, room = workspace(**changes), 8 * MIB
    touches = list(one.remembered(room, 50.0, np.random.default_rng(3)))
    visited = int((one.visits() > 0).sum())
    assert len(touches) == min(room // FILE, visited)
    assert len({offset for offset, *_ in touches}) == len(touches)
    assert all(offset % FILE == 0 and nbytes == FILE for offset, nbytes, *_ in touches)
    ages = [age for *_, write, age in touches if write]
    assert (mix.writes > 0) == bool(ages)
    if mix.writes == 1:  # the last visit was then also the last write
        assert ages == sorted(ages, reverse=True)
    popular = one.visits()[[offset // FILE for offset, *_ in touches]]
    assert popular.mean() >= one.visits()[one.visits() > 0].mean()


def pace(room: int, disks: int = 5, most: float = 1e6, level: int = 0, **changes: float) -> float:
    mix, storage = FILE_MIX.replace(changes), DISKS.replace({"disks": disks, "level": level})
    files = netware_server().system.files
    assert files is not None
    return SteadyFiles(mix, workspace(**changes).visits(), files, storage, room).pace(most)


def test_less_memory_makes_it_slower_and_more_disks_faster() -> None:
    paces = [pace(room * MIB) for room in (2, 4, 8, 16)]
    assert paces == sorted(paces)
    assert paces[0] < 0.8 * paces[-1]
    assert pace(4 * MIB, disks=10) == pytest.approx(2 * pace(4 * MIB), rel=1e-9)
    assert pace(4 * MIB, level=5) < pace(4 * MIB)


def test_where_disks_have_nothing_to_do_something_else_decides() -> None:
    assert pace(64 * MIB, writes=0.0) == pytest.approx(1e6)
    assert pace(2 * MIB, most=1.0) == pytest.approx(1.0)


def test_with_files_that_are_alike_what_is_missed_is_what_has_no_room() -> None:
    """Reads only, one page at a time: the disks' time for a visit is that of a miss for each of its pages."""
    found = pace(6 * MIB, writes=0.0, popularity=0.0, shared=0.0)
    files = 3 * OWN
    missed = 1 - 6 * MIB / FILE / files
    disk, pages = DISKS.disk, FILE // PAGE
    seek = disk.seek_time(disk.cylinders * files * FILE // DISKS.size // 20)
    command = disk.overhead + seek + disk.rotation / 2 + disk.transfer_time(PAGE)
    assert found == pytest.approx(5 * PS_PER_S / (missed * pages * command), rel=1e-6)


def test_the_hit_ratio_is_steady_from_the_beginning() -> None:
    """Use continues with what long use has left: the second half of a run hits as often as the first."""
    run = built(net_bench(6), 400 * MS)
    cache = run.hosts["server"].volume.cache
    hits, misses = cache.hits, cache.misses
    run.env.run(800 * MS)
    first, second = hits / (hits + misses), (cache.hits - hits) / (cache.hits - hits + cache.misses - misses)
    assert misses > 30
    assert second == pytest.approx(first, abs=0.05)


def test_the_server_has_its_service_processes() -> None:
    assert built(net_bench(6)).threads.made == 6
    mix = FILE_MIX.replace({"popularity": 0.0, "calls": 0, "writes": 0.0})
    run = built(net_bench(6, threads=1, mix=mix, server__memory__size=9 * MIB), 300 * MS)
    assert run.threads.made == 1
    assert run.threads.waiting > 0
    assert run.waiting_for().endswith(f", {run.threads.waiting} without a service process")


# ---- results ----


@pytest.fixture(scope="module")
def result() -> ns.Result:
    return ns.simulate(net_bench(4), precision=0.05, limit="0.5 s")


def test_results_are_printed(result: ns.Result) -> None:
    text, html = str(result), result._repr_html_()
    assert text.startswith("NetBench Disk Mix ")
    for part in (" KB/s ", "write", "hit ratio", "client4"):
        assert part in text
    assert "call" in html


def test_results_know_kinds_and_hits(result: ns.Result) -> None:
    assert [one.name for one in result.kinds] == ["call", "read", "write"]
    # Four calls per 65536 bytes in requests of 4224, and half a request more, as the last one is cut.
    assert result.kinds[0].share == pytest.approx(4 / (4 + 65536 / 4224 + 0.5), abs=0.02)
    assert result.kinds[0].response < result.kinds[1].response
    assert 0.8 < (result.hit_ratio or 0) <= 1
    ended = sum(kind.count for kind in result.kinds)
    assert result.harmonic_mean == pytest.approx(ended / result.elapsed, rel=0.02)
    assert result.counts["requests repeated"] == 0
    assert {"file service", "copy"} <= result.cpu_by_name("server").keys()


def test_bounds_are_for_what_a_visit_moves() -> None:
    bounds = net_bench(4).bounds()
    assert bounds.delivered == FILE
    assert set(bounds.demand) == {"server processors", "server threads", "server bus", "wire segments", "clients"}
    assert net_bench(8).bounds().demand["clients"] == pytest.approx(bounds.demand["clients"] / 2)
    assert net_bench(2).bounds().demand["wire segments"] == pytest.approx(2 * bounds.demand["wire segments"])


def test_too_few_threads_are_the_bottleneck() -> None:
    """A second thread nearly doubles the throughput, although half of the processors' time is left."""
    mix = FILE_MIX.replace({"shared": 1.0, "popularity": 0.0, "writes": 0.0})
    costs = {"server__system__files__request_cycles": 200_000, "server__system__files__call_cycles": 200_000}
    one = net_bench(8, mix=mix, threads=1, server__processors__count=2, **costs)
    two = one.replace("threads", 2)
    assert one.bounds().bottleneck == "server threads"
    assert one.bounds().throughput("server threads") == pytest.approx(two.bounds().throughput("server threads") / 2)
    found, more = (ns.simulate(test, precision=0.05, limit="0.2 s") for test in (one, two))
    assert found.bottleneck == "server threads"
    assert 0.9 < found.bottleneck_share < 1  # for the rest of the time the thread waits for a processor
    assert found.utilisation["server threads"] == pytest.approx(1, abs=0.01)
    assert 0.9 * one.bounds().limit < found.throughput < one.bounds().limit
    assert more.bottleneck == "server processors"
    assert more.throughput > 1.7 * found.throughput


@pytest.mark.parametrize("name", ["call", "call_reply"])
def test_a_call_fits_into_one_frame_each_way(name: str) -> None:
    test = ns.load(Path(__file__).parents[2] / "examples" / "netbench.toml")
    largest = test.get("client.system.ncp.largest")
    assert test.replace(f"mix.{name}", largest).bounds().limit > 0
    with pytest.raises(ScenarioError, match=rf"^mix\.{name}: {largest + 1} bytes don't fit .* up to {largest}$"):
        test.replace(f"mix.{name}", largest + 1)
