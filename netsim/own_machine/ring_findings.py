"""Rings, moderation, queues, offloads and drops of an adapter."""

from __future__ import annotations

import math
from collections.abc import Iterator

from netsim.ethernet.frame import MIN_FRAME
from netsim.ethernet.frame_sizes import frame_size
from netsim.own_machine.finding import UNKNOWN, Finding, Subject, gbit, lasting
from netsim.own_machine.slot_rate import frames_per_second
from netsim.units import PS_PER_S

_TSO = 65_536  # bytes that TCP hands down or GRO hands up at once (Linux 5.17: GSO_MAX_SIZE, GRO_MAX_SIZE)
_SIMULATED = ("segmentation", "generic_receive")
_OFFLOADS = {
    "rx_checksum": ("rx", "the processor reads every received byte once more, to compute the checksum"),
    "tx_checksum": ("tx", "the processor reads every sent byte once more, to compute the checksum"),
    "scatter_gather": ("sg", "every frame is copied into one piece before it is sent, and segmentation is off, too"),
    "segmentation": ("tso", "the stack hands {frames} frames to the adapter instead of one piece of {most} bytes"),
    "generic_segmentation": ("gso", "{frames} frames go through the stack instead of one piece of {most} bytes"),
    "generic_receive": ("gro", "{frames} frames go through the stack instead of one piece of {most} bytes"),
}


def ring_findings(subject: Subject) -> Iterator[Finding]:
    """Findings about one adapter."""
    yield from _ring(subject)
    yield from _drops(subject)
    yield from _queues(subject)
    yield from _offloads(subject)


def _rates(subject: Subject) -> tuple[float, float]:
    """Full-size and shortest frames per second at the wire's rate."""
    adapter = subject.adapter
    return frames_per_second(adapter, frame_size(adapter.mtu)), frames_per_second(adapter, MIN_FRAME)


def between_interrupts(subject: Subject) -> tuple[int, int] | None:
    """The number of full-size frames, and of shortest ones, that can arrive between two interrupts; None if unknown."""
    adapter = subject.adapter
    if not adapter.rate or not adapter.rx_usecs or adapter.adaptive_rx:
        return None
    gap = adapter.rx_usecs / PS_PER_S
    full, short = (math.ceil(rate * gap) for rate in _rates(subject))
    most = adapter.rx_frames or max(full, short)
    return min(full, most), min(short, most)


def _ring(subject: Subject) -> Iterator[Finding]:
    """More frames arrive between two interrupts than the ring has descriptors."""
    adapter, between = subject.adapter, between_interrupts(subject)
    if between is None or not adapter.rx_ring or between[1] <= adapter.rx_ring or adapter.rx_usecs is None:
        return
    full, short = between
    gap, shortest = adapter.rx_usecs / PS_PER_S, _rates(subject)[1]
    what = f"the receive ring has {adapter.rx_ring} descriptors, and interrupts may be {lasting(gap)} apart"
    come = f"{short} frames of 64 bytes or {full} full ones"
    why = f"at {gbit(adapter.rate or 0)}, {come} can arrive in one queue in that time"
    remedy, gain, changes = _larger(subject, short)
    where = subject.where("rx_ring", "rx_usecs")
    factor = min(adapter.rx_ring_max or adapter.rx_ring, short) / adapter.rx_ring
    gain += f"; now it is full after {lasting(adapter.rx_ring / shortest)} of 64-byte frames"
    limits = full > adapter.rx_ring
    yield Finding(subject.part, what, where, why, remedy, gain, max(1.0, factor), limits, changes)


