"""The sending half of an adapter on a shared medium: what is sent and fetched when, and what the driver is told."""

import pytest

from netsim.accounts import Resource
from netsim.accounts.resource import ONBOARD, TRANSMITTER
from netsim.bus import Bus, BusSpec, Transaction
from netsim.engine import Environment
from netsim.ethernet import Frame
from netsim.machine import AdapterSpec, Host
from netsim.nic.half_duplex import HalfDuplexTransmitter, MasterTransmitter
from netsim.nic.onboard import Onboard
from netsim.nic.onboard_spec import OnboardSpec
from netsim.scenario import host, netware_host
from tests.told_mac import SEGMENT, ToldMac

PC = host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"])
CARD = PC.nics[0].replace({"tx_done": "sent", "tx_frames": 4, "tx_fifo": 8192, "tx_threshold": 128, "tx_burst": 64})
US = 10**6  # ps
LONG = 2000 * US  # longer than any fetch
SENDS = Resource("pc", TRANSMITTER, 0)


def slave(duration=LONG, fails=0, chained=True):
    """A transmitter with frames in the card's memory, its medium, and the times when it raises its line."""
    env = Environment()
    transmitter = HalfDuplexTransmitter(env, SENDS, chained=chained)
    return env, transmitter, *_joined(env, transmitter, duration, fails)


def master(duration=LONG, fails=0, onboard=None, **changes):
    """The same for a bus master."""
    env = Environment()
    bus = Bus(env, PC.slots[0], "bus")
    spec = CARD.replace(changes) if changes else CARD
    firmware = Onboard(env, onboard, Resource("pc", ONBOARD, 0)) if onboard else None
    transmitter = MasterTransmitter(env, spec, bus, PC.slots[0], SENDS, firmware)
    return env, transmitter, *_joined(env, transmitter, duration, fails)


def _joined(env, transmitter, duration, fails):
    transmitter.mac = mac = ToldMac(env, duration, fails)
    transmitter.medium = SEGMENT
    raised = []
    transmitter.interrupt = lambda: raised.append(env.now)
    return mac, raised


# ---- from the card's own memory ----


def test_a_chip_that_is_chained_goes_back_to_back_and_in_order():
    env, transmitter, mac, raised = slave()
    for size in (100, 200, 300):
        transmitter.put(Frame(size), interrupt=size == 200)
    env.run(10 * LONG)
    assert mac.log == [(0, 100), (LONG, 200), (2 * LONG, 300)]
    assert raised == [2 * LONG]
    assert [(frame.size, frame.done) for frame in transmitter.reclaim()] == [
        (100, LONG), (200, 2 * LONG), (300, 3 * LONG)
    ]  # fmt: skip
    assert transmitter.queued == 0
    assert transmitter.reclaim() == []


def test_a_chip_goes_through_its_lists_between_two_frames():
    """Whether the next frame is waiting, or comes meanwhile, or later."""
    env = Environment()
    transmitter = HalfDuplexTransmitter(env, SENDS, turnaround=8 * US)
    mac, raised = _joined(env, transmitter, LONG, 0)
    for _ in range(2):
        transmitter.put(Frame(100), interrupt=True)
    second = LONG + 8 * US
    for after in (3 * US, LONG + 20 * US):
        env.call_at(second + LONG + after, lambda _: transmitter.put(Frame(100), True))
    env.run(10 * LONG)
    third = second + LONG + 8 * US
    assert mac.times == [0, second, third, third + LONG + 12 * US]
    assert raised == [time + LONG for time in mac.times]


def test_a_chip_that_is_not_chained_waits_for_its_driver():
    env, transmitter, mac, _ = slave(chained=False)
    for size in (100, 200):
        transmitter.put(Frame(size), interrupt=True)
    env.run(LONG + 30 * US)
    assert mac.sizes == [100]
    transmitter.reclaim()
    transmitter.go_on()
    assert mac.log == [(0, 100), (LONG + 30 * US, 200)]
    transmitter.go_on()  # it is already sending
    env.run(10 * LONG)
    assert mac.sizes == [100, 200]


