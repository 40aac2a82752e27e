"""Links that came up in a worse mode than the port can do: half duplex, or a lower rate."""

from __future__ import annotations

from collections.abc import Iterator

from netsim.own_machine.finding import Finding, Subject
from netsim.units import format_rate

_COPPER = "Twisted Pair"


def link_findings(subject: Subject) -> Iterator[Finding]:
    """Findings about one adapter."""
    yield from _half_duplex(subject)
    yield from _slow(subject)


def _half_duplex(subject: Subject) -> Iterator[Finding]:
    adapter = subject.adapter
    if adapter.duplex != "half":
        return
    rate = format_rate(adapter.rate) if adapter.rate else "the link's rate"
    remedy = (
        f"ethtool -s {subject.name} autoneg on, and auto-negotiation at the other end, too: if one end has a fixed"
        " mode, the other one assumes half duplex; if there is a hub, replace it with a switch"
    )
    yield Finding(
        subject.part, "the link is half duplex", subject.where("duplex"),
        f"only one end can send at a time: data and acknowledgements share {rate}, and collide",
        remedy, f"{rate} in each direction, without collisions", limits=True, changes=subject.changes(duplex="full"),
    )  # fmt: skip


def _slow(subject: Subject) -> Iterator[Finding]:
    """A rate below the port's. A port without a list of advertised modes may have a fixed one."""
    adapter = subject.adapter
    does, name = "advertises", "advertised_rate"
    if adapter.advertised_rate is None and adapter.port == _COPPER:  # elsewhere a module or cable limits what it can do
        does, name = "supports", "supported_rate"
    most: int | None = getattr(adapter, name)
    if not adapter.rate or most is None or most <= adapter.rate:
        return
    now, better = format_rate(adapter.rate), format_rate(most)
    yield Finding(
        subject.part, f"the link runs at {now}, though the port {does} {better}", subject.where("rate", name),
        "both ends agree on the fastest mode that both offer and, with some adapters, that the cable carries",
        f"check the other end's port and settings, and the cable (1000BASE-T needs all four pairs);"
        f" ethtool -s {subject.name} autoneg on, at both ends",
        f"{better} instead of {now}", most / adapter.rate, changes=subject.changes(rate=f"{most} bit/s"),
    )  # fmt: skip
