"""Exact times of conventional PCI: bursts, cuts at the latency timer, accesses in mid-burst."""

import pytest

from netsim.bus import PciBus, PciSpec, Transaction
from netsim.engine import Environment

CLOCK = 30_000  # ps of a clock at 33 1/3 MHz


def spec(**more):
    values = {
        "clock": f"{1e6 / CLOCK} MHz",
        "width": "4 B",
        "latency_timer": 64,
        "read_latency": 16,
        "write_latency": 4,
        "register_read_latency": 6,
        "register_write_latency": 6,
        "bridge_crossing": "150 ns",
    }
    return PciSpec(**{**values, **more})


class TestBursts:
    def test_a_write_burst_at_32_bits(self):
        # turnaround, address, 4 clocks of latency, 16 data phases
        assert spec().transfer_time(64, write=True) == (1 + 1 + 4 + 16) * CLOCK

    def test_a_read_burst_turns_the_bus_around_once_more(self):
        assert spec().transfer_time(64, write=False) == (1 + 1 + 1 + 16 + 16) * CLOCK

    def test_an_incomplete_word_takes_a_whole_data_phase(self):
        assert spec().transfer_time(65, write=True) == (6 + 17) * CLOCK

    def test_long_transfers_are_cut_into_bursts(self):
        assert spec().transfer_time(1514, True, max_burst=256) == (6 * 6 + 379) * CLOCK
        assert spec().transfer_time(1514, True) == (6 + 379) * CLOCK

    def test_64_bits_at_66_mhz(self):
        fast = spec(clock=f"{1e6 / 15_000} MHz", width="8 B")
        assert fast.transfer_time(1514, True) == (6 + 190) * 15_000
        assert fast.transfer_time(1514, False) == (19 + 190) * 15_000

    def test_nothing_takes_no_time(self):
        assert spec().transfer_time(0, True) == 0

    def test_register_accesses(self):
        assert spec().access_time(1, 0) == (1 + 1 + 1 + 6 + 1) * CLOCK
        assert spec().access_time(0, 1) == (1 + 1 + 6 + 1) * CLOCK
        assert spec().access_time(2, 3) == 47 * CLOCK

    def test_the_clock_of_the_standard_is_rounded_once(self):
        assert spec(clock="33.333333 MHz").clocks(1000) == round(1000 * 1e12 / 33_333_333)


class Master:
    """A DMA engine that notes its grants and its end."""

    def __init__(self, env, bus, restart=6 * CLOCK):
        self.env, self.bus, self.log = env, bus, []
        self.dma = Transaction(restart, granted=self._granted, done=self._done)

    def _granted(self, dma):
        self.log.append(("granted", self.env.now, dma.cut))
        dma.cut = False

    def _done(self, dma):
        self.log.append(("done", self.env.now))

    def start(self, time, duration):
        self.env.call_at(time, lambda _: self.bus.request(self.dma, duration))


@pytest.fixture
def env():
    return Environment()


@pytest.fixture
def bus(env):
    return PciBus(env, spec(), "bus")


LIMIT = 64 * CLOCK  # the latency timer


class TestArbitration:
    def test_alone_a_master_keeps_the_bus(self, env, bus):
        one = Master(env, bus)
        one.start(100, 10 * LIMIT)
        env.run()
        assert one.log == [("granted", 100, False), ("done", 100 + 10 * LIMIT)]
        assert bus.busy_until(env.now) == 10 * LIMIT

    def test_a_second_master_waits_for_the_latency_timer(self, env, bus):
        one, two = Master(env, bus), Master(env, bus)
        one.start(0, 2 * LIMIT)
        two.start(CLOCK, CLOCK)
        env.run()
        assert two.log == [("granted", LIMIT, False), ("done", LIMIT + CLOCK)]
        resumed = LIMIT + CLOCK
        end = resumed + LIMIT + 6 * CLOCK  # what was left, and the overhead of taking it up again
        assert one.log == [("granted", 0, False), ("granted", resumed, True), ("done", end)]
        assert bus.busy_until(env.now) == end

    def test_within_the_latency_timer_nobody_is_cut(self, env, bus):
        one, two = Master(env, bus), Master(env, bus)
        one.start(0, LIMIT - CLOCK)
        two.start(CLOCK, CLOCK)
        env.run()
        assert one.log[-1] == ("done", LIMIT - CLOCK)
        assert two.log[0] == ("granted", LIMIT - CLOCK, False)

    def test_after_the_latency_timer_the_bus_goes_at_once(self, env, bus):
        one, two = Master(env, bus), Master(env, bus)
        one.start(0, 3 * LIMIT)
        two.start(2 * LIMIT, CLOCK)
        env.run()
        assert two.log[0] == ("granted", 2 * LIMIT, False)
        assert one.log[-1] == ("done", 3 * LIMIT + CLOCK + 6 * CLOCK)

    def test_two_long_transfers_take_turns(self, env, bus):
        one, two = Master(env, bus), Master(env, bus)
        one.start(0, 2 * LIMIT)
        two.start(0, 2 * LIMIT)
        env.run()
        grants = [time for kind, time, *_ in one.log + two.log if kind == "granted"]
        assert sorted(grants) == [0, LIMIT, 2 * LIMIT, 3 * LIMIT, 4 * LIMIT, 4 * LIMIT + 12 * CLOCK]
        assert bus.busy_until(env.now) == env.now == 4 * LIMIT + 24 * CLOCK


class TestAccesses:
    def test_on_an_idle_bus_nobody_waits(self, env, bus):
        env.run(until=10)
        assert bus.access(9 * CLOCK) == 0
        assert bus.free == 10 + 9 * CLOCK

    def test_two_processors_queue(self, env, bus):
        assert bus.access(9 * CLOCK) == 0
        assert bus.access(9 * CLOCK) == 9 * CLOCK
        assert bus.access(9 * CLOCK) == 18 * CLOCK

    def test_in_mid_burst_it_waits_for_the_latency_timer_and_delays_the_burst(self, env, bus):
        one = Master(env, bus)
        one.start(0, 2 * LIMIT)
        env.run(until=CLOCK)
        assert bus.access(9 * CLOCK) == LIMIT - CLOCK
        env.run()
        assert one.log[-1] == ("done", 2 * LIMIT + (9 + 6) * CLOCK)
        assert bus.busy_until(env.now) == env.now

    def test_a_burst_that_ends_before_its_latency_timer_is_not_cut(self, env, bus):
        one = Master(env, bus)
        one.start(0, 10 * CLOCK)
        env.run(until=CLOCK)
        assert bus.access(9 * CLOCK) == 9 * CLOCK
        env.run()
        assert one.log[-1] == ("done", 10 * CLOCK)
        assert bus.busy == 19 * CLOCK

    def test_a_transfer_waits_for_an_access(self, env, bus):
        one = Master(env, bus)
        assert bus.access(9 * CLOCK) == 0
        one.start(CLOCK, 10 * CLOCK)
        env.run()
        assert one.log == [("granted", 9 * CLOCK, False), ("done", 19 * CLOCK)]
