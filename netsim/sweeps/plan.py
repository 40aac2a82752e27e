"""The runs that a sweep has to do: its points times its seeds, less those in the store."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from netsim.errors import ScenarioError, show, whole_number
from netsim.explore import Axes, Points
from netsim.explore.one_unit import one_unit
from netsim.scenario import Scenario
from netsim.sweeps import worker
from netsim.sweeps.runner import Job
from netsim.sweeps.settings import RunSettings, spawned
from netsim.sweeps.store import Key, Registered, Store
from netsim.sweeps.stored_scenario import packed
from netsim.sweeps.version import model_version
from netsim.units import RateUnit

MOST = 10**7  # runs
AT_ONCE = 32  # points stored together, before their runs begin


@dataclass(frozen=True)
class SweepPlan:
    """Points of a scenario, the unit of their results, and the seeds and settings of their runs."""

    scenario: Scenario
    points: Points
    unit: RateUnit
    seeds: tuple[int, ...]
    settings: RunSettings

    @classmethod
    def of(cls, scenario: Scenario, axes: Any, replications: int, seed: int, settings: RunSettings) -> SweepPlan:
        """A plan from a user's arguments, all of them checked. Raises ScenarioError."""
        if not isinstance(scenario, Scenario):
            text = "a measuring tool's test, such as Netperf"
            raise ScenarioError(f"{show(scenario)} is not a scenario; allowed: {text}")
        axes = Axes.of(axes)
        replications = whole_number("replications", replications, 1)
        if replications * len(axes) > MOST:
            raise ScenarioError(f"{replications * len(axes)} runs are too many; allowed: up to {MOST}")
        points, seeds = Points.of(scenario, axes), tuple(spawned(seed, replications))
        return cls(scenario, points, one_unit(scenario, points), seeds, settings)

    @property
    def runs(self) -> int:
        """The number of runs."""
        return len(self.points) * len(self.seeds)

    @cached_property
    def key(self) -> str:
        """The settings as the store knows them."""
        return self.settings.key(self.scenario)

    @cached_property
    def model(self) -> str:
        """The model version that its runs have, even if code is edited meanwhile."""
        return model_version(type(self.scenario))

    @cached_property
    def registered(self) -> Registered:
        """The sweep as the store knows it: replications may be added; any other change makes another sweep."""
        scenario = self.scenario
        family = _hash(self.points.digest, self.key, scenario.label)
        columns = [[one.address, one.quantity] for _, one in self.points.columns]
        about: Mapping[str, Any] = {
            "label": scenario.label,
            "unit": [self.unit.name, self.unit.size],
            "columns": columns,
            "points": len(self.points),
            "seeds": self.seeds,
            "settings": self.key,
            "scenario": packed(scenario),
        }
        former = _hash(family, scenario.digest())
        return Registered(_hash(former, str(self.seeds[0])), family, about, former)

    def tasks(self, store: Store, retry: bool, stored: Callable[[], None]) -> Iterator[Job]:
        """The runs that the store doesn't have, made when they are needed; for each that it has, `stored` is
        called. With `retry`, failed runs count as missing."""
        for first in range(0, len(self.points), AT_ONCE):
            numbers = range(first, min(first + AT_ONCE, len(self.points)))
            for candidate in self._candidates(store, numbers):
                for seed in self.seeds:
                    key = Key(candidate.hash, seed, self.key, self.model)
                    if store.known(key) in ("done", None if retry else "failed"):
                        stored()
                    else:
                        yield candidate.task(key, self.settings)

    def _candidates(self, store: Store, numbers: range) -> list[_Candidate]:
        """The points with these numbers, after they are all in the store."""
        sweep, model = self.registered.id, self.model
        before = store.scenarios(sweep, model, numbers)
        found = [_Candidate(self, number, before.get(number)) for number in numbers]
        new = [one for one in found if one.number not in before]
        if new:
            store.add_points(sweep, model, ((one.number, one.hash, one.shown) for one in new))
        return found


class _Candidate:
    """A point whose scenario is made only if its hash is not known, or one of its runs has to be done."""

    def __init__(self, plan: SweepPlan, number: int, known: str | None) -> None:
        place = plan.points.place(number)
        self.number, self.shown = number, plan.points.shown(place)
        self._changes = plan.points.changes(place)
        self._base = plan.scenario
        self._known = known

    @cached_property
    def _made(self) -> Scenario | ScenarioError:
        try:
            return self._base.replace(self._changes)
        except ScenarioError as error:
            return error

    @cached_property
    def hash(self) -> str:
        """The digest of its scenario, or of a point that can't be one."""
        if self._known is not None:
            return self._known
        if isinstance(self._made, Scenario):
            return self._made.digest()
        return _hash("not possible", self._base.digest(), json.dumps(self.shown))

    @cached_property
    def _packed(self) -> bytes:
        assert isinstance(self._made, Scenario)
        return worker.pack(self._made)

    def task(self, key: Key, settings: RunSettings) -> Job:
        """One of its runs."""
        if isinstance(self._made, Scenario):
            return Job(key, (self._packed, key.seed, settings.addresses(), key.model))
        return Job(key, known=worker.failure(self._made))


def _hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
