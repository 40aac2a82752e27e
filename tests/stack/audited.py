"""A Chariot test run in quarters, with an audit after each."""

from __future__ import annotations

import netsim as ns
from netsim.accounts.accounts import Accounts
from netsim.engine import Environment

DURATION = 4 * 10**10  # ps


def accounts(test: ns.Chariot, seed: int) -> Accounts:
    """The accounts at the end of the run."""
    run = test.build(Environment(seed=seed))
    run.start()
    for part in (1, 2, 3, 4):
        run.env.run(until=DURATION * part // 4)
        run.audit()
    return run.accounts()
