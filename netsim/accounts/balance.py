"""The check behind every audit."""

from __future__ import annotations

from netsim.errors import ConservationError


def require(found: int, expected: int, what: str) -> None:
    """Raise ConservationError if the two numbers differ."""
    if found != expected:
        raise ConservationError(f"{what}: {found} accounted for, {expected} expected")
