"""Links of PCI Express that are slower than they could be, or than the wire."""

from __future__ import annotations

from collections.abc import Iterator

from netsim.own_machine.finding import Finding, Subject, gbit
from netsim.own_machine.machine_spec import AdapterFound, PcieFound
from netsim.own_machine.slot_rate import (
    LinkKind,
    as_pcie,
    capable,
    frame_bytes,
    possible,
    slot_rate,
    trained,
    wire_rate,
)
from netsim.spec.named_table import by_name

_RESET_READ = 512  # bytes: the standard's request size after a reset
_LEAST = 1.01  # times as much: the minimum gain of a setting


def slot_findings(subject: Subject) -> Iterator[Finding]:
    """Findings about one adapter."""
    link = subject.adapter.pcie
    if link is None or not subject.read("pcie.lanes", "pcie.generation"):
        return
    yield from _training(subject, link)
    yield from _payload(subject, link)
    yield from _requests(subject, link)


def needed(subject: Subject) -> float:
    """Bit/s that the wires of all the device's ports bring together."""
    link = subject.adapter.pcie
    every = by_name(subject.machine.adapters, AdapterFound).values()
    device = link.address.rpartition(".")[0] if link else ""
    same = [one for one in every if one.pcie and one.pcie.address.rpartition(".")[0] == device]
    return sum(wire_rate(one) for one in same)


def _against(subject: Subject, rate: float | None) -> str:
    """The rate that a link allows, against that of the wire."""
    if rate is None:
        return "netsim does not model such a link"
    frame, wire = frame_bytes(subject.adapter), needed(subject)
    brings = f"; the wire brings {gbit(wire)}" + ", so that is enough" * (rate >= wire) if wire else ""
    return f"the link carries at most {gbit(rate)} in frames of {frame} bytes{brings}"


def _rate(subject: Subject, link: PcieFound, **changes: int) -> float | None:
    pcie = as_pcie(link, **changes)
    return slot_rate(pcie, frame_bytes(subject.adapter)) if pcie else None


def _training(subject: Subject, link: PcieFound) -> Iterator[Finding]:
    """A link trained below the capability of both ends, a slot slower than the adapter, or an adapter slower than its
    wire."""
    now, best, own = trained(link), possible(link), capable(link)
    rate, wire = _rate(subject, link), needed(subject)
    limits = rate is not None and rate < wire
    if now.raw < best.raw:
        known = link.slot_lanes is not None
        whose = "the adapter and its slot support" if known else "the adapter supports"
        what = f"the link was trained as {now}, though {whose} {best}"
        remedy = "reseat the adapter, clean its contacts, try another slot; check if the firmware bifurcates this one"
        where = subject.where("pcie.lanes", "pcie.capable_lanes", *(["pcie.slot_lanes"] if known else []))
        yield _better(subject, link, best, what, where, remedy, limits)
    elif best.raw < own.raw:
        what = f"the slot supports only {best}, the adapter {own}"
        where = subject.where("pcie.lanes", "pcie.capable_lanes", "pcie.slot_lanes")
        yield _better(subject, link, own, what, where, "put the adapter into a faster slot, if there is one", limits)
    elif limits:
        what = f"the adapter's own link, {now}, is slower than its wire"
        gain = "only another adapter can carry more"
        remedy = "use an adapter with a wider or faster link"
        yield Finding(subject.part, what, subject.where("pcie.lanes"), _against(subject, rate), remedy, gain, 1.0, True)


def _better(
    subject: Subject, link: PcieFound, best: LinkKind, what: str, where: str, remedy: str, limits: bool
) -> Finding:
    """A finding about a link that could be `best`."""
    before, after = _rate(subject, link), _rate(subject, link, generation=best.generation, lanes=best.lanes)
    wire, factor, changes = needed(subject), 1.0, dict[str, object]()
    gain = "netsim does not model such a link"
    if before and after:
        usable = min(after, wire) if wire else after
        factor = usable / before if limits else 0.0
        then = ", more than the wire brings" if wire and after > wire else ""
        gain = f"{gbit(after)} instead of {gbit(before)} ({best}){then}"
        changes = subject.changes(pcie__generation=best.generation, pcie__lanes=best.lanes)
        if link.slot_lanes is not None and link.slot_generation is not None:
            slot = max(link.slot_generation, best.generation), max(link.slot_lanes, best.lanes)
            changes |= subject.changes(pcie__slot_generation=slot[0], pcie__slot_lanes=slot[1])
    return Finding(subject.part, what, where, _against(subject, before), remedy, gain, factor, limits, changes)


def _payload(subject: Subject, link: PcieFound) -> Iterator[Finding]:
    """Longer packets are possible."""
    names = ["pcie.max_payload", "pcie.capable_payload", *(["pcie.slot_payload"] if link.slot_payload else [])]
    best = min(link.capable_payload, link.slot_payload or link.capable_payload)
    if link.max_payload < best and subject.read(*names):
        both = "the adapter and the port above it support" if link.slot_payload else "the adapter supports"
        what = f"PCI Express packets carry up to {link.max_payload} bytes (MaxPayload), though {both} {best}"
        remedy = "look for MaxPayload in the firmware's setup, or boot with pci=pcie_bus_safe (kernel-parameters.txt)"
        yield from _setting(subject, link, {"max_payload": best}, what, subject.where(*names), remedy)


def _requests(subject: Subject, link: PcieFound) -> Iterator[Finding]:
    """Reads could request more at a time."""
    if link.max_read < _RESET_READ and subject.read("pcie.max_read"):
        what = f"a read requests up to {link.max_read} bytes (MaxReadReq); after a reset it is {_RESET_READ}"
        remedy = f"setpci -s {link.address} CAP_EXP+8.w=2000:7000, or look for MaxReadReq in the firmware's setup"
        yield from _setting(subject, link, {"max_read": _RESET_READ}, what, subject.where("pcie.max_read"), remedy)


def _setting(
    subject: Subject, link: PcieFound, change: dict[str, int], what: str, where: str, remedy: str
) -> Iterator[Finding]:
    """A finding about a setting, if the link carries more with another value, in its slower direction."""
    before, after = as_pcie(link), as_pcie(link, **change)
    if before is None or after is None:
        return
    frame, wire = frame_bytes(subject.adapter), needed(subject)
    old, new = slot_rate(before, frame), slot_rate(after, frame)
    if new < old * _LEAST:
        return
    limits = old < wire
    factor = min(new, wire) / old if limits else 0.0
    gain = f"{gbit(new)} instead of {gbit(old)} with the link as trained now"
    changes = subject.changes(**{f"pcie__{name}": value for name, value in change.items()})
    yield Finding(subject.part, what, where, _against(subject, old), remedy, gain, factor, limits, changes)
