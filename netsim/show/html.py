"""What specs and results show of themselves in a notebook: the templates of netsim/show/templates, filled in.

All text is escaped. There is no script and no style sheet, nothing is fetched, and all colours are the page's own
(`currentColor`, thinned out), so that light and dark both work.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any


def render(template: str, **values: Any) -> str:
    """A template of this name, filled in."""
    return str(_environment().get_template(template).render(**values))


@lru_cache(maxsize=1)
def _environment() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined  # here, because printing needs no HTML

    loader = PackageLoader("netsim.show")
    return Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
