"""A measured run, simulated: the error of the simulation, and whether its interval contains the measurement."""

from __future__ import annotations

from dataclasses import dataclass

from netsim.errors import ConservationError, ScenarioError, SimulationError
from netsim.own_machine.machine_spec import AdapterFound, ImportedMachine
from netsim.own_machine.prediction import Prediction, predict
from netsim.own_machine.stream_test import StreamTest, stream_test
from netsim.spec.named_table import by_name
from netsim.workload import Iperf3


@dataclass(frozen=True)
class Simulated:
    """The `test` over an adapter and its `prediction`, or the reason why there is none (`refused`), and the `measured`
    rate (bit/s)."""

    adapter: str
    measured: float | None
    test: StreamTest | None = None
    prediction: Prediction | None = None
    refused: str = ""

    @property
    def miss(self) -> float | None:
        """The error of the simulation as a share of the measurement, positive if it is too fast; None if unknown."""
        if self.prediction is None or self.measured is None:
            return None
        return self.prediction.likely.throughput / self.measured - 1

    @property
    def holds(self) -> bool:
        """Whether the measurement is within the prediction's interval."""
        one = self.prediction
        return one is not None and self.measured is not None and one.low <= self.measured <= one.high


def scenario_of(machine: ImportedMachine) -> Iperf3:
    """The measured run, or else one stream that the machine receives over its fastest adapter. Raises ScenarioError if
    it can't be simulated."""
    names = chosen(machine)
    if not names:
        raise ScenarioError("no adapter has a link; allowed: one whose rate is known")
    return stream_test(machine, names[0]).scenario


def measured_runs(machine: ImportedMachine) -> list[Simulated]:
    """Each measured run, simulated."""
    every = by_name(machine.adapters, AdapterFound)
    return [simulate_run(machine, name) for name, one in every.items() if one.measured]


def simulate_run(machine: ImportedMachine, name: str) -> Simulated:
    """The run over the adapter of that name, or one stream that the machine receives."""
    measured = by_name(machine.adapters, AdapterFound)[name].measured
    rate = measured.rate if measured else None
    try:
        test = stream_test(machine, name)
        return Simulated(name, rate, test, predict(test.scenario))
    except ConservationError:
        raise
    except (ScenarioError, SimulationError) as error:
        return Simulated(name, rate, refused=str(error))


def chosen(machine: ImportedMachine) -> list[str]:
    """The adapters with a run; if none has one, the fastest."""
    every = by_name(machine.adapters, AdapterFound)
    fastest = max(every, key=lambda name: every[name].rate or 0, default=None)
    runs = [name for name, one in every.items() if one.measured]
    return runs or ([fastest] if fastest and every[fastest].rate else [])
