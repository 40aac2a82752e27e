"""Receive-side scaling: Microsoft's verification suite, and how flows are distributed."""

from __future__ import annotations

from collections import Counter
from ipaddress import ip_address

import pytest

from netsim.nic import rss

# Destination and its port, source and its port, hash of the addresses, hash including ports ("Verifying the RSS Hash
# Calculation", Microsoft).
VECTORS = [
    ("161.142.100.80", 1766, "66.9.149.187", 2794, 0x323E8FC2, 0x51CCC178),
    ("65.69.140.83", 4739, "199.92.111.2", 14230, 0xD718262A, 0xC626B0EA),
    ("12.22.207.184", 38024, "24.19.198.95", 12898, 0xD2D0A5DE, 0x5C2B394A),
    ("209.142.163.6", 2217, "38.27.205.30", 48228, 0x82989176, 0xAFC7327F),
    ("202.188.127.2", 1303, "153.39.163.191", 44251, 0x5D1809C5, 0x10E828A2),
    ("3ffe:2501:200:3::1", 1766, "3ffe:2501:200:1fff::7", 2794, 0x2CC18CD5, 0x40207D3D),
    ("ff02::1", 4739, "3ffe:501:8::260:97ff:fe40:efab", 14230, 0x0F0C461C, 0xDDE51BBF),
    ("fe80::200:f8ff:fe21:67cf", 38024, "3ffe:1900:4545:3:200:f8ff:fe21:67cf", 44251, 0x4B61E985, 0x02D1FEEF),
]


@pytest.mark.parametrize(("there", "to_port", "here", "from_port", "addresses", "with_ports"), VECTORS)
def test_the_hash(there: str, to_port: int, here: str, from_port: int, addresses: int, with_ports: int) -> None:
    source, destination = ip_address(here).packed, ip_address(there).packed
    assert rss.toeplitz(rss.KEY, source + destination) == addresses
    assert rss.toeplitz(rss.KEY, rss.four_tuple(source, destination, from_port, to_port)) == with_ports


def test_flows_go_to_all_queues_and_not_evenly() -> None:
    counts = Counter(rss.spread(240, 6, ports=True))
    assert counts.keys() == {*range(6)}
    assert sum(counts.values()) == 240
    assert max(counts.values()) > 40
    assert rss.spread(10, 1, ports=True) == (0,) * 10
