"""Adapters whose data the processor moves: their buffer, early calls, early starts, and what starts the next frame."""

import pytest

from netsim.accounts import Resource
from netsim.accounts.resource import RECEIVER
from netsim.engine import Environment
from netsim.errors import ScenarioError
from netsim.ethernet import Frame, Segment, SegmentSpec
from netsim.ethernet.frame import FCS, PREAMBLE
from netsim.machine import Host
from netsim.machine.backlog import Handler
from netsim.machine.device import QUEUED
from netsim.nic.slave import SlaveReceiver
from netsim.nic.slave_spec import SlaveSpec
from netsim.stack import NcpHostSpec
from netsim.stack.ncp_ends import NcpWorkstation
from tests.told_mac import ToldMac

SEGMENT = SegmentSpec.from_name("10base2")
NE2000 = SlaveSpec.from_catalog("nics", "ne2000")
US = 10**6  # ps
LONG = 3000 * US


def computer(nic="ne2000/ne2000-odi", **changes):
    """A workstation whose requests have the minimum size; `__` in a name stands for a dot."""
    pc = NcpHostSpec.from_catalog("hosts", "pc-brand-a84210", system="netx-3", nics=[nic])
    changes = {address.replace("__", "."): value for address, value in changes.items()}
    return pc.replace({"system.kernel.tick": 0, "bus.refresh_interval": 0, "system.ncp.request": 13} | changes)


class Station(Handler):
    """A workstation on a medium that behaves as told; notes when it has handed up frames."""

    def __init__(self, spec, duration=LONG, fails=0):
        self.env = Environment(1)
        self.spec = spec
        self.host = Host(self.env, spec, "pc", half_duplex=True)
        self.mac = ToldMac(self.env, duration, fails)
        self.nic = self.host.nics[0]
        self.nic.join(self.mac, SEGMENT)
        self.driver = self.host.drivers[0]
        self.port = spec.ports()[0]
        self.kernel = spec.system.kernel
        self.taken, self.freed_at = [], []
        self.host.handlers["pc"] = self

    def arriving(self, frame):
        self.taken.append((self.env.now, frame.size))

    def freed(self, frame):
        self.freed_at.append((self.env.now, frame.size))

    def send(self, *sizes):
        """Send as if the processor had already moved the frames there, as far as the ring has room for them."""
        for size in sizes:
            self.driver._paid = 1
            self.driver.put(Frame(size, "far", self))

    def receive(self, last_bit, size):
        """Receive a frame whose last bit arrives at that time."""
        self.env.call_at(last_bit - self.nic.receiver.receive_lead(size), self.mac.station.put, Frame(size, "pc"))

    def run(self, until):
        self.env.run(until)
        processor = self.host.processors[0]
        assert sum(processor.busy().values()) + processor.idle_until_now() == self.env.now
        inside = self.host.frames_handled + self.host.frames_inside
        assert inside + sum(self.nic.drops.values()) == self.nic.receiver.frames_arrived

    def bill(self, name, *arguments):
        """ps of one of the port's bills."""
        return getattr(self.port, f"bill_{name}")(self.spec.bill(), *arguments).work().total

    @property
    def entry(self):
        return self.bill("entry", self.kernel)

    @property
    def exit(self):
        return self.bill("exit", self.kernel)

    @property
    def both(self):
        """ps of the path to the ring work and of the return: whatever waits for the end of the handler waits for
        both."""
        return self.entry + self.exit


# ---- the buffer ----


@pytest.mark.parametrize(("size", "pages"), [(64, 1), (252, 1), (253, 2), (1514, 6), (1518, 6), (1532, 6), (1533, 7)])
def test_a_frame_takes_pages_with_a_header_of_the_cards_own(size, pages):
    assert NE2000.rx_header == 4
    assert NE2000.stored(size) == pages * 256


def test_without_pages_it_takes_its_bytes():
    assert NE2000.replace({"page": 1, "rx_header": 0}).stored(1001) == 1001


def receiver(spec=NE2000, room=1024, counts_bytes=True):
    env = Environment()
    one = SlaveReceiver(env, spec, 10 * US, lambda nbytes: nbytes * US, Resource("pc", RECEIVER, 0))
    one.medium = SEGMENT
    one.room, one.ring_of_bytes = room, counts_bytes
    return env, one


