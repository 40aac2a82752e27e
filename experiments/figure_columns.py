"""A figure of a few configurations side by side: throughput above, a host's processor time below."""

from __future__ import annotations

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

HALF = 0.4  # width of each of the two bars above, as a share of a configuration's space
WIDTH = 0.86  # the same for the single bar below


@dataclass(frozen=True)
class Column:
    """A configuration: the ids of its rows of throughput and of CPU. A `label` may have several lines."""

    label: str
    throughput: str
    cpu: str


@dataclass(frozen=True)
class Columns(Figure):
    """`columns` in their order; `host` is the one whose processor time is shown by name."""

    columns: tuple[Column, ...]
    host: str = "server"

    @property
    def rows(self) -> tuple[str, ...]:
        """See Figure."""
        return tuple(row for one in self.columns for row in (one.throughput, one.cpu))

    def by_name(self, found: Found) -> Iterator[Mapping[str, float]]:
        """See Figure."""
        return (found[one.cpu].cpu_by_name[self.host] for one in self.columns)

    def picture(self, found: Found, colours: Mapping[str, str], name: str) -> str:
        """See Figure."""
        with style():
            drawing = new_figure(4.6, 5.6)
            above, below = drawing.subplots(2, 1, sharex=True, height_ratios=(2, 3))
            _throughput(above, [found[one.throughput] for one in self.columns])
            _cpu(below, [found[one.cpu] for one in self.columns], self.host, colours)
            below.set_xticks(range(len(self.columns)), [one.label for one in self.columns])
            below.set_xlim(-0.6, len(self.columns) - 0.4)
            for axes in (above, below):
                axes.tick_params(axis="x", length=0)
            legend(drawing, above)
            drawing.legend(*below.get_legend_handles_labels(), loc="outside lower left", ncols=3, frameon=False)
            return svg(drawing, name, self.spoken(found))


def _throughput(axes: Axes, outcomes: Sequence[Outcome]) -> None:
    """Measured on the left, simulated on the right."""
    pairs.draw(axes, outcomes, HALF, "%.0f", upright=True)
    axes.margins(y=0.12)
    axes.set(ylabel=f"{outcomes[0].row.quantity} ({unit(outcomes[0].row.unit)})")


def _cpu(axes: Axes, outcomes: Sequence[Outcome], host: str, colours: Mapping[str, str]) -> None:
    """Simulated shares by name, from the bottom; the measured total as a mark beside them."""
    by_name = [one.cpu_by_name[host] for one in outcomes]
    shares.stack(axes, by_name, colours, WIDTH, lambda name, size: f"{name} {size:.0f}", upright=True)
    for place, one in enumerate(outcomes):
        axes.text(place, 104, f"{one.row.measured:.0f} / {one.simulated:.0f}", ha="center", fontsize=7.5)
    shares.mark(axes, [one.row.measured for one in outcomes], WIDTH, upright=True)
    axes.set(ylim=(0, 113), yticks=range(0, 101, 20), ylabel=f"{host}'s CPU (%), measured / simulated")
    axes.grid(axis="y", color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
