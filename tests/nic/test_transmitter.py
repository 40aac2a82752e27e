"""A transmitter whose fetch is cut on the bus still sends its frames whole, once and in order; when it has finished a
frame; how long it takes to wake up."""

from itertools import pairwise

import pytest

from netsim.bus import Bus, Transaction
from netsim.engine import Environment
from netsim.ethernet import Frame, Link, LinkSpec
from netsim.nic import Nic
from netsim.scenario import host
from netsim.stack import Computer, UdpSender

PC = host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"])
US = 10**6  # ps
FAST_ETHERNET = LinkSpec.from_name("100base-tx")


class Far:
    """The other end of the wire."""

    frames_arrived = 0

    def __init__(self, env):
        self.env = env
        self.sizes, self.times = [], []

    def receive_lead(self, size):
        return 0

    def put(self, frame):
        self.sizes.append(frame.size)
        self.times.append(self.env.now)


def plugged(env, link=FAST_ETHERNET, **changes):
    bus = Bus(env, PC.slots[0], "bus")
    nic = Nic(env, PC.nics[0].replace(changes) if changes else PC.nics[0], bus, PC.slots[0], "pc", 0)
    far = Far(env)
    out = Link(env, link, "out")
    out.attach(far)
    nic.transmitter.link = out
    return bus, nic.transmitter, far


