"""A figure of many configurations, one below the other: a panel for each quantity, with horizontal bars."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from experiments import pairs, shares
from experiments.digits import unit
from experiments.drawing import GRID, legend, new_figure, style, svg
from experiments.figure import Figure, Found
from experiments.run import Outcome

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INCHES = 0.34  # for a configuration
FRAME = 0.75  # inches of a panel without its bars
HALF, WIDTH = 0.38, 0.72  # of a bar, as a share of a configuration's space: one of a pair, and a single one


@dataclass(frozen=True)
class Panel(ABC):
    """One quantity of all configurations, given by the ids of its `rows`."""

    rows: tuple[str, ...]

    def by_name(self, found: Found) -> Iterator[Mapping[str, float]]:
        """See Figure."""
        yield from ()

    @abstractmethod
    def draw(self, axes: Axes, outcomes: Sequence[Outcome], colours: Mapping[str, str]) -> None:
        """Bars at 0, 1, 2 ... along the vertical axis."""


@dataclass(frozen=True)
class Pairs(Panel):
    """Measured above, simulated below."""

    def draw(self, axes: Axes, outcomes: Sequence[Outcome], colours: Mapping[str, str]) -> None:
        """See Panel."""
        pairs.draw(axes, outcomes, HALF, "%.1f" if outcomes[0].row.measured >= 100 else "%.2f", upright=False)
        axes.margins(x=0.16)
        axes.set(xlabel=f"{outcomes[0].row.quantity} ({unit(outcomes[0].row.unit)})")


@dataclass(frozen=True)
class Shares(Panel):
    """Simulated processor time of a host by name, with the measured total as a mark beside it."""

    host: str = "server"

    def by_name(self, found: Found) -> Iterator[Mapping[str, float]]:
        """See Figure."""
        return (found[row].cpu_by_name[self.host] for row in self.rows)

    def draw(self, axes: Axes, outcomes: Sequence[Outcome], colours: Mapping[str, str]) -> None:
        """See Panel."""
        by_name = [one.cpu_by_name[self.host] for one in outcomes]
        shares.stack(axes, by_name, colours, WIDTH, lambda _, size: f"{size:.0f}", upright=False)
        shares.mark(axes, [one.row.measured for one in outcomes], WIDTH, upright=False)
        longest = max(max(one.row.measured, one.simulated) for one in outcomes)
        for place, one in enumerate(outcomes):
            end = max(one.row.measured, one.simulated) + 0.03 * longest
            axes.text(end, place, f"{one.row.measured:.1f} / {one.simulated:.1f}", va="center", fontsize=7.5)
        axes.set(xlim=(0, 1.3 * longest), xlabel=f"{self.host}'s CPU (%), measured / simulated")


@dataclass(frozen=True)
class Bars(Figure):
    """Configurations by their `labels`, and `panels`, each with one row per configuration, in the same order."""

    labels: tuple[str, ...]
    panels: tuple[Panel, ...]

    @property
    def rows(self) -> tuple[str, ...]:
        """See Figure."""
        return tuple(row for panel in self.panels for row in panel.rows)

    def by_name(self, found: Found) -> Iterator[Mapping[str, float]]:
        """See Figure."""
        return (each for panel in self.panels for each in panel.by_name(found))

    def picture(self, found: Found, colours: Mapping[str, str], name: str) -> str:
        """See Figure."""
        height = FRAME + INCHES * len(self.labels)
        with style():
            drawing = new_figure(4.6, 0.3 + height * len(self.panels))
            every = drawing.subplots(len(self.panels), 1, squeeze=False)[:, 0]
            for axes, panel in zip(every, self.panels, strict=True):
                panel.draw(axes, [found[row] for row in panel.rows], colours)
                self._frame(axes)
            legend(drawing, every[0])
            for axes in every[1:]:
                drawing.legend(*axes.get_legend_handles_labels(), loc="outside lower left", ncols=3, frameon=False)
            return svg(drawing, name, self.spoken(found))

    def _frame(self, axes: Axes) -> None:
        """The labels, the first one at the top, and grid lines."""
        axes.set_yticks(range(len(self.labels)), self.labels)
        axes.set_ylim(len(self.labels) - 0.4, -0.6)
        axes.tick_params(axis="y", length=0)
        axes.grid(axis="x", color=GRID, linewidth=0.6)
        axes.set_axisbelow(True)
