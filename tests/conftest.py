"""Tests of protocols and chips combine any card with any system. Whether the system has a driver for the card is
checked only in tests that combine names as users do.

Property tests use the same examples each time, so that a change is not held up by an earlier fault.
HYPOTHESIS_PROFILE=default draws others; `make fuzz` continues for as long as you like."""

import gc
import os

import hypothesis
import pytest

from netsim import catalog

# The time of an example means nothing on a machine that has other work to do.
PATIENT = {"deadline": None, "suppress_health_check": [hypothesis.HealthCheck.too_slow]}
hypothesis.settings.register_profile("repeatable", derandomize=True, **PATIENT)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))
CHECK = catalog.check_system
AS_USERS = ("combinations", "combination", "examples", "documentation", "experiments", "cli", "fitting", "explorer")


def _any_system(card, driver, system):
    """Allows any combination."""


catalog.check_system = _any_system


@pytest.hookimpl(tryfirst=True)  # before fixtures
def pytest_runtest_setup(item):
    """A hook rather than a fixture, which took a quarter of pytest's own time for each of thousands of cases."""
    as_users = any(word in item.path.stem for word in AS_USERS)
    catalog.check_system = CHECK if as_users else _any_system


def pytest_collection_finish():
    """Existing objects are not garbage, but the collector would scan all of them on each pass. That took a twentieth of
    the time of all tests."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(items):
    """The longest tests start first, so that no worker is left alone with one at the end. One worker runs all tests of
    a file, because they share fixtures and simulations, except for those with their own group."""
    items.sort(key=lambda item: item.get_closest_marker("validation") is None)
    for item in items:
        if item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(item.path.stem))
