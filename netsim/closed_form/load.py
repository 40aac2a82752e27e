"""The demand of frames and the work for them on a host: the least time of every resource."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import cast

from netsim.accounts import Resource
from netsim.accounts.resource import (
    BOTTOM_HALVES,
    CRYPTO_ENGINE,
    KERNEL_LOCK,
    MINIPORT_LOCK,
    ONBOARD,
    PROCESSOR,
    PROCESSORS,
    TRANSMITTER,
)
from netsim.bus import ChipsetSpec, ClockedSlot
from netsim.closed_form.passage import Passage, Ports, received, tcp_ack
from netsim.ethernet import Frame, Medium
from netsim.machine import AdapterSpec, Port, Work
from netsim.stack import ComputerSpec
from netsim.stack.tcp_costs import TcpCosts
from netsim.units import total

Demand = dict[Resource, float]  # ps
Works = list[tuple[float, Work]]  # how often each is done
Frames = list[tuple[float, Frame]]  # how often each frame is handed to the card, which may make several frames of it


@dataclass
class Load:
    """How often each piece of work is done: by any processor, or in deferred work and so by the processor that takes a
    port's interrupts. Of all this work, `calls` is always done inside system calls, and `halves` in deferred work or
    while a call keeps that out."""

    anywhere: Works = field(default_factory=list)
    deferred: defaultdict[int, Works] = field(default_factory=lambda: defaultdict(list))  # by the port's number
    # The part of these that handles received frames.
    handed_up: defaultdict[int, Works] = field(default_factory=lambda: defaultdict(list))
    calls: Works = field(default_factory=list)
    halves: Works = field(default_factory=list)

    def arrive(self, count: float, work: Work, port: int, backlog: bool) -> None:
        """Add the work for `count` frames received on a port, which deferred work does if there is no `backlog` for
        segments."""
        self.halves.append((count, work))
        if backlog:
            self.anywhere.append((count, work))
        else:
            self.deferred[port].append((count, work))
            self.handed_up[port].append((count, work))

    def of_segments(self, costs: TcpCosts, port: int) -> Works:
        """The list for work that follows from segments received on a port: deferred work, or work of any processor if a
        process inside a call may do it."""
        return self.anywhere if costs.spec.backlog else self.deferred[port]

    @property
    def everything(self) -> Works:
        """All of the work."""
        return [*self.anywhere, *chain.from_iterable(self.deferred.values())]


def on_the_wire(frames: Frames) -> Frames:
    """The frames that the card sends, and how often each is sent."""
    return [(count, piece) for count, frame in frames for piece in frame.pieces or (frame,)]


def _driver_load(host: ComputerSpec, sent: Sequence[Frames], taken: Sequence[Frames]) -> Iterator[Works]:
    """The drivers' work that is not part of a protocol's, by port: frames received, the rest of frames that cards have
    begun to send, buffers freed."""
    for port, out, into in zip(host.ports(), sent, taken, strict=False):
        works = [(count, received(host, port, frame)) for count, frame in on_the_wire(into)]
        if port.moves:
            works += [(count, port.bill_rest(host.bill(), frame.buffer).work()) for count, frame in out]
        yield [*works, (total(count for count, _ in out), port.bill_free(host.bill(), 1).work())]


def _interrupted(host: ComputerSpec, name: str, load: Load, handlers: Sequence[Works]) -> Demand:
    """The time (ps) of each processor that takes its own interrupts, for all work that follows from them; with a big
    lock only the handlers."""
    if host.system.kernel.interrupts == "rotating":
        return {}
    taking = min(host.processors.count, len(host.ports())) if host.system.kernel.interrupts == "spread" else 1
    demand = {Resource(name, PROCESSOR, number): 0.0 for number in range(taking)}
    deferred = () if host.has_big_lock else load.deferred.items()
    for port, works in [*deferred, *enumerate(handlers)]:
        demand[Resource(name, PROCESSOR, port % taking)] += _time(works)
    return demand


def _handed_down(host: ComputerSpec, port: Port, frame: Frame) -> Work:
    """The driver's work for a frame to be sent. If the ring is full, or NDIS serialises the port, this is not part of a
    protocol's work."""
    return port.bill_transmit(host.bill(), frame.buffer, frame.encipher > 0).work()


def _locked(
    host: ComputerSpec, name: str, load: Load, handlers: Sequence[Works], sent: Sequence[Frames]
) -> Demand:
    """The time (ps) of each lock between the processors of a host. A serialised port's lock is held for all work of its
    driver, and for the protocols' work on frames received by it."""
    locks: Demand = {}
    if host.has_big_lock:
        locks[Resource(name, KERNEL_LOCK)] = _time(load.calls)
        locks[Resource(name, BOTTOM_HALVES)] = _time(load.halves)
    for number, (port, out, own) in enumerate(zip(host.ports(), sent, handlers, strict=False)):
        if port.serialised(host.system.kernel):
            handed_down = [(count, _handed_down(host, port, frame)) for count, frame in out]
            locks[Resource(name, MINIPORT_LOCK, number)] = _time([*own, *load.handed_up[number], *handed_down])
    return locks


