"""ServerBench: what is requested and by which clients, what is refused, and the server's threads and memory."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

import netsim as ns
from netsim.engine import Environment
from netsim.errors import ScenarioError
from netsim.storage import FileCache
from netsim.units import MIB, MS
from netsim.workload import ServerBench
from netsim.workload.serverbench.server_mix import ServerMixSpec
from netsim.workload.serverbench.session import exponential_lengths
from tests.on_servers import NIC, PAGE, SERVER_MIX, kind, server_bench, weights
from tests.own_parts import WithParts

SEGMENT = 4 * MIB


def built(test: ServerBench, until: int = 0) -> Any:
    """The test's run up to that time (ps), audited."""
    run = test.build(Environment(1))
    run.start()
    run.env.run(until)
    run.audit()
    return run


# ---- scenarios ----


TEXT = f"""
tool = "serverbench"
clients = 3
mix = "sys-60"
server = {{ model = "netfinity-5500", system = "windows-nt-4.0", nics = ["{NIC}", "{NIC}"] }}
client = {{ model = "pc-750-166", system = "windows-nt-4.0", nics = ["{NIC}"] }}
"""


def test_a_scenario_of_names(tmp_path: Path) -> None:
    """As a user writes it, in Python and in a file."""
    server = ns.host("netfinity-5500", system="windows-nt-4.0", nics=[NIC, NIC])
    client = ns.host("pc-750-166", system="windows-nt-4.0", nics=[NIC])
    test = ServerBench(server=server, client=client, clients=3, mix="sys-60")
    assert test.mix == ServerMixSpec.from_name("sys-60")
    assert (test.label, test.unit.name, test.closed) == ("ServerBench", "TPS", True)
    assert (test.data_segment, test.threads, test.most_threads) == (16 * MIB, 47, 49)
    again = ServerBench.from_toml(test.to_toml())
    assert (again, again.hash12) == (test, test.hash12)
    file = tmp_path / "scenario.toml"
    file.write_text(TEXT, encoding="utf-8")
    assert ns.load(file) == test


def test_kinds_are_those_with_a_weight() -> None:
    assert list(SERVER_MIX.kinds) == ["client/server", "processor", "server/client", "random read", "random write"]
    assert set(SERVER_MIX.shares.values()) == {0.2}
    mix = weights(processor=1, random_write=3)
    assert mix.shares == {"processor": 0.25, "random write": 0.75}


@pytest.mark.parametrize(
    ("changes", "address", "words"),
    [
        ({"server.storage": None}, "server.storage", "a file server needs disks"),
        ({"server.system.files": None}, "server.system.files", "the costs of file access are not known"),
        ({"clients": 60, "data_segment": 10**9}, "data_segment", "60000000000 bytes of files don't fit"),
        ({"data_segment": 4095}, "mix.random_read.record", "4096 bytes don't fit into a data segment (4095 bytes)"),
        ({"mix.random_write.record": 4 * MIB + 1}, "mix.random_write.record", f"({SEGMENT} bytes)"),
        ({"mix.processor.records": 1, "mix.processor.record": 5 * MIB}, "mix.processor.record", f"({SEGMENT} bytes)"),
        ({"mix.random_read.record": 0}, "mix.random_read.record", "0 bytes are not a record; allowed: 1 or more"),
        ({f"mix.{name}.weight": 0 for name in ServerMixSpec.model_fields if name != "client_cycles"},
         "mix.client_server.weight", "nothing is requested; allowed: at least one above 0"),
        ({"server.memory.size": 8 * MIB + 4 * 65536}, "server.memory.size", "not enough for the system and 4 threads"),
        ({"server.memory.size": None}, "server.memory.size", "needed for a host with disks"),
        ({"clients": 0}, "clients", "allowed"),
        ({"mix": "sys-6"}, "mix", 'did you mean "sys-60"?'),
        ({"mix.processor.length": "long"}, "mix.processor.length", "allowed: fixed, exponential"),
    ],
)  # fmt: skip
def test_mistakes_are_told_by_address(changes: dict[str, Any], address: str, words: str) -> None:
    with pytest.raises(ScenarioError) as error:
        server_bench().replace(changes)
    assert error.value.address == address
    assert words in str(error.value)


