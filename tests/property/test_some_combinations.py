"""A few of all combinations of card, system, wire and tool; tests/validation/test_every_combination.py tests all."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.combined import Combination, combinations, run
from tests.validation.test_every_combination import refused

EVERY = [*combinations()]
ALLOWED = [one for one in EVERY if not one.reason]


@settings(max_examples=12, deadline=None)
@given(st.sampled_from(ALLOWED))
def test_what_is_allowed_runs_and_is_no_faster_than_its_bound(one: Combination) -> None:
    run(one.scenario())


@settings(max_examples=25, deadline=None)
@given(st.sampled_from([one for one in EVERY if one.reason]))
def test_what_is_not_is_refused_by_one_line(one: Combination) -> None:
    refused(one)