def host_demand(
    host: ComputerSpec, name: str, medium: Medium, load: Load, sent: Sequence[Frames], taken: Sequence[Frames]
) -> Demand:
    """The times (ps) of a host's processors (all, and each that takes interrupts), locks, buses, transmitters, onboard
    processors and crypto engines. `load` is the work of protocols and processes. Frames are listed by port; ports
    beyond the ends of the lists have none."""
    handlers = list(_driver_load(host, sent, taken))
    everything = [*load.everything, *chain.from_iterable(handlers)]
    demand = {Resource(name, PROCESSORS): _time(everything) / host.processors.count}
    if host.processors.count > 1:
        demand |= _interrupted(host, name, load, handlers) | _locked(host, name, load, handlers, sent)
    buses = host.bus_names(name)
    demand |= dict.fromkeys(buses, 0.0)
    for number, (port, out, into) in enumerate(zip(host.ports(), sent, taken, strict=False)):
        nic, seen, bus = port.adapter, port.bus, buses[port.slot]
        leaving, coming = on_the_wire(out), on_the_wire(into)
        demand[bus] += total(count * nic.tx_bus_time(seen, frame.fetched, frame.first) for count, frame in leaving)
        demand[bus] += total(count * nic.rx_bus_time(seen, frame.buffer) for count, frame in coming)
        demand[Resource(name, TRANSMITTER, number)] = nic.transmit_time(seen, medium, out)
        if isinstance(nic, AdapterSpec):
            demand |= _engines(nic, name, number, leaving, coming)
    if not host.is_concurrent:
        demand[Resource(name, PROCESSORS)] += _held_up(host, everything, total(demand[bus] for bus in buses))
    for count, work in everything:
        demand[buses[work.slot]] += count * work.bus
    for slot, (bus, seen) in enumerate(zip(buses, host.slots, strict=True)):
        if isinstance(seen, ClockedSlot) and seen.outruns_memory:
            moved = [taken, sent] if seen.overlaps_reads else [taken]
            demand[bus] = max(demand[bus], *(_moved(host, slot, seen.chipset, frames) for frames in moved))
    return demand


def _moved(host: ComputerSpec, slot: int, chipset: ChipsetSpec, frames: Sequence[Frames]) -> float:
    """The time (ps) in which memory moves the frames that cards on one bus write to it, or read from it."""
    own = [some for port, some in zip(host.ports(), frames, strict=False) if port.slot == slot and not port.moves]
    return total(count * chipset.stream_time(frame.fetched) for some in own for count, frame in on_the_wire(some))


def _held_up(host: ComputerSpec, works: Works, masters: float) -> float:
    """The time (ps) for which adapters hold up each processor: as long as they have the bus, but no longer than its
    works without their own accesses take (netsim.machine.memory)."""
    # The cast is only for mypy: float() would divide a sweep into its points.
    longest = total(count * cast(int, work.total - work.accesses) for count, work in works)
    return min(masters, longest / host.processors.count)


def _engines(nic: AdapterSpec, name: str, number: int, leaving: Frames, coming: Frames) -> Demand:
    """The times (ps) of a card's processor and of its crypto engine."""
    demand: Demand = {}
    if firmware := nic.firmware:
        sending = total(count for count, _ in leaving) * firmware.tx_time
        demand[Resource(name, ONBOARD, number)] = sending + total(count for count, _ in coming) * firmware.rx_time
    if nic.crypto:
        engine = total(count * nic.crypto_time(frame.encipher) for count, frame in leaving)
        engine += total(count * nic.crypto_time(frame.decipher) for count, frame in coming)
        demand[Resource(name, CRYPTO_ENGINE, number)] = engine
    return demand


def _time(load: Iterable[tuple[float, Work]]) -> float:
    return total(count * work.total for count, work in load)


def carry(
    sends: Load, takes: Load, count: float, passage: Passage, into: int, backlog: bool = False, pieces: int = 1
) -> None:
    """Add `count` passages that arrive on port `into`, each in `pieces` pieces."""
    sends.anywhere += [(count, work) for work in passage.sent]
    sends.calls += [(count, work) for work in passage.written]
    sends.halves += [(count, work.inside) for work in passage.sent if work.inside is not None]
    for work in passage.arrives:
        takes.arrive(count * pieces, work, into, backlog)
    reads = [(count * pieces, work) for work in passage.reads]
    takes.anywhere += reads
    takes.calls += reads


def acknowledge(
    sends: Load, takes: Load, count: float, ends: tuple[TcpCosts, TcpCosts], ports: Ports, made: int
) -> None:
    """Add `count` acknowledgements between the two `ends` of data, `made` where the data arrived on that port. If NDIS
    serialises the port that sends them, any processor may hand them to its driver."""
    (sending, taking), (into, out) = ends, ports
    ack = tcp_ack(sending, taking, ports)
    for work in ack.arrives:
        sends.arrive(count, work, into, sending.spec.backlog)
    host, port, made_of = taking.host, taking.ports[out], list(ack.sent)
    if port.serialised(host.system.kernel):
        takes.anywhere.append((count, _handed_down(host, port, ack.frame)))
        made_of = [taking.segment(0, None)]
    takes.of_segments(taking, made).extend((count, work) for work in made_of)
    takes.halves.extend((count, work) for work in made_of)
