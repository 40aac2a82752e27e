"""Tests of protocols and chips put whatever card is at hand under whatever system. Whether that has a driver for the
card is checked where names are put together as users do it.

Properties are tested with the same examples each time, so that a change is not held up by what was there before it.
HYPOTHESIS_PROFILE=default draws others; `make fuzz` continues for as long as you like."""

import gc
import os

import hypothesis
import pytest

from netsim import catalog

hypothesis.settings.register_profile("repeatable", derandomize=True)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))
CHECK = catalog.check_system
AS_USERS = ("combinations", "combination", "examples", "documentation", "experiments", "cli", "fitting", "explorer")


def _any_system(card, driver, system):
    """Allowed."""


catalog.check_system = _any_system


@pytest.fixture(autouse=True)
def _checked(request, monkeypatch):
    if any(word in request.node.path.stem for word in AS_USERS):
        monkeypatch.setattr(catalog, "check_system", CHECK)


def pytest_collection_finish():
    """What is there by now is no garbage: the collector would look through all of it, time and again."""
    gc.collect()
    gc.freeze()


def pytest_collection_modifyitems(items):
    """What takes longest begins first: at the end a worker would be left alone with it."""
    items.sort(key=lambda item: item.get_closest_marker("validation") is None)
