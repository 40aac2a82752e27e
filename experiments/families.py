"""The members of families of models/: a family holds what several files share, and is nothing on its own."""

from __future__ import annotations

from functools import cache

from netsim import catalog


@cache
def members(family: str) -> tuple[tuple[str, str], ...]:
    """The category and name of each file that inherits a family, or a family derived from it."""
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
    """A number's name, such as "families/odi:tx_retries", with its members' category: "drivers/odi:tx_retries"."""
    category, _, rest = number.partition("/")
    return f"{members(rest.partition(':')[0])[0][0]}/{rest}" if category == "families" else number
