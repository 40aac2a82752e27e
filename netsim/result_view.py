"""A Result for people: a few aligned lines of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from netsim.result import Result


def text(result: Result) -> str:
    return f"{result.label} {result.throughput/1e6:.4f} +/- {result.half_width/1e6:.4f} {result.bottleneck}"


def html(result: Result) -> str:
    return f"<pre>{text(result)}</pre>"