def raised(env, one):
    """The times when the receiver raises its line, from now on."""
    times = []
    one.interrupt = lambda: times.append(env.now)
    return times


def test_pages_fill_and_what_finds_none_is_dropped_and_moved_frames_give_theirs_back():
    env, card = receiver(room=4 * 256)
    times = raised(env, card)
    first, second, third, fourth = Frame(600), Frame(253), Frame(64), Frame(252)
    card.put(first)  # three pages
    card.put(second)  # two
    card.put(third)  # one
    assert list(card.ready) == [first, third]
    assert (card.room, card.drops) == (0, {"receive buffer": 1})
    card.put(fourth)
    card.ready.popleft()
    card.refill(first)
    assert card.room == 3 * 256
    card.put(second)
    assert list(card.ready) == [third, second]
    assert (card.room, card.drops) == (256, {"receive buffer": 2})
    assert (card.frames_arrived, card.frames_inside) == (5, 2)
    assert len(times) == 3


def test_a_driver_may_count_frames_instead():
    _, card = receiver(room=2, counts_bytes=False)
    for _ in range(3):
        card.put(Frame(1518))
    assert (len(card.ready), card.room, card.drops) == (2, 0, {"receive buffer": 1})
    card.refill(card.ready.popleft())
    assert card.room == 1


def test_a_host_that_is_too_slow_drops_in_the_cards_buffer():
    """A ring of six pages holds one long frame, until that has been moved."""
    station = Station(computer(nics__0__driver__rx_ring_bytes=6 * 256))
    handled = station.both + station.bill("receive", 1514)
    station.receive(1000 * US, 1518)
    station.receive(1000 * US + handled - 1, 1518)
    station.receive(1000 * US + handled + 1, 1518)
    station.run(LONG)
    assert station.nic.drops == {"receive buffer": 1}
    assert [size for _, size in station.taken] == [1518, 1518]
    assert station.nic.receiver.room == 6 * 256


# ---- called early ----


def test_how_early_a_driver_is_called():
    """By its own duration, but not before enough bytes have arrived; or with the last bit."""
    card = NE2000.replace({"rx_early": 64})
    assert card.rx_lead_time(SEGMENT, 1000, 300 * US) == 300 * US
    assert card.rx_lead_time(SEGMENT, 1000, 900 * US) == SEGMENT.time(1000 - 64)
    assert card.rx_lead_time(SEGMENT, 64, 300 * US) == card.rx_lead_time(SEGMENT, 60, 300 * US) == 0
    assert NE2000.rx_lead_time(SEGMENT, 1000, 300 * US) == 0


def test_a_driver_called_early_is_done_with_the_last_bit():
    station = Station(computer("3c509/3c509-odi", nics__0__rx_early=60))
    handled = station.entry + station.bill("receive", 1078)
    assert handled < SEGMENT.time(1082 - 60)
    assert handled == station.port.handling_time(station.spec.bill, station.kernel, 1078)
    station.receive(2000 * US, 1082)
    station.run(2000 * US - handled)
    assert station.driver.interrupts == 0
    station.run(LONG)
    assert station.taken == [(2000 * US + station.exit, 1082)]  # protocols run after the handler
    assert station.driver.interrupts == 1
    assert sum(station.host.processors[0].busy().values()) == handled + station.exit


def test_it_is_not_called_before_there_is_something_to_look_at():
    station = Station(computer("3c509/3c509-odi", nics__0__rx_early=900))
    handled = station.entry + station.bill("receive", 1078)
    early = SEGMENT.time(1082 - 900)
    assert early < handled
    station.receive(2000 * US, 1082)
    station.run(LONG)
    assert station.taken == [(2000 * US - early + handled + station.exit, 1082)]


def test_without_early_calls_it_begins_with_the_last_bit():
    station = Station(computer())
    station.receive(2000 * US, 1082)
    station.run(LONG)
    assert station.taken == [(2000 * US + station.both + station.bill("receive", 1078), 1082)]


@pytest.mark.parametrize("before", range(440, 520, 4))
def test_a_driver_at_work_already_is_not_done_before_the_last_bit(before):
    """It has been called for another reason, so its entry time has already passed."""
    station = Station(computer("3c509/3c509-odi"), duration=2000 * US - before * US)
    station.send(64)
    station.receive(2000 * US, 1082)
    station.run(LONG)
    ((time, _),) = station.taken
    assert 2000 * US <= time <= 2000 * US + 2 * station.entry + station.bill("free", 1)


