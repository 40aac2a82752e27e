"""Which cards and systems a driver is for: the notes `cards` and `systems` of its file.

The lists of models/ can't know the things in a user's own folder, so those go with any driver of models/. The lists of
a driver in such a folder hold for everything: their author knows both.
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
    if _excludes(cards_of(driver), card, driver, "nics"):
        raise _refusal(driver, show(card), "cards", cards_of(driver), f"allowed: {_offered(card)}")


def check_adapter(adapter: str, driver: str) -> None:
    """Check that a driver of models/queue-drivers is for an adapter of models/adapters, both given by their full names;
    without a name anything goes. Raises ScenarioError with those that are."""
    (adapters, _, card), (drivers, _, own) = adapter.partition("/"), driver.partition("/")
    if card and own and _excludes(listed := cards_of(own, drivers), card, own, adapters, drivers):
        allowed = ", ".join(one for one in names(drivers) if card in cards_of(one, drivers)) or "any of models/"
        raise _refusal(own, card, "cards", listed, f"allowed: {allowed}", drivers)


def check_system(card: str, driver: str, system: str) -> None:
    """Check that a driver is for a system of models/systems or models/netware, given by its full name. Raises
    ScenarioError with those that are for it and the card."""
    category, _, name = system.partition("/")
    if _excludes(systems_of(driver), name, driver, category):
        raise _refusal(driver, name, "systems", systems_of(driver), f"allowed there: {_offered(card, system)}")


def _excludes(listed: tuple[str, ...], name: str, driver: str, category: str, drivers: str = "drivers") -> bool:
    """Whether a driver's list, if it has one, lacks a thing that it could know."""
    return bool(listed) and name not in listed and (_ours(category, name) or not _ours(drivers, driver))


def _refusal(
    driver: str, name: str, key: str, listed: tuple[str, ...], allowed: str, drivers: str = "drivers"
) -> ScenarioError:
    """The error; in a user's own file, the list can be changed."""
    longer = "" if _ours(drivers, driver) else f", or {name} among the `{key}` of {path(drivers, driver)}"
    return ScenarioError(f"{show(driver)} is not a driver for {name}, only for {', '.join(listed)}; {allowed}{longer}")


def _offered(card: str, system: str = "") -> str:
    """The adapters with a card, for a system if one is named in full."""
    category, _, name = system.partition("/")
    own = bool(name) and not _ours(category, name)
    listed = drivers_of(card, "" if own else name)
    found = [f"{card}/{one}" for one in listed if not own or _ours("drivers", one) or name in systems_of(one)]
    if card and not _ours("nics", card):
        found.append("any driver of models/" + f" for {name}" * bool(name))
    where = f" of {card}" if card else ""
    return ", ".join(found) or f"none{where}, as it has no driver in models/ for that"


def _ours(category: str, name: str) -> bool:
    return path(category, name).is_relative_to(models_path())
