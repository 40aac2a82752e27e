"""A sweep's table as an xarray Dataset: a dimension for each block of axes, and one for the replications."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from netsim.errors import ScenarioError
from netsim.explore import Points
from netsim.sweeps.plan import SweepPlan
from netsim.sweeps.result_units import unit_of_result
from netsim.sweeps.table import FIRST

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

SAME = ("label", "version", "confidence", "model")  # for all runs of a sweep


def dataset(plan: SweepPlan, table: pd.DataFrame) -> xr.Dataset:
    """The Dataset of a sweep's table. Missing and failed values are NaN, or None for names. Raises ScenarioError
    without xarray."""
    try:
        import xarray as xr
    except ModuleNotFoundError:
        raise ScenarioError("to_xarray needs the xarray package: pip install xarray") from None
    points, unit = plan.points, plan.unit
    dims, coordinates = _coordinates(points)
    coordinates["replication"] = ("replication", [*range(len(plan.seeds))])
    coordinates["seed"] = ("replication", list(plan.seeds))
    rows = table.set_index([*FIRST]).reindex(_every(plan))
    axes = {one.name for _, one in points.columns} | {"seed"}
    shape = (*points.shape, len(plan.seeds))
    variables = {
        name: ((*dims, "replication"), rows[name].to_numpy().reshape(shape), _attributes(unit_of_result(name, unit)))
        for name in rows.columns
        if name not in axes and name not in SAME
    }
    about = {name: rows[name].dropna().iloc[0] for name in SAME if name in rows and rows[name].notna().any()}
    return xr.Dataset(variables, coordinates, about)


def _every(plan: SweepPlan) -> pd.MultiIndex:
    """All points with all replications, in order."""
    import pandas as pd

    return pd.MultiIndex.from_product([range(len(plan.points)), range(len(plan.seeds))], names=FIRST)


def _coordinates(points: Points) -> tuple[list[str], dict[str, Any]]:
    """The dimensions, and the addresses along them."""
    dims: list[str] = []
    for number, columns in enumerate(points.dims):
        name = columns[0].address if len(columns) == 1 else "point"
        dims.append(name if name not in dims else f"{name} {number}")
    return dims, {one.address: (dims[at], list(one.shown), _attributes(one.unit)) for at, one in points.columns}


def _attributes(unit: str) -> dict[str, str]:
    return {"units": unit} if unit else {}
