"""Requests over TCP with several in flight: what waits in a socket is sent in full segments, so a message needs only
its share of a frame. No run beats the closed form, and where segments are full it reaches it."""

from __future__ import annotations

from typing import Any

import pytest

import netsim as ns
from netsim.closed_form.request import over_tcp
from netsim.ethernet import Frame
from tests.in_networks import FAST, cabled

MSS = 1460 - 12  # bytes: with timestamps
FRAME = 1538 * 8  # bits of a full one on the wire, with preamble and gap


def asked(size: int, outstanding: int, **keys: Any) -> ns.Netperf:
    slow = {"request": size, "burst": outstanding - 1, "link": "10base-t"}
    return ns.Netperf("TCP_RR", FAST, FAST, **slow, **keys)


@pytest.mark.parametrize("size", [1, 500, 800, MSS, 1460, 3000, 4000])
@pytest.mark.parametrize("outstanding", [2, 8])
def test_a_message_is_its_share_of_the_fullest_segment(size: int, outstanding: int) -> None:
    found = over_tcp(FAST, FAST, size, 1500, outstanding)
    most = min(MSS, outstanding * size)
    frames = {one.frame.size: number for number, one in found.passages if number}
    assert frames == {FAST.frame_size(most): size / most}
    assert asked(size, outstanding).bounds().limit <= 1e7 / FRAME / size * MSS * (1 + 1e-12)


@pytest.mark.parametrize(
    ("size", "outstanding", "keys"),
    [
        (1460, 8, {}),  # the rest of 12 bytes waits (Nagle)
        (1460, 8, {"receive_buffer": 3000, "nodelay": True}),  # or waits for a small window
        (800, 16, {"receive_buffer": 3000, "nodelay": True}),
        (500, 21, {"receive_buffer": 3000}),
    ],
)
def test_requests_that_wait_reach_the_bound(size: int, outstanding: int, keys: dict[str, Any]) -> None:
    test = asked(size, outstanding, **keys)
    result = ns.simulate(test, precision=0.002, limit="8 s")
    limit = test.bounds().limit
    assert 0.99 * limit < result.throughput <= limit + result.half_width


@pytest.mark.parametrize("size", [800, 1460])
def test_where_small_segments_always_wait_they_are_full(size: int) -> None:
    """Nagle's own rule, without Linux 2.2's exception from half a segment on."""
    plain = FAST.replace("system.tcp.nagle_share", 1)
    test = asked(size, 16).replace({"sender": plain, "receiver": plain})
    result = ns.simulate(test, precision=0.002, limit="8 s")
    assert result.throughput <= test.bounds().limit + result.half_width


def test_so_are_those_of_a_flow() -> None:
    flow = {"kind": "request-response", "sender": "a", "receiver": "b", "request": 1460, "outstanding": 8}
    test = cabled(flow, FAST, FAST).replace("links.cable.link", "10base-t")
    result = ns.simulate(test, precision=0.002, limit="8 s")
    assert 0.99 * test.bounds().limit < result.throughput <= test.bounds().limit + result.half_width


@pytest.mark.parametrize("size", [800, 1460, 3000])
def test_a_lone_message_has_frames_of_its_own(size: int) -> None:
    """Its least time is that of its own frames, however many are in flight."""
    lone, several = (over_tcp(FAST, FAST, size, 1500, outstanding) for outstanding in (1, 8))
    assert [(number, _sizes(one)) for number, one in several.lone] == [(n, _sizes(one)) for n, one in lone.lone]


def _sizes(frame: Frame) -> int:
    return frame.size
