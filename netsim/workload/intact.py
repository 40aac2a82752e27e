"""What a tool says of bit errors and of clocks that differ if it does not simulate them."""

from __future__ import annotations

from netsim.errors import ScenarioError
from netsim.ethernet import LinkSpec


def check_intact(link: LinkSpec) -> None:
    """Raises ScenarioError for a link with bit errors."""
    if link.bit_error_rate:
        text = f"{link.bit_error_rate} is not allowed, as this tool does not model lost frames; allowed: 0"
        raise ScenarioError(text, address="link.bit_error_rate")


def check_exact(link: LinkSpec) -> None:
    """Raises ScenarioError for a link whose ends have different clocks."""
    if link.clock_tolerance:
        text = f"{link.clock_tolerance} is not allowed: this tool's links have exact clocks; allowed: 0"
        raise ScenarioError(text, address="link.clock_tolerance")
