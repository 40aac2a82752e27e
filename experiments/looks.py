"""How measured, predicted and fitted values are told apart, by shape and fill and not by colour alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from experiments.drawing import FITTED, INK, PAGE, PREDICTED

# Points: simulated ones are full, and smaller, so that both are seen where they agree.
MEASURED_POINT: Mapping[str, Any] = {
    "label": "measured", "marker": "s", "markersize": 7.5, "markerfacecolor": "none", "markeredgecolor": INK,
    "markeredgewidth": 1.0, "linestyle": "none",
}  # fmt: skip
POINTS: Mapping[bool, Mapping[str, Any]] = {
    False: {"label": "simulated, predicted", "marker": "o", "color": PREDICTED},
    True: {"label": "simulated, fitted", "marker": "D", "color": FITTED},
}
# Bars: measured ones are empty, with lines across.
MEASURED_BAR: Mapping[str, Any] = {
    "label": "measured", "facecolor": "none", "edgecolor": INK, "hatch": "////", "linewidth": 0.8,
}  # fmt: skip
BARS: Mapping[bool, Mapping[str, Any]] = {
    False: {"label": "simulated, predicted", "facecolor": PREDICTED, "edgecolor": PAGE, "linewidth": 0},
    True: {"label": "simulated, fitted", "facecolor": FITTED, "edgecolor": PAGE, "hatch": "\\\\\\\\", "linewidth": 0},
}
