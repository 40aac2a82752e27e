"""A few of the fuzzer's cases, the same each time; `make fuzz MINUTES=n` draws others."""

from __future__ import annotations

import pytest

from netsim.errors import ScenarioError
from tests.fuzz.__main__ import run
from tests.fuzz.checks import CHECKS
from tests.fuzz.inputs import scenario


@pytest.mark.parametrize("kind", CHECKS)
def test_no_traceback_no_hang_no_odd_number(kind: str) -> None:
    ran, failures = run(kind, number=1, cases=25)
    assert not failures, "\n".join(failures)
    assert ran >= 20


FOUND = [  # by longer runs
    ("changes", ("ne2000-10base2", {"sender.processors.string_output_clocks": 828657452043.0669,
                                    "receiver.system.kernel.send_masked": 0})),
    ("changes", ("ne2000-10base2", {"sender.processors.string_output_clocks": 1e4, "sender.processors.clock": "1 Hz"})),
    ("changes", ("aggregation", {"server.nics.0.retry_clocks": 2**15, "server.chipset.memory_time": "1 s"})),
    ("command lines", ["bounds", "--for", "nics", "{\U000636b5\x15}", "{0.x}", "{", "}", "{}"]),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "case"), FOUND)
def test_what_was_found(kind: str, case: object) -> None:
    CHECKS[kind][1](case)


def test_a_time_for_each_burst_is_limited() -> None:
    """The total of a frame's bursts would exceed the integers of compiled code."""
    with pytest.raises(ScenarioError, match="a time for each burst; allowed: 0 to 1 s"):
        scenario("aggregation").replace("server.chipset.memory_time", "2 s")
    with pytest.raises(ScenarioError, match="clocks from one attempt to the next; allowed: 0 to 32768"):
        scenario("aggregation").replace("server.nics.0.retry_clocks", 2**15 + 1)
