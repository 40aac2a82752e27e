"""A scenario: the machines, the wire between them and a measuring tool, as one immutable description."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Annotated, Any

from pydantic import Field

from netsim.books import Books
from netsim.bounds import Bounds
from netsim.engine import Environment
from netsim.spec import Spec
from netsim.stack import ComputerSpec
from netsim.units import Count, Fraction, PositiveTime


class Scenario(Spec):
    """What can be simulated. A tool's own class says which machines take part and what is measured.

    `duration` of one iteration; the tool stops after `min_iterations` to `max_iterations`, when the interval of
    `confidence` is not wider than `interval` of the mean.
    """

    duration: PositiveTime
    min_iterations: Count
    max_iterations: Count
    confidence: Annotated[float, Field(gt=0, lt=1)]
    interval: Fraction

    @abstractmethod
    def build(self, env: Environment) -> Run:
        """The parts, wired together in `env`, with nothing started."""

    @abstractmethod
    def bounds(self) -> Bounds:
        """The closed form: what each resource alone would allow."""

    @property
    @abstractmethod
    def label(self) -> str:
        """What the result is called."""


class Run:
    """A scenario in an environment. `unit` and `scale` turn delivered bytes per second into the tool's own figure."""

    env: Environment

    @abstractmethod
    def start(self) -> None:
        """Let the workload begin."""

    @abstractmethod
    def books(self) -> Books:
        """The books up to now."""

    @abstractmethod
    def audit(self) -> None:
        """Check conservation. Raises ConservationError."""

    @abstractmethod
    def waiting_for(self) -> str:
        """What the workload waits for, for the message about a run that stands still."""


def host(model: str, *, system: str, nics: Iterable[Any] = (), bonded: bool = False) -> ComputerSpec:
    """A computer from the catalogue, `host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"])`; `bonded` makes
    one device of all its ports.

    Raises ScenarioError for names that are not in models/.
    """
    return ComputerSpec.from_catalog("hosts", model, system=system, nics=list(nics), bonded=bonded)
