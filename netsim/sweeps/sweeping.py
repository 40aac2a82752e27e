"""sweep(scenario, axes) -> Sweep: every point simulated with every seed, kept in a store, and shown from there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from netsim.errors import whole_number
from netsim.explore.axes import Given
from netsim.measure.sampling import PRECISION, SAMPLE
from netsim.scenario import Scenario
from netsim.sweeps import table
from netsim.sweeps.interrupt import interruptible
from netsim.sweeps.plan import SweepPlan
from netsim.sweeps.pool import OwnPool, processors
from netsim.sweeps.progress import Progress
from netsim.sweeps.runner import Runner
from netsim.sweeps.settings import RunSettings
from netsim.sweeps.store import Store

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr
    from matplotlib.axes import Axes as Picture

MOST_JOBS = 1000  # processes
UNDER_WAY = 64  # default for a user's executor


@dataclass(frozen=True)
class Status:
    """How many `points` and `runs` a sweep has, and how many of its runs are `done`, `failed` or still `missing`.
    `computed` of them were done in this session; the others were in the store."""

    points: int
    runs: int
    done: int
    failed: int
    computed: int

    @property
    def missing(self) -> int:
        """Runs still to be done."""
        return self.runs - self.done - self.failed

    def __str__(self) -> str:
        parts = [f"{self.runs} runs of {self.points} points: {self.done} done"]
        parts += [f"{self.failed} failed"] * bool(self.failed) + [f"{self.missing} missing"] * bool(self.missing)
        return f"{', '.join(parts)}; {self.computed} computed now"


class Sweep:
    """A sweep that was run. Its results are read from the store whenever they are asked for."""

    def __init__(self, plan: SweepPlan, store: Store) -> None:
        self.plan, self.store = plan, store
        self.computed = 0

    def to_frame(self, all_versions: bool = False) -> pd.DataFrame:
        """A row for each run: point and replication; a column for each address, in base units ("mtu [B]"); seed; the
        columns of `Result.to_frame`; `error` (missing if there was none) and `model` version. With `all_versions`, the
        results of other model versions for the same axes follow."""
        rows = [*table.rows_of(self.store, self.plan.registered, self.plan.model)]
        if all_versions:
            rows += self._others()
        return table.frame(rows, [one.name for _, one in self.plan.points.columns])

    def _others(self) -> Iterator[dict[str, Any]]:
        own = self.plan.registered
        for sweep in self.store.sweeps():
            if (sweep.family, sweep.first_seed) == (own.family, own.first_seed):
                for model in reversed(self.store.models(sweep.id)):
                    if model != self.plan.model:
                        yield from table.rows_of(self.store, sweep, model)

    def to_xarray(self) -> xr.Dataset:
        """The results over their axes: a dimension for each axis (zipped or sampled addresses share one) and one for
        the replications. Coordinates and results have their `units`: "1" is a share, "1/s" transactions or packets;
        counts, names and P/E have none. Needs the package xarray."""
        from netsim.sweeps.dataset import dataset

        return dataset(self.plan, self.to_frame())

    @property
    def failures(self) -> pd.DataFrame:
        """The rows of failed runs: where, with which seed, and why."""
        rows = self.to_frame()
        varied = [one.name for _, one in self.plan.points.columns]
        return rows.loc[rows["error"].notna(), [*table.FIRST, *varied, "seed", "error"]]

    def status(self) -> Status:
        """The sweep's progress."""
        plan = self.plan
        done, failed = self.store.count(plan.registered.id, plan.model, plan.key, plan.seeds)
        return Status(len(plan.points), plan.runs, done, failed, self.computed)

    def plot(
        self,
        x: str | None = None,
        y: str = "throughput",
        hue: str | None = None,
        *,
        where: Mapping[str, object] | None = None,
        ax: Picture | None = None,
    ) -> Picture:
        """Draw the column `y` over the address `x` (by default the first axis), with a line for each value of `hue`,
        into `ax` (None: new axes), and return it. `where` selects points by other addresses.

        Bars are intervals of the mean at the scenario's confidence. For throughputs and CPU, whose interval each run
        knows, replications are combined as iterations of one run are (netsim.statistics.replications). For other
        results only the differences between replications count, by Student's t: a single run has no bar, and two have
        a very long one. Raises ScenarioError for a wrong name, a column without numbers, or if no run succeeded."""
        from netsim.show.sweep_picture import draw

        return draw(self.plan, self.to_frame(), x, y, hue, where or {}, ax)

    def __repr__(self) -> str:
        return f"<Sweep: {self.status()}>"


def sweep(
    scenario: Scenario,
    axes: Given,
    replications: int = 1,
    *,
    precision: float = PRECISION,
    warm_up: str | int | None = None,
    sample: str | int = SAMPLE,
    limit: str | int | None = None,
    seed: int = 1,
    executor: Executor | Callable[[], Executor] | None = None,
    jobs: int | None = None,
    store: str | Path | Store | None = None,
    retry_failures: bool = False,
    progress: bool = True,
) -> Sweep:
    """Simulate `scenario` at every point of `axes` (netsim.explore), `replications` times with seeds spawned from
    `seed`, the same at every point. `precision`, `warm_up`, `sample` and `limit` are those of `simulate`.

    Runs go to `executor`: any executor of concurrent.futures or dask (`Client.get_executor()`), or a function that
    makes one. The function is called again if a worker's death breaks the executor, or all of its runs are cancelled.
    Without `executor`, runs go to a pool of `jobs` processes (by default one for each processor). With it, `jobs` is
    the number of runs in flight (64).

    Each result goes into `store` immediately, and what is stored is not computed again; failed runs are, with
    `retry_failures`. Without a store, results exist only as long as the Sweep. A progress bar is shown on a terminal
    (`progress`). A run that fails becomes a row with its error. Ctrl-C raises KeyboardInterrupt once all results have
    been stored.

    Raises ScenarioError for wrong axes or arguments before anything is simulated, StoreError if the store can't be
    used, SimulationError if the executor is gone.
    """
    settings = RunSettings.of(precision=precision, warm_up=warm_up, sample=sample, limit=limit)
    plan = SweepPlan.of(scenario, axes, replications, seed, settings)
    jobs = None if jobs is None else whole_number("jobs", jobs, 1, MOST_JOBS)
    kept = store if isinstance(store, Store) else Store(store)
    kept.register(plan.registered)
    found = Sweep(plan, kept)
    with closing(Progress(plan.runs, progress)) as bar, interruptible() as stopped:
        tasks = plan.tasks(kept, retry_failures, bar.stored)
        with _runner(executor, jobs) as runner:
            for task, outcome in runner.outcomes(tasks, stopped):
                kept.put(task.key, outcome)
                found.computed += 1
                bar.done(outcome.error is not None)
    if stopped.asked:
        raise KeyboardInterrupt(str(found.status()))
    return found


@contextmanager
def _runner(executor: Executor | Callable[[], Executor] | None, jobs: int | None) -> Iterator[Runner]:
    """A runner, whose own processes end with the context in any case."""
    if isinstance(executor, Executor):
        yield Runner(lambda: executor, jobs or UNDER_WAY, renewable=False)
        return
    pool = OwnPool(jobs or processors()) if executor is None else None
    make = executor or pool
    assert make is not None
    runner = Runner(make, 2 * (jobs or processors()) if pool else jobs or UNDER_WAY, renewable=True)
    try:
        yield runner
    finally:
        if pool:
            pool.leave()  # so there is nothing left to wait for
        runner.leave()
