"""How each run of a sweep is simulated: the arguments of `simulate` besides scenario and seed."""

from __future__ import annotations

import json
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from netsim.errors import plain, whole_number
from netsim.measure.sampling import PRECISION, SAMPLE
from netsim.measure.simulation import time_of
from netsim.scenario import Scenario
from netsim.spec import Spec
from netsim.units import PositiveTime


class RunSettings(Spec):
    """The arguments of `netsim.simulate`, with its defaults."""

    precision: Annotated[float, Field(ge=0, lt=1)] = PRECISION
    warm_up: PositiveTime | None = None
    sample: PositiveTime = time_of("sample", SAMPLE)
    limit: PositiveTime | None = None

    @classmethod
    def of(cls, **given: Any) -> RunSettings:
        """RunSettings from arguments as `simulate` takes them: times as text, or in ps. Raises ScenarioError."""
        given = {name: plain(value) for name, value in given.items()}
        times = ("warm_up", "sample", "limit")
        bare = {name: f"{given[name]} ps" for name in times if type(given.get(name)) is int}
        return cls(**given | bare)

    def key(self, scenario: Scenario) -> str:
        """Text that is the same for the same settings and the same class of scenario."""
        tool = type(scenario)
        return json.dumps(self.addresses() | {"tool": f"{tool.__module__}.{tool.__qualname__}"}, sort_keys=True)


def spawned(seed: int, replications: int) -> list[int]:
    """Independent seeds, one for each replication; more replications only add some. Every point has the same ones:
    common random numbers. They have 63 bits, because of SQLite's whole numbers."""
    sequences = np.random.SeedSequence(whole_number("seed", seed, 0)).spawn(replications)
    return [int(one.generate_state(1, np.uint64)[0] >> np.uint64(1)) for one in sequences]
