"""Which part computes the checksum of received data, by the sources of Linux 2.2.16's drivers, and its cost."""

from __future__ import annotations

import pytest

from netsim.scenario import host
from netsim.stack.socket import WITHIN
from netsim.stack.tcp_costs import TcpCosts


def costs(nic: str, name: str = "p166") -> TcpCosts:
    return TcpCosts(host(name, system="linux-2.2.16", nics=[nic]))


@pytest.mark.parametrize(
    ("nic", "length", "by_tcp"),
    [
        ("rtl8139/rtl8139", 1448, False),  # rtl8129_rx: eth_copy_and_sum, every frame
        ("rtl8139/rtl8139", 1, False),
        ("lne100tx/tulip", 1448, True),
        ("lne100tx/tulip", 34, True),  # a frame of 100 bytes, rx_copybreak
        ("lne100tx/tulip", 33, False),
        ("eepro100/eepro100", 134, True),
        ("eepro100/eepro100", 133, False),  # by the card
        ("3c905b/3c59x", 1448, False),  # the card
        ("3c905b/3c59x", 1, False),
        ("pro1000f/e1000", 1, True),  # CHECKSUM_NONE
        ("sk9843/sk98lin", 1448, False),
    ],
)
def test_tcp_sums_what_card_and_driver_have_not(nic: str, length: int, by_tcp: bool) -> None:
    one = costs(nic, "piii-600")
    parts = dict(one.arrival(length, 0).parts)
    assert ("checksum" in parts) == by_tcp
    # A pass over the data, by TCP or by the driver, has brought them into a cache.
    copied_or_summed = nic not in ("3c905b/3c59x", "sk9843/sk98lin") or length == 1
    assert one.place(one.host.frame_size(length), 0).source == ("cache" if copied_or_summed else "memory")


def test_sums_are_taken_aligned_and_copies_are_not() -> None:
    """csum_partial sums the first two bytes separately; the copy to the user has 362 words misaligned by two bytes, at
    3 clocks each."""
    one = costs("lne100tx/tulip")
    memory, processors = one.host.memory, one.host.processors
    assert dict(one.arrival(1448, 0).parts)["checksum"] == memory.read_time(1448, "memory")
    place = one.place(one.host.frame_size(1448), 0)
    assert not place.aligned
    copy = one.read(1448, place, WITHIN).total
    assert copy - memory.copy_time(1448, "cache") == processors.time(3 * 362) > 6_500_000
