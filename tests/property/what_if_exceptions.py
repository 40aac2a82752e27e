"""Why a better part may do harm: all known reasons, each with its evidence in a run (see docs/limits.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import netsim as ns
from netsim.accounts import Resource
from netsim.accounts.resource import PROCESSOR
from netsim.bus.pci_slot import PciSlot
from netsim.machine import HostSpec
from netsim.results.result import Result
from tests.property.what_if_changes import Change

FASTER_CODE = ("a faster processor", "a processor of fewer cycles", "more memory bandwidth", "cheaper interrupts",
               "cheaper calls", "a cheaper driver", "cheaper protocols")  # fmt: skip
BEAT = 0.02  # of throughput, or of latency
RARER = 0.99  # interrupts for the same amount of work
ELSEWHERE = 0.05  # of the processes' work on a host
BY_A_PROCESS = ("copy", "mpi", "system call")


class Case(NamedTuple):
    """A scenario with the present part and with a better one, as given by `change`."""

    change: Change
    before: Result
    after: Result


def hosts(test: ns.Scenario) -> Iterator[tuple[str, HostSpec]]:
    """All participants, by their names in accounts; of several clients or workstations only the first."""
    for name in ("sender", "receiver", "server"):
        if hasattr(test, name):
            yield name, getattr(test, name)
    for name, several in (("client1", "clients"), ("workstation1", "workstations")):
        if hasattr(test, several):
            yield name, getattr(test, several)[0]


def more_may_come(change: Change) -> bool:
    """Whether more may arrive than a receiver can take: not if its own code is the part that got faster."""
    return change.host != "receiver" or change.kind not in FASTER_CODE


def receive_livelock(case: Case) -> bool:
    """More datagrams arrive than a host can take: it spends its time on frames that it drops later, or on fragments of
    incomplete datagrams. This excuse does not apply if its own code got faster."""
    return bool(case.after.dropped) and bool(case.after.counts.get("datagrams sent")) and more_may_come(case.change)


def sent_again(case: Case) -> bool:
    """Late or lost data are sent again after a timeout, to a host that is already busy enough."""
    return any(
        one.counts.get(name, 0)
        for one in (case.before, case.after)
        for name in ("requests repeated", "retransmitted segments")
    )


def interrupts_not_shared(case: Case) -> bool:
    """A slow enough processor finds several frames at each interrupt, or one received along with one sent. If the
    processor is faster, or frames arrive sooner, it is interrupted for each; and it is the bottleneck, or every step is
    waited for."""

    def each(one: Result, host: str) -> float:
        return one.counts[f"{host} interrupts"] / (one.throughput * one.elapsed or 1)

    names = [name.removesuffix(" interrupts") for name in case.after.counts if name.endswith(" interrupts")]
    deciding = [name for name in names if case.after.bottleneck.host in ("", name)]
    return any(each(case.before, name) < RARER * each(case.after, name) for name in deciding)


def moderation_against_a_window(case: Case) -> bool:
    """Nothing is busy all the time: each end waits for frames that the other's card holds back, by its timers."""
    moderated = any(
        held.policy != "none"
        for _, host in hosts(case.before.scenario)
        for nic in host.nics
        for held in (nic.driver.rx_moderation, nic.driver.tx_moderation)
    )
    return moderated and case.after.bottleneck == "latency"


def another_processor(case: Case) -> bool:
    """The processor that happens to be idle decides where a process wakes up: with the interrupts, or away from
    them."""

    def first(one: Result, name: str, work: str, count: int) -> float:
        done = [one.processors[Resource(name, PROCESSOR, number)].get(work, 0.0) for number in range(count)]
        return done[0] / (sum(done) or 1)

    several = [(name, host.processors.count) for name, host in hosts(case.before.scenario) if host.processors.count > 1]
    return any(
        abs(first(case.before, name, work, count) - first(case.after, name, work, count)) > ELSEWHERE
        for name, count in several
        for work in BY_A_PROCESS
    )


def more_collisions(case: Case) -> bool:
    """On a half-duplex segment one station's frames follow each other more closely. The other one, which has to
    acknowledge them, meets them more often, backs off, and loses the next rounds to frames that have not collided
    before."""

    def each(one: Result) -> float:
        return one.counts.get("collisions", 0) / (one.throughput * one.elapsed or 1)

    return each(case.before) < RARER * each(case.after)


def beat(case: Case) -> bool:
    """Coincidences, such as a register access and a burst, or a timer and a frame, occur differently. The effect is
    small."""
    return case.after.throughput > (1 - BEAT) * case.before.throughput


def sent_away(before: ns.Scenario, after: ns.Scenario) -> bool:
    """On a faster bus memory takes more clocks. A chipset that holds a master meanwhile may do so for 16 (PCI 2.2,
    3.5.1.1): if it takes longer, the master is sent away, and tries again later."""
    both = zip(_slots(before), _slots(after), strict=True)
    return any(one.holds and not other.holds for one, other in both)


def _slots(test: ns.Scenario) -> Iterator[PciSlot]:
    """How the adapters see their buses, if these are PCI."""
    for _, host in hosts(test):
        seen = [nic.sees(host.slots[nic.slot]) for nic in host.nics]
        yield from (one for one in seen if isinstance(one, PciSlot))


def on_a_faster_bus(case: Case) -> bool:
    """See `sent_away`."""
    return sent_away(case.before.scenario, case.after.scenario)


def calls_later(before: ns.Scenario, after: ns.Scenario) -> bool:
    """A card that calls its driver before a frame has ended does so by as much as the driver takes until it looks at
    the frame. If an interrupt costs less, it calls later; but a driver that is in its handler already would have taken
    the frame when it was called."""
    both = zip(_early(before), _early(after), strict=True)
    return any(entry > shorter and moving == same for (entry, moving), (shorter, same) in both)


def _early(test: ns.Scenario) -> Iterator[tuple[int, int]]:
    """How long the drivers of such cards take to enter their handlers, and to move a frame (ps)."""
    for host in (*[one for _, one in hosts(test)], *getattr(test, "workstations", ())[1:]):
        for port in host.ports():
            if getattr(port.adapter, "rx_early", None) is not None:
                yield port.entry_time(host.bill, host.system.kernel), port.moving_time(host.bill, 1000)


def is_called_later(case: Case) -> bool:
    """See `calls_later`."""
    return calls_later(case.before.scenario, case.after.scenario)


EXCEPTIONS: tuple[Callable[[Case], bool], ...] = (
    beat, on_a_faster_bus, receive_livelock, sent_again, interrupts_not_shared, moderation_against_a_window,
    another_processor, is_called_later, more_collisions,
)  # fmt: skip


def harmful(case: Case) -> bool:
    """Whether throughput is lower by more than the intervals."""
    before, after = case.before, case.after
    return after.throughput + after.half_width + before.half_width < before.throughput


def explained(case: Case) -> list[str]:
    """The names of the reasons that apply."""
    return [one.__name__ for one in EXCEPTIONS if one(case)]
