"""The closed form of a scenario: the time that each resource needs for one unit of work, and the throughput that it
allows."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from math import inf
from numbers import Real
from typing import TYPE_CHECKING, NamedTuple

from netsim.accounts.resource import CLIENTS, Resource
from netsim.errors import ScenarioError, check_type, show
from netsim.units import MBIT_PER_S, PS_PER_S, RateUnit, Swept, fixed

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


_TIME = "a time in ps, 0 or more"


class Allowed(NamedTuple):
    """The `rate` that each of these `resources` allows, in the bounds' unit; `limits` if one of them is the
    bottleneck."""

    resources: tuple[Resource, ...]
    rate: float
    limits: bool

    @property
    def name(self) -> str:
        """The first resource's name, and the number of resources."""
        first, number = self.resources[0], len(self.resources)
        return first if number == 1 else f"{first}, {number} alike"


@dataclass(frozen=True)
class Bounds:
    """`demand`: resource -> the least time (ps) to deliver `delivered` (bytes, or transactions if `unit` counts these),
    with the lowest cost of each frame, and interrupts shared by as many frames as possible. No simulation exceeds these
    bounds. They are printed in `unit`; equal resources of `clients` are shown as one.

    In a closed test (`Scenario.closed`) the entry "clients" is the time of a lone client's transaction divided by the
    number of clients: together they are no faster, however fast each resource is (Denning and Buzen, "The operational
    analysis of queueing network models", ACM Computing Surveys 10, 1978). If transactions under way save each other
    work, it is the least time instead, and `alone` that of a lone one, divided in the same way.
    """

    demand: Mapping[Resource, float]
    delivered: int
    unit: RateUnit = MBIT_PER_S
    clients: Collection[str] = ()
    alone: float | None = None

    def __post_init__(self) -> None:
        """Raises ScenarioError for a key that is no resource, or a value that is no time, and if there is none."""
        if not self.demand:
            raise ScenarioError("{} is not allowed; allowed: at least one resource", address="demand")
        for one, time in self.demand.items():
            if not isinstance(one, Resource):
                raise ScenarioError(
                    f'{show(one)} is not a resource; allowed: such as Resource("sender", "bus")', address="demand"
                )
            if not isinstance(time, Swept):
                check_type(f"demand of {one}", time, Real, _TIME)
                if not 0 <= time < inf:
                    raise ScenarioError(f"{show(time)} is not allowed; allowed: {_TIME}", address=f"demand of {one}")

    def throughput(self, resource: Resource) -> float:
        """The throughput that `resource` alone allows (bit/s, or transactions/s by the unit); infinite for a resource
        that is not needed."""
        return self._rate(self.demand[resource])

    @property
    def undelayed(self) -> float:
        """The throughput of a closed test whose clients never wait for each other, nor save each other work."""
        return self._rate(self.demand[Resource("", CLIENTS)] if self.alone is None else self.alone)

    def _rate(self, time: float) -> float:
        return self.delivered * self.unit.each * PS_PER_S / time if time else inf

    @property
    def bottleneck(self) -> Resource:
        """The bottleneck: the resource that allows the lowest throughput."""
        return max(self.demand, key=lambda name: self.demand[name])

    @property
    def limit(self) -> float:
        """The throughput that all resources together allow (in the unit of `throughput`)."""
        return self.throughput(self.bottleneck)

    @property
    def mbit_per_s(self) -> float:
        """`limit` in Mbit/s. Raises ScenarioError for a test that counts transactions."""
        return float(self.unit.mbit_per_s(self.limit))

    def alike(self) -> list[Allowed]:
        """The throughput that each resource allows, lowest first; resources of one kind that belong to several clients,
        or to one host, and allow the same are combined."""
        found: dict[tuple[str, str, float], list[Resource]] = {}
        for rate, one in sorted((self.throughput(one), one) for one, demand in self.demand.items() if demand > 0):
            host = "" if one.host in self.clients else one.host
            found.setdefault((host, one.kind, rate), []).append(one)
        most = self.bottleneck
        return [Allowed(tuple(alike), self.unit.of(rate), most in alike) for (*_, rate), alike in found.items()]

    def to_frame(self, busy: Mapping[Resource, float] | None = None, throughput: float | None = None) -> pd.DataFrame:
        """A row for each resource: its `host`, `kind` and `number`, the throughput that it alone would `allow` (in the
        unit of `throughput`), the share of the time for which it is `needed` at `throughput` (None: at the limit) and,
        if measured, for which it was `busy`. A resource known on one side only is NaN on the other."""
        import pandas as pd

        rate = self.limit if throughput is None else throughput
        columns = {
            "allowed": {one: self.throughput(one) for one in self.demand},
            "needed": {one: rate / self.throughput(one) for one in self.demand},
        } | ({} if busy is None else {"busy": dict(busy)})
        names = list(dict.fromkeys([*self.demand, *(busy or {})]))
        rows = [[one.host, one.kind, one.number, *(of.get(one) for of in columns.values())] for one in names]
        return pd.DataFrame(rows, index=pd.Index(names, name="resource"), columns=["host", "kind", "number", *columns])

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw the throughput that each resource alone allows into `ax` (None: new axes), and return it."""
        from netsim.show.bounds_picture import draw

        return draw(self, ax)

    def __str__(self) -> str:
        rows = sorted((self.unit.of(self.throughput(name)), name) for name in self.demand if self.demand[name] > 0)
        return "\n".join(f"{name:<32}{fixed(rate):>12} {self.unit.name}" for rate, name in rows)

    def _repr_html_(self) -> str:
        """The HTML that a notebook shows: the throughput that each resource allows, and a bar for the share of its time
        needed at the limit of all."""
        from netsim.show.html import render

        return render("bounds.html", rows=self.alike(), unit=self.unit.name, limit=self.unit.of(self.limit))
