"""TCP large send: how a card divides the data handed to it, and the costs on the way."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from netsim.bus import Transaction
from netsim.closed_form.outline import handed_over
from netsim.engine import Environment
from netsim.errors import ScenarioError
from netsim.ethernet import Frame, LinkSpec
from netsim.ethernet.frame import FCS
from netsim.machine import AdapterSpec
from netsim.scenario import host
from netsim.stack.large_send import LargeSend
from netsim.stack.tcp import TcpSegment
from netsim.stack.tcp_costs import TcpCosts
from netsim.stack.tcp_send import Transmission
from tests.nic.test_transmitter import PC, US, interrupts, plugged
from tests.stack.channel import segment
from tests.stack.transfer import SECOND

SPEC = PC.system.tcp
COSTS = TcpCosts(PC)
MSS = SPEC.mss(1500)
FULL = SPEC.frame_size(MSS)
FRAME_TIME = LinkSpec.from_name("100base-tx").frame_time(FULL)
CUT = {"tx_segmentation": True, "tx_checksum": True, "driver.tx_checksum": "nic"}


def whole(segments: int, seq: int = 0) -> TcpSegment:
    nbytes = segments * MSS
    one = TcpSegment(SPEC.frame_size(nbytes), "port", seq, nbytes, 77, 32120, 5, 3)
    one.push = True
    return one


# ---- pieces ----


def test_segments_have_their_own_bytes_and_all_else_alike() -> None:
    pieces = LargeSend(whole(3, seq=1000), MSS).pieces
    assert [(one.seq, one.length) for one in pieces] == [(1000 + n * MSS, MSS) for n in range(3)]
    assert {one.size for one in pieces} == {FULL}
    assert {(one.port, one.ack, one.window, one.tsval, one.tsecr, one.sacked) for one in pieces} == {
        ("port", 77, 32120, 5, 3, ())
    }


def test_only_the_last_one_pushes() -> None:
    assert [one.push for one in LargeSend(whole(3), MSS).pieces] == [False, False, True]
    quiet = whole(3)
    quiet.push = False
    assert not any(one.push for one in LargeSend(quiet, MSS).pieces)


def test_headers_and_data_are_fetched_once() -> None:
    """However, the receiver gets each frame with its own headers."""
    large = LargeSend(whole(5), MSS)
    assert sum(one.fetched for one in large.pieces) == large.buffer
    assert {one.buffer for one in large.pieces} == {FULL - FCS}


def test_one_segment_is_handed_over_as_it_is() -> None:
    one = handed_over(COSTS, COSTS, MSS, 1)
    assert (one.size, list(one.pieces), one.first) == (FULL, [], True)
    assert len(handed_over(COSTS, COSTS, MSS, 4).pieces) == 4


# ---- through a card ----


def cut(segments: int, **changes: Any) -> tuple[Any, Any, Any, list[tuple[int, int]]]:
    """Send this many segments through a card; returns its bus, its transmitter, the far end, and its interrupts."""
    env = Environment()
    bus, transmitter, far = plugged(env, tx_segmentation=True, **changes)
    raised = interrupts(env, transmitter)
    transmitter.put(LargeSend(whole(segments), MSS), True)
    assert transmitter.queued == 1
    env.run(10_000 * US)
    return bus, transmitter, far, raised


@pytest.mark.parametrize("fifo", [2 * FULL, 64 * 1024])
def test_frames_leave_back_to_back_however_small_the_fifo(fifo: int) -> None:
    _, transmitter, far, raised = cut(20, tx_fifo=fifo, tx_done="sent")
    assert far.sizes == [FULL] * 20
    assert {after - before for before, after in pairwise(far.times)} == {FRAME_TIME}
    assert raised == [(far.times[-1] - transmitter.link.spec.delay, 1)]  # one event, one buffer
    assert (transmitter.queued, len(transmitter.sent)) == (0, 0)


def test_a_fifo_of_one_frame_takes_one_at_a_time() -> None:
    _, transmitter, far, _ = cut(5, tx_frames=1)
    behind = transmitter.spec.tx_lead_time(PC.slots[0], MSS, first=False)
    least = FRAME_TIME - transmitter.link.spec.time(12) + transmitter.spec.tx_turnaround + behind
    assert [after - before for before, after in pairwise(far.times)] == pytest.approx([least] * 4, rel=1e-6)


def test_descriptor_and_status_are_one_for_all() -> None:
    bus, transmitter, _, _ = cut(20)
    spec = transmitter.spec
    around = spec.tx_bus_time(PC.slots[0], MSS) - spec.tx_bus_time(PC.slots[0], MSS, first=False)
    assert around > 0
    assert bus.busy == around + sum(
        PC.slots[0].transfer_time(one.fetched, False, spec.tx_burst) for one in LargeSend(whole(20), MSS).pieces
    )


@pytest.mark.parametrize("fifo", [1024, 2048, 64 * 1024])
@pytest.mark.parametrize("frames", [1, 2, 64])
def test_the_closed_form_is_what_an_endless_row_takes(fifo: int, frames: int) -> None:
    env = Environment()
    parts = {"tx_threshold": 512, "tx_burst": 512} if fifo < FULL else {}
    _, transmitter, far = plugged(env, tx_segmentation=True, tx_fifo=fifo, tx_frames=frames, **parts)
    large = LargeSend(whole(10), MSS)
    for _ in range(30):
        transmitter.put(LargeSend(whole(10), MSS), False)
    env.run(SECOND)
    assert len(far.times) == 300
    interval = transmitter.spec.transmit_interval(PC.slots[0], transmitter.link.spec, large)
    found = (far.times[-1] - far.times[99]) / 20
    assert interval <= found * (1 + 1e-9)
    assert found <= interval * 1.01


def test_firmware_deals_with_each_frame() -> None:
    slow = {"clock": "100 MHz", "tx_cycles": 30_000, "rx_cycles": 0}
    _, _, far, _ = cut(5, onboard=slow)
    assert [after - before for before, after in pairwise(far.times[1:])] == [300 * US] * 3


def test_a_fetch_that_is_cut_moves_no_other_frame() -> None:
    """The bus is taken in the middle of a piece: the previous frame is done at the same time as without that."""
    found = {}
    for disturbed in (False, True):
        env = Environment()
        bus, transmitter, _ = plugged(env, tx_segmentation=True, tx_done="fetched")
        first = Frame(FULL)
        transmitter.put(first, False)
        transmitter.put(LargeSend(whole(3), MSS), False)
        fetched = transmitter.spec.tx_bus_time(PC.slots[0], FULL - FCS)
        if disturbed:
            other = Transaction(PC.slots[0].tenure(False, 64))
            env.call_at(fetched + 5 * US, lambda _, bus=bus, other=other: bus.request(other, 20 * US))
        env.run(SECOND)
        found[disturbed] = first.done
        assert len(transmitter.reclaim()) == 2
    assert found[True] == found[False]


# ---- what may be sent at once ----


def transmission(at_once: int, **changes: Any) -> Transmission:
    one = Transmission(Environment(1), SPEC.replace(changes), MSS, lambda: None, at_once=at_once)
    one.snd_wnd_end = one.cwnd = 100 * MSS
    one.write_seq = 50 * MSS + 10
    return one


def test_as_many_segments_go_as_the_card_takes_and_both_windows_allow() -> None:
    one = transmission(20)
    assert one.upcoming() == (0, 20 * MSS)
    one.snd_wnd_end = 7 * MSS + 1
    assert one.upcoming() == (0, 7 * MSS)
    one.cwnd = 5 * MSS - 1
    assert one.upcoming() == (0, 4 * MSS)
    one.cwnd = MSS - 1
    assert one.upcoming()[1] == 0


def test_what_is_in_flight_counts() -> None:
    one = transmission(20)
    one.cwnd = 25 * MSS
    one.sent(0, 20 * MSS)
    assert one.upcoming() == (20 * MSS, 5 * MSS)


def test_the_last_segment_goes_by_itself_and_not_before_the_others_are_acknowledged() -> None:
    one = transmission(100)
    assert one.upcoming() == (0, 50 * MSS)
    one.sent(0, 50 * MSS)
    assert one.upcoming()[1] == 0
    one.acknowledged(segment(ack=50 * MSS, window=40 * MSS))
    assert one.upcoming() == (50 * MSS, 10)


def test_after_a_timeout_segments_go_one_by_one() -> None:
    one = transmission(20)
    one.sent(0, 20 * MSS)
    one._calendar.run_to(60 * SECOND)
    assert one.timeouts
    one.cwnd = 100 * MSS
    assert one.upcoming() == (0, MSS)
    one.sent(0, MSS)
    assert one.retransmitted == 1
    one.acknowledged(segment(ack=20 * MSS, window=40 * MSS))
    assert one.upcoming() == (20 * MSS, 20 * MSS)


def test_what_was_planned_goes_if_more_may_go_by_then() -> None:
    one = transmission(20)
    one.snd_wnd_end = 3 * MSS
    planned = one.upcoming()
    one.snd_wnd_end = 10 * MSS
    assert one.may_go(*planned)
    one.snd_wnd_end = 2 * MSS
    assert not one.may_go(*planned)


# ---- descriptions ----


MISTAKES = [
    ({}, "4000 is not possible with this card (tx_segmentation is false); allowed here: 0"),
    (
        {"tx_segmentation": True},
        '4000 bytes need checksums by the card, too (driver.tx_checksum is "host"); allowed here: 0',
    ),
    (CUT | {"driver.large_send": 65_496}, "65496 bytes don't fit into one IP packet; allowed: 0 to 65495"),
]


@pytest.mark.parametrize(("changes", "problem"), MISTAKES)
def test_a_driver_uses_what_its_card_can(changes: dict[str, Any], problem: str) -> None:
    adapter = AdapterSpec.from_name("3c905b/3c59x")
    with pytest.raises(ScenarioError) as caught:
        adapter.replace({"driver.large_send": 4000} | changes)
    assert str(caught.value) == f"driver.large_send: {problem}"


def test_a_bond_does_what_all_its_ports_can() -> None:
    pc = host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"] * 2)
    changes = {f"nics.{number}.{name}": value for number in (0, 1) for name, value in CUT.items()}
    pc = pc.replace(changes).replace({"nics.0.driver.large_send": 60_000, "nics.1.driver.large_send": 4000})
    assert pc.large_send() == 60_000  # without a bond there is only the first port
    assert pc.replace("bond", "linux-2.2.17").large_send() == 4000
    assert pc.replace({"bond": "linux-2.2.17", "nics.1.driver.large_send": 0}).large_send() == 0


def test_no_catalogue_driver_uses_it() -> None:
    assert PC.large_send() == 0
