"""Exact times of conventional PCI: bursts, how a chipset handles them, cuts at the latency timer, accesses."""

import pytest

from netsim.bus import Bus, BusSpec, ChipsetSpec, PciSlot, PciSpec, Tenure, Transaction
from netsim.engine import Environment
from netsim.errors import ScenarioError

CLOCK = 30_000  # ps of a clock at 33 1/3 MHz
CHIPSET = ChipsetSpec(  # the first data of a read arrive after 4 + 12 clocks of 30 ns
    decode=4, memory_time="360 ns", miss="hold", read=0, read_line=0, read_multiple=0, post="1 MiB",
    memory_rate="10 GB/s", crossing="150 ns",
)


def spec(clock=f"{1e6 / CLOCK} MHz", width="4 B", chipset=CHIPSET, **more):
    """A slot, with other values of its chipset."""
    values = {"latency_timer": 64, "register_read_time": "180 ns", "register_write_time": "180 ns"}
    own = {name: more.pop(name) for name in list(more) if name in ChipsetSpec.model_fields}
    return PciSlot(clock=clock, width=width, chipset=chipset.replace(own) if own else chipset, **values | more)


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
        assert fast.chipset.memory_time == 24 * 15_000  # more than the 16 clocks for which it may hold a master
        assert fast.transfer_time(1514, False) == (1 + 1 + 4 + 1 + 7 + 190) * 15_000
        assert fast.away_time(1514, False) == 360_000

    def test_nothing_takes_no_time(self):
        assert spec().transfer_time(0, True) == 0

    def test_register_accesses(self):
        assert spec().access_time(1, 0) == (1 + 1 + 1 + 6 + 1) * CLOCK
        assert spec().access_time(0, 1) == (1 + 1 + 6 + 1) * CLOCK
        assert spec().access_time(2, 3) == 47 * CLOCK

    def test_a_card_takes_its_own_time_whatever_the_clock(self):
        fast = spec(clock=f"{1e6 / 15_000} MHz", register_write_time="20 ns")
        assert fast.access_time(1, 0) == (1 + 1 + 1 + 12 + 1) * 15_000
        assert fast.access_time(0, 1) == (1 + 1 + 2 + 1) * 15_000

    def test_it_claims_an_access_one_clock_after_the_address_at_the_earliest(self):
        """DEVSEL# fast (PCI 2.2, 3.6.1)."""
        at_once = spec(register_read_time=0, register_write_time=0)
        assert at_once.access_time(1, 1) == (1 + 1 + 1 + 1 + 1) * CLOCK + (1 + 1 + 1 + 1) * CLOCK

    def test_the_clock_of_the_standard_is_rounded_once(self):
        assert spec(clock="33.333333 MHz").clocks(1000) == round(1000 * 1e12 / 33_333_333)


class TestPrefetch:
    def test_a_read_is_cut_where_the_bridge_has_no_more(self):
        bridge = spec(read_commands="read", read="64 B")
        assert bridge.transfer_time(1514, False) == (24 * 19 + 379) * CLOCK
        assert bridge.transfer_time(64, False) == (19 + 16) * CLOCK
        assert bridge.transfer_time(65, False) == (2 * 19 + 17) * CLOCK

    def test_a_write_is_posted_and_not_cut(self):
        assert spec(read="64 B", read_multiple="64 B").transfer_time(1514, True) == (6 + 379) * CLOCK

    def test_the_shorter_of_two_limits_counts(self):
        bridge = spec(read_multiple="256 B")
        assert bridge.transfer_time(1514, False, max_burst=128) == (12 * 19 + 379) * CLOCK
        assert bridge.transfer_time(1514, False, max_burst=512) == (6 * 19 + 379) * CLOCK
        assert bridge.transfer_time(1514, True, max_burst=512) == (3 * 6 + 379) * CLOCK

    def test_bursts_are_counted_as_they_are_timed(self):
        bridge = spec(read_commands="line", read_line="64 B")
        assert [bridge.bursts(size, False) for size in (0, 1, 64, 65, 1514)] == [0, 1, 1, 2, 24]
        assert [bridge.bursts(size, True) for size in (0, 1, 64, 65, 1514)] == [0, 1, 1, 1, 1]
        assert [bridge.bursts(size, True, 256) for size in (0, 256, 257)] == [0, 1, 2]

    def test_the_command_goes_by_what_is_wanted(self):
        """PCI 2.2, 3.1.1: less than a line, up to two lines, more than two."""
        by_length = spec()
        assert [by_length.command(size) for size in (1, 31, 32, 64, 65, 4096)] == ["read"] * 2 + ["line"] * 2 + [
            "multiple"
        ] * 2
        assert [spec(read_commands=one).command(4096) for one in ("read", "line", "multiple")] == [
            "read", "line", "multiple"
        ]  # fmt: skip

    def test_short_bursts_ask_for_less(self):
        """A burst of 64 bytes is a Memory Read Line, however many bursts there are."""
        bridge = spec(read_line="32 B")
        assert bridge.transfer_time(1024, False) == (19 + 256) * CLOCK
        assert bridge.transfer_time(1024, False, max_burst=64) == (32 * 19 + 256) * CLOCK

    def test_a_bridge_on_the_card_hands_out_less(self):
        bridge = {"read_latency": 10, "write_latency": 3, "read": 32, "read_line": 32, "read_multiple": 64}
        behind = spec(bridge=bridge)
        assert behind.transfer_time(128, False) == (2 * (19 + 10) + 32) * CLOCK
        assert behind.transfer_time(128, True) == (6 + 3 + 32) * CLOCK
        assert behind.access_time(1, 1) == (10 + 10 + 9 + 3) * CLOCK


