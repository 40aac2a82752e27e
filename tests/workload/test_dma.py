"""A device's transfers over PCI Express: compared with the closed form, and properties that always hold."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import netsim as ns
from netsim.engine import Environment
from netsim.errors import ConservationError
from netsim.units import US
from netsim.workload.dma.bounds import alone
from netsim.workload.dma.run import DmaRun

COMPLETIONS = ["max_payload", "read_boundary"]
PARTS = {"pcie": "pcie-3-x8", "root_complex": "sandy-bridge-ep", "engine": "nfp-6000"}


def dma(operation: str, size: int, **changes: Any) -> ns.Dma:
    own = {name: changes.pop(name) for name in list(changes) if name in ns.Dma.model_fields}
    return ns.Dma(operation, size, **PARTS | own).replace({at.replace("__", "."): new for at, new in changes.items()})


def run(test: ns.Dma, until: int = 20 * US) -> DmaRun:
    found = test.build(Environment())
    found.start()
    found.env.run(until)
    found.audit()
    return found


def rate(found: DmaRun) -> float:
    """Bit/s since the start."""
    return found.delivered * 8e12 / found.env.now


@st.composite
def transfers(draw: st.DrawFn) -> ns.Dma:
    """Transfers over any link, with any engine."""
    sizes = st.sampled_from([128, 256, 512, 4096])
    times = st.integers(0, 300_000).map(lambda ps: f"{ps} ps")
    rates = st.sampled_from([None, "300 MB/s", "3.56 GB/s", "40 GB/s"])
    return dma(
        draw(st.sampled_from(["read", "write", "write-read"])), draw(st.integers(1, 5000)),
        offset=draw(st.integers(0, 4095)), outstanding=draw(st.integers(1, 40)), cached=draw(st.booleans()),
        remote=draw(st.booleans()), switch_time=draw(times), pcie__generation=draw(st.integers(1, 5)),
        pcie__lanes=draw(st.sampled_from([1, 2, 4, 8, 16])), pcie__max_payload=draw(sizes), pcie__max_read=draw(sizes),
        pcie__ecrc=draw(st.booleans()), root_complex__completion=draw(st.sampled_from(COMPLETIONS)),
        root_complex__write_time=draw(times), engine__commands=draw(st.integers(1, 40)),
        engine__tags=draw(st.integers(1, 40)), engine__overhead=draw(times), engine__rate=draw(rates),
        engine__read_interval=draw(times), engine__write_interval=draw(times),
        credits=draw(_credits), iommu=None, window=draw(st.sampled_from([None, "1 MiB"])),
    )  # fmt: skip


_credits = st.none() | st.fixed_dictionaries({
    "posted_headers": st.integers(1, 8), "posted_data": st.integers(256, 300),
    "nonposted_headers": st.integers(1, 8), "return_time": st.integers(0, 400_000).map(lambda ps: f"{ps} ps"),
})  # fmt: skip


@given(transfers(), st.integers(1, 40))
@settings(max_examples=60, deadline=None)
def test_nothing_is_faster_than_its_bound(test: ns.Dma, time: int) -> None:
    found = run(test, time * US)  # includes an audit
    assert rate(found) <= test.bounds().limit * (1 + 1e-12)
    for name, ps in found.accounts().occupied.items():
        assert 0 <= ps <= found.env.now, name


@given(transfers())
@settings(max_examples=40, deadline=None)
def test_a_lone_command_takes_what_the_closed_form_says(test: ns.Dma) -> None:
    """To the picosecond, with tags for all of its reads."""
    test = test.replace({"outstanding": 1, "engine.tags": 1000, "credits": None})
    time, found = alone(test), test.build(Environment())
    found.start()
    found.env.run(3 * time + 1)
    assert found.transactions.completed == 3
    assert found.transactions.stays() == {test.operation: 3 * time}


@pytest.mark.parametrize(
    ("test", "bottleneck"),
    [
        (dma("read", 4096, outstanding=8), "PCIe downstream"),
        (dma("write", 4096, outstanding=8), "PCIe upstream"),
        (dma("write", 64, outstanding=64), "DMA engine"),
        (dma("read", 64, outstanding=64, engine__tags=8), "DMA tags"),
        (dma("read", 1500, outstanding=64, engine__tags=32), "PCIe downstream"),  # each waits for the link
        (dma("read", 64, outstanding=64), "latency"),
        (dma("read", 4096), "latency"),
        (dma("write-read", 1024), "latency"),
    ],
)
def test_what_limits_is_reached(test: ns.Dma, bottleneck: str) -> None:
    result, bounds = ns.simulate(test, precision=0.01), test.bounds()
    assert (result.bottleneck, bounds.bottleneck) == (bottleneck, bottleneck)
    assert result.throughput == pytest.approx(bounds.limit, rel=2e-3)
    assert result.converged


def test_a_read_waits_for_the_write_before_it() -> None:
    """A read waits only until the written data can be read, not until the write has its place in another link's queue.
    """
    plain, slow = (dma("write-read", 64, root_complex__write_time=time) for time in ("150 ns", "250 ns"))
    assert alone(slow) - alone(plain) == 100_000
    assert alone(plain) > alone(dma("read", 64)) + 150_000
    assert run(slow).delivered < run(plain).delivered


def test_memory_that_is_not_cached_or_remote_adds_its_time() -> None:
    near = alone(dma("read", 64))
    assert alone(dma("read", 64, cached=False)) - near == 80_000
    assert alone(dma("read", 64, remote=True)) - near == 100_000
    assert alone(dma("write-read", 64, remote=True)) - alone(dma("write-read", 64)) == 200_000


def test_switches_add_their_time_to_each_way() -> None:
    assert alone(dma("read", 64, switch_time="150 ns")) - alone(dma("read", 64)) == 300_000


def test_two_pages_take_two_packets() -> None:
    inside, across = (run(dma("write", 64, outstanding=8, offset=offset)) for offset in (0, 4064))
    assert inside.up.packets / inside.transactions.completed == pytest.approx(1, rel=0.02)
    assert across.up.packets / across.transactions.completed == pytest.approx(2, rel=0.02)


@pytest.mark.parametrize("operation", ["read", "write"])
def test_more_lanes_and_a_later_generation_do_no_harm(operation: str) -> None:
    rates = [
        run(dma(operation, 1500, outstanding=32, pcie=f"pcie-{generation}-x{lanes}"), 400 * US).delivered
        for generation, lanes in [(2, 4), (3, 4), (3, 8), (3, 16)]
    ]
    assert rates == sorted(rates)
    assert rates[1] == pytest.approx(1.97 * rates[0], rel=0.02)  # 8 GT/s with 128b/130b instead of 5 with 8b/10b
    assert rates[2] == pytest.approx(2.0 * rates[1], rel=0.02)


# ---- credits ----

FEW = {"posted_headers": 4, "posted_data": 64, "nonposted_headers": 4, "return_time": "400 ns"}


@pytest.mark.parametrize(
    ("test", "changes", "bottleneck"),
    [
        (dma("write", 64, outstanding=64, engine__write_interval="0 ns"), {}, "posted headers"),
        (dma("write", 256, outstanding=64, engine__write_interval="0 ns"), {"posted_headers": 40}, "posted data"),
        (dma("read", 64, outstanding=64, engine__commands=64), {}, "non-posted headers"),
        (dma("read", 1500, outstanding=64), {"nonposted_headers": 40}, "PCIe downstream"),
    ],
)
def test_credits_limit_as_the_closed_form_says(test: ns.Dma, changes: dict[str, Any], bottleneck: str) -> None:
    test = test.replace("credits", FEW | changes)
    result, bounds = ns.simulate(test, precision=0.01), test.bounds()
    assert (result.bottleneck, bounds.bottleneck) == (bottleneck, bottleneck)
    assert result.throughput == pytest.approx(bounds.limit, rel=3e-3)


def test_enough_credits_change_nothing() -> None:
    plain = dma("write-read", 1500, outstanding=16)
    enough = plain.replace("credits", "sandy-bridge-ep")
    assert run(enough).transactions.stays() == run(plain).transactions.stays()


def test_a_credit_is_back_after_the_packet_and_its_way() -> None:
    """With one header, writes of 64 bytes are separated by a packet and the path of an UpdateFC."""
    test = dma("write", 64, outstanding=2, engine__write_interval="0 ns", engine__overhead="0 ns",
               engine__rate=None).replace("credits", FEW | {"posted_headers": 1})  # fmt: skip
    found = run(test, 200 * US)
    each = test.pcie.time(88) + 400_000
    assert found.transactions.completed == (200 * US - test.pcie.time(88)) // each + 1


# ---- an IOMMU ----


@pytest.mark.parametrize(("window", "walks"), [("256 KiB", False), ("260 KiB", True)])
def test_an_iommu_costs_nothing_up_to_its_entries(window: str, walks: bool) -> None:
    """With sequential pages, beyond 64 entries each has been replaced before it is used again."""
    test = dma("read", 64, window=window, access="sequential", iommu="vt-d")
    found = run(test, 200 * US)
    assert found.iommu is not None
    assert found.iommu.walks - (found.transactions.completed if walks else 64) in (0, 1)
    times = ns.simulate(test, warm_up="100 us").kinds[0].response * 1e12
    assert times == pytest.approx(alone(dma("read", 64)) + (320_000 if walks else 0), rel=1e-6)


def test_pages_at_random_miss_as_often_as_the_closed_form_says() -> None:
    test = dma("read", 64, window="1 MiB", iommu="vt-d", outstanding=8)
    found = run(test, 2000 * US)
    assert found.iommu is not None
    assert test.missed == 1 - 64 / 256
    assert found.iommu.walks / found.transactions.completed == pytest.approx(test.missed, abs=0.02)


def test_walkers_limit_as_the_closed_form_says() -> None:
    test = dma("read", 64, window="1 MiB", access="sequential", iommu="vt-d", outstanding=64, iommu__walkers=2)
    result = ns.simulate(test, precision=0.01)
    assert result.bottleneck == test.bounds().bottleneck == "IOMMU walkers"
    assert result.throughput == pytest.approx(test.bounds().limit, rel=3e-3)


def test_writes_wait_for_translations_in_order_once_credits_are_out() -> None:
    """A write that waits for its address keeps its credits, and so do the writes after it."""
    free = dma("write", 64, outstanding=32, window="1 MiB", access="sequential", engine__write_interval="0 ns")
    held = free.replace({"iommu": "vt-d", "iommu.walkers": 1, "credits": FEW})
    limits = [test.bounds().bottleneck for test in (free, held)]
    assert limits == ["PCIe upstream", "IOMMU walkers"]
    assert ns.simulate(held, precision=0.01).throughput == pytest.approx(held.bounds().limit, rel=0.01)


PAGES: dict[str, Any] = {"window": "1 MiB", "iommu": "vt-d", "outstanding": 64, "pcie": "pcie-4-x8"}


@pytest.mark.parametrize("walkers", [6, 3, 1])
@pytest.mark.parametrize(("access", "near"), [("sequential", 0.002), ("random", 0.03)])
def test_walkers_limit_writes_without_credits(access: str, near: float, walkers: int) -> None:
    """A write ends when its address is known, so no more wait for theirs than commands are under way."""
    test = dma("write", 300, access=access, iommu__walkers=walkers, **PAGES)
    result, bounds = ns.simulate(test), test.bounds()
    assert result.bottleneck == bounds.bottleneck == "IOMMU walkers"
    assert result.throughput == pytest.approx(bounds.limit, rel=near)


@pytest.mark.parametrize("size", [64, 300, 4000])
@pytest.mark.parametrize("operation", ["read", "write", "write-read"])
def test_with_an_iommu_nothing_is_faster_than_its_bound(operation: str, size: int) -> None:
    for window, walkers in (("260 KiB", 1), ("260 KiB", 6), ("1 MiB", 1)):
        test = dma(operation, size, access="sequential", iommu__walkers=walkers, **PAGES | {"window": window})
        assert rate(run(test, 50 * US)) <= test.bounds().limit * (1 + 1e-12)


def test_a_lone_write_ends_when_its_address_is_known() -> None:
    test = dma("write", 64, access="sequential", **PAGES | {"outstanding": 1})
    each = alone(test) + 320_000  # four levels
    found = run(test, 10 * each + 1)
    assert found.transactions.stays() == {"write": 10 * each}


def _keep_a_tag(run: DmaRun) -> None:
    run.engine.tags_free -= 1


def _lose_bytes(run: DmaRun) -> None:
    run.root_complex.bytes_written -= 1


def _lose_reads(run: DmaRun) -> None:
    run.engine.bytes_read //= 2


def _forget_a_command(run: DmaRun) -> None:
    run.transactions.all.inside -= 1


@pytest.mark.parametrize("harm", [_keep_a_tag, _lose_bytes, _lose_reads, _forget_a_command])
def test_the_audit_finds_what_is_lost(harm: Any) -> None:
    found = run(dma("write-read", 64, outstanding=4))
    harm(found)
    with pytest.raises(ConservationError):
        found.audit()


@pytest.mark.parametrize("interval", ["1 ns", "0 ns"])
def test_packets_of_a_command_stay_together(interval: str) -> None:
    """Commands that begin at the same time don't wait for the walks of each other's first packets."""
    test = dma("write", 300, engine__write_interval=interval, **PAGES | {"window": "4 MiB"})
    result, bounds = ns.simulate(test.replace("duration", "0.2 ms")), test.bounds()
    assert result.bottleneck == bounds.bottleneck == "IOMMU walkers"
    assert result.throughput == pytest.approx(bounds.limit, rel=0.03)


def test_the_result_is_shown() -> None:
    text = str(ns.simulate(dma("read", 64)))
    assert text.startswith("DMA read")
    assert "read 556.9 ns" in text
    assert "limited by latency" in text


def test_a_run_too_short_for_any_command_gives_no_limit_below_the_bound() -> None:
    """The first one takes 0.3 ms, and for all that is known then, all 35 under way may end together."""
    test = dma("write", 65_536, outstanding=64, pcie="pcie-1-x1", duration="0.1 ms")
    short, bound = ns.simulate(test), test.bounds().limit
    assert (short.throughput, short.converged) == (0, False)
    assert short.half_width > 35 * 4.6 * 65_536 * 8 / short.elapsed  # 4.6 deliveries of 35 commands each
    assert f"0 Mbit/s, where the closed form allows {bound / 1e6:.2f} " in str(short)
    assert "(the duration, or the limit if given, is too short)" in str(short)
    assert ns.simulate(test.replace("duration", "100 ms")).throughput == pytest.approx(bound)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"size": 0}, "size: "),
        ({"size": "1 MiB"}, 'size: "1 MiB" is out of range for the size of a transfer; allowed: above 0, up to 64 KiB'),
        ({"size": 0}, "size: 0 is out of range for the size of a transfer; allowed: above 0, up to 64 KiB"),
        ({"offset": 4096}, "offset: 4096 B is beyond the page; allowed: 0 to 4095 B"),
        ({"operation": "reed"}, 'operation: "reed" is not allowed (did you mean "read"?); allowed: read, write, '),
        ({"credits": FEW | {"posted_data": 15}}, "credits.posted_data: 15 don't hold a packet of 256 B"),
        ({"iommu": "vt-d", "offset": 4000, "size": 100}, "size: 100 B at offset 4000 B cross a page boundary"),
        ({"pcie": "pcie-3-x7"}, 'pcie: nothing in pcie is called "pcie-3-x7" (did you mean "pcie-3-x'),
    ],
)
def test_what_does_not_fit_is_refused(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(ns.ScenarioError) as error:
        ns.Dma(**{"operation": "read", "size": 64} | PARTS | keys)
    assert str(error.value).startswith(message)
