"""A message-passing library: what a message puts on the wire, and what it costs under which name."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import netsim as ns
from netsim import catalog
from netsim.stack import MpiSpec
from netsim.workload.netpipe.run import NetPipeRun
from tests.workload.test_netpipe import PC, netpipe, trips

LIBRARIES = catalog.names("mpi")
PLAIN = MpiSpec(
    name="plain", send_cycles=0, receive_cycles=0, header=32, separate_header=False, eager_limit=10_000,
    eager_copies=0, rendezvous_copies=0, selects=False, polls=0, peeks=0, thread_switches=0,
)  # fmt: skip


def code(cycles: float) -> int:
    """ps of code on these hosts."""
    return PC.bill().cycles("mpi", cycles).work().total


def after(size: int, number: int = 1, **changes: Any) -> NetPipeRun:
    """A run after some round trips of a message, with a library that is plain except for the changes."""
    test = netpipe(mpi=PLAIN.replace(changes) if changes else PLAIN)
    # The driver copies no acknowledgements, whose number depends on when ticks come.
    test = test.replace({f"{end}.nics.0.driver.rx_copybreak": 0 for end in ("sender", "receiver")})
    return trips(test, size, number)


def busy(run: NetPipeRun, host: str = "sender") -> Counter[str]:
    """ps that a host has spent, by name."""
    total: Counter[str] = Counter()
    for name, parts in run.accounts().busy.items():
        total.update(parts if name.startswith(host) else {})
    return total


def cost(size: int, number: int, name: str, **changes: Any) -> float:
    """The additional ps per message that changes make the sender spend under a name (it sends and receives one of
    each)."""
    return (busy(after(size, number, **changes))[name] - busy(after(size, number))[name]) / number


# --- on the wire -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "separate", "segments", "control"),
    [
        (100, False, 1, 0),
        (100, True, 2, 0),
        (1448 - 32, False, 1, 0),  # header and data exactly fill a segment
        (1448 - 31, False, 2, 0),
        (1448, True, 2, 0),
        (10_000, False, 7, 0),  # eager up to the limit
        (10_001, False, 7, 2),  # above: request and clear-to-send
        (10_001, True, 8, 2),
    ],
)
def test_segments_of_a_message(size: int, separate: bool, segments: int, control: int) -> None:
    """Each end sends its own message, a request for it, and a clear-to-send for the other's."""
    run = after(size, separate_header=separate)
    for end in (run.near, run.far):
        assert end.segments_sent == segments + control
        assert end.read_bytes == size + 32 * (1 + control)


@pytest.mark.parametrize(
    ("size", "segments", "headers", "packets"),
    [
        (100, 1, 1, 1),  # in its packet
        (101, 2, 2, 1),  # after it
        (10_000, 8, 2, 1),
        (10_001, 9, 3, 2),  # request, clear-to-send, and the message without another packet
    ],
)
def test_a_packet_goes_with_a_short_message_and_ahead_of_a_long_one(
    size: int, segments: int, headers: int, packets: int
) -> None:
    """MPICH 1.2.1: mpid/ch2, chshort.c, chbeager.c, chbrndv.c."""
    run = after(size, packet=40, short_limit=100)
    for end in (run.near, run.far):
        assert end.segments_sent == segments
        assert end.read_bytes == size + 32 * headers + 40 * packets


def test_without_a_limit_every_eager_message_is_with_its_packet() -> None:
    assert after(1000, packet=40).near.read_bytes == after(1000).near.read_bytes + 40
    assert after(1000, packet=40).near.segments_sent == after(1000).near.segments_sent == 1


@pytest.mark.parametrize(("asked", "has"), [(0, PC.system.tcp.send_buffer), (16_384, 2 * 16_384)])
def test_socket_buffers_are_those_that_the_library_asks_for(asked: int, has: int) -> None:
    """Linux doubles the size that a program asks for."""
    run = after(1, socket_buffer=asked)
    for end in (run.near, run.far):
        assert end.spec.send_buffer == end.spec.receive_buffer == has


def test_the_library_gets_each_buffers_least_size() -> None:
    asked = PLAIN.replace("socket_buffer", 100).buffered(PC).system.tcp
    assert (asked.send_buffer, asked.receive_buffer) == (2048, 256)


