"""Tests that share what one worker has simulated are given to one worker."""

import pytest


@pytest.mark.xdist_group("together")
def test_groups_are_kept_together(request):
    """Else every worker would simulate a report's rows again, and nobody would notice but by the clock."""
    if not request.config.getoption("loadgroup", False):
        pytest.skip("all tests are run by one process, or not by groups")
    assert request.node.nodeid.endswith("@together")
