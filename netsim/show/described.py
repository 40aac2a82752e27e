"""A picture with its alternative text, for a notebook and the pages made from it."""

from __future__ import annotations

import io
from base64 import b64encode
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from netsim.errors import ScenarioError, check_type, show

if TYPE_CHECKING:
    from matplotlib.artist import Artist

_DPI = 100


@dataclass(frozen=True, repr=False)
class Described:
    """`data` of a `mime` type, as an <img> with `alt`: a notebook's own display of a figure has no alternative text;
    nbconvert and Sphinx pass this one on."""

    mime: str
    data: bytes
    alt: str

    def _repr_html_(self) -> str:
        source = f"data:{self.mime};base64,{b64encode(self.data).decode()}"
        return f'<img src="{source}" alt="{escape(self.alt)}" style="max-width: 100%">'

    def __repr__(self) -> str:
        return f"<picture: {self.alt}>"


def described(picture: Artist, alt: str) -> Described:
    """The figure of `picture` (axes, or the figure itself) with a description in words, for readers who can't see it.
    As the last expression of a notebook's cell it is shown once. Raises ScenarioError for anything else."""
    from matplotlib import pyplot  # here, because it takes half a second
    from matplotlib.artist import Artist

    check_type("alt", alt, str, "text")

    figure = picture.get_figure(root=True) if isinstance(picture, Artist) else None
    if figure is None:
        raise ScenarioError(f"{show(picture)} is in no figure; allowed: axes, or a figure", address="picture")
    for ax in figure.axes:
        ax.spines[["top", "right"]].set_visible(False)  # a box around a plot carries no information
    target = io.BytesIO()
    figure.savefig(target, format="png", dpi=_DPI, bbox_inches="tight", metadata={"Software": None})
    pyplot.close(figure)
    return Described("image/png", target.getvalue(), alt)