def test_only_who_asks_for_records_needs_disks() -> None:
    test = server_bench(2, mix=weights(client_server=1, processor=1))
    bare = test.replace({"server.storage": None, "server.system.files": None, "server.memory.size": None})
    assert "server disks" not in bare.bounds().demand
    run = built(bare, 50 * MS)
    assert run.transactions.completed > 0
    assert "file cache hits" not in run.accounts().counts


def test_a_segment_may_be_less_than_a_page() -> None:
    mix = weights(random_read=1).replace("random_read.record", 512)
    assert built(server_bench(1, mix=mix, data_segment=512), 50 * MS).transactions.completed > 0


# ---- threads ----


@pytest.mark.parametrize(("processors", "clients", "made"), [(1, 60, 48), (2, 60, 49), (2, 5, 5)])
def test_threads_are_47_and_one_for_each_processor(processors: int, clients: int, made: int) -> None:
    run = built(server_bench(clients, server__processors__count=processors))
    assert run.threads.made == made
    volume = run.hosts["server"].volume
    assert volume.capacity == 64 * MIB - made * 65536


def test_requests_that_find_no_thread_wait() -> None:
    """Both existing threads wait for disks most of the time."""
    small = {"server__processors__count": 1, "server__memory__size": 9 * MIB}
    test = server_bench(6, threads=1, mix=weights(random_read=1), **small)
    run = built(test, 100 * MS)
    assert (run.threads.made, run.threads.busy.inside, run.threads.waiting) == (2, 2, 4)
    assert run.waiting_for() == "6 transactions under way, 4 of them without a thread"
    run.env.run(1500 * MS)
    assert run.transactions.completed > 12


def test_a_thread_may_wait_for_a_disk_while_others_work() -> None:
    """With too few threads, processor transactions wait for the disks too."""
    mix = weights(processor=1, random_read=1).replace("processor.cycles", 100_000)
    ended = []
    for threads in (1, 20):
        run = built(server_bench(12, threads=threads, mix=mix, server__memory__size=12 * MIB), 300 * MS)
        ended.append(run.transactions.completed)
    assert ended[1] > 1.2 * ended[0]


# ---- drawn numbers ----


