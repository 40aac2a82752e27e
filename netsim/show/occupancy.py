"""How busy each resource of a result was, in reading order: host by host, many clients combined, the wires last."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from netsim.accounts import Resource
from netsim.accounts.resource import BUS, PCIE_DOWNSTREAM, PCIE_UPSTREAM, PROCESSORS

if TYPE_CHECKING:
    from netsim.results.result import Result

IDLE = 0.005  # the busy share from which a resource, or a processor's work, is listed
_CARRIERS = (BUS, PCIE_UPSTREAM, PCIE_DOWNSTREAM)
_CLIENTS = 4  # up to this number, each has its own line


@dataclass(frozen=True)
class Occupancy:
    """A line called `name`: the busy `shares` of one resource, or of several alike; `work` is the average work of its
    processors, the largest share first; `limits` marks the deciding resource, `carries` a bus or a wire."""

    name: str
    shares: tuple[float, ...]
    work: Mapping[str, float]
    limits: bool
    carries: bool = False

    @property
    def share(self) -> float:
        """The mean of its resources."""
        return sum(self.shares) / len(self.shares)

    @property
    def parts(self) -> Sequence[tuple[str, float]]:
        """Its time by name of work, or otherwise just its busy time."""
        return [*self.work.items()] or [("busy", self.share)]


def occupancies(result: Result) -> list[Occupancy]:
    """Every resource; the processors and wires of many clients have one line each, and their other parts are left out
    unless one of them decides."""
    lines = [one for host, own in host_lines(result).items() for one in _of_host(result, host, own)]
    return [*lines, *_without_processors(result), *_wires(result)]


def host_lines(result: Result) -> dict[str, list[str]]:
    """The hosts of each line, by its name."""
    clients = [host for host in result.cpu if host in result.scenario.client_names]
    rest = clients if len(clients) > _CLIENTS else []
    return {host: [host] for host in result.cpu if host not in rest} | ({f"{len(rest)} clients": rest} if rest else {})


def mean_work(result: Result, hosts: Sequence[str]) -> dict[str, float]:
    """The average work of several hosts' processors, the largest share first."""
    total: Counter[str] = Counter()
    for host in hosts:
        total.update(result.cpu_by_name(host))
    return {name: share / len(hosts) for name, share in total.most_common()}


def _of_host(result: Result, host: str, own: Sequence[str]) -> Iterator[Occupancy]:
    if len(own) == 1:
        yield from (_alone(result, one) for one in result.utilisation if one.is_in(host))
        return
    inside = [one for one in result.utilisation if any(map(one.is_in, own))]
    decides = any(_limits(result, one) for one in inside if one in result.processors)
    yield Occupancy(host, tuple(result.cpu[one] for one in own), mean_work(result, own), decides)
    yield from (_alone(result, one) for one in inside if one == result.bottleneck and one not in result.processors)


def _without_processors(result: Result) -> Iterator[Occupancy]:
    """What belongs to no host with processors: a switch, or all of a test of DMA."""
    yield from (_alone(result, one) for one in result.utilisation if not one.is_wire and one.host not in result.cpu)


def _wires(result: Result) -> Iterator[Occupancy]:
    wires = [one for one in result.utilisation if one.is_wire]
    many = [host for own in host_lines(result).values() if len(own) > 1 for host in own]
    rest = [one for one in wires if one.host in many and not _limits(result, one)]
    yield from (_alone(result, one) for one in wires if one not in rest)
    if rest:
        shares = tuple(result.utilisation[one] for one in rest)
        yield Occupancy(f"{len(rest)} wires of clients", shares, {}, False, carries=True)


def _alone(result: Result, one: Resource) -> Occupancy:
    work, carries = result.processors.get(one, {}), one.is_wire or one.kind in _CARRIERS
    return Occupancy(one, (result.utilisation[one],), work, _limits(result, one), carries)


def _limits(result: Result, one: Resource) -> bool:
    """Whether it decides; a host's processors may decide together."""
    together = result.bottleneck.kind == PROCESSORS and one in result.processors and one.is_in(result.bottleneck.host)
    return one == result.bottleneck or together
