"""The colours of all pictures, in light and dark, each with one meaning, for the validation page, README, documentation
and notebooks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.typing import ColorType


@dataclass(frozen=True)
class Palette:
    """`ink` is for text and measurements, `muted` for less important items and the closed form's bounds, `line` for
    grids and axes, `card` for quiet areas, `page` for the background. Simulated values are `predicted`, `chosen` or
    `fitted`; `limits` is the bottleneck. `series` distinguishes things of one kind, and shares no colour with the
    others."""

    page: str
    ink: str
    muted: str
    line: str
    card: str
    predicted: str
    chosen: str
    fitted: str
    limits: str
    series: tuple[str, ...]

    @property
    def variables(self) -> dict[str, str]:
        """The colours by name, those of `series` numbered from 1, as variables of a style sheet."""
        own = {name: colour for name, colour in vars(self).items() if isinstance(colour, str)}
        return own | {f"series-{number}": colour for number, colour in enumerate(self.series, start=1)}


LIGHT = Palette(
    page="#fcfcfb", ink="#1b1c1e", muted="#5d6166", line="#dcdee1", card="#f3f4f4",
    predicted="#1f6fbf", chosen="#8e44ad", fitted="#c2560c", limits="#b0173a",
    series=("#12808f", "#b8860b", "#2e7d4f", "#c0578f", "#6b6f1e", "#4f6d8f", "#8a5a44", "#6c757d"),
)  # fmt: skip
DARK = Palette(
    page="#17181a", ink="#e8e9ea", muted="#a2a7ad", line="#3b3f44", card="#212326",
    predicted="#6cb0f5", chosen="#c58be0", fitted="#f29a55", limits="#ff7d96",
    series=("#5cc8d6", "#e0b84a", "#63c58c", "#eb9cc4", "#b5bb5c", "#93b1d6", "#c99a83", "#adb5bd"),
)  # fmt: skip


def of(ax: Axes) -> Palette:
    """The palette that suits the background of these axes."""
    return LIGHT if brightness(ax.get_facecolor()) > 0.5 else DARK


def brightness(colour: ColorType) -> float:
    """Its perceived brightness (ITU-R BT.601), from 0 to 1."""
    from matplotlib.colors import to_rgb  # here, because matplotlib takes half a second

    red, green, blue = to_rgb(colour)
    return 0.299 * red + 0.587 * green + 0.114 * blue
