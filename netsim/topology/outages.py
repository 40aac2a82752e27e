"""A cable that fails in a run and comes back. A card that fails looks the same from outside: nothing comes from it,
nothing gets there, and a bond or trunk that uses it finds its link down."""

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
    """Nothing goes over a cable, either way, from `at` until `until` (ps from the start of the run); frames of which
    anything is on it in that time are lost."""

    at: Time
    until: PositiveTime

    @model_validator(mode="after")
    def _lasts(self) -> Self:
        if self.until <= self.at:
            text = f"{format_time(self.until)} is not after it fails; allowed: more than {format_time(self.at)}"
            raise ScenarioError(text, address="until")
        return self


class Outage(Lasting):
    """Of the cable of a `host`'s `port` (0 is the first). The host is called as in its scenario: "server",
    "clients.3"."""

    host: str
    port: NonNegativeCount = 0


class LinkOutage(Lasting):
    """Of a network's `link` of that name."""

    link: str


def check_outages(outages: tuple[Outage, ...], ports: Mapping[str, int], duration: int) -> None:
    """Each is of a cable that there is (`ports`: how many each host has) and that is not down already, and is over
    within the duration (ps). Raises ScenarioError."""
    for number, outage in enumerate(outages):
        try:
            _check(outage, ports)
            _check_end(outage, duration)
            _check_up(outage, [one for one in outages[:number] if (one.host, one.port) == (outage.host, outage.port)])
        except ScenarioError as error:
            raise error.at(f"outages.{number}") from None


def check_link_outages(outages: tuple[LinkOutage, ...], links: Iterable[str], duration: int) -> None:
    """The same, of a network's links."""
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
    """No `others` of the same cable are at the same time."""
    for other in others:
        if other.at < outage.until and outage.at < other.until:
            down = f"{format_time(other.at)} to {format_time(other.until)}"
            raise ScenarioError(f"{format_time(outage.at)}: that cable is already down from {down}", address="at")


def moments(outages: tuple[Outage, ...], names: Mapping[str, str]) -> dict[int, str]:
    """What happens, by time (ps, rising); `names` are those that hosts have in accounts."""
    return _moments((f"{names[outage.host]} port {outage.port}", outage) for outage in outages)


def link_moments(outages: tuple[LinkOutage, ...]) -> dict[int, str]:
    """The same, of a network's links."""
    return _moments((f"link {outage.link}", outage) for outage in outages)


def _moments(outages: Iterable[tuple[str, Lasting]]) -> dict[int, str]:
    found: dict[int, list[str]] = {}
    for cable, outage in outages:
        found.setdefault(outage.at, []).append(f"{cable} fails")
        found.setdefault(outage.until, []).append(f"{cable} is back")
    return {time: ", ".join(found[time]) for time in sorted(found)}


def tell(env: Environment, ports: Trunk | Bond, port: int, outage: Lasting, late: int) -> None:
    """What uses the cable at that port finds out some time later (ps)."""
    env.call_at(outage.at + late, ports.down, port)
    env.call_at(outage.until + late, ports.up, port)
