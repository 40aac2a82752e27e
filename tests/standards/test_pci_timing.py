"""Exact times of conventional PCI: bursts, cuts at the latency timer, accesses in mid-burst."""

import pytest

from netsim.bus import Bus, PciSpec, Tenure, Transaction
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


class TestPrefetch:
    def test_a_read_is_cut_where_the_bridge_has_no_more(self):
        bridge = spec(read_prefetch="64 B")
        assert bridge.transfer_time(1514, False) == (24 * 19 + 379) * CLOCK
        assert bridge.transfer_time(64, False) == (19 + 16) * CLOCK
        assert bridge.transfer_time(65, False) == (2 * 19 + 17) * CLOCK

    def test_a_write_is_posted_and_not_cut(self):
        assert spec(read_prefetch="64 B").transfer_time(1514, True) == (6 + 379) * CLOCK

    def test_the_shorter_of_two_limits_counts(self):
        bridge = spec(read_prefetch="256 B")
        assert bridge.transfer_time(1514, False, max_burst=128) == (12 * 19 + 379) * CLOCK
        assert bridge.transfer_time(1514, False, max_burst=512) == (6 * 19 + 379) * CLOCK
        assert bridge.transfer_time(1514, True, max_burst=512) == (3 * 6 + 379) * CLOCK

    def test_bursts_are_counted_as_they_are_timed(self):
        bridge = spec(read_prefetch="64 B")
        assert [bridge.bursts(size, False) for size in (0, 1, 64, 65, 1514)] == [0, 1, 1, 2, 24]
        assert [bridge.bursts(size, True) for size in (0, 1, 64, 65, 1514)] == [0, 1, 1, 1, 1]
        assert [bridge.bursts(size, True, 256) for size in (0, 256, 257)] == [0, 1, 2]


class TestTogether:
    def test_pieces_of_one_burst_share_its_start(self):
        assert spec().shared_time(16, False, 4) == (19 + 16) * CLOCK // 4
        assert spec().shared_time(16, True, 4) == (6 + 16) * CLOCK // 4
        assert spec().shared_time(16, False, 1) == spec().transfer_time(16, False)

    def test_they_are_cut_where_a_transfer_is(self):
        assert spec(read_prefetch="32 B").shared_time(16, False, 4) == (2 * 19 + 16) * CLOCK // 4


class TestRestarts:
    """A burst within the latency timer (3.5.4) is never cut itself, only the transfer between two of them."""

    @pytest.mark.parametrize(("write", "longest", "overhead"), [(False, 45 * 4, 19), (True, 58 * 4, 6)])
    def test_only_a_burst_longer_than_the_latency_timer_begins_anew(self, write, longest, overhead):
        assert spec().restart_time(write, longest) == 0
        assert spec().restart_time(write, longest + 1) == overhead * CLOCK

    def test_it_is_the_bridges_burst_where_that_is_shorter(self):
        bridge = spec(read_prefetch="64 B")
        assert bridge.restart_time(False, 2048) == 0
        assert bridge.restart_time(True, 2048) == 6 * CLOCK


# Of each bus in models/: clock (ps), bytes of a data phase, clocks of a read and of a write in which no data move.
BUSES = [("pci-32-33", 30_000, 4, 19, 6), ("pci-64-33", 30_000, 8, 19, 6), ("pci-64-66", 15_000, 8, 19, 6)]


@pytest.mark.parametrize(("name", "clock", "width", "read", "write"), BUSES)
class TestBuses:
    def test_bursts(self, name, clock, width, read, write):
        """As a card sees it that reads by Memory Read Multiple: nothing is cut."""
        bus = PciSpec.from_name(name).replace("read_prefetch", 0)
        for size in (1, 4, 8, 9, 64, 1514, 4096):
            data = -(-size // width)
            assert bus.transfer_time(size, False) == (read + data) * clock
            assert bus.transfer_time(size, True) == (write + data) * clock
        assert bus.transfer_time(1514, True, max_burst=512) == (3 * write + -(-1514 // width)) * clock

    def test_a_register_is_one_data_phase_whatever_the_width(self, name, clock, width, read, write):
        bus = PciSpec.from_name(name)
        assert (bus.access_time(1, 0), bus.access_time(0, 1)) == (10 * clock, 9 * clock)

    def test_the_most_that_it_carries(self, name, clock, width, read, write):
        """132, 264 and 528 MB/s (PCI 2.2, 1.1), which a long burst comes near."""
        seconds = PciSpec.from_name(name).transfer_time(2**20, True) / 1e12
        assert 2**20 / seconds == pytest.approx(width / clock * 1e12, rel=1e-4)


class Master:
    """A DMA engine that notes its grants and its end."""

    def __init__(self, env, bus, restart=6 * CLOCK):
        self.env, self.bus, self.log = env, bus, []
        self.dma = Transaction(Tenure(restart, LIMIT), granted=self._granted, resumed=self._resumed, done=self._done)

    def _granted(self, dma):
        self.log.append(("granted", self.env.now))

    def _resumed(self, dma):
        self.log.append(("resumed", self.env.now))

    def _done(self, dma):
        self.log.append(("done", self.env.now))

    def start(self, time, duration):
        self.env.call_at(time, lambda _: self.bus.request(self.dma, duration))


@pytest.fixture
def env():
    return Environment()


@pytest.fixture
def bus(env):
    return Bus(env, spec(), "bus")


LIMIT = 64 * CLOCK  # the latency timer


class TestArbitration:
    def test_alone_a_master_keeps_the_bus(self, env, bus):
        one = Master(env, bus)
        one.start(100, 10 * LIMIT)
        env.run()
        assert one.log == [("granted", 100), ("done", 100 + 10 * LIMIT)]
        assert bus.busy_until(env.now) == 10 * LIMIT

    def test_a_second_master_waits_for_the_latency_timer(self, env, bus):
        one, two = Master(env, bus), Master(env, bus)
        one.start(0, 2 * LIMIT)
        two.start(CLOCK, CLOCK)
        env.run()
        assert two.log == [("granted", LIMIT), ("done", LIMIT + CLOCK)]
        resumed = LIMIT + CLOCK
        end = resumed + LIMIT + 6 * CLOCK  # what was left, and the overhead of taking it up again
        assert one.log == [("granted", 0), ("resumed", resumed), ("done", end)]
        assert bus.busy_until(env.now) == end

    def test_within_the_latency_timer_nobody_is_cut(self, env, bus):
        one, two = Master(env, bus), Master(env, bus)
        one.start(0, LIMIT - CLOCK)
        two.start(CLOCK, CLOCK)
        env.run()
        assert one.log[-1] == ("done", LIMIT - CLOCK)
        assert two.log[0] == ("granted", LIMIT - CLOCK)

    def test_after_the_latency_timer_the_bus_goes_at_once(self, env, bus):
        one, two = Master(env, bus), Master(env, bus)
        one.start(0, 3 * LIMIT)
        two.start(2 * LIMIT, CLOCK)
        env.run()
        assert two.log[0] == ("granted", 2 * LIMIT)
        assert one.log[-1] == ("done", 3 * LIMIT + CLOCK + 6 * CLOCK)

    def test_two_long_transfers_take_turns(self, env, bus):
        one, two = Master(env, bus), Master(env, bus)
        one.start(0, 2 * LIMIT)
        two.start(0, 2 * LIMIT)
        env.run()
        grants = [time for what, time in one.log + two.log if what != "done"]
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
        assert one.log == [("granted", 9 * CLOCK), ("done", 19 * CLOCK)]