def test_exponential_lengths_are_one_on_average() -> None:
    lengths = exponential_lengths()
    assert sum(lengths) / len(lengths) == pytest.approx(1, rel=1e-12)
    assert sum(one * one for one in lengths) / len(lengths) == pytest.approx(2, rel=0.02)
    assert lengths == sorted(lengths)
    assert lengths[len(lengths) // 2] == pytest.approx(0.693, abs=0.002)


def test_an_exponential_transaction_takes_as_long_as_it_is() -> None:
    test = server_bench(1, mix=weights(processor=1).replace("processor.length", "exponential"))
    run = built(test, 300 * MS)
    spent = sum(one.busy().get("application", 0) for one in run.hosts["server"].processors)
    mean = spent / run.transactions.completed / 2_000_000_000  # ps of a million cycles at 500 MHz
    assert mean == pytest.approx(1, abs=4 / run.transactions.completed**0.5)
    assert mean != pytest.approx(1, abs=1e-3)


def asked(test: ServerBench) -> dict[int, list[tuple[str, int]]]:
    """What each client has read and written, by its segment."""
    run = test.build(WithParts(NotingCache, seed=7))
    run.start()
    run.env.run(100 * MS)
    found: dict[int, list[tuple[str, int]]] = defaultdict(list)
    for name, offset in run.hosts["server"].volume.cache.asked:  # type: ignore[attr-defined]
        found[offset // SEGMENT].append((name, offset))
    return found


class NotingCache(FileCache):
    """Notes the requests it gets."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.asked: list[tuple[str, int]] = []

    def read(self, offset: int, *rest: Any) -> bool:
        self.asked.append(("read", offset))
        return super().read(offset, *rest)

    def write(self, offset: int, *rest: Any) -> bool:
        self.asked.append(("write", offset))
        return super().write(offset, *rest)


def test_clients_ask_for_the_same_whatever_the_server_is() -> None:
    """Common random numbers: a client that gets further makes more requests."""
    slow = asked(server_bench(3, server__processors__clock="200 MHz"))
    fast = asked(server_bench(3))
    assert set(slow) == set(fast) == {0, 1, 2}
    for client, before in slow.items():
        assert fast[client][: len(before)] == before
        assert all(offset % PAGE == 0 for _, offset in before)
    assert sum(map(len, slow.values())) < sum(map(len, fast.values()))
    assert slow[0] != [(name, offset - SEGMENT) for name, offset in slow[1]]


# ---- memory ----


@pytest.mark.parametrize(
    ("share", "dirty"),
    [
        ({"random_read": 1}, 0.0),
        ({"random_write": 1}, 1.0),
        ({"random_read": 3, "random_write": 1}, 0.25 / (1 - 0.75 * 0.25)),
    ],
)
def test_memory_begins_as_long_use_has_left_it(share: dict[str, float], dirty: float) -> None:
    """A quarter of 64 segments' pages, all equally likely, with as many dirty pages as were written."""
    test = server_bench(4, mix=weights(**share), data_segment=64 * MIB, server__memory__size=72 * MIB)
    run = built(test)
    volume = run.hosts["server"].volume
    pages = list(run._pages(PAGE, 64 * MIB))
    assert len(pages) == len({offset for offset, *_ in pages}) == 64 * MIB // PAGE
    by_client = [sum(one[0] // (64 * MIB) == client for one in pages) for client in range(4)]
    assert by_client == pytest.approx([4096] * 4, rel=0.06)
    assert sum(write for _, _, write, _ in pages) / len(pages) == pytest.approx(dirty, abs=0.02)
    assert volume.cache.pages == volume.capacity // PAGE


def test_memory_that_holds_everything_misses_nothing() -> None:
    run = built(server_bench(4), 200 * MS)
    cache = run.hosts["server"].volume.cache
    assert cache.hits > 100
    assert cache.misses == 0


def test_hits_are_as_many_as_memory_holds() -> None:
    """A third, by chance alone."""
    test = server_bench(6, mix=weights(random_read=1), server__memory__size=8 * MIB + 8 * MIB + 6 * 65536)
    cache = built(test, 1000 * MS).hosts["server"].volume.cache
    number = cache.hits + cache.misses
    assert number > 500
    assert cache.hit_ratio == pytest.approx(1 / 3, abs=4 * (2 / 9 / number) ** 0.5)


# ---- results ----


@pytest.fixture(scope="module")
def result() -> ns.Result:
    return ns.simulate(server_bench(4, server__memory__size=20 * MIB), precision=0.05, limit="0.5 s")


def test_results_are_printed(result: ns.Result) -> None:
    text, html = str(result), result._repr_html_()
    assert text.startswith("ServerBench ")
    for part in (" TPS ", "random write", "hit ratio", "client4"):
        assert part in text
    assert "random read" in html
    assert f"hit ratio {100 * (result.hit_ratio or 0):.1f} %" in html


def test_results_know_kinds_and_hits(result: ns.Result) -> None:
    assert [one.name for one in result.kinds] == list(SERVER_MIX.kinds)
    assert sum(one.share for one in result.kinds) == pytest.approx(1)
    times = {one.name: one.response for one in result.kinds}
    assert times["random read"] > times["processor"] > times["client/server"]
    assert result.hit_ratio == pytest.approx(0.73, abs=0.1)
    assert result.harmonic_mean == pytest.approx(result.throughput, rel=0.1)
    assert {"file service", "disk driver", "wake-up", "copy", "application"} <= result.cpu_by_name("server").keys()
    assert "server disks" in result.utilisation


def test_bounds_name_what_is_needed() -> None:
    """Segments in memory need no disk, and others a command per record, for which the platter has to turn."""
    assert server_bench(4).bounds().demand["server disks"] == 0
    demand = server_bench(32, mix=weights(random_read=1), data_segment=1024 * MIB).bounds().demand
    assert demand["server disk controller"] == pytest.approx(4 * (200e6 + 100e6), rel=0.02)
    assert demand["server SCSI channel 0"] == pytest.approx(4 * PAGE / 40e6 * 1e12, rel=0.02)
    disk = 4 * (300e6 + PAGE / 18e6 * 1e12 + 3e9) / 5
    assert 0.8 * disk < demand["server disks"] < disk
    assert "clients" in demand
    more = server_bench(4, mix=SERVER_MIX.replace("processor", kind(cycles=2_000_000))).bounds()
    assert more.demand["server processors"] - server_bench(4).bounds().demand["server processors"] == pytest.approx(2e8)


def test_a_controllers_memory_counts_too() -> None:
    """Service threads take 2 MiB of that for files."""
    test = server_bench(32, server__storage__controller__cache=66 * MIB)
    assert test.bounds().demand["server disks"] == 0
    assert server_bench(32, server__storage__controller__cache=62 * MIB).bounds().demand["server disks"] > 0
