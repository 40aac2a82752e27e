"""How busy each resource of a result was, as people look at it: host by host, many clients as one, the wires last."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from netsim.accounts.accounts import CLIENT, host_of

if TYPE_CHECKING:
    from netsim.results.result import Result

WIRE = "wire "
IDLE = 0.005  # busy share from which on a resource, or what a processor does, is worth its place
_CLIENTS = 4  # so many have a line each


@dataclass(frozen=True)
class Occupancy:
    """A line called `name`: the busy `shares` of one resource, or of several that are alike; `work` is what its
    processors do on average, the largest share first; `limits` says that it is what decides."""

    name: str
    shares: tuple[float, ...]
    work: Mapping[str, float]
    limits: bool

    @property
    def share(self) -> float:
        """The mean of its resources."""
        return sum(self.shares) / len(self.shares)

    @property
    def parts(self) -> Sequence[tuple[str, float]]:
        """What its time goes to: named work, or else just being busy."""
        return [*self.work.items()] or [("busy", self.share)]


def occupancies(result: Result) -> list[Occupancy]:
    """Every resource, and many clients' processors and wires in one line each; their other parts are left out unless
    one of them decides."""
    lines = [one for host, own in host_lines(result.cpu).items() for one in _of_host(result, host, own)]
    return [*lines, *_wires(result)]


def host_lines(cpu: Mapping[str, float]) -> dict[str, list[str]]:
    """The hosts of each line, by what it is called."""
    many = sum(host.startswith(CLIENT) for host in cpu) > _CLIENTS
    rest = [host for host in cpu if many and host.startswith(CLIENT)]
    return {host: [host] for host in cpu if host not in rest} | ({f"{len(rest)} {CLIENT}s": rest} if rest else {})


def mean_work(result: Result, hosts: Sequence[str]) -> dict[str, float]:
    """What the processors of several hosts do on average, the largest share first."""
    total: Counter[str] = Counter()
    for host in hosts:
        total.update(result.cpu_by_name(host))
    return {name: share / len(hosts) for name, share in total.most_common()}


def _of_host(result: Result, host: str, own: Sequence[str]) -> Iterator[Occupancy]:
    if len(own) > 1:
        decides = any(_limits(result, name) for name in result.processors if host_of(name) in own)
        yield Occupancy(host, tuple(result.cpu[one] for one in own), mean_work(result, own), decides)
        named = [result.bottleneck] if host_of(result.bottleneck) in own else []
        rest = [name for name in named if name in result.utilisation and name not in result.processors]
    else:
        rest = [name for name in result.utilisation if host_of(name) == host]
    yield from (_alone(result, name) for name in rest)


def _wires(result: Result) -> Iterator[Occupancy]:
    wires = [name for name in result.utilisation if name.startswith(WIRE)]
    many = any(len(own) > 1 for own in host_lines(result.cpu).values())
    rest = [name for name in wires if many and f" {CLIENT}" in name and not _limits(result, name)]
    yield from (_alone(result, name) for name in wires if name not in rest)
    if rest:
        yield Occupancy(f"{len(rest)} wires of {CLIENT}s", tuple(result.utilisation[one] for one in rest), {}, False)


def _alone(result: Result, name: str) -> Occupancy:
    return Occupancy(name, (result.utilisation[name],), result.processors.get(name, {}), _limits(result, name))


def _limits(result: Result, name: str) -> bool:
    """Whether it decides; a host's processors may do so together."""
    host, _, what = result.bottleneck.partition(" ")
    return name == result.bottleneck or (what == "processors" and name in result.processors and host_of(name) == host)
