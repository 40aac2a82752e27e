"""A cable that fails during a run and recovers. A failing card looks the same from outside: nothing leaves it, nothing
reaches it, and a bond or trunk that uses it finds its link down."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Self

from pydantic import model_validator

from netsim.errors import ScenarioError, nearest, show
from netsim.spec import Spec
from netsim.units import NonNegativeCount, PositiveTime, Time, format_time

if TYPE_CHECKING:
    from netsim.engine import Environment
    from netsim.ethernet import Trunk
    from netsim.stack import Bond


class Lasting(Spec):
    """A cable carries nothing in either direction from `at` until `until` (ps from the start of the run); frames that
    are partly on it in that time are lost."""

    at: Time
    until: PositiveTime

    @model_validator(mode="after")
    def _lasts(self) -> Self:
        if self.until <= self.at:
            text = f"{format_time(self.until)} is not after the failure; allowed: more than {format_time(self.at)}"
            raise ScenarioError(text, address="until")
        return self


class Outage(Lasting):
    """An outage of the cable at a `host`'s `port` (0 is the first). The host has its address in the scenario, such as
    "server" or "clients.3"."""

    host: str
    port: NonNegativeCount = 0


class LinkOutage(Lasting):
    """An outage of the `link` of this name in a network."""

    link: str


def check_outages(outages: tuple[Outage, ...], ports: Mapping[str, int], duration: int) -> None:
    """Check that each outage affects an existing cable (`ports`: the number of cabled ports of each host) that is not
    already down, and ends within `duration` (ps). Raises ScenarioError."""
    for number, outage in enumerate(outages):
        try:
            _check(outage, ports)
            _check_end(outage, duration)
            _check_up(outage, [one for one in outages[:number] if (one.host, one.port) == (outage.host, outage.port)])
        except ScenarioError as error:
            raise error.at(f"outages.{number}") from None


def check_link_outages(outages: tuple[LinkOutage, ...], links: Iterable[str], duration: int) -> None:
    """The same for a network's links."""
    for number, outage in enumerate(outages):
        try:
            if outage.link not in links:
                text = f"no link is called {show(outage.link)}{nearest(outage.link, links)}"
                raise ScenarioError(text, address="link")
            _check_end(outage, duration)
            _check_up(outage, [one for one in outages[:number] if one.link == outage.link])
        except ScenarioError as error:
            raise error.at(f"outages.{number}") from None


def _check(outage: Outage, ports: Mapping[str, int]) -> None:
    if outage.host not in ports:
        text = f"no host of this test is called {show(outage.host)}{nearest(outage.host, ports)}"
        raise ScenarioError(text, address="host")
    last = ports[outage.host] - 1
    if outage.port > last:
        text = f"{outage.port} has no cable at {outage.host}; allowed: {f'0 to {last}' if last else 0}"
        raise ScenarioError(text, address="port")


def _check_end(outage: Lasting, duration: int) -> None:
    if outage.until > duration:
        text = f"{format_time(outage.until)} is after the test's end; allowed: up to {format_time(duration)}"
        raise ScenarioError(text, address="until")


def _check_up(outage: Lasting, others: Iterable[Lasting]) -> None:
    """Check that no `others` of the same cable overlap."""
    for other in others:
        if other.at < outage.until and outage.at < other.until:
            down = f"{format_time(other.at)} to {format_time(other.until)}"
            raise ScenarioError(f"{format_time(outage.at)}: this cable is already down from {down}", address="at")


def moments(outages: tuple[Outage, ...], names: Mapping[str, str]) -> dict[int, str]:
    """The events, as texts by time (ps, ascending); `names` are the hosts' names in accounts."""
    return _moments((f"{names[outage.host]} port {outage.port}", outage) for outage in outages)


def link_moments(outages: tuple[LinkOutage, ...]) -> dict[int, str]:
    """The same for a network's links."""
    return _moments((f"link {outage.link}", outage) for outage in outages)


def _moments(outages: Iterable[tuple[str, Lasting]]) -> dict[int, str]:
    found: dict[int, list[str]] = {}
    for cable, outage in outages:
        found.setdefault(outage.at, []).append(f"{cable} fails")
        found.setdefault(outage.until, []).append(f"{cable} is back")
    return {time: ", ".join(found[time]) for time in sorted(found)}


def tell(env: Environment, ports: Trunk | Bond, port: int, outage: Lasting, late: int | None) -> None:
    """Notify the trunk or bond at that port of the outage, `late` (ps) after each event (None: never)."""
    if late is None:
        return
    env.call_at(outage.at + late, ports.down, port)
    env.call_at(outage.until + late, ports.up, port)
