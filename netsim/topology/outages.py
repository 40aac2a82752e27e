"""A cable that fails in a run and comes back. A card that fails looks the same from outside: nothing comes from it,
nothing gets there, and a bond or trunk that uses it finds its link down."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Self

from pydantic import model_validator

from netsim.errors import ScenarioError, nearest, show
from netsim.spec import Spec
from netsim.units import NonNegativeCount, PositiveTime, Time, format_time


class Outage(Spec):
    """Nothing goes over the cable of a `host`'s `port` (0 is the first), either way, from `at` until `until` (ps from
    the start of the run); frames of which anything is on it in that time are lost. The host is called as in its
    scenario: "server", "clients.3"."""

    host: str
    port: NonNegativeCount = 0
    at: Time
    until: PositiveTime

    @model_validator(mode="after")
    def _lasts(self) -> Self:
        if self.until <= self.at:
            text = f"{format_time(self.until)} is not after it fails; allowed: more than {format_time(self.at)}"
            raise ScenarioError(text, address="until")
        return self


def check_outages(outages: tuple[Outage, ...], ports: Mapping[str, int], duration: int) -> None:
    """Each is of a cable that there is (`ports`: how many each host has) and that is not down already, and is over
    within the duration (ps). Raises ScenarioError."""
    for number, outage in enumerate(outages):
        try:
            _check(outage, ports, duration)
            _check_up(outage, outages[:number])
        except ScenarioError as error:
            raise error.at(f"outages.{number}") from None


def _check(outage: Outage, ports: Mapping[str, int], duration: int) -> None:
    if outage.host not in ports:
        text = f"no host of this test is called {show(outage.host)}{nearest(outage.host, ports)}"
        raise ScenarioError(text, address="host")
    last = ports[outage.host] - 1
    if outage.port > last:
        text = f"{outage.port} has no cable at {outage.host}; allowed: {f'0 to {last}' if last else 0}"
        raise ScenarioError(text, address="port")
    if outage.until > duration:
        text = f"{format_time(outage.until)} is after the test's end; allowed: up to {format_time(duration)}"
        raise ScenarioError(text, address="until")


def _check_up(outage: Outage, others: Iterable[Outage]) -> None:
    """No other one is of the same cable at the same time."""
    for other in others:
        same = (other.host, other.port) == (outage.host, outage.port)
        if same and other.at < outage.until and outage.at < other.until:
            down = f"{format_time(other.at)} to {format_time(other.until)}"
            raise ScenarioError(f"{format_time(outage.at)}: that cable is already down from {down}", address="at")


def moments(outages: tuple[Outage, ...], names: Mapping[str, str]) -> dict[int, str]:
    """What happens, by time (ps, rising); `names` are those that hosts have in accounts."""
    found: dict[int, list[str]] = {}
    for outage in outages:
        cable = f"{names[outage.host]} port {outage.port}"
        found.setdefault(outage.at, []).append(f"{cable} fails")
        found.setdefault(outage.until, []).append(f"{cable} is back")
    return {time: ", ".join(found[time]) for time in sorted(found)}
