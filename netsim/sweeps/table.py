"""Runs as a table: a row for each, with the values that vary, the result's columns, and the error if any."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from netsim.explore.field import name_of
from netsim.sweeps.store import Registered, Store, StoredRun
from netsim.sweeps.version import short

if TYPE_CHECKING:
    import pandas as pd

_TOLD = 5  # damaged rows that are named
EVERY = ("throughput", "half_width")  # of a result, whatever was tested
FIRST, LAST = ("point", "replication"), ("error", "model")


def results(path: str | Path, *, all_versions: bool = False) -> pd.DataFrame:
    """The contents of a store: the runs of every sweep, in the columns of `Sweep.to_frame`, as computed with the
    sweep's latest model version, or with `all_versions`. With several sweeps, the first column names the sweep. Damaged
    rows are left out, with a warning that names them. Raises StoreError."""
    store = Store(path, writable=False)
    if damaged := damage(store):
        warnings.warn(damaged, stacklevel=2)
    return table_of(store, all_versions=all_versions)


def table_of(store: Store, *, all_versions: bool) -> pd.DataFrame:
    """The same for an open store."""
    sweeps = store.sweeps()
    rows = [
        ({"sweep": sweep.id[:12]} if len(sweeps) > 1 else {}) | row
        for sweep in sweeps
        for model in store.models(sweep.id)[None if all_versions else -1 :]
        for row in rows_of(store, sweep, model)
    ]
    columns = [name_of(*column) for sweep in sweeps for column in sweep.about["columns"]]
    return frame(rows, columns)


def damage(store: Store) -> str:
    """The damaged rows of a store, in one line; empty if there are none."""
    if not (names := store.damaged()):
        return ""
    told = ", ".join(names[:_TOLD]) + (" ..." if len(names) > _TOLD else "")
    count = f"{len(names)} damaged row{'s' * (len(names) > 1)}"
    return f"{store.path}: {count}, left out: {told}; to compute runs again: netsim sweep --retry"


def rows_of(store: Store, sweep: Registered, model: str) -> Iterator[dict[str, Any]]:
    """A sweep's rows with one model version."""
    about = sweep.about
    names = {address: name_of(address, quantity) for address, quantity in about["columns"]}
    seeds = {seed: number for number, seed in enumerate(about["seeds"])}
    for run in store.runs(sweep.id, model, about["settings"], about["seeds"]):
        yield _row(run, names, seeds[run.seed])


def _row(run: StoredRun, names: Mapping[str, str], replication: int) -> dict[str, Any]:
    varied = {names[address]: value for address, value in run.shown.items()}
    record = json.loads(run.record) if run.record else {}
    own = {"error": run.error, "model": short(run.model)}
    return {"point": run.point, "replication": replication, **varied, "seed": run.seed, **record, **own}


def frame(rows: Iterable[Mapping[str, Any]], varied: Sequence[str]) -> pd.DataFrame:
    """A table whose columns don't depend on which runs failed: what varies first, error and model last. If all have
    failed, the throughput, which every result has, stands for the results."""
    import pandas as pd

    rows = list(rows)
    found = dict.fromkeys(name for row in rows for name in row)
    front = [name for name in ("sweep", *FIRST) if name in found or name in FIRST]
    fixed = [*dict.fromkeys([*front, *varied])]
    between = [name for name in {**found, **dict.fromkeys(EVERY)} if name not in fixed and name not in LAST]
    return pd.DataFrame(rows, columns=[*fixed, *between, *LAST])
