"""The table "which system has a driver for which card", generated from the drivers' own notes.

`python docs/drivers.py` writes it into the catalogue's page; a test checks that the page is up to date.
"""

from __future__ import annotations

from pathlib import Path

from netsim import catalog

PAGE = Path(__file__).parent / "reference" / "catalogue.md"
_START, _END = "<!-- drivers: made by docs/drivers.py -->\n", "<!-- /drivers -->\n"


def table() -> str:
    """A line for each adapter: a card with a driver, and the systems that the driver is for."""
    cards = sorted({card for driver in catalog.names("drivers") for card in catalog.cards_of(driver)})
    rows = ["| adapter | card | systems |", "|---|---|---|"]
    for card in cards:
        title = catalog.notes("nics", card)["title"]
        for driver in catalog.drivers_of(card):
            systems = ", ".join(f"`{one}`" for one in catalog.systems_of(driver))
            rows.append(f"| `{card}/{driver}` | {title} | {systems} |")
    return "\n".join(rows) + "\n"


def renewed(page: str) -> str:
    """The page with the current table."""
    before, rest = page.split(_START)
    return f"{before}{_START}\n{table()}\n{_END}{rest.split(_END)[1]}"


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text()))