def _larger(subject: Subject, frames: int) -> tuple[str, str, dict[str, object]]:
    """A ring that holds these frames; if it can't grow that far, the longest ring and earlier interrupts."""
    adapter, shortest = subject.adapter, _rates(subject)[1]
    assert adapter.rx_ring is not None
    most = adapter.rx_ring_max or adapter.rx_ring
    size = min(most, 1 << (frames - 1).bit_length())
    usecs = int(max(size, adapter.rx_ring) / shortest * 1e6)
    if size >= frames:
        gain = f"{size} descriptors hold {lasting(size / shortest)} of 64-byte frames"
        return f"ethtool -G {subject.name} rx {size}", gain, subject.changes(rx_ring=size)
    command = f"ethtool -G {subject.name} rx {most}; " if most > adapter.rx_ring else ""
    gain = f"a ring of {most} then holds all frames between two, at up to {1e6 / max(1, usecs):.0f} interrupts a second"
    changes = subject.changes(rx_ring=max(most, adapter.rx_ring), rx_usecs=f"{usecs} us")
    return f"{command}ethtool -C {subject.name} rx-usecs {usecs}", gain, changes


def _drops(subject: Subject) -> Iterator[Finding]:
    adapter = subject.adapter
    full = _rates(subject)[0]
    if adapter.ring_drops:
        what = f"{adapter.ring_drops} frames were dropped because no receive descriptor was free"
        why = "the ring's size or the wire's rate is not known"
        if adapter.rx_ring and full:
            holds = lasting(adapter.rx_ring / full)
            why = f"{adapter.rx_ring} descriptors hold {holds} of full frames at the wire's rate"
        remedy, gain, changes = _more_room(subject, full)
        where = subject.where("ring_drops", "rx_ring")
        yield Finding(subject.part, what, where, why, remedy, gain, changes=changes)
    if adapter.fifo_drops:
        what = f"{adapter.fifo_drops} frames were dropped because the adapter's own memory was full"
        why = "frames arrived faster than they left over PCI Express, or the ring was full for too long"
        remedy = "see the findings about the link and the ring; pause frames (ethtool -A) move the loss to the sender"
        yield Finding(subject.part, what, subject.where("fifo_drops"), why, remedy)


def _more_room(subject: Subject, full: float) -> tuple[str, str, dict[str, object]]:
    adapter = subject.adapter
    most = adapter.rx_ring_max or 0
    if not adapter.rx_ring or not full or most <= adapter.rx_ring:
        return "let more processors receive, or delay interrupts less", UNKNOWN, {}
    gain = f"{most} descriptors hold {lasting(most / full)} of full frames; how many are still dropped is not known"
    return f"ethtool -G {subject.name} rx {most}", gain, subject.changes(rx_ring=most)


def _queues(subject: Subject) -> Iterator[Finding]:
    adapter, count = subject.adapter, subject.machine.processors.count
    if adapter.queues != 1 or (adapter.queues_max or 1) == 1 or count == 1:
        return
    most = min(adapter.queues_max or 1, count)
    full, short = _rates(subject)
    what = f"one receive queue for {count} processors: one of them handles every frame"
    why = "the wire's rate is not known"
    if full:
        why = f"at the wire's rate it has {lasting(1 / full)} per full frame, {lasting(1 / short)} per shortest frame"
    yield Finding(
        subject.part, what, subject.where("queues", "queues_max"),
        why,
        f"ethtool -L {subject.name} combined {most}",
        f"{most} times as long for each frame if flows spread evenly; effect on throughput {UNKNOWN}",
        changes=subject.changes(queues=most),
    )  # fmt: skip


def _offloads(subject: Subject) -> Iterator[Finding]:
    payload = max(1, subject.adapter.mtu - 40 - 12 * subject.machine.kernel.tcp_timestamps)
    frames = -(-_TSO // payload)
    for name, (option, why) in _OFFLOADS.items():
        if subject.adapter.offloads.get(name) == "off" and subject.read(f"offloads.{name}"):
            cut = "frames" in why
            changes = subject.changes(**{f"offloads__{name}": "on"}) if name in _SIMULATED else {}
            yield Finding(
                subject.part, f"{name.replace('_', ' ')} offload is off", subject.where(f"offloads.{name}"),
                why.format(frames=frames, most=_TSO),
                f"ethtool -K {subject.name} {option} on",
                f"1 pass instead of up to {frames}; effect on throughput {UNKNOWN}" if cut else UNKNOWN,
                changes=changes,
            )  # fmt: skip
