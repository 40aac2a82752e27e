"""What holds arrays is equal to its copy, and to nothing that differs in a number."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import netsim as ns
from netsim.calibration import Calibration, Observation, Parameter
from netsim.results.latencies import Responses
from netsim.results.means import Trace

PC = ns.host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"])
TEST = ns.Netperf("TCP_STREAM", PC, PC)
CYCLES = Parameter("drivers/3c59x", "tx_cycles", "300", "100", "5000", "a few instructions to a few cache misses")


def calibration() -> Calibration:
    rows = [Observation("a/b", 90e6, dict)]
    return Calibration([CYCLES], rows, np.log([300.0]), np.zeros(1), np.ones((1, 1)))


@pytest.mark.parametrize(
    ("made", "changed"),
    [
        (lambda: ns.bounds(TEST, ns.zipped({"mtu": [576, 1500, 9000], "ipsec": [None] * 3})), "limit"),
        (lambda: ns.sensitivity(TEST, {"mtu": (576, 1500)}, n=16), "indices"),
        (calibration, "slopes"),
        (lambda: Responses(np.array([1.0, np.nan]), {"wire": np.array([0.5, 2.0])}), "times"),
        (lambda: Trace(1.0, np.array([0.1, -0.1]), 0, 10, 0), "errors"),
    ],
)
def test_equality_is_by_content(made: Any, changed: str) -> None:
    one = made()
    for twin in (copy.deepcopy(one), pickle.loads(pickle.dumps(one)), made()):
        assert one == twin
    assert one != replace(one, **{changed: getattr(one, changed) * 2 + 1})
    assert one != "something else"
    with pytest.raises(TypeError, match="unhashable"):
        hash(one)


def test_arrays_by_name_and_names_of_resources_count() -> None:
    one = ns.bounds(TEST, {"mtu": [576, 1500]})
    assert one != replace(one, demand={name: times for name, times in one.demand.items() if name != "sender bus"})
    assert one != replace(one, bottleneck=one.bottleneck[::-1] + "!")
    assert one != ns.bounds(TEST, {"mtu": [576, 1400]})