def test_a_driver_that_has_not_looked_yet_takes_an_idle_chip_for_busy():
    """A driver that has looked and found nothing more to send starts the next frame as it hands it over."""
    env, transmitter, mac, _ = slave(chained=False)
    transmitter.put(Frame(100), interrupt=True)
    env.run(LONG + 10 * US)
    transmitter.put(Frame(200), interrupt=True)
    assert mac.sizes == [100]
    transmitter.reclaim()
    env.call_in(5 * US, transmitter.go_on)
    env.run(3 * LONG)
    assert mac.log[1] == (LONG + 15 * US, 200)
    transmitter.reclaim()
    transmitter.put(Frame(300), interrupt=True)
    assert mac.log[2] == (3 * LONG, 300)


def test_the_idle_interrupt_comes_when_nothing_is_left():
    env, transmitter, _, raised = slave()
    transmitter.interrupt_when_idle = True
    for _ in range(3):
        transmitter.put(Frame(100), interrupt=False)
    env.run(10 * LONG)
    assert raised == [3 * LONG]


def test_how_often_a_frame_was_given_up_is_known_until_it_gets_through():
    env, transmitter, _, raised = slave(fails=2)
    frame = Frame(100)
    counts = []
    for _ in range(3):
        transmitter.put(frame, interrupt=True)
        env.run(env.now + LONG + 1)
        assert transmitter.reclaim() == [frame]
        counts.append(dict(transmitter.given_up))
    assert counts == [{frame: 1}, {frame: 2}, {}]
    assert raised == [LONG, 2 * LONG + 1, 3 * LONG + 2]


