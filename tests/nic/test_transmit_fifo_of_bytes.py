"""A transmit FIFO counted in bytes: what it holds, when the driver learns of room, and what is given up."""

import pytest

from netsim.accounts import Resource
from netsim.accounts.resource import TRANSMITTER
from netsim.engine import Environment
from netsim.ethernet import Frame, Segment, SegmentSpec
from netsim.nic.transmit_fifo import FifoTransmitter
from tests.told_mac import ToldMac

SEGMENT = SegmentSpec.from_name("10base2")
BYTE = 800_000  # ps
LONG, SHORT = 1518, 64


class Taker:
    """Another station."""

    frames_arrived = 0

    def receive_lead(self, size):
        return 0

    def put(self, frame):
        self.frames_arrived += 1


def fifo(size=2048, enough=1536, mac=None):
    env = Environment(1)
    chip = FifoTransmitter(env, Resource("pc", TRANSMITTER, 0), size, 4, enough)
    chip.forgets, chip.medium = True, SEGMENT
    if mac is None:
        segment = Segment(env, SEGMENT, Resource("", "segment"))
        mac, other = segment.mac("pc", 0), segment.mac("far", 5)
        other.attach(Taker())
        segment.learn("far", other)
        mac.certain = chip.certain
    else:
        mac = mac(env)
    chip.mac = mac
    return env, chip


def raised(env, chip):
    times = []
    chip.interrupt = lambda: times.append(env.now)
    return times


@pytest.mark.parametrize(("size", "bytes_taken"), [(64, 64), (65, 68), (67, 68), (68, 68), (1518, 1520)])
def test_a_frame_takes_its_header_and_whole_words(size, bytes_taken):
    """Without the FCS, which the chip makes."""
    _, chip = fifo()
    chip.put(Frame(size, "far"), interrupt=False)
    assert chip.free() == 2048 - bytes_taken


def test_what_has_left_makes_room_and_the_driver_is_told_as_soon_as_there_is_enough():
    """Of 2048 bytes 528 are free behind a long frame; 1008 have to leave until 1536 are free, so 512 are still
    there."""
    env, chip = fifo()
    times = raised(env, chip)
    chip.put(Frame(LONG, "far"), interrupt=False)
    assert chip.full(ring_full=False)
    last_bit = SEGMENT.sending_time(LONG)
    env.run(10 * last_bit)
    assert times == [last_bit - 512 * BYTE]
    assert not chip.wants_room
    assert (chip.queued, chip.free()) == (0, 2048)


def test_several_short_frames_fit():
    env, chip = fifo()
    times = raised(env, chip)
    full = []
    for _ in range(8):
        chip.put(Frame(SHORT, "far"), interrupt=False)
        full.append(chip.full(ring_full=False))
    assert full == [False] * 7 + [True]  # 512 of 2048 are in use: no more than 1536 are free
    env.run(10**10)
    assert len(times) == 1
    assert chip.mac.frames == 8


def test_nothing_has_left_of_a_frame_that_may_have_to_be_sent_again():
    """A frame that is given up notifies the driver, and its bytes are then free."""
    env, chip = fifo(mac=lambda env: ToldMac(env, 5 * 10**9, fails=1))
    times = raised(env, chip)
    chip.put(Frame(LONG, "far"), interrupt=False)
    assert chip.full(ring_full=False)
    env.run(4 * 10**9)
    assert (chip.free(), times) == (528, [])
    env.run(6 * 10**9)
    assert (chip.free(), len(chip.sent)) == (2048, 1)
    assert times == [5 * 10**9, 5 * 10**9]  # for the frame, and for room
