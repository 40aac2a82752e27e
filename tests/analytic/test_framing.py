"""Wire-bound rates from framing alone, by the sizes in the standards (mechanisms of the reports)."""

from __future__ import annotations

import pytest

from tests.analytic.test_bounds import scenario


def test_tcp_with_timestamps() -> None:
    """1448 B of payload in 1538 byte times: 94.15 Mbit/s."""
    bounds = scenario("TCP_STREAM").bounds()
    assert bounds.throughput("wire to receiver") == pytest.approx(100e6 * 1448 / 1538)


def test_tcp_without_timestamps() -> None:
    """1460 B in 1538."""
    one = scenario("TCP_STREAM").replace("sender.system.tcp.timestamps", False)
    assert one.bounds().throughput("wire to receiver") == pytest.approx(100e6 * 1460 / 1538)


def test_udp_in_six_fragments() -> None:
    """8192 B in 8548 byte times: five full frames and one of 800 B of IP payload."""
    bounds = scenario("UDP_STREAM").bounds()
    assert bounds.throughput("wire to receiver") == pytest.approx(100e6 * 8192 / 8548)


def test_gigabit() -> None:
    """941.5 Mbit/s with timestamps."""
    one = scenario("TCP_STREAM").replace({"sender.nics.0.rate": "1 Gbit/s", "receiver.nics.0.rate": "1 Gbit/s"})
    one = one.replace("link", "1000base-sx")
    assert one.bounds().throughput("wire to receiver") == pytest.approx(941.48e6, rel=1e-5)
