"""The search for the highest load without loss."""

from __future__ import annotations

from typing import Any

import pytest

import netsim as ns
from netsim.units import PS_PER_S
from tests.in_networks import SMALLEST, between_testers

AT = "flows.load.offered"
SHORT: dict[str, Any] = {"trial": "0.25 s", "precision": 0.05}


def test_it_lies_between_what_passes_and_what_does_not() -> None:
    test = between_testers(1000, "constant")
    found = ns.loss_free(test, AT, **SHORT)
    limit = test.replace(AT, None).bounds().limit
    assert found.lost_at is not None
    assert 0.9 * limit < found.rate < found.lost_at <= limit + 1
    assert found.lost_at - found.rate <= 0.05 * limit
    assert found.trials[0].offered == int(limit)
    for one in found.trials:
        assert (one.lost == 0) == (one.offered <= found.rate)
    assert "without loss" in str(found)


def test_interrupts_cost_a_third_of_it() -> None:
    rates = [ns.loss_free(between_testers(1000, how), AT, **SHORT).rate / 8 / SMALLEST for how in (None, "masked")]
    assert rates[0] < 0.75 * rates[1]
    assert rates[1] < PS_PER_S


def test_all_that_is_possible_may_pass() -> None:
    """The wire is slower than the router."""
    test = between_testers(1000, "constant", clock="600 MHz").replace("links.in.link", "10base-t")
    found = ns.loss_free(test, AT, trial="20 ms")
    assert found.lost_at is None
    assert found.rate == pytest.approx(1e7 / 8 / 84 * 8 * SMALLEST, rel=1e-6)
    assert str(found).endswith("which is all that is possible")


def test_several_senders_are_raised_together() -> None:
    test = between_testers(1000, "constant")
    flows = dict.fromkeys(("one", "two"), test.each["load"])
    both = between_testers(None, "constant", flows=flows)
    found = ns.loss_free(both, [f"flows.{name}.offered" for name in flows], **SHORT)
    alone = ns.loss_free(test, AT, **SHORT)
    assert 2 * found.rate == pytest.approx(alone.rate, rel=0.08)


@pytest.mark.parametrize(
    ("arguments", "keys", "message"),
    [
        ((3, AT), {}, r"scenario: 3 is not allowed; .*"),
        ((between_testers(1000), []), {}, r"addresses: none is not allowed; .*"),
        ((between_testers(1000), "flows.lod.offered"), {},
         r'flows\.lod\.offered: .*did you mean "flows\.load\.offered".*'),
        ((between_testers(1000), AT), {"precision": 0}, r"precision: 0 is not allowed; .*"),
        ((between_testers(1000), AT), {"trial": "3 Mbit"}, r".*3 Mbit.*"),
    ],
)  # fmt: skip
def test_wrong_arguments_are_refused(arguments: tuple[Any, Any], keys: dict[str, Any], message: str) -> None:
    with pytest.raises(ns.ScenarioError, match=f"^{message}"):
        ns.loss_free(*arguments, **keys)
