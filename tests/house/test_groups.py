"""Tests that share simulations of one worker are given to one worker."""

import pytest


@pytest.mark.xdist_group("together")
def test_groups_are_kept_together(request):
    """Otherwise every worker would simulate a report's rows again, and only the clock would show it."""
    if not request.config.getoption("loadgroup", False):
        pytest.skip("all tests are run by one process, or not by groups")
    assert request.node.nodeid.endswith("@together")