def test_it_is_busy_with_frames_that_are_not_gone():
    """Whether or not the driver has taken them back."""
    env, transmitter, _, _ = slave()
    env.run(10 * US)
    assert transmitter.busy_until(env.now) == 0
    transmitter.put(Frame(100), interrupt=False)
    transmitter.put(Frame(100), interrupt=False)
    env.run(env.now + LONG // 2)
    assert transmitter.busy_until(env.now) == LONG // 2
    env.run(10 * LONG)
    assert transmitter.busy_until(env.now) == 2 * LONG
    transmitter.reclaim()
    transmitter.put(Frame(100), interrupt=False)
    env.run(20 * LONG)
    assert transmitter.busy_until(env.now) == 3 * LONG


# ---- fetched from memory ----


def ahead(transmitter, frame):
    return transmitter.spec.tx_ahead(PC.slots[0], SEGMENT, frame)


def fetch(transmitter, frame):
    return transmitter.spec.tx_time(PC.slots[0], frame.fetched)


def test_a_lone_frame_goes_when_as_much_of_it_is_there_as_it_takes():
    env, transmitter, mac, raised = master(tx_wake_up="7 us")
    frame = Frame(1518)
    transmitter.put(frame, interrupt=True)
    env.run(10 * LONG)
    lead = transmitter.spec.tx_lead_time(PC.slots[0], frame.fetched)
    assert mac.times == [7 * US + lead]
    assert lead < fetch(transmitter, frame)
    assert raised == [7 * US + lead + LONG]


def test_the_medium_does_not_wait_for_what_a_fifo_of_several_frames_holds():
    """They are fetched back to back, and leave back to back."""
    env, transmitter, mac, _ = master()
    frames = [Frame(1518) for _ in range(3)]
    for frame in frames:
        transmitter.put(frame, interrupt=False)
    env.run(3 * fetch(transmitter, frames[0]))
    assert not transmitter.ring
    assert transmitter.bus.busy == 3 * fetch(transmitter, frames[0]) == env.now
    env.run(10 * LONG)
    first = ahead(transmitter, frames[0])
    assert mac.times == [first, first + LONG, first + 2 * LONG]


@pytest.mark.parametrize("sizes", [{"tx_frames": 2}, {"tx_fifo": 2 * 1518}])
def test_a_frame_stays_in_the_fifo_until_it_is_gone(sizes):
    """It may have to be sent again: the third frame is fetched when the first has left."""
    env, transmitter, mac, _ = master(**sizes, tx_turnaround="5 us")
    for _ in range(3):
        transmitter.put(Frame(1518), interrupt=False)
    time = fetch(transmitter, Frame(1518))
    env.run(LONG)
    assert transmitter.bus.busy == 2 * time
    assert len(transmitter.ring) == 1
    gone = mac.times[0] + LONG
    env.run(gone + time)
    assert transmitter.bus.busy == 3 * time  # at once: only chips that hold one frame turn around
    env.run(10 * LONG)
    assert mac.times == [ahead(transmitter, Frame(1518)) + n * LONG for n in range(3)]


def test_a_frame_larger_than_the_fifo_is_fetched_alone():
    env, transmitter, mac, _ = master(tx_fifo=256, tx_threshold=64)
    for _ in range(2):
        transmitter.put(Frame(1518), interrupt=False)
    env.run(10 * LONG)
    first = ahead(transmitter, Frame(1518))
    assert mac.times == [first, first + LONG + first]


def test_with_one_frame_at_a_time_the_chip_turns_around_before_it_fetches():
    """Whether the next frame was waiting, or comes meanwhile, or later."""
    env, transmitter, mac, _ = master(tx_frames=1, tx_turnaround="9 us", tx_wake_up="2 us")
    lead = ahead(transmitter, Frame(1518))
    for _ in range(2):
        transmitter.put(Frame(1518), interrupt=False)
    status = transmitter.spec.tx_status_time(PC.slots[0])
    second = 2 * US + lead + LONG + status + 9 * US + lead
    third = second + LONG + status + 9 * US + lead
    env.call_at(second + LONG + 3 * US, lambda _: transmitter.put(Frame(1518), False))
    fourth = third + LONG + 20 * US
    env.call_at(fourth, lambda _: transmitter.put(Frame(1518), False))
    env.run(10 * LONG)
    assert mac.times == [2 * US + lead, second, third, fourth + 2 * US + lead]


def test_the_onboard_processor_sees_each_frame_first():
    """One frame at a time; 400 cycles at 10 MHz."""
    onboard = OnboardSpec(clock="10 MHz", tx_cycles=400, rx_cycles=0)
    env, transmitter, mac, _ = master(duration=US, onboard=onboard)
    for _ in range(3):
        transmitter.put(Frame(64), interrupt=False)
    env.run(10 * LONG)
    lead = ahead(transmitter, Frame(64))
    assert mac.times == [n * 40 * US + lead for n in (1, 2, 3)]


@pytest.mark.parametrize("done", ["sent", "fetched"])
def test_a_cut_tenure_delays_the_fetch_and_repeats_nothing(done):
    env, transmitter, mac, raised = master(tx_done=done, tx_burst=2048)
    frames = [Frame(1518), Frame(1518)]
    for frame in frames:
        transmitter.put(frame, interrupt=True)
    other = Transaction(PC.slots[0].tenure(False, 64))
    env.call_at(3 * US, lambda _: transmitter.bus.request(other, 40 * US))
    env.run(10 * LONG)
    assert mac.times == [ahead(transmitter, frames[0]), ahead(transmitter, frames[0]) + LONG]
    assert transmitter.queued == 2
    assert transmitter.reclaim() == frames
    undisturbed = 2 * fetch(transmitter, frames[0])
    cuts, rest = divmod(transmitter.bus.busy - undisturbed - 40 * US, PC.slots[0].tenure(False, 2048).restart)
    assert cuts > 1
    assert rest == 0
    if done == "sent":
        assert raised == [mac.times[0] + LONG, mac.times[1] + LONG]
    else:
        assert fetch(transmitter, frames[0]) + 7 * US < raised[0] < raised[1] <= transmitter.bus.free


def test_a_frame_fetched_is_the_drivers_again_while_it_waits_for_the_medium():
    """So if it is given up, it is not sent again, and the next one is sent."""
    env, transmitter, mac, raised = master(fails=1, tx_done="fetched")
    frames = [Frame(1518), Frame(1000)]
    for frame in frames:
        transmitter.put(frame, interrupt=True)
    times = [fetch(transmitter, frames[0]), fetch(transmitter, frames[0]) + fetch(transmitter, frames[1])]
    env.run(times[1] + 1)
    assert raised == times
    assert transmitter.reclaim() == frames
    assert transmitter.queued == 0
    env.run(10 * LONG)
    assert mac.sizes == [1518, 1000]
    assert transmitter.given_up == {}
    assert raised == times
    assert transmitter.busy_until(env.now) == mac.times[1] + LONG


def test_a_frame_given_up_is_told_and_leaves_the_fifo():
    env, transmitter, mac, raised = master(fails=1, tx_frames=1, tx_turnaround="9 us")
    frame = Frame(1518)
    transmitter.put(frame, interrupt=True)
    lead, status = ahead(transmitter, frame), transmitter.spec.tx_status_time(PC.slots[0])
    env.run(lead + LONG + status + 1)
    assert transmitter.given_up == {frame: 1}
    assert transmitter.reclaim() == [frame]
    transmitter.put(frame, interrupt=True)
    env.run(10 * LONG)
    assert mac.times == [lead, lead + LONG + status + 9 * US + lead]
    assert raised == [lead + LONG + status, mac.times[1] + LONG + status]
    assert transmitter.given_up == {}


# ---- one frame at a time: status, link, descriptor, data ----


def chip(name, bus, **changes):
    """The transmitter of a card on a separate bus, its medium, and the times when it raises its line."""
    env = Environment()
    spec = AdapterSpec.from_name(name).replace(changes)
    slots = BusSpec.from_name(bus).replace("refresh_interval", 0)
    seen = spec.sees(slots)
    transmitter = MasterTransmitter(env, spec, Bus(env, slots, "bus"), seen, SENDS)
    mac, raised = _joined(env, transmitter, LONG, 0)
    return env, transmitter, mac, raised


BCLK = 1e12 / 8_333_333


@pytest.mark.parametrize(
    ("name", "bus", "clocks"),
    [
        # Status, link, six words of descriptor and 24 bytes: each is arbitrated for, 4 clocks; 3 clocks for 16 bits.
        ("sonic-at/sonic-at-lan", "isa-16", (4 + 3) + (4 + 3) + (4 + 6 * 3) + (4 + 12 * 3)),
        # 2 clocks of arbitration; 2 for the first 32 bits, and 1 for each that follows.
        ("plx-sonic/plx-sonic-lan", "eisa", (2 + 2) + (2 + 2) + (2 + 2 + 5) + (2 + 2 + 5)),
        # Status; RMD1 and RMD0, TMD1 and TMD0, and the byte count; 16 bytes.
        ("at1500/at1500-odi", "isa-16", (4 + 3) + 2 * (4 + 2 * 3) + (4 + 3) + (4 + 8 * 3)),
    ],
)
def test_what_lies_between_two_frames(name, bus, clocks):
    """Each fits in the gap of 9.6 us: 9.1 us, 3.1 us and 7.4 us."""
    env, transmitter, mac, _ = chip(name, bus)
    for _ in range(2):
        transmitter.put(Frame(1082), interrupt=False)
    env.run(3 * LONG)
    between = mac.times[1] - mac.times[0] - LONG
    assert between == pytest.approx(clocks * BCLK, abs=9)
    assert between < SEGMENT.gap


@pytest.mark.parametrize("when", [-1, 1, 3, 5])
def test_whoever_has_the_bus_then_delays_the_next_frame(when):
    """A processor's access of 6 clocks delays SONIC's next frame on ISA from 9.1 us to the end of the gap, or
    beyond."""
    env, transmitter, mac, _ = chip("sonic-at/sonic-at-lan", "isa-16")
    for _ in range(2):
        transmitter.put(Frame(1082), interrupt=False)
    env.run(LONG)
    env.call_at(mac.times[0] + LONG + when * US // 2, lambda _: transmitter.bus.access(round(12 * BCLK)))
    env.run(3 * LONG)
    between = mac.times[1] - mac.times[0] - LONG
    assert SEGMENT.gap < between <= (76 + 12) * BCLK + 9


def test_a_frame_is_reported_when_the_chip_has_seen_the_end_of_its_list():
    env, transmitter, mac, raised = chip("sonic-at/sonic-at-lan", "isa-16")
    transmitter.interrupt_when_idle = True
    for _ in range(3):
        transmitter.put(Frame(1082), interrupt=False)
    env.run(5 * LONG)
    assert raised == [pytest.approx(mac.times[2] + LONG + 2 * (4 + 3) * BCLK, abs=9)]
    assert len(transmitter.reclaim()) == 3


# ---- the time to each card's next frame on a segment ----


def between(nic, seed):
    """ps from a long reply's last bit until the server's card is ready with the next one, if both are waiting."""
    server = netware_host("compaq-cp3301", system="netware-3.11", nics=[nic]).replace("system.kernel.tick", 0)
    env = Environment(seed)
    machine = Host(env, server, "server", half_duplex=True)
    machine.nics[0].join(mac := ToldMac(env, 900 * US), SEGMENT)
    for _ in range(2):
        machine.drivers[0]._paid = 1  # as if the processor had already moved it there
        machine.drivers[0].put(Frame(1082, "far"))
    env.run(LONG)
    return mac.times[1] - mac.times[0] - 900 * US


@pytest.mark.parametrize(
    ("nic", "low", "high"),
    [
        ("ne2000/ne2000-lan", 8.88, 8.88), ("at-lantic-io/ne2000-lan", 8.88, 8.88),
        ("hp-ethertwist/hp-lan", 8.88, 8.88), ("smc-elite16/8390-shared-lan", 8.88, 8.88),
        ("at-lantic-shared/8390-shared-lan", 8.88, 8.88), ("lne390/lne390-lan", 8.88, 8.88),
        ("sonic-at/sonic-at-lan", 9.1, 11), ("plx-sonic/plx-sonic-lan", 3.1, 4.4),
        ("etherexpress16/exp16-lan", 8.5, 8.5), ("3c509/3c509-lan", 0, 0), ("ne3200/ne3200-lan", 0, 0),
    ],
)  # fmt: skip
def test_which_cards_are_ready_within_the_gap(nic, low, high):
    """An 8390's driver is ready if it starts the next frame first, with few accesses: 60 cycles of a P6 on a 486 of
    50 MHz that takes 2.5 times as many, 3 us, and seven accesses of seven bus clocks, 5.88 us. SONIC on ISA takes up to
    the end of the gap, and memory refresh decides."""
    times = {between(nic, seed) for seed in range(40)}
    assert low * US - 9 <= min(times) <= max(times) <= high * US + 9
    late = [time > SEGMENT.gap for time in times]
    assert not all(late)
    assert any(late) == (high > 9.6)


def test_frames_wait_for_a_bus_master_until_their_fetch_begins():
    """The second frame is fetched while the first is sent; of ten more, the FIFO has room for a few only."""
    env, transmitter, _, _ = master()
    for time in (0, LONG // 2):
        env.call_at(time, lambda _: transmitter.put(Frame(1000), interrupt=False))
    env.run(2 * LONG)
    assert transmitter.busy_until(env.now) > 2 * LONG - US
    assert transmitter.wanted_until(env.now) < US
    for _ in range(10):
        transmitter.put(Frame(1000), interrupt=False)
    env.run(6 * LONG)
    assert transmitter.wanted_until(env.now) > 4 * LONG - 20 * US


def test_frames_of_a_slave_wait_as_long_as_it_is_busy():
    """It sends one after the other."""
    env, transmitter, _, _ = slave()
    for _ in range(2):
        transmitter.put(Frame(1000), interrupt=False)
    env.run(3 * LONG)
    assert transmitter.wanted_until(env.now) == transmitter.busy_until(env.now) == 2 * LONG
