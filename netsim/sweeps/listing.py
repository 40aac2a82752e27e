"""A sweep as text: a line for each run, with the values that vary, the result, and the bottleneck."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from netsim.explore.field import text_of
from netsim.sweeps.store import Registered, Store, StoredRun
from netsim.sweeps.version import model_version, of_netsim, short
from netsim.units import decimals, fixed


def listed(store: Store, sweep: Registered, told_apart: str = "", all_versions: bool = False) -> Iterator[str]:
    """The lines: a heading, with what tells the sweep from others in the store, and a table for each model version, by
    default only the latest."""
    about, own = sweep.about, "".join(f", {one}" for one in (told_apart, _seed(store, sweep)) if one)
    for model in store.models(sweep.id)[None if all_versions else -1 :]:
        runs = [*store.runs(sweep.id, model, about["settings"], about["seeds"])]
        wanted = about["points"] * len(about["seeds"])
        told = f"{len(runs)} of {wanted} runs" if len(runs) < wanted else f"{wanted} runs"
        other = "" if of_netsim(model) == model_version() else ", by another version of netsim"
        heading = f"{about['label']}, {about['points']} points, {told}{own}{other}"
        yield heading + f", model {short(model)}" * all_versions
        yield from _aligned([_heading(about), *(_line(run, about) for run in runs)])


def _seed(store: Store, sweep: Registered) -> str:
    """Its first seed, if the store has the same sweep with others; as in the tables' column `seed`."""
    seeds = {one.first_seed for one in store.sweeps() if one.family == sweep.family}
    return f"first seed {sweep.first_seed}" if len(seeds) > 1 else ""


def _heading(about: Mapping[str, Any]) -> list[str]:
    several = ["replication"] * (len(about["seeds"]) > 1)
    found = [about["unit"][0], "+/-", "busiest CPU", "limited by"]
    return [*(address for address, _ in about["columns"]), *several, *found]


def _line(run: StoredRun, about: Mapping[str, Any]) -> list[str]:
    varied = [text_of(quantity, run.shown[address]) for address, quantity in about["columns"]]
    several = [str(about["seeds"].index(run.seed))] * (len(about["seeds"]) > 1)
    return [*varied, *several, *_found(run, about["unit"][1])]


def _found(run: StoredRun, unit: float) -> list[str]:
    if run.record is None:
        return ["failed", "", "", str(run.error)]
    record = json.loads(run.record)
    cpu = {name.removeprefix("cpu."): share for name, share in record.items() if name.startswith("cpu.")}
    host = max(cpu, key=lambda name: cpu[name], default="")
    busiest = f"{host} {100 * cpu[host]:.0f} %" if host else ""
    rate, width = (record[name] / unit for name in ("throughput", "half_width"))
    return [fixed(rate), f"{width:.{decimals(rate)}f}", busiest, record["bottleneck"]]


def _aligned(rows: list[list[str]]) -> Iterator[str]:
    """Rows as lines, all columns but the last padded on the left."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)][:-1]
    for *cells, last in rows:
        yield "  ".join([*(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True)), last])
