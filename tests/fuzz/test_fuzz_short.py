"""A few of the fuzzer's cases, the same each time; `make fuzz MINUTES=n` draws others."""

from __future__ import annotations

import pytest

from tests.fuzz.__main__ import run
from tests.fuzz.checks import CHECKS


@pytest.mark.parametrize("kind", CHECKS)
def test_no_traceback_no_hang_no_odd_number(kind: str) -> None:
    ran, failures = run(kind, number=1, cases=25)
    assert not failures, "\n".join(failures)
    assert ran >= 20
