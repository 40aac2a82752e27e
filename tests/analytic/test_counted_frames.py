"""The closed form of a request counts equal frames: it is that of one frame after the other, at any length."""

from __future__ import annotations

from typing import Any

import pytest

import netsim as ns
from netsim.closed_form import request
from netsim.closed_form.passage import Passage
from netsim.closed_form.request import InFrames
from netsim.stack import ComputerSpec

MSS = 1460 - 12  # bytes: with timestamps
SIZES = [1, 731, MSS, MSS + 1, 2 * MSS, 2 * MSS + 1, 3 * MSS, 40_000, 1_000_001]


def computer(model: str, nics: int = 1) -> ComputerSpec:
    bond = {"bond": "linux-2.2.17"} if nics > 1 else {}
    return ns.host(model, system="linux-2.2.16", nics=["3c905b/3c59x"] * nics, **bond)


def one_by_one(found: InFrames) -> InFrames:
    shares = [(number % 1, one) for number, one in found.passages]
    return found._replace(passages=[*((1, one) for number, one in found.passages for _ in range(int(number))), *shares])


@pytest.mark.parametrize("test", ["TCP_RR", "TCP_CRR"])
@pytest.mark.parametrize("burst", [0, 3])
@pytest.mark.parametrize("nics", [1, 3])
def test_it_is_the_sum_of_single_frames(test: str, burst: int, nics: int, monkeypatch: pytest.MonkeyPatch) -> None:
    if burst and test == "TCP_CRR":
        pytest.skip("a connection has one transaction")
    ends = computer("piii-600", nics), computer("p166", nics)
    keys: dict[str, Any] = {"burst": burst, "nodelay": True} if burst else {}
    tests = [ns.Netperf(test, *ends, request=7, response=size, **keys) for size in SIZES]
    counted = [one.bounds().demand for one in tests]
    stepwise = request.over_tcp
    for module in ("request_bounds", "connect_bounds"):
        monkeypatch.setattr(f"netsim.workload.netperf.{module}.over_tcp", lambda *a, **k: one_by_one(stepwise(*a, **k)))
    for size, one, found in zip(SIZES, tests, counted, strict=True):
        assert one.bounds().demand == pytest.approx(dict(found), rel=1e-12), size
        if nics == 1 and not burst:  # no share is rounded
            assert one.bounds().demand == found, size


@pytest.mark.parametrize("size", SIZES)
def test_the_first_segment_is_written_by_a_call_the_others_within_it(size: int) -> None:
    near, far = computer("piii-600"), computer("p166")
    whole, rest = divmod(size - 1, near.mss(1500))
    lengths = [*[near.mss(1500)] * whole, rest + 1]
    passages = [one for number, one in request.over_tcp(near, far, size, 1500, 1).passages for _ in range(number)]
    alone = [request.over_tcp(near, far, length, 1500, 1).passages[0][1] for length in lengths]
    assert [one.frame.size for one in passages] == [one.frame.size for one in alone]
    assert _time(passages[0]) == _time(alone[0])
    assert all(_time(one) < _time(other) for one, other in zip(passages[1:], alone[1:], strict=True))


def _time(one: Passage) -> int:
    return sum(work.total for work in (*one.sent, *one.reads))


def test_the_longest_message_is_a_few_frames() -> None:
    """A gigabyte has 741,000 segments."""
    near, far = computer("piii-600"), computer("p166")
    found = request.over_tcp(near, far, 1 << 30, 1500, 1)
    assert [number for number, _ in found.passages] == [1, (1 << 30) // MSS - 1, 1]
    limit = ns.Netperf("TCP_RR", near, far, request="1 GiB").bounds().limit
    assert limit == pytest.approx(1e8 / 8 / (1 << 30) * MSS / 1538, rel=0.01)


def test_so_is_one_of_a_flow() -> None:
    hosts = {"near": computer("piii-600"), "far": computer("p166")}
    links = {"only": {"ends": ["near", "far"], "link": "100base-tx"}}
    talk = {"kind": "request-response", "sender": "near", "receiver": "far", "response": "1 GiB"}
    limit = ns.Flows(hosts=hosts, links=links, flows={"talk": talk}).bounds().limit
    assert limit == pytest.approx(8 * 1e8 / 8 * MSS / 1538, rel=0.01)