class TestMemory:
    def test_it_is_waited_for_in_whole_clocks(self):
        """200 ns are 7 clocks of 30 ns, and 14 of 15."""
        assert spec(memory_time="200 ns").transfer_time(4, False) == (3 + 4 + 7 + 1) * CLOCK
        fast = spec("66.666667 MHz", "8 B", memory_time="150 ns", decode=1)
        assert fast.transfer_time(8, False) == (3 + 1 + 10 + 1) * 15_000

    def test_each_burst_waits_for_the_processors_bus(self):
        """In whole clocks, if the chipset needs that bus."""
        taken = spec(concurrent=False, handover="200 ns")
        assert taken.transfer_time(64, True) == (7 + 6 + 16) * CLOCK
        assert taken.transfer_time(64, False) == (7 + 19 + 16) * CLOCK
        assert taken.transfer_time(1514, True, max_burst=256) == (6 * (7 + 6) + 379) * CLOCK
        assert taken.access_time(1, 1) == spec().access_time(1, 1)
        assert spec(handover="200 ns").transfer_time(64, True) == (6 + 16) * CLOCK

    def test_beyond_sixteen_clocks_a_master_must_not_be_held(self):
        """3.5.1.1: the 16th clock is the last one."""
        assert spec(memory_time="360 ns").holds
        assert not spec(memory_time="361 ns").holds

    def test_a_master_that_is_sent_away_leaves_the_bus(self):
        """It spends an attempt on this (turnaround, address, 4 clocks, stop), and a burst of 7 clocks and the data."""
        away = spec(miss="retry", memory_time="200 ns")
        assert away.transfer_time(64, False) == (7 + 7 + 16) * CLOCK
        assert away.away_time(64, False) == 200_000
        assert away.away_time(64, True) == spec(memory_time="200 ns").away_time(64, False) == 0

    @pytest.mark.parametrize(
        ("clocks", "away", "attempts"), [(0, 200, 1), (3, 245, 3), (7, 305, 1), (33, 990, 1)]
    )
    def test_it_comes_again_in_its_own_time(self, clocks, away, attempts):
        slot = spec(miss="retry", memory_time="200 ns", retry_clocks=clocks)
        assert slot.away_time(64, False) == away * 1000
        assert slot.transfer_time(64, False) == (7 * attempts + 7 + 16) * CLOCK

    def test_each_burst_waits_unless_what_was_fetched_is_kept(self):
        forgets, keeps = (
            spec(miss="retry", memory_time="200 ns", read_multiple="512 B", restream=one) for one in (False, True)
        )
        assert forgets.away_time(1024, False, max_burst=128) == 8 * 200_000
        assert keeps.away_time(1024, False, max_burst=128) == 2 * 200_000
        assert forgets.transfer_time(1024, False, 128) - keeps.transfer_time(1024, False, 128) == 6 * 7 * CLOCK

    def test_writes_beyond_what_is_posted_go_as_memory_does(self):
        """At 80 MB/s a byte takes 12.5 ns; a clock of 30 ns moves four bytes."""
        slow = spec(post="128 B", memory_rate="80 MB/s")
        assert slow.transfer_time(128, True) == (6 + 32) * CLOCK
        assert slow.transfer_time(1128, True) == 12_500_000
        assert spec(post="128 B", link="80 MB/s").transfer_time(1128, True) == 12_500_000

    def test_a_stream_goes_as_memory_does(self):
        """After the first line."""
        slow = spec(memory_rate="80 MB/s")
        assert slow.transfer_time(32, False) == (19 + 8) * CLOCK
        assert slow.transfer_time(1032, False) == 19 * CLOCK + 12_500_000


