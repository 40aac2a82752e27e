"""A sweep's bounds as an xarray Dataset, if xarray is installed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from netsim.errors import ScenarioError

if TYPE_CHECKING:
    import xarray as xr

    from netsim.explore.bounds_grid import BoundsGrid

_POINT = "point"  # the dimension of a table of points


def dataset(grid: BoundsGrid) -> xr.Dataset:
    """The Dataset of BoundsGrid.to_xarray. Raises ScenarioError without xarray."""
    try:
        import xarray as xr
    except ImportError:
        raise ScenarioError("to_xarray needs the xarray package: pip install xarray") from None

    columns = list(grid.points.columns)
    alone = all(len(dim) == 1 for dim in grid.points.dims)
    dims = [column.address for _, column in columns] if alone else [_POINT]
    coords: dict[str, Any] = {column.address: (dims[number], _array(column.shown)) for number, column in columns}
    coords["resource"] = list(grid.demand)
    by_resource = {
        name: (["resource", *dims], np.stack([*arrays.values()]))
        for name, arrays in (("allowed", grid.allowed), ("demand", grid.demand))
    }
    whole: dict[str, Any] = {"throughput": (dims, grid.limit), "bottleneck": (dims, grid.bottleneck)}
    return xr.Dataset(whole | by_resource, coords)


def _array(values: Sequence[object]) -> Any:
    """An array with one dimension, whatever the values are."""
    array = np.array(values) if all(isinstance(one, int | float) for one in values) else np.empty(len(values), object)
    array[:] = values
    return array
