"""A driver's countdown: set to the wire time of the frames not yet taken back, and again with each frame."""

from __future__ import annotations

import netsim as ns
from netsim.engine import Environment
from netsim.machine.countdown import CountdownTimer
from netsim.units import PS_PER_S
from netsim.workload import Netperf

US = PS_PER_S // 10**6
RATE = 100_000_000


def expired(*actions: tuple[int, str, int]) -> list[float]:
    """Times (us) at which a countdown expires, given bytes queued or freed at these times (us)."""
    env, found = Environment(1), list[float]()
    timer = CountdownTimer(env, lambda: found.append(env.calendar.now / US), 40, RATE)
    for at, name, nbytes in actions:
        env.calendar.call_at(at * US, getattr(timer, name), nbytes)
    env.run(10**10)
    return found


def test_it_lasts_as_long_as_the_wire_takes_for_what_is_queued() -> None:
    assert expired((0, "queued", 1500)) == [120]
    assert expired((0, "queued", 1500), (100, "queued", 1500)) == [340]


def test_it_lasts_for_the_least_number_of_bytes() -> None:
    assert expired((0, "queued", 5)) == [3.2]


def test_what_is_left_sets_it_again_and_it_runs_on_when_nothing_is() -> None:
    assert expired((0, "queued", 1000), (0, "queued", 1000), (50, "freed", 1000)) == [130]
    assert expired((0, "queued", 1000), (50, "freed", 1000)) == [80]


def test_a_sender_whose_buffer_is_in_the_ring_waits_for_it() -> None:
    """A UDP socket's buffer is full, and no frames are taken back before the wire has had time for all frames since the
    last one: the wire idles meanwhile. An interrupt for each frame keeps it busy."""
    host = ns.host("piii-600", system="linux-2.2.16", nics=["3c905b/3c90x"])
    test = Netperf(test="UDP_STREAM", sender=host, receiver=host, message=8192)
    each = test.replace("sender.nics.0.driver.tx_interrupt", {"policy": "every-frame"})
    waits, busy = (ns.simulate(one, precision=0.02).throughput for one in (test, each))
    assert waits < 0.9 * busy


def test_the_driver_waits_for_the_chip_with_each_frame() -> None:
    host = ns.host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"])
    test = Netperf(test="UDP_STREAM", sender=host, receiver=host, message=1024, offered="8 Mbit/s")
    shares = [
        ns.simulate(test.replace("sender.nics.0.driver.tx_wait", f"{wait} us"), precision=0.01).cpu["sender"]
        for wait in (0, 100)
    ]
    assert abs(shares[1] - shares[0] - 100e-6 * 8e6 / (8 * 1024)) < 0.004
