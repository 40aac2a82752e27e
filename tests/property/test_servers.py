"""Any requests to any server with files: nothing is lost, and no asymptote is exceeded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from netsim.accounts import Accounts
from netsim.accounts.resource import CLIENTS
from netsim.stack import NcpRequest, NcpWorkstation
from netsim.units import MIB, MS
from netsim.workload import NetBench, ServerBench
from tests.on_servers import FILE_MIX, NT, PAGE, PC, kind, netware_server, nt_server, weights
from tests.own_parts import WithParts

quick = settings(deadline=None, max_examples=20)
WARM_UP, WINDOW = 60 * MS, 120 * MS

servers = st.fixed_dictionaries({
    "storage.level": st.sampled_from([0, 5]),
    "storage.disks": st.integers(3, 6),
    "storage.controller.cache": st.sampled_from([0, "1 MiB"]),
    "storage.controller.write_back": st.booleans(),
    "processors.count": st.integers(1, 3),
    "processors.clock": st.sampled_from(["200 MHz", "500 MHz", "2 GHz"]),
    "memory.size": st.integers(9 * MIB, 24 * MIB),
    "system.files.cache.write_delay": st.sampled_from([None, "20 ms"]),
    "system.files.copies": st.booleans(),
})  # fmt: skip

sizes = st.sampled_from([1, 64, 1000, 1460, 1461, 4096, 9000])
records = st.fixed_dictionaries({"records": st.integers(1, 5), "record": st.sampled_from([512, PAGE, 3 * PAGE])})


def kinds(stored: bool) -> Any:
    more = records if stored else st.just({})
    return st.builds(
        lambda weight, request, reply, cycles, more: kind(weight, request, reply, cycles, **more),
        st.integers(0, 3), sizes, sizes, st.integers(1000, 300_000), more,
    )  # fmt: skip


mixes = st.fixed_dictionaries({
    "client_server": kinds(False), "processor": kinds(False), "server_client": kinds(False),
    "random_read": kinds(True), "random_write": kinds(True), "client_cycles": st.integers(1000, 60_000),
}).filter(lambda mix: any(mix[name]["weight"] for name in mix if name != "client_cycles"))  # fmt: skip

server_benches = st.builds(
    lambda ports, changes, mix, clients, segment, threads: ServerBench(
        server=nt_server(ports).replace(changes), client=PC, clients=clients, mix=mix, data_segment=segment * MIB,
        threads=threads,
    ),
    st.integers(1, 3), servers, mixes, st.integers(1, 7), st.integers(1, 5), st.integers(1, 6),
)  # fmt: skip

net_benches = st.builds(
    lambda ports, changes, clients, workspace, mix, threads: NetBench(
        server=netware_server(ports).replace(changes), client=NT, clients=clients, workspace=workspace * MIB,
        mix=FILE_MIX.replace(mix), threads=threads,
    ),
    st.integers(1, 3), servers, st.integers(1, 7), st.integers(1, 8),
    st.fixed_dictionaries({
        "calls": st.integers(0, 6), "writes": st.sampled_from([0.0, 0.3, 1.0]),
        "shared": st.sampled_from([0.0, 0.2, 1.0]), "popularity": st.sampled_from([0.0, 1.0, 1.7]),
        "client_cycles": st.integers(1000, 60_000), "size_weights": st.sampled_from([(1, 1, 1), (0, 0, 1), (1, 0, 0)]),
    }),
    st.integers(1, 8),
)  # fmt: skip


def window(test: Any) -> Accounts:
    """The accounts between two moments in the middle of a run that is audited at its end."""
    return watched(test)[0]


def watched(test: Any) -> tuple[Accounts, Counter[tuple[str, int, int]]]:
    """The same, and the workstations' completed requests: kind, bytes sent, bytes asked for."""
    run = test.build(WithParts(CountingWorkstation, seed=5))
    run.start()
    run.env.run(WARM_UP)
    before, earlier = run.accounts(), ended(run)
    run.env.run(WARM_UP + WINDOW)
    run.audit()
    return run.accounts() - before, ended(run) - earlier


class CountingWorkstation(NcpWorkstation):
    """Counts each request when it is answered."""

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.ended: Counter[tuple[str, int, int]] = Counter()

    def ask(self, request: NcpRequest, then: Callable[[], None]) -> None:
        def answered() -> None:
            self.ended[request.kind, request.sent, request.asked] += 1
            then()

        super().ask(request, answered)


def ended(run: Any) -> Counter[tuple[str, int, int]]:
    """The completed requests of all workstations, if there are any."""
    return sum((one.ended for one in getattr(run, "workstations", [])), Counter())


def check_closed(test: Any, accounts: Accounts) -> None:
    """Little's law: the number in progress always equals the number of clients."""
    assert accounts.under_way == test.clients * accounts.elapsed
    assert test.unit.each != 1 or sum(accounts.ended.values()) == accounts.delivered


def check_asymptotes(clients: int, accounts: Accounts, demands: list[tuple[float, dict[str, float]]]) -> None:
    """Completed transactions needed no more of any resource than there was, except for work done earlier: at most one
    transaction per client. `demands` are given with the number of times each was needed."""
    for resource in demands[0][1]:
        needed = sum(count * demand[resource] for count, demand in demands)
        before = max(demand[resource] for _, demand in demands) * clients
        assert needed <= accounts.elapsed + before, resource


@quick
@given(server_benches)
def test_serverbench_keeps_within_its_asymptotes(test: ServerBench) -> None:
    """With the kinds actually drawn, whose numbers differ slightly from their shares."""
    accounts = window(test)
    check_closed(test, accounts)
    demands = []
    for name in test.mix.kinds:
        field = name.replace(" ", "_").replace("/", "_")
        alone = test.replace("mix", weights(test.mix, **{field: 1}))
        demands.append((accounts.ended[name], dict(alone.bounds().demand)))
    assert {CLIENTS, "server processors", "server threads", "server disks"} <= demands[0][1].keys()
    check_asymptotes(test.clients, accounts, demands)


@quick
@given(net_benches)
def test_netbench_keeps_within_its_asymptotes(test: NetBench) -> None:
    """With the requests actually made."""
    accounts, ended = watched(test)
    check_closed(test, accounts)
    moved = sum((sent + asked) * count for (name, sent, asked), count in ended.items() if name != "call")
    assert moved == accounts.delivered
    demands = []
    for (name, sent, asked), count in ended.items():
        if name != "call":
            only = {"sizes": [sent + asked], "size_weights": [1], "writes": float(name == "write")}
            only |= {"file_size": sent + asked, "shared": 0, "calls": 0}  # a visit consists of one such request
            alone = test.replace({f"mix.{at}": value for at, value in only.items()})
            demands.append((count, dict(alone.bounds().demand)))
    visit = test.replace({"mix.calls": 1}).bounds().demand
    without = test.replace({"mix.calls": 0}).bounds().demand
    calls = {resource: visit[resource] - without[resource] for resource in visit}
    demands.append((sum(count for (name, *_), count in ended.items() if name == "call"), calls))
    check_asymptotes(test.clients, accounts, demands)


@quick
@given(st.one_of(server_benches, net_benches))
def test_everything_happens_the_same_twice(test: Any) -> None:
    assert window(test) == window(type(test).from_toml(test.to_toml()))
