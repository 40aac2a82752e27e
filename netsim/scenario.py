"""A scenario: the machines, the wire between them and a measuring tool, as one immutable description."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Self

from pydantic import Field, model_validator

from netsim.accounts.accounts import Accounts
from netsim.accounts.bounds import Bounds
from netsim.engine import Environment
from netsim.errors import ScenarioError
from netsim.spec import Spec
from netsim.stack import ComputerSpec, NcpHostSpec
from netsim.units import MBIT_PER_S, Count, Fraction, RateUnit


class Scenario(Spec):
    """What can be simulated. A tool's own class says which machines take part and what is measured.

    The tool stops after `min_iterations` to `max_iterations`, when the interval of `confidence` is not wider than
    `interval` of the mean. It prints its figures in `unit`, which says what it counts: bytes or transactions.

    A `closed` test has `n` clients, each with one transaction under way at a time (netsim.engine.transactions): its
    `bounds` have an entry netsim.accounts.bounds.CLIENTS, its accounts have `stays`, and netsim.results.bottleneck
    judges it by what it reaches of the asymptotes.
    """

    unit: ClassVar[RateUnit] = MBIT_PER_S
    closed: ClassVar[bool] = False

    min_iterations: Count
    max_iterations: Count
    confidence: Annotated[float, Field(gt=0, lt=1)]
    interval: Fraction

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.min_iterations > self.max_iterations:
            raise ScenarioError(f"more than max_iterations ({self.max_iterations})", address="min_iterations")
        return self

    @abstractmethod
    def build(self, env: Environment) -> StreamRun | SeriesRun:
        """The parts, wired together in `env`, with nothing started."""

    def turn(self, iteration: int) -> Self:
        """The test as it is in the iteration of this number, from 0: some tools change something each time."""
        return self

    @abstractmethod
    def bounds(self) -> Bounds:
        """The closed form: what each resource alone would allow."""

    @property
    def client_names(self) -> Sequence[str]:
        """What accounts call the hosts that only ask a server for something; many of them are shown as one."""
        return ()

    @property
    @abstractmethod
    def label(self) -> str:
        """What the result is called."""

    def _repr_html_(self) -> str:
        """See Spec."""
        from netsim.show import scenario_view

        return scenario_view.html(self)


class Run:
    """A scenario in an environment: a StreamRun or a SeriesRun."""

    env: Environment

    @abstractmethod
    def accounts(self) -> Accounts:
        """The accounts up to now."""

    @abstractmethod
    def audit(self) -> None:
        """Check conservation. Raises ConservationError."""

    @abstractmethod
    def waiting_for(self) -> str:
        """What the workload waits for, for the message about a run that stands still."""


class StreamRun(Run):
    """Bytes or transactions are delivered for ever, and how many per second is measured
    (netsim.measure.steady_state). An iteration of the tool lasts `duration` (ps). Where something happens to it,
    `moments` says what, by time (ps, rising), and there is no steady state to wait for (netsim.measure.phased)."""

    duration: int
    moments: Mapping[int, str] = {}

    @property
    @abstractmethod
    def delivered(self) -> int:
        """Bytes (or transactions) of the measured result up to now, as the accounts have them: asked for after each
        event, where they would be too much."""

    @abstractmethod
    def start(self) -> None:
        """Let the workload begin."""


class SeriesRun(Run):
    """Messages go there and back, and the time of that is measured (netsim.measure.series): for each of `sizes` (bytes,
    rising) in up to `trials` trials of `trial_time` (ps). Its unit counts bits."""

    sizes: tuple[int, ...]
    trials: int
    trial_time: int

    @abstractmethod
    def round_trip(self, size: int, then: Callable[[], None]) -> None:
        """Send a message of `size` bytes and call `then` when as much has come back."""


def host(model: str, *, system: str, nics: Iterable[Any] = (), bond: Any = None) -> ComputerSpec:
    """A computer from the catalogue, `host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"])`; `bond` names
    what makes one device of all its ports.

    Raises ScenarioError for names that are not in models/.
    """
    return ComputerSpec.from_catalog("hosts", model, system=system, nics=list(nics), bond=bond)


def netware_host(model: str, *, system: str, nics: Iterable[Any] = ()) -> NcpHostSpec:
    """A server or a workstation of NetWare's core protocol, `netware_host("ast-premium-5", system="netx-3",
    nics=["ne2000/ne2000-odi"])`: the same models, with systems of models/netware.

    Raises ScenarioError for names that are not in models/.
    """
    return NcpHostSpec.from_catalog("hosts", model, system=system, nics=list(nics))