class TestStandard:
    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            (  # above 66.67 MHz
                {"clock": "1 GHz"},
                "clock: 1 GHz is not a clock of conventional PCI (2.2, 7.6.4.1); allowed: up to 66.67 MHz",
            ),
            ({"width": "2 B"}, "width: 2 B is not a width of PCI (2.2, 3.8); allowed: 4 B, 8 B"),
            ({"width": "16 B"}, "width: 16 B is not a width of PCI (2.2, 3.8); allowed: 4 B, 8 B"),
        ],
    )
    def test_what_it_has_not_is_refused(self, changes, message):
        with pytest.raises(ScenarioError) as error:
            PciSpec.from_name("pci-32-33").replace(changes)
        assert str(error.value) == message


class TestTogether:
    def test_pieces_of_one_burst_share_its_start(self):
        assert spec().shared_time(16, False, 4) == (19 + 16) * CLOCK // 4
        assert spec().shared_time(16, True, 4) == (6 + 16) * CLOCK // 4
        assert spec().shared_time(16, False, 1) == spec().transfer_time(16, False)

    def test_they_are_cut_where_a_transfer_is(self):
        assert spec(read_line="32 B").shared_time(16, False, 4) == (2 * 19 + 16) * CLOCK // 4


class TestRestarts:
    """A burst within the latency timer (3.5.4) is never cut itself, only the transfer between two bursts."""

    @pytest.mark.parametrize(("write", "longest", "overhead"), [(False, 45 * 4, 19), (True, 58 * 4, 6)])
    def test_only_a_burst_longer_than_the_latency_timer_begins_anew(self, write, longest, overhead):
        assert spec().restart_time(write, longest) == 0
        assert spec().restart_time(write, longest + 1) == overhead * CLOCK

    def test_it_is_the_bridges_burst_where_that_is_shorter(self):
        bridge = spec(read_multiple="64 B")
        assert bridge.restart_time(False, 2048) == 0
        assert bridge.restart_time(True, 2048) == 6 * CLOCK


# For each bus in models/: clock (ps), bytes per data phase.
BUSES = [("pci-32-33", 30_000, 4), ("pci-64-33", 30_000, 8), ("pci-64-66", 15_000, 8)]


@pytest.mark.parametrize(("name", "clock", "width"), BUSES)
class TestBuses:
    def test_bursts(self, name, clock, width):
        slot = BusSpec.from_name(name).under(CHIPSET.replace({"decode": 2, "memory_time": "90 ns"}))
        wait = 90_000 // clock
        for size in (1, 4, 8, 9, 64, 1514, 4096):
            data = -(-size // width)
            assert slot.transfer_time(size, False) == (3 + 2 + wait + data) * clock
            assert slot.transfer_time(size, True) == (2 + 2 + data) * clock
        assert slot.transfer_time(1514, True, max_burst=512) == (3 * 4 + -(-1514 // width)) * clock

    def test_a_register_is_one_data_phase_whatever_the_width(self, name, clock, width):
        slot = BusSpec.from_name(name).under(CHIPSET).with_registers(6 * clock, 6 * clock)
        assert (slot.access_time(1, 0), slot.access_time(0, 1)) == (10 * clock, 9 * clock)

    def test_the_most_that_it_carries(self, name, clock, width):
        """132, 264 and 528 MB/s (PCI 2.2, 1.1), which a long burst approaches."""
        seconds = BusSpec.from_name(name).under(CHIPSET).transfer_time(2**20, True) / 1e12
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
        end = resumed + LIMIT + 6 * CLOCK  # the remainder, and the overhead of resuming
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
