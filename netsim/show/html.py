"""The HTML display of specs and results in a notebook: the templates of netsim/show/templates, filled in.

All text is escaped. The HTML has no script and no style sheet and fetches nothing, and all colours are the page's own
(`currentColor`, thinned out), so that light and dark both work.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from netsim.units import fixed


def render(template: str, **values: Any) -> str:
    """Fill in the template of this name."""
    return str(_environment().get_template(template).render(**values))


@lru_cache(maxsize=1)
def _environment() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined  # here, because printing needs no HTML

    loader = PackageLoader("netsim.show")
    found = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    found.filters["fixed"] = fixed
    return found
