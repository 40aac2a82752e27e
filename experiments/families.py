"""Which things have a family of models/ as their base: what several have in common, and nothing by itself."""

from __future__ import annotations

from functools import cache

from netsim import catalog


@cache
def members(family: str) -> tuple[tuple[str, str], ...]:
    """The category and the name of each thing that inherits a family, or one of its own families."""
    found: list[tuple[str, str]] = []
    for category in catalog.categories():
        for name in catalog.names(category):
            base = catalog.read_toml(catalog.path(category, name)).get("base")
            if category == "families" and base == family:
                found += members(name)
            elif base == f"families/{family}":
                found.append((category, name))
    return tuple(found)


def named_by_member(number: str) -> str:
    """A number's name, "families/odi:tx_retries", by the category of what has it: "drivers/odi:tx_retries"."""
    category, _, rest = number.partition("/")
    return f"{members(rest.partition(':')[0])[0][0]}/{rest}" if category == "families" else number