# ---- sending begins early ----


def workstation(nic, duration=LONG, **changes):
    spec = computer(nic, **changes)
    station = Station(spec, duration)
    return station, NcpWorkstation(station.host, spec, "pc", "far")


@pytest.mark.parametrize(("tx_early", "first"), [(20, 20), (60, 60), (256, 60), (None, 60)])
def test_sending_begins_when_as_much_is_there_as_the_card_wants(tx_early, first):
    """A request of 60 bytes; the rest is moved while it is on the wire, and the accounts include all of it."""
    station, ncp = workstation("3c509/3c509-odi", nics__0__tx_early=tx_early)
    path, bus, processors = station.port.adapter.path, station.port.bus, station.spec.processors
    times = {nbytes: path.move_time(bus, processors, nbytes, write=True)[0] for nbytes in (60, first, 60 - first)}
    ncp.read(1024, lambda: None)
    made = station.spec.bill().cycles("protocol", station.spec.system.ncp.request_cycles).work().total
    station.run(LONG)
    handed_over = made + station.bill("transmit", 60)
    assert station.mac.log == [(handed_over, 64)]
    alone = station.spec.replace("nics.0.tx_early", None).ports()[0].bill_transmit(station.spec.bill(), 60).work().total
    assert handed_over == made + alone - times[60] + times[first]
    assert station.host.processors[0].busy()["programmed I/O"] == times[first] + times[60 - first]
    assert station.host.processors[0].idle_until_now() == LONG - handed_over - times[60 - first]


def test_a_request_that_is_queued_is_finished_once():
    """The driver begins and finishes it when there is room, and the process has nothing more to do with it."""
    station, ncp = workstation("3c509/3c509-odi", nics__0__driver__tx_ring=1, nics__0__tx_early=20)
    station.send(1000)
    ncp.read(1024, lambda: None)
    station.run(3 * LONG)
    assert station.mac.sizes == [1000, 64]
    path, bus, processors = station.port.adapter.path, station.port.bus, station.spec.processors
    moved = sum(path.move_time(bus, processors, nbytes, write=True)[0] for nbytes in (20, 40))
    assert station.host.processors[0].busy()["programmed I/O"] == moved


def test_a_queued_frame_is_begun_and_finished_when_there_is_room():
    """The ring holds one: the second is handed over when the first has been taken back, and its rest follows."""
    spec = computer("3c509/3c509-odi", nics__0__driver__tx_ring=1, nics__0__tx_early=100)
    station = Station(spec)
    station.send(1000, 1000)
    assert station.driver.straight() == QUEUED
    station.run(2 * LONG)
    freed = LONG + station.both
    assert station.freed_at == [(0, 1000), (freed + station.bill("transmit", 996), 1000)]
    assert station.mac.times == [0, freed + station.bill("transmit", 996)]
    moved = spec.nics[0].path.move_time(station.port.bus, spec.processors, 100, True)[0]
    moved += spec.nics[0].path.move_time(station.port.bus, spec.processors, 896, True)[0]
    assert station.host.processors[0].busy()["programmed I/O"] == moved
    assert station.bill("rest", 996) > 0


# ---- which part starts the next frame ----


BCLK = 1e12 / 8_333_333
ACCESS = 7 * BCLK  # 8 bits at a port: six clocks of the bus, and one for synchronisation


@pytest.mark.parametrize("received", [False, True])
def test_a_chip_that_is_not_chained_is_started_by_its_driver(received):
    """The handler does this first: it looks (a read, two writes), reads the outcome of the frame (two), and writes the
    location of the next one (five). It takes received frames only later. if_ed.c: edintr, ed_xmit. The entry needs no
    access to the interrupt controller, as DOS masks nothing."""
    station = Station(computer(nics__0__driver__handles_first="sent"))
    station.send(1000, 500)
    if received:
        station.receive(LONG, 300)
    station.run(3 * LONG)
    way = station.spec.processors.code_time(station.kernel.handler_cycles)
    assert station.mac.times[1] - LONG == pytest.approx(way + 10 * ACCESS, abs=9)
    assert station.mac.sizes == [1000, 500]
    start = station.bill("start")
    assert start == pytest.approx(5 * ACCESS, abs=9)
    assert station.freed_at[0][0] == LONG + station.both + start + station.bill("free", 1)
    assert station.freed_at[1][0] == station.mac.times[1] + LONG + station.both + station.bill("free", 1)


