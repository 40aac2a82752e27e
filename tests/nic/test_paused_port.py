"""Pause frames, to the bit time: when a sender stops, for how long, and when it continues."""

from __future__ import annotations

import pytest

from netsim.ethernet import LinkSpec
from netsim.ethernet.pause_spec import PauseSpec, pause_way
from netsim.nic import ReceiveQueue
from netsim.nic.frame_arrivals import FrameArrivals
from netsim.nic.paused_port import PausedArrivals, PausedPort, PausedSender, PauseTimes, PortLink, SenderTimes

LINK = LinkSpec.from_name("10gbase-sr")
BIT = 100  # ps
SENDING, SPACING = (8 + 64) * 8 * BIT, (8 + 64 + 12) * 8 * BIT
WAY = SENDING + LINK.delay  # a pause frame has the minimum size
HIGH, LOW, ROOM, SERVICE = 100, 40, 400, 1000


class Port:
    """One queue whose ring has `ring` descriptors, on a saturated wire."""

    def __init__(self, ring: int, quanta: int = 65535, response: int = 0, room: int = ROOM) -> None:
        spec = PauseSpec(quanta=quanta, high=0.5, low=0.1, response=response)
        times = PauseTimes(spec.time(LINK), pause_way(LINK), spec.response_time(LINK), HIGH, LOW)
        sender = SenderTimes(SENDING, SPACING, LINK.delay, 10**9, -1)  # due faster than the wire can send
        self.sender = PausedSender(sender)
        self.port = PausedPort(self.sender, times, [[0]], 1, room, SERVICE)
        arrivals = PausedArrivals(self.port, 0, FrameArrivals([0], 1, 10**9, SENDING + LINK.delay, -1))
        self.queue = ReceiveQueue(arrivals, PortLink(self.port), ring, 0)
        self.port.queues = [self.queue]

    def sent(self, now: int) -> int:
        self.queue.look(now)
        assert self.port.audit()
        return self.sender.sent


def test_a_quantum_is_512_bit_times_on_every_link() -> None:
    spec = PauseSpec(quanta=1, high=0.5, low=0.1, response=3)
    assert spec.time(LINK) == 512 * BIT
    assert spec.response_time(LINK) == 3 * 512 * BIT
    assert spec.time(LinkSpec.from_name("1000base-t")) == 512_000
    assert spec.replace("quanta", 65535).time(LINK) == 65535 * 512 * BIT
    assert pause_way(LINK) == WAY == 576 * BIT + LINK.delay


@pytest.mark.parametrize(
    ("rate", "quanta"),
    [("10 Mbit/s", 1), ("1 Gbit/s", 2), ("2.5 Gbit/s", 60), ("10 Gbit/s", 60), ("25 Gbit/s", 80), ("40 Gbit/s", 118),
     ("50 Gbit/s", 147), ("100 Gbit/s", 394), ("200 Gbit/s", 453), ("400 Gbit/s", 905), ("800 Gbit/s", 905)],
)  # fmt: skip
def test_a_sender_stops_as_late_as_its_rate_allows(rate: str, quanta: int) -> None:
    """802.3, 31B.3.7, unless a response is given."""
    link = LINK.replace("rate", rate)
    spec = PauseSpec.from_name("802.3x")
    assert spec.response_time(link) == link.time(quanta * 64)
    assert spec.replace("response", 0).response_time(link) == 0


