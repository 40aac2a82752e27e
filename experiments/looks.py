"""Markers and bars for measured, predicted, chosen and fitted values, distinct in shape and fill, not only colour."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from experiments.basis import Basis
from experiments.drawing import CHOSEN, FITTED, INK, PREDICTED

# Points: simulated ones are filled and smaller, so that both remain visible where they agree.
MEASURED_POINT: Mapping[str, Any] = {
    "label": "measured", "marker": "s", "markersize": 7.5, "markerfacecolor": "none", "markeredgecolor": INK,
    "markeredgewidth": 1.0, "linestyle": "none",
}  # fmt: skip
POINTS: Mapping[Basis, Mapping[str, Any]] = {
    "predicted": {"label": "simulated, predicted", "marker": "o", "color": PREDICTED},
    "chosen": {"label": "simulated, chosen", "marker": "^", "color": CHOSEN},
    "fitted": {"label": "simulated, fitted", "marker": "D", "color": FITTED},
}
# Bars: measured ones are hollow, simulated ones filled.
MEASURED_BAR: Mapping[str, Any] = {
    "label": "measured", "facecolor": "none", "edgecolor": INK, "linewidth": 0.8,
}  # fmt: skip
BARS: Mapping[Basis, Mapping[str, Any]] = {
    "predicted": {"label": "simulated, predicted", "facecolor": PREDICTED, "linewidth": 0},
    "chosen": {"label": "simulated, chosen", "facecolor": CHOSEN, "linewidth": 0},
    "fitted": {"label": "simulated, fitted", "facecolor": FITTED, "linewidth": 0},
}
