"""Which cards and systems a driver is for: the notes `cards` and `systems` of its file.

Things in a user's own folder may be combined with anything: the lists of models/ can't know them.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from netsim.catalog.models import models_path, names, path
from netsim.catalog.toml_file import read_toml
from netsim.errors import ScenarioError, show


@lru_cache
def _lists(file: Path, changed: float) -> tuple[tuple[str, ...], tuple[str, ...]]:
    table = read_toml(file)
    return tuple(table.get("cards", ())), tuple(table.get("systems", ()))


def cards_of(driver: str, category: str = "drivers") -> tuple[str, ...]:
    """The cards of models/ that a driver of that category is for; empty if its file does not say."""
    file = path(category, driver)
    return _lists(file, file.stat().st_mtime)[0]


def systems_of(driver: str) -> tuple[str, ...]:
    """The systems of models/ that a driver is for; empty if its file does not say."""
    file = path("drivers", driver)
    return _lists(file, file.stat().st_mtime)[1]


def drivers_of(card: str, system: str = "") -> list[str]:
    """The drivers for a card, and for a system if one is named."""
    found = names("drivers")
    return [one for one in found if card in cards_of(one) and (not system or system in systems_of(one))]


def check_card(card: str, driver: str) -> None:
    """Check that a driver is for a card. Raises ScenarioError with those that are."""
    cards = cards_of(driver)
    if cards and card not in cards and _ours("nics", card):
        text = f"{show(driver)} is not a driver for {show(card)}, only for {', '.join(cards)}"
        raise ScenarioError(f"{text}; allowed: {_offered(card)}")


def check_system(card: str, driver: str, system: str) -> None:
    """Check that a driver is for a system of models/systems or models/netware, given by its full name. Raises
    ScenarioError with those that are for it and the card."""
    category, _, name = system.partition("/")
    systems = systems_of(driver)
    if systems and name not in systems and _ours(category, name):
        text = f"{show(driver)} is not a driver for {name}, only for {', '.join(systems)}"
        raise ScenarioError(f"{text}; allowed there: {_offered(card, name)}")


def _offered(card: str, system: str = "") -> str:
    found = [f"{card}/{one}" for one in drivers_of(card, system)]
    where = f" of {card}" if card else ""
    return ", ".join(found) or f"none{where}, as it has no driver in models/ for that"


def _ours(category: str, name: str) -> bool:
    return path(category, name).is_relative_to(models_path())
