"""Any records on any storage: no simulation of ServerBench exceeds the closed form of what is behind the memory."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import netsim as ns
from netsim.accounts import Resource
from netsim.units import MIB
from netsim.workload import ServerBench
from tests.on_servers import PAGE, SERVER_MIX, addresses, kind, server_bench

quick = settings(deadline=None, max_examples=15)

records = st.fixed_dictionaries({
    "records": st.integers(1, 8), "record": st.sampled_from([512, 1000, PAGE, 2 * PAGE, 5000, 16 * PAGE]),
})  # fmt: skip
storage = st.fixed_dictionaries({
    "level": st.sampled_from([0, 5]), "disks": st.sampled_from([3, 5, 30]),
    "stripe_unit": st.sampled_from(["4 KiB", "8 KiB", "64 KiB"]),
    "controller.cache": st.sampled_from([0, "1 MiB"]), "controller.write_back": st.booleans(),
    "controller.channels": st.integers(1, 3), "controller.channel_rate": st.sampled_from(["1 MB/s", "40 MB/s"]),
    "controller.command_time": st.sampled_from(["0.2 ms", "3 ms"]),
    "disk.order": st.sampled_from(["fifo", "elevator"]), "disk.track_to_track": st.just(0),
    "disk.average_seek": st.sampled_from([0, "5 ms"]),
})  # fmt: skip


@st.composite
def writing_servers(draw: st.DrawFn) -> ServerBench:
    mix = SERVER_MIX.replace({
        "random_read": kind(draw(st.integers(0, 1)), cycles=2000, **draw(records)),
        "random_write": kind(1, cycles=2000, **draw(records)), "client_cycles": 1000,
        "processor.weight": 0, "client_server.weight": 0, "server_client.weight": 0,
    })  # fmt: skip
    server = {f"server.storage.{at}": value for at, value in draw(storage).items()}
    server["server.system.files.cache.cluster"] = draw(st.sampled_from([PAGE, "64 KiB"]))
    server["server.memory.size"] = draw(st.sampled_from([9, 12])) * MIB
    clients, segment = draw(st.sampled_from([1, 4, 12])), draw(st.sampled_from([2, 8])) * MIB
    return server_bench(clients, mix=mix, data_segment=segment).replace(server)


@quick
@given(writing_servers())
def test_no_records_come_faster_than_their_storage_allows(test: ServerBench) -> None:
    result = ns.simulate(test, precision=0.1, limit="3 s")
    assert result.throughput - result.half_width <= test.bounds().limit


def missing(**changes: Any) -> ServerBench:
    """Reads, of which memory holds none: each client has more than all of it."""
    mix = SERVER_MIX.replace({"random_read": kind(records=4, record=PAGE, cycles=2000), "random_write.weight": 0,
                              "processor.weight": 0, "client_server.weight": 0, "server_client.weight": 0})  # fmt: skip
    test = server_bench(8, mix=mix, data_segment=128 * MIB, server__memory__size=10 * MIB)
    return test.replace(addresses(changes))


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"command_time": "5 ms"}, "server disk controller"),
        ({"disk_command_time": "5 ms"}, "server disk controller"),
        ({"channel_rate": "0.5 MB/s"}, "server SCSI channel 0"),
    ],
)
def test_what_limits_the_simulation_limits_the_closed_form(changes: dict[str, str], part: str) -> None:
    test = missing(**{f"server__storage__controller__{name}": value for name, value in changes.items()})
    result = ns.simulate(test, precision=0.05, limit="6 s")
    assert (result.bottleneck, test.bounds().bottleneck) == (part, part)
    assert result.throughput - result.half_width <= test.bounds().limit
    assert result.resources().loc[part, "needed"] > 0.9


def test_records_of_several_pages_pass_the_head_as_a_whole() -> None:
    rates = [missing(mix__random_read__record=size * PAGE).bounds().limit for size in (1, 2, 4, 8, 16, 32)]
    assert rates == sorted(rates, reverse=True)
    assert rates[-1] < rates[0] / 4


def test_a_client_waits_for_what_no_cache_has() -> None:
    """A lone one has as many records per second as an idle disk allows it, on average half a turn after the seek."""
    test = missing(clients=1, server__storage__disk__average_seek=0, server__storage__disk__track_to_track=0)
    result = ns.simulate(test.replace("server.storage.disk.full_stroke", 0), precision=0.02, limit="20 s")
    assert result.throughput - result.half_width <= test.bounds().undelayed
    assert result.throughput > 0.85 * test.bounds().undelayed


def test_a_parity_is_written_too() -> None:
    mix = SERVER_MIX.replace({"random_write": kind(records=4, record=PAGE, cycles=2000), "random_read.weight": 0})
    plain, parity = (missing(mix=mix, server__storage__level=level).bounds().demand for level in (0, 5))
    assert parity["server SCSI channel 0"] == pytest.approx(1.25 * plain["server SCSI channel 0"], rel=1e-3)


def test_clients_that_fit_into_memory_may_do_more_than_their_share() -> None:
    """They are faster, and so may keep their pages there. The others miss, and all of these take the time of a part
    that is slow enough."""
    slow = {"server__memory__size": 12 * MIB, "server__storage__controller__command_time": "9 ms"}
    test = missing(data_segment=2 * MIB, **slow)
    bounds = test.bounds()
    held = (4 * MIB - 8 * 65536) / (2 * MIB)  # segments
    few = test.replace("clients", 1).bounds()
    assert few.demand["server disk controller"] == 0
    assert bounds.throughput(Resource("server", "disk controller")) > held // 1 * few.limit > 20 / (4 * 9e-3)