@settings(max_examples=25, deadline=None)
@given(
    library=st.sampled_from(LIBRARIES),
    sizes=st.lists(st.integers(1, 5000), min_size=1, max_size=3),
    header=st.integers(1, 3000),
    packet=st.integers(0, 3000),
    short_limit=st.none() | st.integers(0, 5000),
    eager_limit=st.integers(0, 5000),
    separate_header=st.booleans(),
)
def test_messages_arrive_whole(library: str, sizes: list[int], **changes: Any) -> None:
    spec = MpiSpec.from_name(library).replace({name: changes[name] for name in changes})
    for size in sizes:
        run = trips(netpipe(mpi=spec), size, 2)  # every byte is audited
        for end in (run.near, run.far):
            assert end.read_bytes == end.output.write_seq
            assert not end.input.queue


# --- costs -----------------------------------------------------------------------------------------------------------


def test_the_librarys_own_cycles_are_booked_under_its_name() -> None:
    run = after(100, 5, send_cycles=600, receive_cycles=1200)
    cycles = pytest.approx(5 * code(1800), abs=10)  # ps: parts are rounded
    assert busy(run)["mpi"] == busy(run, "receiver")["mpi"] == cycles
    assert busy(after(100, 5))["mpi"] == 0


def test_a_rendezvous_costs_them_three_times() -> None:
    """For the request and the message it sends, for the clear-to-send it receives, and the same for the other's
    message."""
    cycles = {"send_cycles": 600, "receive_cycles": 600}
    assert busy(after(20_000, **cycles))["mpi"] == 3 * busy(after(100, **cycles))["mpi"]


@pytest.mark.parametrize("size", [100, 8000])
def test_eager_copies(size: int) -> None:
    assert cost(size, 3, "copy", eager_copies=2) == 2 * PC.memory.copy_time(size, "cache")  # read() has just written it
    assert cost(size, 3, "copy", rendezvous_copies=2) == 0


def test_what_goes_in_a_packet_is_copied_in_and_out() -> None:
    once = PC.memory.copy_time(100, "cache")
    assert cost(100, 3, "copy", short_limit=100) == 2 * once  # one message each way, out and in
    assert cost(101, 3, "copy", short_limit=100) < once


def test_rendezvous_copies() -> None:
    assert cost(20_000, 3, "copy", rendezvous_copies=1) == PC.memory.copy_time(20_000, "cache")
    assert cost(20_000, 3, "copy", eager_copies=1) == 0


def test_calls_before_a_message_is_read() -> None:
    kernel = PC.system.kernel
    call = kernel.system_call_cycles
    assert cost(100, 4, "system call", peeks=2) == pytest.approx(2 * code(call))
    assert cost(100, 4, "system call", selects=True) == pytest.approx(code(call + kernel.selected_cycles))
    assert cost(100, 4, "system call", polls=1) == pytest.approx(code(call + kernel.select_cycles))


def test_a_thread_is_woken_over_a_condition_variable() -> None:
    kernel = PC.system.kernel
    each = code(kernel.wake_up_cycles + kernel.condition_cycles)
    assert cost(100, 4, "wake-up", thread_switches=2) == pytest.approx(2 * each)


@pytest.mark.parametrize("name", LIBRARIES)
def test_a_library_costs_time_and_never_saves_any(name: str) -> None:
    sizes = (1, 1000, 20_000, 300_000)
    bare, mpi = (ns.simulate(netpipe(mpi=library, sizes=sizes)) for library in (None, name))
    assert all(over > under for over, under in zip(
        [point.half_round_trip for point in mpi.curve], [point.half_round_trip for point in bare.curve], strict=True
    ))  # fmt: skip


def test_a_rendezvous_is_a_step_in_the_curve() -> None:
    below, above = ns.simulate(netpipe(mpi=PLAIN, sizes=(10_000, 10_001))).curve
    control = ns.simulate(netpipe(mpi=PLAIN, sizes=(1,))).latency
    assert control is not None
    assert above.half_round_trip - below.half_round_trip == pytest.approx(2 * control, rel=0.1)
