"""TCP between a server with four ports and its clients, on hubs: at any time nothing is lost or invented, every request
is answered, the same seed gives the same accounts, and no segment carries more than framing allows."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

import netsim as ns
from netsim.engine import Environment
from netsim.stack import ComputerSpec
from netsim.topology.hubs_run import TcpHubsRun
from netsim.workload import tcp_accounts
from tests.on_hubs import Exchanges, TcpTest

MS = 10**9  # ps
NIC = "etherjet-100/ibmfent"
SYSTEMS = ("windows-nt-4.0", "linux-2.2.16")
SIZES = st.integers(1, 20_000) | st.sampled_from([1460, 4096])


@st.composite
def machines(draw: st.DrawFn, ports: int) -> ComputerSpec:
    """Machines whose rings may be too small for the incoming frames."""
    system = draw(st.sampled_from(SYSTEMS))
    host = ns.host(draw(st.sampled_from(["netfinity-5500", "pc-750-166"])), system=system, nics=[NIC] * ports)
    return host.replace(
        {
            f"nics.{number}.{name}": value
            for number in range(ports)
            for name, value in {
                "tx_frames": draw(st.integers(1, 3)),
                "tx_done": draw(st.sampled_from(["sent", "fetched"])),
                "driver.tx_ring": draw(st.integers(2, 8)),
                "driver.rx_ring": draw(st.integers(1, 32)),
                "driver.tx_retries": draw(st.sampled_from([0, 3])),
            }.items()
        }
    )


@st.composite
def scenarios(draw: st.DrawFn) -> TcpTest:
    return TcpTest(
        server=draw(machines(4)),
        client=draw(machines(1)),
        clients=8,
        spacing=draw(st.integers(1, 100)),
        mtu=draw(st.sampled_from([576, 1500])),
    )


def begun(test: TcpTest, seed: int, sizes: list[list[tuple[int, int]]]) -> tuple[TcpHubsRun, list[Exchanges]]:
    run = test.build(Environment(seed))
    return run, [Exchanges(run, client, one) for client, one in enumerate(sizes)]


@settings(max_examples=25, deadline=None)
@given(
    scenarios(), st.integers(0, 2**32), st.lists(st.lists(st.tuples(SIZES, SIZES), max_size=4), min_size=8, max_size=8)
)
def test_nothing_is_lost_and_all_is_answered(test: TcpTest, seed: int, sizes: list[list[tuple[int, int]]]) -> None:
    run, pairs = begun(test, seed, sizes)
    again, _ = begun(test, seed, sizes)
    for _ in range(3):
        run.env.run(run.env.now + 7 * MS)
        run.audit()
    again.env.run(run.env.now)
    assert run.read_accounts(0, {}) == again.read_accounts(0, {})
    for name, share in run.read_accounts(0, {}).utilisation().items():
        assert 0 <= share <= 1, name
    for segment in run.segments:
        carried = sum(sum(mac.sent) for mac in segment.macs)
        assert carried * segment.spec.frame_time(64) <= run.env.now + segment.spec.frame_time(64)
    for _ in range(3000):
        if all(len(pair.answered) == len(one) for pair, one in zip(pairs, sizes, strict=True)):
            break
        run.env.run(run.env.now + 200 * MS)
    run.audit()
    for pair, one in zip(pairs, sizes, strict=True):
        server, client = pair.sockets
        tcp_accounts.audit(server, client)
        tcp_accounts.audit(client, server)
        assert len(pair.answered) == len(one)
        assert server.read_bytes == sum(asked for asked, _ in one)
        assert client.read_bytes == sum(answered for _, answered in one)