def test_frames_handed_over_while_a_cut_fetch_waits_for_the_bus():
    """The first fetch (about 12 us) and another master's 40 us alternate from 2 us on. Two more frames are put while
    that fetch waits for its last turn, after the time at which it would have ended uninterrupted."""
    env = Environment()
    bus, transmitter, far = plugged(env)
    transmitter.put(Frame(1518), False)
    other = Transaction(PC.slots[0].tenure(False, 64))
    env.call_at(2 * US, lambda _: bus.request(other, 40 * US))
    dma = transmitter._dma
    while not (dma.waiting and dma.end < env.now):
        env.run(env.now + US // 20)
    rest = dma.left
    for size in (1000, 500):
        transmitter.put(Frame(size), False)
    assert dma.left == rest  # the waiting fetch is still the first one
    env.run(1000 * US)
    assert far.sizes == [1518, 1000, 500]
    assert bus.free < 1000 * US
    times = transmitter.spec
    needed = sum(times.tx_bus_time(PC.slots[0], size - 4) for size in (1518, 1000, 500)) + 40 * US
    cuts = 40 * US // PC.slots[0].clocks(PC.bus.latency_timer)  # at most
    assert needed < bus.busy <= needed + cuts * PC.slots[0].restart_time(False, 4096)


def test_a_latency_timer_shorter_than_a_start_lets_one_data_phase_through():
    env = Environment()
    bus = Bus(env, PC.slots[0].replace("latency_timer", 0), "bus")
    done = []
    restart = bus.spec.restart_time(False, 128)
    one, two = (Transaction(bus.spec.tenure(False, 128), done=lambda _, n=n: done.append((n, env.now))) for n in (1, 2))
    time = bus.spec.transfer_time(128, write=False)  # 32 data phases
    bus.request(one, time)
    bus.request(two, time)
    env.run(1000 * US)
    assert [n for n, _ in done] == [1, 2]
    assert done[-1][1] == bus.busy == 2 * time + 62 * restart  # each is cut after every data phase but its last


@pytest.mark.parametrize(
    ("changes", "ahead"),
    [
        ({}, 1514 // 2),
        ({"tx_fetches": "buffers"}, 0),
        ({"tx_fetches": "buffers", "driver.tx_buffer": 500}, 500),
        ({"tx_fetches": "buffers", "driver.tx_buffer": 300}, 600),
        ({"tx_fetches": "buffers", "driver.tx_buffer": 2048}, 0),
    ],
    ids=["parts", "one buffer", "three buffers and a rest", "five and a rest", "a buffer larger than the frame"],
)
def test_where_the_fifo_holds_one_frame_and_a_half_what_fits_is_fetched_meanwhile(changes, ahead):
    """So that it is available when the first one has left; the wire is fast, and waits for whole frames."""
    env = Environment()
    link = LinkSpec.from_name("1000base-sx")
    small = {"tx_fifo": 1518 * 3 // 2, "tx_frames": 4, "tx_descriptor": 0, "tx_status": 0}
    _, transmitter, far = plugged(env, link, tx_threshold=1518, rate="1 Gbit/s", **small, **changes)
    for _ in range(4):
        transmitter.put(Frame(1518), False)
    env.run(1000 * US)
    fetch, there = (PC.slots[0].transfer_time(nbytes, write=False) for nbytes in (1514, ahead))
    assert far.times[0] == fetch + link.time(8 + 1518) + link.delay
    assert [b - a for a, b in pairwise(far.times)] == [fetch - there + link.time(8 + 1518)] * 3


# ---- when it has finished a frame ----


def interrupts(env, transmitter):
    """The times when the line is raised, and the number of frames the driver can take back then."""
    raised = []
    transmitter.interrupt = lambda: raised.append((env.now, len(transmitter.reclaim())))
    return raised


@pytest.mark.parametrize("asked", ["when idle", "with the frame"])
def test_a_chip_that_fetched_a_frame_is_done_with_it_while_it_is_on_the_wire(asked):
    env = Environment()
    _, transmitter, _ = plugged(env, tx_done="fetched")
    raised = interrupts(env, transmitter)
    transmitter.interrupt_when_idle = asked == "when idle"
    frame = Frame(1518)
    transmitter.put(frame, asked == "with the frame")
    env.run(1000 * US)
    fetched = transmitter.spec.tx_bus_time(PC.slots[0], 1514)
    assert raised == [(fetched, 1)]
    assert fetched < frame.last_bit - 100 * US
    assert transmitter.queued == 0


@pytest.mark.parametrize("asked", ["when idle", "with the frame"])
def test_a_chip_that_waits_for_the_wire_is_done_with_the_last_bit(asked):
    env = Environment()
    _, transmitter, far = plugged(env, tx_done="sent")
    raised = interrupts(env, transmitter)
    transmitter.interrupt_when_idle = asked == "when idle"
    frame = Frame(1518)
    transmitter.put(frame, asked == "with the frame")
    env.run(frame.last_bit - 1)
    assert raised == []
    assert transmitter.reclaim() == []
    env.run(1000 * US)
    assert raised == [(frame.last_bit, 1)]
    assert far.times == [frame.last_bit + transmitter.link.spec.delay]


def test_a_chip_is_idle_once_it_is_done_with_the_last_of_several():
    """The drain interrupt comes once, with all buffers free; if fetching is enough, it comes a frame's time earlier."""
    found = {}
    for done in ("sent", "fetched"):
        env = Environment()
        _, transmitter, far = plugged(env, tx_done=done)
        raised = interrupts(env, transmitter)
        transmitter.interrupt_when_idle = True
        for _ in range(4):
            transmitter.put(Frame(1518), False)
        env.run(1000 * US)
        ((when, freed),) = raised
        assert freed == 4
        found[done] = far.times[-1] - transmitter.link.spec.delay - when
    assert found["sent"] == 0
    assert found["fetched"] > transmitter.link.spec.time(1518)


def test_a_driver_frees_buffers_when_the_chip_is_done():
    """So a process that waits for room in its socket is notified earlier by a chip that has only fetched its frame."""
    freed = {done: when_freed(done) for done in ("sent", "fetched")}
    assert freed["fetched"][0] < freed["fetched"][1]
    assert freed["sent"][0] > freed["sent"][1]


class Sender(UdpSender):
    """Notes when its buffers are returned, and when their frames have left the wire."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.times = []

    def freed(self, frame):
        super().freed(frame)
        self.times.append((self.host.env.now, frame.last_bit))


def when_freed(done):
    """The time when a sender's buffer is returned, and the time when the frame has left the wire."""
    env = Environment()
    pc = Computer(env, PC.replace({"nics.0.tx_done": done}), "pc")
    far, out = Far(env), Link(env, LinkSpec.from_name("100base-tx"), "out")
    out.attach(far)
    pc.nics[0].plug(out, Link(env, out.spec, "back"))
    sender = Sender(pc, "port", 1400, 1500, 65536)
    sender.send(lambda: None)
    env.run(1000 * US)
    return sender.times[0]


# ---- waking up ----


def arrivals(wake_up, *handed_over):
    """The arrival times of frames that are handed over at these times (us)."""
    env = Environment()
    _, transmitter, far = plugged(env, tx_wake_up=wake_up)
    for time in handed_over:
        env.call_at(time * US, lambda _: transmitter.put(Frame(1518), False))
    env.run(10_000 * US)
    assert len(far.times) == len(handed_over)
    return far.times


def test_a_frame_that_finds_the_chip_idle_waits_until_it_is_awake():
    (late,), (at_once,) = arrivals("7 us", 1), arrivals("0 us", 1)
    assert late - at_once == 7 * US


def test_each_frame_that_finds_the_chip_idle_waits():
    assert [a - b for a, b in zip(arrivals("7 us", 1, 500), arrivals("0 us", 1, 500), strict=True)] == [7 * US] * 2


@pytest.mark.parametrize("handed_over", [(1, 1, 1), (1, 2, 100), (1, 60, 115)])
def test_a_frame_that_follows_another_does_not_wait(handed_over):
    """Whether it comes while the chip fetches the previous frame or while that is on the wire: the wire stays full."""
    late, at_once = arrivals("7 us", *handed_over), arrivals("0 us", *handed_over)
    assert [a - b for a, b in zip(late, at_once, strict=True)] == [7 * US] * 3
    assert late[2] - late[1] == late[1] - late[0] == LinkSpec.from_name("100base-tx").frame_time(1518)


def test_frames_wait_for_it_from_the_ring_to_the_beginning_of_their_fetch():
    """The second frame is fetched while the first is sent, so the transmitter is busy all the time, but not full."""
    env = Environment()
    _, transmitter, _ = plugged(env)
    wire = FAST_ETHERNET.time(1518)
    for time in (0, wire, 2 * wire):
        env.call_at(time, lambda _: transmitter.put(Frame(1518), False))
    env.run(3 * wire)
    assert transmitter.busy_until(env.now) == env.now
    assert transmitter.wanted_until(env.now) < env.now // 20
    for _ in range(50):
        transmitter.put(Frame(1518), False)
    env.run(10 * wire)
    assert transmitter.wanted_until(env.now) > env.now - 3.2 * wire
