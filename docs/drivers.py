"""The table "which system has a driver for which card", made of the drivers' own notes.

`python docs/drivers.py` writes it into the catalogue's page; a test holds that it is there as it would be made.
"""

from __future__ import annotations

from pathlib import Path

from netsim import catalog

PAGE = Path(__file__).parent / "reference" / "catalogue.md"
_START, _END = "<!-- drivers: made by docs/drivers.py -->\n", "<!-- /drivers -->\n"


def table() -> str:
    """A line for each card that has a driver, a column for each system that has some."""
    names = catalog.names("drivers")
    systems = sorted({system for driver in names for system in catalog.systems_of(driver)})
    cards = sorted({card for driver in names for card in catalog.cards_of(driver)})
    rows = [f"| card | {' | '.join(f'`{system}`' for system in systems)} |", f"|---|{'---|' * len(systems)}"]
    for card in cards:
        cells = (", ".join(f"`{one}`" for one in catalog.drivers_of(card, system)) for system in systems)
        rows.append(f"| `{card}` | {' | '.join(cells)} |")
    return "\n".join(rows) + "\n"


def renewed(page: str) -> str:
    """The page with the table as it is now."""
    before, rest = page.split(_START)
    return f"{before}{_START}\n{table()}\n{_END}{rest.split(_END)[1]}"


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text()))
