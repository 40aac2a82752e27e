"""Settings that are not faulty, but may give a higher rate if changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from netsim.machine import QueueDriverSpec
from netsim.own_machine.coalescing import adaptive
from netsim.own_machine.finding import Finding, Subject
from netsim.own_machine.stream_test import StreamTest
from netsim.spec import NONE
from netsim.units import MIB

_JUMBO, _FLOWS = 9000, 32_768
# Jumbo frames came with Gigabit Ethernet: many parts of slower links drop them, and any processor fills such a link.
_SLOWEST_JUMBO = 10**9  # bit/s
_MOST_BUFFER = 1 << 30
NOT_WRONG = "not simulated"


def proposals(subject: Subject, test: StreamTest) -> Iterator[Finding]:
    """The proposals that a test can assess. Their `changes` are values that the machine would then report, or values of
    the test (without "adapters." and "kernel.")."""
    yield from _ring(subject)
    yield from _frames(subject, test)
    yield from _steering(subject, test)
    yield from _buffers(subject, test)
    yield from _moderation(subject, test)
    yield from _streams(subject, test)


def _setting(subject: Subject, what: str, why: str, remedy: str, changes: Mapping[str, object], *where: str) -> Finding:
    return Finding(subject.part, what, subject.where(*where), why, remedy, NOT_WRONG, changes=changes)


def _ring(subject: Subject) -> Iterator[Finding]:
    now, most = subject.adapter.rx_ring, subject.adapter.rx_ring_max
    if now and most and now < most:
        what, why = f"the receive ring has {now} descriptors of at most {most}", "more frames can wait in a longer ring"
        remedy = f"ethtool -G {subject.name} rx {most}"
        yield _setting(subject, what, why, remedy, subject.changes(rx_ring=most), "rx_ring", "rx_ring_max")


def _frames(subject: Subject, test: StreamTest) -> Iterator[Finding]:
    if test.scenario.mtu < _JUMBO and test.scenario.link.rate >= _SLOWEST_JUMBO:
        what, why = f"the MTU is {test.scenario.mtu} bytes", "with larger packets, the same data take fewer of them"
        remedy = f"ip link set {subject.name} mtu {_JUMBO}, at both ends and on every switch between"
        yield _setting(subject, what, why, remedy, {"mtu": _JUMBO}, "mtu")


def _steering(subject: Subject, test: StreamTest) -> Iterator[Finding]:
    adapter = subject.adapter
    if test.scenario.get(test.own).arfs or adapter.offloads.flow_steering == "impossible" or adapter.queues == 1:
        return
    changes = subject.changes(offloads__flow_steering="on") | {"kernel.flow_entries": _FLOWS}
    remedy = (f"ethtool -K {subject.name} ntuple on; sysctl -w net.core.rps_sock_flow_entries={_FLOWS}; divide "
              "this number among rps_flow_cnt of its queues (scaling.rst: accelerated RFS)")  # fmt: skip
    what, why = "softirqs and the process run on different cores", "data that both use go from one cache to the other"
    yield _setting(subject, what, why, remedy, changes, "offloads.flow_steering")


def _buffers(subject: Subject, test: StreamTest) -> Iterator[Finding]:
    """Larger buffers, for larger windows, and smaller ones, so that waiting data stay in the cache."""
    measured, name = subject.adapter.measured, "wmem" if test.own == "sender" else "rmem"
    fixed = {"wmem": "send_buffer", "rmem": "receive_buffer"}[name]
    if measured is not None and measured.get(fixed) is not None:
        size, changes = measured.get(fixed), subject.changes(**{f"measured__{fixed}": NONE})
        what, why = f"iperf3 -w fixes the {fixed.replace('_', ' ')} at {size} bytes", "Linux would let it grow"
        yield _setting(subject, what, why, "leave out -w", changes, f"measured.{fixed}")
        return
    address = f"kernel.tcp_{name}_max"
    now = subject.machine.get(address)
    source = subject.machine.provenance()[address]
    larger, smaller = "a window has to cover the data in flight", "data that wait for less time stay in the cache"
    for size, why in ((4 * now, larger), (now // 4, smaller)):
        should = "raise" if size > now else "lower"
        what = f"tcp_{name} allows buffers of up to {now} bytes: {should} it to {size}"
        where = source.source or source.reason
        if MIB <= size <= _MOST_BUFFER:
            remedy = f"set the last of the three values of net.ipv4.tcp_{name} to {size} (sysctl -w)"
            yield Finding(subject.part, what, where, why, remedy, NOT_WRONG, changes={address: size})


def _moderation(subject: Subject, test: StreamTest) -> Iterator[Finding]:
    driver: QueueDriverSpec = test.scenario.get(f"{test.own}.driver")
    own = adaptive(subject.adapter, QueueDriverSpec.from_name(driver.catalogue_name.partition("/")[2]))
    if own is not None:
        option, values = own
        what, why = "interrupts are moderated by a fixed interval", "the driver can adapt it to the load"
        yield _setting(subject, what, why, f"ethtool -C {subject.name} {option}", subject.changes(**values), "rx_usecs")


def _streams(subject: Subject, test: StreamTest) -> Iterator[Finding]:
    measured = subject.adapter.measured
    now, host = test.scenario.streams, test.scenario.get(test.own)
    most = min(host.most_streams, host.driver.most_queues(host.adapter)[0])
    if now < most:
        if measured is not None and measured.streams > now:
            threads = min(most, measured.streams)
            what, remedy = f"one thread for {measured.streams} streams", f"iperf3 -P {threads} (3.16 or newer)"
            changes = subject.changes(measured__threads=threads, measured__streams=threads)
            yield _setting(subject, what, "each then has a core of its own", remedy, changes, "measured.threads")
            return
        more = min(most, 4 * now)
        one = "one stream in one thread" if now == 1 else f"{now} streams with a thread each"
        remedy = f"iperf3 -P {more} (3.16 or newer); in a program, {more} connections with a thread each"
        yield _setting(subject, one, "each has a core of its own", remedy, {"streams": more}, "queues")
