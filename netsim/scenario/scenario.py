"""A scenario: the machines, the wire between them and a measuring tool, as one immutable description."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from netsim.accounts.bounds import Bounds
from netsim.engine import Environment
from netsim.errors import ScenarioError, no_choice
from netsim.ethernet import LinkSpec
from netsim.scenario.run import SeriesRun, StreamRun
from netsim.spec import Spec
from netsim.stack import ComputerSpec, NcpHostSpec
from netsim.units import MBIT_PER_S, Count, Fraction, RateUnit


class Scenario(Spec):
    """A test that can be simulated. A tool's own class says which machines take part and what is measured.

    The tool makes at least `min_iterations` and at most `max_iterations`; it stops as soon as the interval with
    `confidence` is no wider than the share `interval` of the mean. It prints its figures in `unit`, which says whether
    it counts bytes or transactions.

    A `closed` test has `n` clients, each with one transaction under way at a time (netsim.engine.transactions): its
    `bounds` have an entry netsim.accounts.resource.CLIENTS, its accounts have `stays`, and netsim.results.bottleneck
    judges it by how much of the asymptotes it reaches.
    """

    min_iterations: Count
    max_iterations: Count
    confidence: Annotated[float, Field(gt=0, lt=1)]
    interval: Fraction

    @property
    def unit(self) -> RateUnit:
        """The unit of the printed figures. It may depend on words among its own fields, such as netperf's `test`, but
        not on what is in them: a sweep must find the units of its points quickly (netsim.explore.one_unit)."""
        return MBIT_PER_S

    @property
    def closed(self) -> bool:
        """Whether it is closed, as above."""
        return False

    @classmethod
    def tool(cls) -> str:
        """The tool's name in files: its class, in lower case."""
        return cls.__name__.lower()

    def to_toml(self) -> str:
        """TOML with the `tool`, which `netsim run`, `netsim.load` and `from_toml` read back as an equal scenario."""
        return f'tool = "{self.tool()}"\n{super().to_toml()}'

    @model_validator(mode="before")
    @classmethod
    def _of_this_tool(cls, data: dict[str, Any]) -> dict[str, Any]:
        """A table may name its tool."""
        if (tool := data.get("tool", cls.tool())) != cls.tool():
            raise no_choice(tool, [cls.tool()]).at("tool")
        return {key: value for key, value in data.items() if key != "tool"}

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.min_iterations > self.max_iterations:
            raise ScenarioError(f"more than max_iterations ({self.max_iterations})", address="min_iterations")
        return self

    @abstractmethod
    def build(self, env: Environment) -> StreamRun | SeriesRun:
        """The parts, wired together in `env`, with nothing started."""

    def turn(self, iteration: int) -> Self:
        """The test in the iteration with this number, from 0: some tools change something each time."""
        return self

    def check_lasts(self) -> None:
        """Raise ScenarioError if a run of the test would end by itself, and so has no steady state to be measured."""

    @property
    def turns(self) -> int:
        """The number of iterations until a tool that changes something each time begins again. It makes a multiple of
        that, so that its mean counts every turn equally."""
        return 1

    @property
    def iterations(self) -> tuple[int, int]:
        """The fewest and the most iterations that the tool makes: as many whole rounds of `turns` as fit, at least
        one."""
        rounds = (max(1, number // self.turns) for number in (self.min_iterations, self.max_iterations))
        fewest, most = (number * self.turns for number in rounds)
        return fewest, most

    @property
    def alike(self) -> bool:
        """Whether all iterations run the same test."""
        return self.turn(1) == self.turn(0)

    @abstractmethod
    def bounds(self) -> Bounds:
        """The closed form: the rate that each resource alone would allow."""

    @property
    def bit_errors(self) -> float:
        """The bit errors per second of its links, if each sends all the time (in one direction)."""
        return math.fsum(one.rate * one.bit_error_rate for one in self._links())

    @property
    def exact_clocks(self) -> bool:
        """Whether all links have exactly their rates."""
        return not any(one.clock_tolerance for one in self._links())

    def _links(self) -> list[LinkSpec]:
        return [one for _, one in self._trees() if isinstance(one, LinkSpec)]

    @property
    def senders(self) -> int:
        """How many senders each offer the load that an address of the scenario gives."""
        return 1

    @property
    def client_names(self) -> Sequence[str]:
        """The hosts, as the accounts name them, that only send requests to a server; a large number of them is shown as
        one."""
        return ()

    @property
    def flow_pieces(self) -> Mapping[str, int]:
        """The pairs, as the accounts name them, that are flows with a result each, and the bytes of a delivery."""
        return {}

    @property
    @abstractmethod
    def label(self) -> str:
        """The name of the result."""

    def __str__(self) -> str:
        from netsim.show import scenario_view

        return scenario_view.text(self)

    def _repr_html_(self) -> str:
        from netsim.show import scenario_view

        return scenario_view.html(self)


def host(model: str, *, system: str, nics: Any = (), bond: Any = None, forwards: str | None = None) -> ComputerSpec:
    """A computer from the catalogue, `host("piii-600", system="linux-2.2.16", nics="3c905b/3c59x")`; `nics` is one
    adapter or a list of them, and `bond` names the bond that combines all of its ports into one device. In a network,
    `forwards` makes it a router ("ip") or a "bridge".

    Raises ScenarioError for names that are not in models/.
    """
    given = {} if forwards is None else {"forwards": forwards}
    return ComputerSpec.from_catalog("hosts", model, system=system, nics=_listed(nics), bond=bond, **given)


def netware_host(model: str, *, system: str, nics: Any = ()) -> NcpHostSpec:
    """A server or a workstation that uses NetWare's core protocol, `netware_host("ast-premium-5", system="netx-3",
    nics="ne2000/ne2000-odi")`: the same models, with systems of models/netware.

    Raises ScenarioError for names that are not in models/.
    """
    return NcpHostSpec.from_catalog("hosts", model, system=system, nics=_listed(nics))


def _listed(nics: Any) -> list[Any]:
    """Adapters as a list; a single one needs none."""
    several = isinstance(nics, Iterable) and not isinstance(nics, str | bytes | Mapping | Spec)
    return list(nics) if several else [nics]