def test_the_sender_stops_when_the_pause_frame_is_there() -> None:
    """It is sent because of the hundredth frame in the FIFO. A frame in progress is finished; none begins
    afterwards."""
    for response in (0, 7):
        one = Port(ring=1, response=response)
        full = HIGH * SPACING + WAY  # one more frame has its descriptor: the last bit of frame 100, counted from 0
        stops = full + WAY + response * 512 * BIT
        begun = -(-stops // SPACING)  # frames begin every 672 bit times, and one due at that moment does not
        assert one.sent(stops + 100 * SPACING) == begun
        assert one.port.inside + len([*one.port.moves[0]]) <= begun


def test_the_pause_ends_by_itself_to_the_bit_time() -> None:
    """The port asks again after half of a pause, as long as its FIFO is too full: here, forever. A pause that nothing
    renews ends by itself."""
    one = Port(ring=1, quanta=100)
    stops, lasts = HIGH * SPACING + 2 * WAY, 100 * 512 * BIT
    paused = one.sent(stops + SPACING)
    assert one.sent(stops + 10 * lasts) == paused  # asked for repeatedly
    assert one.port.asked == 1 + (stops + 10 * lasts - WAY - HIGH * SPACING) // (lasts // 2)
    lone = PausedSender(SenderTimes(SENDING, SPACING, LINK.delay, 10**9, -1))
    lone.stop(10 * SPACING + 1, 0, lasts - 1)
    for _ in range(11):
        lone.send(lone.next_start())
    assert lone.next_start() == 10 * SPACING + lasts


@pytest.mark.parametrize("quanta", [1, 30, 60, 61, 119, 121])
def test_pauses_that_overlap_leave_no_gap(quanta: int) -> None:
    """However long the sender takes to stop, it does so once, and the frames that follow keep it stopped."""
    one = Port(ring=1, quanta=quanta, response=60)
    stops = HIGH * SPACING + 2 * WAY + 60 * 512 * BIT
    assert one.sent(stops + 1000 * SPACING) == -(-stops // SPACING)


def test_a_pause_over_before_the_sender_stops_has_no_effect() -> None:
    sender = PausedSender(SenderTimes(SENDING, SPACING, LINK.delay, 10**9, -1))
    sender.stop(0, 10 * SPACING, 5 * SPACING)
    for number in range(20):
        assert sender.next_start() == number * SPACING
        sender.send(number * SPACING)


def test_after_a_gap_the_sender_takes_its_time_again() -> None:
    """The timer counts from the reception: what is left of it after the response is the pause."""
    sender = PausedSender(SenderTimes(SENDING, SPACING, LINK.delay, 10**9, -1))
    sender.stop(0, SPACING, 3 * SPACING)
    sender.stop(4 * SPACING, SPACING, 3 * SPACING)
    starts = []
    for _ in range(5):
        starts.append(sender.next_start() // SPACING)
        sender.send(sender.next_start())
    assert starts == [0, 3, 4, 7, 8]


def test_the_receiver_ends_the_pause_at_its_low_mark() -> None:
    """Descriptors arrive at some time; frame after frame leaves, and the one that reaches the mark triggers the end."""
    one = Port(ring=1)
    before = one.sent(10**9)
    inside = one.port.inside
    one.queue.post(1000)
    ends = 10**9 + (inside - LOW - 1) * SERVICE + WAY  # the first one leaves at once
    assert one.sent(ends - 1) == before
    assert one.sent(ends) == before + 1
    assert one.sent(ends + SPACING) == before + 2
    assert one.port.asked == 2


def test_nothing_is_lost_if_the_rest_of_the_fifo_holds_what_is_on_its_way() -> None:
    """Until the sender has stopped: twice the delay of the link and of a pause frame, in frames."""
    way = -(-2 * WAY // SPACING)
    for room, lost in ((HIGH + way, False), (HIGH, True)):
        one = Port(ring=1, room=room)
        one.sent(10**9)
        assert (one.port.dropped > 0) is lost


def test_an_explicit_end_shortens_a_pause_and_a_later_one_replaces_it() -> None:
    sender = PausedSender(SenderTimes(SENDING, SPACING, LINK.delay, 10**9, -1))
    sender.stop(0, 0, 10**9)
    sender.stop(5 * SPACING, 0, 0)
    assert sender.next_start() == 5 * SPACING
    sender.stop(5 * SPACING, 0, 2 * SPACING)
    assert sender.next_start() == 7 * SPACING
