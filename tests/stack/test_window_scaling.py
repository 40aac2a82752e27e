"""Windows above 65,535 bytes: scaled where both ends can (RFC 1323, 2), refused where one can't."""

from __future__ import annotations

from typing import Any

import pytest

import netsim as ns
from netsim.engine import Environment
from netsim.errors import ScenarioError
from netsim.stack import Computer, ComputerSpec, TcpSocket, connect

LINUX = ns.host("piii-600", system="linux-2.2.16", nics="3c905b/3c59x")
CARD = "pro100s/e100bnt5"
WINDOWS = ns.host("piii-600", system="windows-2000", nics=CARD)
NT = ns.host("piii-600", system="windows-nt-4.0", nics=CARD)
WIDE = {"system.tcp.receive_buffer": "1 MiB", "system.tcp.send_buffer": "1 MiB"}
FAR = "20 ms"


def ends(one: ComputerSpec, other: ComputerSpec) -> tuple[TcpSocket, TcpSocket]:
    """Both ends of a connection that the first host opens."""
    env = Environment(1)
    opener, answering = Computer(env, one, "one"), Computer(env, other.answering(one), "other")
    return connect(opener, answering, 1500, "test")


@pytest.mark.parametrize(
    ("one", "other", "scaled"),
    [
        (LINUX, LINUX, True), (LINUX, WINDOWS, True), (WINDOWS, LINUX, False), (WINDOWS, WINDOWS, False),
        (LINUX, NT, False), (NT, LINUX, False),
    ],
)  # fmt: skip
def test_who_scales_with_whom(one: ComputerSpec, other: ComputerSpec, *, scaled: bool) -> None:
    """The end that opens has to ask, and the other has to answer. If a buffer fits unscaled nothing is shifted."""
    near, far = ends(one.replace("system.tcp.receive_buffer", "1 MiB"), other)
    space = int(2**20 * one.system.tcp.window_share)
    assert near.input.shift == (space.bit_length() - 16 if scaled else 0)
    assert far.input.shift == 0
    largest = far.output.snd_wnd_end
    assert largest > 2**18 if scaled else largest <= 65_535


@pytest.mark.parametrize("size", [1, 65_535, 65_536, 131_071, 131_072, 2**20, 2**30])
def test_the_field_holds_what_is_offered(size: int) -> None:
    """The smallest shift that makes the window fit, at most 14."""
    tcp = LINUX.system.tcp.replace({"receive_buffer": size, "window_share": 1})
    shift = tcp.window_shift(True)
    assert min(size, tcp.clamp(14)) >> shift <= 65_535 or shift == 14
    assert not shift or min(size, tcp.clamp(14)) >> (shift - 1) > 65_535
    assert tcp.window(0, 1, shift) <= 65_535 << shift


def test_a_segment_says_multiples() -> None:
    near, _ = ends(LINUX.replace("system.tcp.receive_buffer", "1 MiB"), LINUX)
    near.input.memory = 777
    assert near.input.offer() % (1 << near.input.shift) == 0


def stream(**changes: Any) -> ns.Netperf:
    return ns.Netperf("TCP_STREAM", LINUX, LINUX).replace({"link.propagation": FAR, **changes})


def test_a_long_way_needs_a_wide_window() -> None:
    """One window per round trip of 40 ms: 32 KB are 6.4 Mbit/s; 512 KiB would be more than the wire carries, but slow
    start fills the queue before the card, and the losses there halve the congestion window."""
    narrow = ns.simulate(stream(), precision=0.05, limit="4 s")
    wide = stream(**{f"{end}.{name}": size for end in ("sender", "receiver") for name, size in WIDE.items()})
    assert narrow.mbit_per_s == pytest.approx(LINUX.system.tcp.window(0, 1448) * 8 / 0.04 / 1e6, rel=0.05)
    assert ns.simulate(wide, precision=0.05, limit="4 s").mbit_per_s > 5 * narrow.mbit_per_s


@pytest.mark.parametrize(
    ("one", "other", "address"),
    [
        (NT.replace("system.tcp.receive_buffer", "128 KiB"), LINUX, "sender"),
        (LINUX, NT.replace("system.tcp.receive_buffer", "128 KiB"), "receiver"),
        (WINDOWS, WINDOWS.replace("system.tcp.receive_buffer", "128 KiB"), "receiver"),
    ],
)
def test_what_no_window_can_say_is_refused(one: ComputerSpec, other: ComputerSpec, address: str) -> None:
    message = f"{address}.system.tcp.receive_buffer: a window of 131072 bytes needs window scaling at both ends"
    with pytest.raises(ScenarioError, match=message):
        ns.Netperf("TCP_STREAM", one, other)


def test_so_is_what_netperf_asks_for() -> None:
    message = "receive_buffer: a window of 100000 bytes needs window scaling at both ends; allowed here: 1 to 65535"
    with pytest.raises(ScenarioError, match=message):
        ns.Netperf("TCP_STREAM", WINDOWS, WINDOWS, receive_buffer=100_000)


def test_a_star_and_hubs_refuse_it_too() -> None:
    wide = NT.replace("system.tcp.receive_buffer", "128 KiB")
    with pytest.raises(ScenarioError, match=r"clients.0.system.tcp.receive_buffer: a window of 131072 bytes"):
        ns.Chariot(flow="download", server=NT, clients=[wide], switch="aceswitch-180")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"receive_buffer": 1447},
            r"^receive_buffer: 1447 bytes are too few: a buffer of 2894 bytes offers a window smaller than a segment "
            r"\(1448 bytes\); allowed: 1448 or more$",
        ),
        *(
            (
                {"receiver.system.tcp.window_share": share},
                r"receiver\.system\.tcp\.receive_buffer: .* allowed: a larger window_share",
            )
            for share in (0, 1e-320)
        ),
    ],
)
def test_a_window_without_room_for_a_segment_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ScenarioError, match=message):
        ns.Netperf("TCP_STREAM", LINUX, LINUX).replace(changes)