@pytest.mark.parametrize(("masks", "time"), [(True, 10.2 * US), (False, 7.2 * US)])
def test_the_least_of_accesses_is_within_a_gap_unless_the_line_is_masked(masks, time):
    """Masking takes four accesses to the interrupt controller. The status is read and four registers are written by a
    486 of 50 MHz."""
    least = {"look_writes": 0, "free_reads": 0, "start_writes": 4}
    changes = {f"nics__0__driver__{name}": value for name, value in least.items()}
    changes |= {"system__kernel__masks_interrupts": masks, "system__kernel__interrupt_cycles": 60}
    station = Station(computer(**changes, processors__relative_cpi=2.5))
    station.send(1000, 500)
    station.run(2 * LONG)
    assert station.mac.times[1] - LONG == pytest.approx(4 * 0.75 * US * masks + 3 * US + 5 * ACCESS, abs=9) == time
    assert (time > SEGMENT.gap) == masks
    assert SEGMENT.gap == 9.6 * US


def test_a_handler_at_work_starts_it_with_its_next_look():
    """It has started with a received frame shortly before the first sent frame was done."""
    station = Station(computer())
    station.send(1000, 500)
    station.receive(LONG - 10 * US, 300)
    station.run(3 * LONG)
    taken = LONG - 10 * US + station.both + station.bill("receive", 296)
    work = station.bill("free", 1) + station.bill("start")
    assert station.taken == [(taken + work, 300)]  # protocols run after the handler
    assert station.mac.times[1] - taken == pytest.approx(10 * ACCESS, abs=9)
    assert station.driver.interrupts == 2


def test_a_handler_that_takes_received_frames_first_starts_the_next_one_when_none_is_left():
    """8390.c: ei_interrupt. Three frames are in; the handler is at the first one's last byte when the chip is done."""
    station = Station(computer(nics__0__driver__handles_first="received"))
    station.send(1000, 500)
    for _ in range(3):
        station.receive(LONG - US, 300)
    station.run(3 * LONG)
    begun = LONG - US + station.both
    assert station.mac.times[1] == pytest.approx(begun + 3 * station.bill("receive", 296) + 10 * ACCESS, abs=20)
    assert station.driver.interrupts == 2


def test_a_frame_for_a_busy_chip_is_only_moved():
    """The handler starts it later. An idle chip is started as the frame is handed over."""
    station, ncp = workstation("ne2000/ne2000-odi")
    assert station.driver.starts()
    station.send(1000)
    assert not station.driver.starts()
    ncp.read(1024, lambda: None)
    station.run(LONG - 1)
    made = station.spec.bill().cycles("protocol", station.spec.system.ncp.request_cycles).work().total
    processor = station.host.processors[0]
    whole = made + station.bill("transmit", 60)
    assert sum(processor.busy().values()) == whole - station.bill("start")
    station.run(3 * LONG)
    assert station.mac.sizes == [1000, 64]
    finished = 2 * (station.both + station.bill("free", 1))
    assert sum(processor.busy().values()) == whole + finished


def test_where_ring_work_is_deferred_so_is_the_look():
    station = Station(computer(system__kernel__ring_work="deferred", system__kernel__deferred_cycles=500))
    station.send(1000, 500)
    station.run(2 * LONG)
    interrupt = station.bill("interrupt")
    deferred = station.spec.bill().cycles("interrupt", 500).work().total
    assert station.mac.times[1] - LONG == pytest.approx(interrupt + deferred + 10 * ACCESS, abs=9)


