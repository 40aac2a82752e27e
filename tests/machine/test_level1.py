"""Bytes that a copy has just written are still in a first-level cache, and the next pass over them finds them there."""

import pytest

from netsim.machine import Bill, MemorySpec, Work
from netsim.machine.processor_spec import ProcessorSpec
from netsim.scenario import host
from netsim.stack import ComputerSpec
from netsim.stack.socket import WITHIN
from netsim.stack.tcp_costs import TcpCosts
from netsim.stack.udp_costs import UdpCosts
from netsim.units import US

MEMORY = MemorySpec(read="100 MB/s", cached="400 MB/s", level1="800 MB/s", level1_size="16 KiB", write="200 MB/s")
CORE = ProcessorSpec(count=1, clock="1 GHz", relative_cpi=1, port_access=0, misaligned_cycles=0)
FRAME, DATA, DATAGRAM = 1514, 1448, 8200  # bytes


def pc(model: str, card: str = "rtl8139/rtl8139") -> ComputerSpec:
    return host(model, system="linux-2.2.16", nics=[card])


def of(work: Work, name: str) -> int:
    return dict(work.parts).get(name, 0)


def test_what_was_just_copied_is_read_at_the_first_levels_rate() -> None:
    assert Bill(CORE, MEMORY).checksum(1000, "level1").work().total == 1.25 * US
    assert Bill(CORE, MEMORY).copy(1000, "level1").work().total == 6.25 * US
    assert Bill(CORE, MEMORY.replace("level1", None)).checksum(1000, "level1").work().total == 2.5 * US


def test_memory_is_never_read_faster_than_the_cache_that_its_bytes_come_through() -> None:
    fast = MEMORY.replace("read", "1 GB/s")
    assert Bill(CORE, fast).checksum(1000, "memory").work().total == 2.5 * US
    assert Bill(CORE, fast).copy(1000, "memory").work().total == 7.5 * US


def test_adapters_delay_it_as_little_as_what_is_in_any_cache() -> None:
    assert Bill(CORE, MEMORY).checksum(1000, "level1").work().memory == 0


@pytest.mark.parametrize(
    ("nbytes", "there"), [(1000, 1000), (8192, 8192), (8200, 8184), (12_000, 4384), (16_384, 0), (65_535, 0)]
)
def test_a_first_level_cache_holds_the_end_of_both_sides_of_a_copy(nbytes: int, there: int) -> None:
    """Before byte i of n is read again, a copy has gone over 2 n - i others."""
    assert MEMORY.still_level1(nbytes) == there
    assert MEMORY.read_time(nbytes, "level1") == there * 1250 + (nbytes - there) * 2500


def test_a_driver_that_copies_at_once_finds_the_segment_in_the_first_level() -> None:
    """rtl8139.c copies what the call has just written; what deferred work sends was written some segments before."""
    one = pc("piii-600")
    tcp, memory = TcpCosts(one), one.memory
    unaligned = one.bill().copy(FRAME, "level1", aligned=False).work().total - memory.copy_time(FRAME, "level1")
    at_once = of(tcp.write_and_send(DATA, DATA, 0, WITHIN), "copy")
    assert at_once == memory.copy_time(DATA, "cache") + memory.copy_time(FRAME, "level1") + unaligned
    assert of(tcp.segment(DATA, 0), "copy") == memory.copy_time(FRAME, "cache") + unaligned


def test_a_datagrams_checksum_follows_its_gluing() -> None:
    one = pc("piii-600", "dfe570tx/tulip")
    level1 = one.memory.still_level1(DATAGRAM)
    expected = one.memory.read_time(level1, "level1") + one.memory.read_time(DATAGRAM - level1, "cache")
    assert of(UdpCosts(one).completion(800, DATAGRAM, 0), "checksum") == expected


def test_a_pentium_keeps_nothing_that_it_writes() -> None:
    """Its first-level cache does not read a line that is stored to."""
    memory = pc("p166").memory
    assert memory.read_time(1000, "level1") == memory.read_time(1000, "cache")


@pytest.mark.parametrize("model", ["piii-600", "2xpii-400", "piii-550", "netfinity-5500", "proliant-6400r", "ml530"])
def test_the_second_level_is_slower_than_the_first(model: str) -> None:
    memory = pc(model).memory
    assert memory.level1 is not None
    assert memory.cached < memory.level1
