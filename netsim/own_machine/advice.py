"""The changes that would help a machine most, by simulation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from netsim.errors import ConservationError, ScenarioError, SimulationError, path_of
from netsim.own_machine.faults import findings
from netsim.own_machine.finding import Finding, Subject
from netsim.own_machine.importing import Imported, import_machine
from netsim.own_machine.machine_spec import AdapterFound, ImportedMachine
from netsim.own_machine.prediction import Gain, gain
from netsim.own_machine.proposals import proposals
from netsim.own_machine.simulated_run import Simulated, chosen, simulate_run
from netsim.own_machine.slot_rate import stream_bounds
from netsim.own_machine.stream_test import other_end, stream_test
from netsim.spec.named_table import by_name
from netsim.stack import StreamHostSpec
from netsim.workload import Iperf3

_ADDS = 1.005  # times as much: the minimum gain of an additional setting
_WORTH, _MOST = 1.03, 5  # times as much: the minimum gain of settings tried together; and their largest number
_OWN = ("adapters.", "kernel.")  # addresses of a machine; others are of its test


@dataclass(frozen=True)
class StreamBound:
    """The most bit/s of payload that each part allows a stream over an adapter, and the rate that iperf3 `measured`, if
    it ran. The `bottleneck` is the part with the lowest bound. A bound is not a prediction: it does not include the
    processors' work."""

    adapter: str
    bounds: dict[str, float]
    measured: float | None = None

    @property
    def bottleneck(self) -> str:
        return min(self.bounds, key=lambda part: self.bounds[part])

    @property
    def lowest(self) -> float:
        return self.bounds[self.bottleneck]


@dataclass(frozen=True)
class Advice:
    """A recommendation and its gain (None: no simulation covers it)."""

    finding: Finding
    gain: Gain | None


@dataclass(frozen=True)
class Advised:
    """A machine's simulated tests, its recommendations (best first), and their best combination for each adapter."""

    simulated: tuple[Simulated, ...]
    advice: tuple[Advice, ...]
    together: Mapping[str, tuple[tuple[Advice, ...], Gain]]


def bounds_of(machine: ImportedMachine) -> list[StreamBound]:
    """The bounds of a stream over each adapter with a link."""
    found = []
    for name, adapter in by_name(machine.adapters, AdapterFound).items():
        if each := stream_bounds(adapter, machine.kernel.tcp_timestamps):
            found.append(StreamBound(name, each, adapter.measured.rate if adapter.measured else None))
    return found


def machine_of(source: str | Path) -> Imported:
    """The machine in a folder of outputs, or in the TOML made from it. Raises ScenarioError."""
    path = path_of("source", source)
    return import_machine(path) if path.is_dir() else Imported(ImportedMachine.from_toml(path), ())


def advise(machine: ImportedMachine) -> Advised:
    """The recommendations: certain gains first, the largest first; then likely ones; then those that no simulation
    covers; then those without a gain."""
    tests = tuple(simulate_run(machine, name) for name in chosen(machine))
    found, together = list[Advice](), dict[str, tuple[tuple[Advice, ...], Gain]]()
    for number, one in enumerate(tests):
        asked = _asked(machine, one, first=number == 0)
        own = list(_gains(machine, one, asked))
        found += own
        if (best := _together(machine, one, own)) is not None:
            together[one.adapter] = best
    known = [one.finding for one in found]
    found += [Advice(one, None) for one in findings(machine) if one not in known]
    return Advised(tests, tuple(sorted(found, key=_rank)), together)


def _asked(machine: ImportedMachine, one: Simulated, first: bool) -> Iterator[Finding]:
    """The findings that this adapter's test can assess; only the first test covers those of the kernel."""
    parts = [f"adapters.{one.adapter}", *(["kernel"] if first else [])]
    asked = [each for each in findings(machine) if each.part in parts]
    changed = {at for each in asked for at in each.changes}
    yield from asked
    for each in proposals(Subject(machine, one.adapter), one.test) if one.test else ():
        if not changed & each.changes.keys():
            yield each


def _rank(one: Advice) -> tuple[int, float]:
    if one.gain is None:
        return (2 if one.finding.limits else 3), -one.finding.factor
    return (0 if one.gain.sure else 1 if one.gain.likely else 4), -one.gain.factor


def _gains(machine: ImportedMachine, one: Simulated, asked: Iterator[Finding]) -> Iterator[Advice]:
    if one.test is None or one.prediction is None:
        yield from (Advice(each, None) for each in asked)
        return
    other = other_end(machine, one.adapter)
    for each in asked:
        yield Advice(each, _gain(machine, one, each.changes, other) if each.changes else None)


def _gain(
    machine: ImportedMachine,
    one: Simulated,
    changes: Mapping[str, object],
    other: StreamHostSpec,
    least: float = 0.0,
) -> Gain | None:
    """None if the changed machine's test can't be simulated."""
    if one.prediction is None:
        return None
    if _is_longer_ring(one, changes):
        return Gain(1.0, 1.0, 1.0, one.prediction.likely.throughput)
    try:
        return gain(one.prediction, _changed(machine, one, changes, other), least)
    except ConservationError:
        raise
    except (ScenarioError, SimulationError):
        return None


def _is_longer_ring(one: Simulated, changes: Mapping[str, object]) -> bool:
    """Whether the only change lengthens a ring that was long enough: its simulations would be the same."""
    results = one.prediction.results if one.prediction else ()
    short = any(place.what == "receive ring" for each in results for place in each.dropped)
    return changes.keys() == {f"adapters.{one.adapter}.rx_ring"} and not short


def _changed(
    machine: ImportedMachine, one: Simulated, changes: Mapping[str, object], other: StreamHostSpec
) -> Iperf3:
    """The test of the changed machine, to or from the same other end. Raises ScenarioError."""
    own = {at: value for at, value in changes.items() if at.startswith(_OWN)}
    test = stream_test(machine.replace(own), one.adapter, other).scenario
    return test.replace({at: value for at, value in changes.items() if at not in own})


def _together(
    machine: ImportedMachine, one: Simulated, every: list[Advice]
) -> tuple[tuple[Advice, ...], Gain] | None:
    """The possible gains from the best on, except those that add nothing to the ones already taken; None if the best is
    not likely, or no other adds anything."""
    able = sorted((each for each in every if each.gain and each.gain.high > _WORTH), key=_rank)[:_MOST]
    if not able or able[0].gain is None or not able[0].gain.likely:
        return None
    other = other_end(machine, one.adapter)
    taken, best = able[:1], able[0].gain
    for each in able[1:]:
        more = _gain(machine, one, _changes([*taken, each]), other, least=best.factor * _ADDS)
        if more is not None and more.factor > best.factor * _ADDS:
            taken, best = [*taken, each], more
    return (tuple(taken), best) if taken[1:] else None


def _changes(taken: list[Advice]) -> dict[str, object]:
    """The changes of all; if two set the same value, the one with the larger gain wins."""
    return {at: value for one in reversed(taken) for at, value in one.finding.changes.items()}