def test_a_chip_that_is_chained_does_not_wait_for_its_driver():
    """An 82586 goes through its lists: 17 words at 4 clocks of 8 MHz."""
    station = Station(computer("etherexpress16/exp16-odi"))
    station.send(1000, 500)
    station.run(3 * LONG)
    assert station.mac.log == [(0, 1000), (LONG + 17 * 4 * US // 8, 500)]


def test_its_driver_has_to_be_told_of_every_frame():
    with pytest.raises(ScenarioError) as error:
        computer(nics__0__driver__tx_interrupt={"policy": "every-nth", "n": 2})
    assert str(error.value) == (
        'nics.0.driver.tx_interrupt.policy: "every-nth" would leave frames unsent: this card needs an interrupt after '
        'every frame (tx_chained is false); allowed here: "every-frame"'
    )
    computer("etherexpress16/exp16-odi", nics__0__driver__tx_interrupt={"policy": "every-nth", "n": 2})


# ---- notified only of room ----


def test_a_card_tells_of_room_when_there_was_none():
    """Two fit, and a buffer is free once its frame has been moved."""
    station = Station(computer("3c509/3c509-odi"))
    station.send(1000)
    station.run(2 * LONG)
    assert station.freed_at == [(0, 1000)]
    assert station.driver.interrupts == 0
    assert sum(station.host.processors[0].busy().values()) == 0
    start = station.env.now
    station.send(1000, 900, 800)
    station.run(10 * LONG)
    assert station.mac.sizes == [1000, 1000, 900, 800]
    room = start + LONG + station.both
    assert station.freed_at[1:] == [(start, 1000), (start, 900), (room + station.bill("transmit", 796), 800)]
    assert station.driver.interrupts == 2  # the third fills it again
    assert station.nic.transmitter.queued == 0


def test_a_buffer_that_is_free_at_once_is_paid_for_at_once():
    free = {"nics__0__driver__free_cycles": 500, "nics__0__driver__free_reads": 1}
    moved = Station(computer("3c509/3c509-odi", **free))
    told = Station(computer("3c509/3c509-odi", **free, nics__0__driver__tx_interrupt={"policy": "every-frame"}))
    assert moved.bill("transmit", 996) == told.bill("transmit", 996) + told.bill("free", 1)
    assert moved.bill("free", 1) == 0


def test_a_bus_master_has_to_be_told():
    with pytest.raises(ScenarioError) as error:
        computer("at1500/at1500-odi", nics__0__driver__tx_interrupt={"policy": "when-room"})
    assert "needs a card that is not a bus master" in str(error.value)


# ---- given up ----


@pytest.mark.parametrize("nic", ["ne2000/ne2000-odi", "3c509/3c509-odi", "at1500/at1500-odi"])
@pytest.mark.parametrize(("fails", "tries", "left"), [(0, 1, 0), (1, 2, 0), (3, 4, 0), (4, 4, 1), (9, 4, 1)])
def test_a_frame_given_up_is_sent_again_so_often_and_then_let_go(nic, fails, tries, left):
    """The card gives a frame up at some time; the driver sees that in its handler."""
    changes = {"nics__0__driver__tx_interrupt": {"policy": "every-frame"}, "nics__0__driver__tx_retries": 3}
    station = Station(computer(nic, **changes), fails=fails)
    station.send(1000)
    station.run(20 * LONG)
    assert station.mac.sizes == [1000] * tries
    assert len(station.freed_at) == 1
    told = station.spec.nics[0].tx_status_time(station.port.bus) if nic.startswith("at1500") else 0
    assert station.freed_at[0][0] == station.mac.times[-1] + LONG + told + station.both + station.bill("free", 1)
    assert station.nic.given_up == {}
    assert station.nic.transmitter.queued == 0
    handled = station.both + station.bill("free", 1)
    again = station.mac.times[1:]
    if nic != "at1500/at1500-odi":  # it fetches the frame again
        assert again == [time + LONG + handled for time in station.mac.times[:-1]]


@pytest.mark.parametrize(("fails", "tries"), [(0, 1), (1, 2), (3, 4), (9, 4)])
def test_a_frame_given_up_is_told_of_though_its_buffer_is_free(fails, tries):
    """The chip stops with it: 3c509.c, TxComplete. A successfully sent frame is not reported."""
    station = Station(computer("3c509/3c509-odi", nics__0__driver__tx_retries=3), fails=fails)
    station.send(1000)
    station.run(20 * LONG)
    assert station.mac.sizes == [1000] * tries
    assert station.freed_at == [(0, 1000)]
    assert station.driver.interrupts == min(fails, 4)
    assert station.nic.given_up == {}
    assert station.nic.transmitter.queued == 0


def test_a_driver_that_does_not_try_again_lets_go_at_once():
    station = Station(computer(nics__0__driver__tx_retries=0), fails=1)
    station.send(1000, 500)
    station.run(20 * LONG)
    assert station.mac.sizes == [1000, 500]
    assert len(station.freed_at) == 2
    assert station.nic.given_up == {}


def test_a_frame_sent_again_goes_behind_those_on_the_card():
    station = Station(computer(nics__0__driver__tx_retries=1), fails=1)
    station.send(1000, 500, 400)
    station.run(20 * LONG)
    assert station.mac.sizes == [1000, 500, 1000, 400]
    assert [size for _, size in station.freed_at] == [500, 1000, 400]


# ---- which handlers interrupt which ----


@pytest.mark.parametrize("nested", [True, False])
@pytest.mark.parametrize("masked", [True, False])
def test_sending_is_interrupted_unless_it_is_masked(masked, nested):
    """A frame arrives while the processor hands a request to the driver: nothing is lost in either case, and protocols
    see it when the request has been handed over. It does not matter whether handlers of different adapters may nest."""
    changes = {"system__kernel__send_masked": masked, "system__kernel__nested_interrupts": nested}
    station, ncp = workstation("ne2000/ne2000-odi", **changes)
    station.host.handlers["pc"] = station
    made = station.spec.bill().cycles("protocol", station.spec.system.ncp.request_cycles).work().total
    sending = station.bill("transmit", 60)
    handling = station.both + station.bill("receive", 60)
    ncp.read(1024, lambda: None)
    station.receive(made + 20 * US, 64)
    station.run(LONG)
    assert sending > 20 * US
    assert station.mac.times == [made + sending + (0 if masked else handling)]
    assert station.taken == [(made + sending + handling, 64)]


@pytest.mark.parametrize("nested", [True, False])
def test_a_masked_restart_is_not_interrupted_either(nested):
    """Two wait above a full ring; a frame arrives while the first of them is handed over. Protocols see it after that,
    in the same deferred work or in the next."""
    times = {}
    for masked in (True, False):
        changes = {"system__kernel__send_masked": masked, "system__kernel__nested_interrupts": nested}
        spec = computer(nics__0__driver__tx_ring=1, **changes)
        station = Station(spec)
        station.send(1000, 800, 600)
        freed = LONG + station.both + station.bill("free", 1)
        station.receive(freed + 20 * US, 64)
        station.run(10 * LONG)
        handling = station.both + station.bill("receive", 60)
        restart = station.bill("transmit", 796)
        times[masked] = (station.mac.times[1] - freed - restart, station.taken[0][0] - freed - handling)
        assert station.mac.sizes == [1000, 800, 600]
        assert len(station.freed_at) == 3
    assert times == {True: (0, restart), False: (handling, restart)}


# ---- the protocols' look at the header ----


@pytest.mark.parametrize("nic", ["ne2000/ne2000-odi", "at1500/at1500-odi", "3c509/3c509-odi"])
def test_the_look_at_a_header_is_billed_once_a_frame_received(nic):
    station = Station(computer(nic, system__kernel__lookahead_cycles=1000))
    for number in range(3):
        station.receive((number + 1) * LONG, 1082)
    station.send(1000, 500)
    station.run(10 * LONG)
    assert len(station.taken) == 3
    assert station.host.processors[0].busy()["protocol"] == 3 * station.spec.processors.code_time(1000)


# ---- on a segment ----


def test_a_driver_called_early_is_done_with_the_last_bit_on_a_segment():
    env = Environment(1)
    segment = Segment(env, SEGMENT, "segment")
    station = Station(computer("3c509/3c509-odi"))
    host = Host(env, station.spec, "pc", half_duplex=True)
    near, far = segment.mac("pc", 20), segment.mac("far", 0)
    host.nics[0].join(near, SEGMENT)
    segment.learn("pc", near)
    far.attach(host.nics[0].receiver)  # nothing arrives there
    taken = []
    host.handlers["pc"] = station
    station.arriving = lambda frame: taken.append(env.now)
    far.put(Frame(1082, "pc"), lambda frame, sent: None)
    env.run(LONG)
    assert taken == [SEGMENT.time(PREAMBLE + 1082) + SEGMENT.propagation(0, 20) + station.exit]
    assert station.bill("receive", 1082 - FCS) < SEGMENT.time(1082 - 60)
