"""Tests of protocols and chips put whatever card is at hand under whatever system. Whether that has a driver for the
card is checked where names are put together as users do it.

Properties are tested with the same examples each time, so that a change is not held up by what was there before it.
HYPOTHESIS_PROFILE=default draws others; `make fuzz` continues for as long as you like."""

import gc
import os

import hypothesis
import pytest

from netsim import catalog

# How long an example takes says nothing where a machine has other things to do.
PATIENT = {"deadline": None, "suppress_health_check": [hypothesis.HealthCheck.too_slow]}
hypothesis.settings.register_profile("repeatable", derandomize=True, **PATIENT)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))
CHECK = catalog.check_system
AS_USERS = ("combinations", "combination", "examples", "documentation", "experiments", "cli", "fitting", "explorer")


def _any_system(card, driver, system):
    """Allowed."""


catalog.check_system = _any_system


@pytest.hookimpl(tryfirst=True)  # before fixtures
def pytest_runtest_setup(item):
    """A hook: as a fixture of each of thousands of cases it took a quarter of what pytest needs for one."""
    as_users = any(word in item.path.stem for word in AS_USERS)
    catalog.check_system = CHECK if as_users else _any_system


def pytest_collection_finish():
    """What is there by now is no garbage: the collector would look through all of it, time and again. It took a
    twentieth of the time of all tests."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(items):
    """What takes longest begins first: at the end a worker would be left alone with it. One worker has all tests of a
    file, as they share what was made or simulated for one of them, but for those that are in a group of their own."""
    items.sort(key=lambda item: item.get_closest_marker("validation") is None)
    for item in items:
        if item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(item.path.stem))
