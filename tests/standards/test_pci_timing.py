"""Exact times of conventional PCI: bursts, how a chipset handles them, cuts at the latency timer, accesses."""

import pytest

from netsim.bus import Bus, BusSpec, ChipsetSpec, PciSlot, PciSpec, Tenure, Transaction
from netsim.engine import Environment
from netsim.errors import ScenarioError

CLOCK = 30_000  # ps of a clock at 33 1/3 MHz
CHIPSET = ChipsetSpec(  # the first data of a read arrive in the 16th clock after the address: 3 + 12 of 30 ns before
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
        # idle, address, 3 clocks before DEVSEL#, with which the first of 16 data phases comes
        assert spec().transfer_time(64, write=True) == (1 + 1 + 3 + 16) * CLOCK

    def test_a_read_burst_waits_for_memory(self):
        assert spec().transfer_time(64, write=False) == (1 + 1 + 3 + 12 + 16) * CLOCK

    @pytest.mark.parametrize(("decode", "write", "read"), [(1, 3, 4), (2, 4, 4), (3, 5, 5), (4, 6, 6)])
    def test_one_data_phase_follows_address_selection_and_turnaround(self, decode, write, read):
        """Fast, medium, slow and subtractive decoding (PCI 2.2, 3.6.1): data can come with DEVSEL#, but read data no
        sooner than after the turnaround (3.3.1, 3.3.2)."""
        ready = spec(decode=decode, memory_time=0)
        assert (ready.transfer_time(4, True), ready.transfer_time(4, False)) == (write * CLOCK, read * CLOCK)

    def test_the_turnaround_is_part_of_the_wait_for_memory(self):
        """A fast bridge's memory takes one clock or none: idle, address, turnaround, data."""
        assert [spec(decode=1, memory_time=time).transfer_time(4, False) for time in (0, "30 ns", "60 ns")] == [
            4 * CLOCK, 4 * CLOCK, 5 * CLOCK,
        ]  # fmt: skip

    def test_a_chipset_decodes_in_one_clock_at_least(self):
        with pytest.raises(ScenarioError, match="decode"):
            CHIPSET.replace({"decode": 0})

    def test_an_incomplete_word_takes_a_whole_data_phase(self):
        assert spec().transfer_time(65, write=True) == (5 + 17) * CLOCK

    def test_long_transfers_are_cut_into_bursts(self):
        assert spec().transfer_time(1514, True, max_burst=256) == (6 * 5 + 379) * CLOCK
        assert spec().transfer_time(1514, True) == (5 + 379) * CLOCK

    def test_64_bits_at_66_mhz(self):
        fast = spec(clock=f"{1e6 / 15_000} MHz", width="8 B")
        assert fast.transfer_time(1514, True) == (5 + 190) * 15_000
        assert fast.chipset.memory_time == 24 * 15_000  # more than the 16 clocks for which it may hold a master
        attempt = 1 + 1 + 4 + 1
        assert fast.transfer_time(1514, False) == (attempt + 1 + 1 + 3 + 190) * 15_000
        assert fast.away_time(1514, False) == 360_000 - attempt * 15_000

    def test_nothing_takes_no_time(self):
        assert spec().transfer_time(0, True) == 0

    def test_register_accesses(self):
        """The data phase is the sixth clock after the address."""
        assert spec().access_time(1, 0) == spec().access_time(0, 1) == (1 + 1 + 6) * CLOCK
        assert spec().access_time(2, 3) == 40 * CLOCK

    def test_a_card_takes_its_own_time_whatever_the_clock(self):
        fast = spec(clock=f"{1e6 / 15_000} MHz", register_write_time="20 ns")
        assert fast.access_time(1, 0) == (1 + 1 + 12) * 15_000
        assert fast.access_time(0, 1) == (1 + 1 + 2) * 15_000

    def test_a_fast_card_takes_data_with_its_selection(self):
        """DEVSEL# and data in the first clock after the address of a write; a read has the turnaround there."""
        at_once = spec(register_read_time=0, register_write_time=0)
        assert (at_once.access_time(0, 1), at_once.access_time(1, 0)) == (3 * CLOCK, 4 * CLOCK)

    def test_the_clock_of_the_standard_is_rounded_once(self):
        assert spec(clock="33.333333 MHz").clocks(1000) == round(1000 * 1e12 / 33_333_333)


class TestPrefetch:
    def test_a_read_is_cut_where_the_bridge_has_no_more(self):
        bridge = spec(read_commands="read", read="64 B")
        stopped = 1  # a clock after the last data, if the master wanted more (3.3.3.2.1)
        assert bridge.transfer_time(1514, False) == (24 * 17 + 379 + 23 * stopped) * CLOCK
        assert bridge.transfer_time(64, False) == (17 + 16) * CLOCK
        assert bridge.transfer_time(65, False) == (2 * 17 + 17 + stopped) * CLOCK

    def test_a_write_is_posted_and_not_cut(self):
        assert spec(read="64 B", read_multiple="64 B").transfer_time(1514, True) == (5 + 379) * CLOCK

    def test_the_shorter_of_two_limits_counts(self):
        bridge = spec(read_multiple="256 B")
        assert bridge.transfer_time(1514, False, max_burst=128) == (12 * 17 + 379) * CLOCK
        assert bridge.transfer_time(1514, False, max_burst=512) == (6 * 17 + 379 + 3) * CLOCK  # 3 are stopped
        assert bridge.transfer_time(1514, True, max_burst=512) == (3 * 5 + 379) * CLOCK

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
        assert bridge.transfer_time(1024, False) == (17 + 256) * CLOCK
        assert bridge.transfer_time(1024, False, max_burst=64) == (32 * 17 + 256 + 16) * CLOCK

    def test_a_bridge_on_the_card_hands_out_less(self):
        bridge = {"read_latency": 10, "write_latency": 3, "read": 32, "read_line": 32, "read_multiple": 64}
        behind = spec(bridge=bridge)
        assert behind.transfer_time(128, False) == (2 * 17 + 32) * CLOCK
        assert behind.transfer_time(128, True) == (5 + 3 + 32) * CLOCK
        assert behind.access_time(1, 1) == (8 + 10 + 8 + 3) * CLOCK

    def test_it_makes_the_card_retry_while_it_fetches(self):
        bridge = {"read_latency": 10, "write_latency": 3, "read": 32, "read_line": 32, "read_multiple": 64}
        behind = spec(bridge=bridge)
        assert (behind.away_time(128, False), behind.away_time(128, True)) == (2 * 10 * CLOCK, 0)
        assert spec(bridge=bridge, miss="retry").away_time(128, False) == 2 * (10 + 12 - 7) * CLOCK


class TestMemory:
    def test_it_is_waited_for_in_whole_clocks(self):
        """200 ns are 7 clocks of 30 ns, and 14 of 15."""
        assert spec(memory_time="200 ns").transfer_time(4, False) == (2 + 3 + 7 + 1) * CLOCK
        fast = spec("66.666667 MHz", "8 B", memory_time="150 ns", decode=1)
        assert fast.transfer_time(8, False) == (2 + 10 + 1) * 15_000

    def test_each_burst_waits_for_the_processors_bus(self):
        """In whole clocks, if the chipset needs that bus."""
        taken = spec(concurrent=False, handover="200 ns")
        assert taken.transfer_time(64, True) == (7 + 5 + 16) * CLOCK
        assert taken.transfer_time(64, False) == (7 + 17 + 16) * CLOCK
        assert taken.transfer_time(1514, True, max_burst=256) == (6 * (7 + 5) + 379) * CLOCK
        assert taken.access_time(1, 1) == spec().access_time(1, 1)
        assert spec(handover="200 ns").transfer_time(64, True) == (5 + 16) * CLOCK

    def test_beyond_sixteen_clocks_a_master_must_not_be_held(self):
        """3.5.1.1: the 16th clock after the address has the first data at the latest."""
        assert spec(memory_time="360 ns").holds
        assert not spec(memory_time="361 ns").holds
        assert spec(memory_time="450 ns", decode=1).holds
        assert not spec(memory_time="451 ns", decode=1).holds

    def test_a_master_that_is_sent_away_leaves_the_bus(self):
        """An attempt (idle, address, 4 clocks, stop), and a burst of 5 clocks and the data. Memory answers meanwhile:
        500 ns after the bridge has learned the address, it would claim the next attempt."""
        away = spec(miss="retry", memory_time="500 ns")
        assert away.transfer_time(64, False) == (7 + 5 + 16) * CLOCK
        assert away.away_time(64, False) == 500_000 - 7 * CLOCK
        assert away.away_time(64, True) == spec(memory_time="200 ns").away_time(64, False) == 0
        assert spec(miss="retry", memory_time="200 ns").away_time(64, False) == 0  # the attempt takes longer

    @pytest.mark.parametrize(("clocks", "attempts"), [(3, 500 / 210 + 0.5), (10, 500 / 300 + 0.5), (40, 1)])
    def test_it_comes_again_in_its_own_time(self, clocks, attempts):
        """Half an interval too late on average. An interval is never shorter than an attempt."""
        slot = spec(miss="retry", memory_time="500 ns", retry_clocks=clocks)
        interval = max(clocks, 7) * CLOCK
        assert slot.transfer_time(64, False) == round((7 * attempts + 5 + 16) * CLOCK)
        whole = slot.transfer_time(64, False) + slot.away_time(64, False)
        assert whole == round(attempts * interval) + (5 + 16) * CLOCK

    def test_a_faster_bus_never_makes_a_retried_read_slower(self):
        times = []
        for quarters in range(100, 265):
            slot = spec(f"{quarters / 4} MHz", miss="retry", memory_time="320 ns", retry_clocks=8, decode=3)
            times.append(slot.transfer_time(1514, False) + slot.away_time(1514, False))
        assert times == sorted(times, reverse=True)

    def test_each_burst_waits_unless_what_was_fetched_is_kept(self):
        forgets, keeps = (
            spec(miss="retry", memory_time="500 ns", read_multiple="512 B", restream=one) for one in (False, True)
        )
        assert forgets.away_time(1024, False, max_burst=128) == 8 * (500_000 - 7 * CLOCK)
        assert keeps.away_time(1024, False, max_burst=128) == 2 * (500_000 - 7 * CLOCK)
        assert forgets.transfer_time(1024, False, 128) - keeps.transfer_time(1024, False, 128) == 6 * 7 * CLOCK

    def test_writes_beyond_what_is_posted_go_as_memory_does(self):
        """At 80 MB/s a byte takes 12.5 ns; a clock of 30 ns moves four bytes."""
        slow = spec(post="128 B", memory_rate="80 MB/s")
        assert slow.transfer_time(128, True) == (5 + 32) * CLOCK
        assert slow.transfer_time(1128, True) == 12_500_000
        assert spec(post="128 B", link="80 MB/s").transfer_time(1128, True) == 12_500_000

    def test_a_stream_goes_as_memory_does(self):
        """After the first 360 ns, in whole lines of 400 ns."""
        slow = spec(memory_rate="80 MB/s")
        assert slow.transfer_time(16, False) == (17 + 4) * CLOCK
        assert slow.transfer_time(36, False) == 17 * CLOCK + 2 * 400_000 - 360_000
        assert slow.transfer_time(1032, False) == 17 * CLOCK + 33 * 400_000 - 360_000

    @pytest.mark.parametrize("miss", ["hold", "retry"])
    def test_so_do_data_that_are_fetched_ahead(self, miss):
        """Nor does a bridge that fetches more of them make a read slower, however slow the link."""
        slots = [spec(miss=miss, link="20 MB/s", read_multiple=most) for most in ("128 B", "512 B", "0 B")]
        times = [one.transfer_time(1514, False) + one.away_time(1514, False) for one in slots]
        assert times == sorted(times, reverse=True)
        assert 48 * 1_600_000 < times[-1] < times[0] < 49 * 1_600_000 + 12 * 21 * CLOCK

    def test_longer_bursts_never_make_a_read_slower(self):
        slow = spec(width="8 B", memory_rate="101 MB/s", memory_time="300 ns", decode=2, read_commands="multiple")
        times = [slow.transfer_time(100, False, burst) for burst in (32, 64, 96, 128)]
        assert times == sorted(times, reverse=True)


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
        assert spec().shared_time(16, False, 4) == (17 + 16) * CLOCK // 4
        assert spec().shared_time(16, True, 4) == (5 + 16) * CLOCK // 4
        assert spec().shared_time(16, False, 1) == spec().transfer_time(16, False)

    def test_they_are_cut_where_a_transfer_is(self):
        assert spec(read_line="32 B").shared_time(16, False, 4) == (2 * 17 + 16 + 1) * CLOCK // 4


class TestRestarts:
    """A burst within the latency timer (3.5.4) is never cut itself, only the transfer between two bursts."""

    @pytest.mark.parametrize(("write", "longest", "overhead"), [(False, 48 * 4, 17), (True, 60 * 4, 5)])
    def test_only_a_burst_longer_than_the_latency_timer_begins_anew(self, write, longest, overhead):
        assert spec().restart_time(write, longest) == 0
        assert spec().restart_time(write, longest + 1) == overhead * CLOCK

    def test_it_is_the_bridges_burst_where_that_is_shorter(self):
        bridge = spec(read_multiple="64 B")
        assert bridge.restart_time(False, 2048) == 0
        assert bridge.restart_time(True, 2048) == 5 * CLOCK

    def test_the_latency_timer_counts_from_the_address(self):
        """After the idle clock, and the clocks for the processors' bus."""
        assert spec().tenure(True, 2048) == Tenure(5 * CLOCK, (1 + 64) * CLOCK)
        taken = spec(concurrent=False, handover="200 ns")
        assert taken.tenure(True, 2048) == Tenure((7 + 5) * CLOCK, (7 + 1 + 64) * CLOCK)
        assert spec(latency_timer=0).tenure(True, 2048) == Tenure(5 * CLOCK, (5 + 1) * CLOCK)  # one data phase

    @pytest.mark.parametrize("miss", ["hold", "retry"])
    def test_a_cut_read_waits_for_its_next_line_only(self, miss):
        """However long it is, and however slow memory is: the time for the rest of the data is part of the rest."""
        slow = spec(miss=miss, memory_rate="20 MB/s", memory_time="360 ns")
        restarts = {slow.restart_time(False, size) for size in (512, 2048, 4096)}
        before = 0 if miss == "hold" else 7
        assert restarts == {(17 if miss == "hold" else before + 5) * CLOCK}
        assert {slow.tenure(False, size).least for size in (512, 2048)} == {(before + 1 + 64) * CLOCK}

    def test_it_always_has_one_data_phase_however_long_memory_takes(self):
        """At 20 MB/s four bytes take 200 ns, nearly seven clocks."""
        at_once = spec(latency_timer=0, memory_time=0, decode=1)
        slow = at_once.replace({"chipset.memory_rate": "20 MB/s"})
        assert at_once.tenure(False, 2048).least == (1 + 2 + 1) * CLOCK
        assert slow.tenure(False, 2048).least == pytest.approx(3 * CLOCK + 200_000, rel=0.01)

    def test_memory_that_answers_within_the_turnaround_is_no_slower_than_at_once(self):
        times = [
            spec(decode=1, memory_time=time, memory_rate="1 MB/s").transfer_time(60, False)
            for time in (0, "30 ns", "100 ns")
        ]
        assert times == sorted(times)

    def test_a_burst_that_memory_delays_beyond_the_timer_is_cut(self):
        assert spec().restart_time(False, 128) == 0
        assert spec(memory_rate="20 MB/s").restart_time(False, 128) == 17 * CLOCK

    def test_it_counts_while_a_read_is_held_but_not_while_the_master_retries(self):
        assert spec().tenure(False, 2048) == Tenure(17 * CLOCK, (1 + 64) * CLOCK)
        assert spec(miss="retry").tenure(False, 2048) == Tenure((7 + 5) * CLOCK, (7 + 1 + 64) * CLOCK)
        bridge = {"read_latency": 10, "write_latency": 3, "read": 32, "read_line": 32, "read_multiple": 64}
        behind = spec(bridge=bridge, latency_timer=32)
        assert behind.tenure(False, 2048) == Tenure(0, (1 + 32) * CLOCK)  # 16 + 16 clocks suffice for a burst of 64 B
        assert behind.replace({"latency_timer": 31}).restart_time(False, 2048) == 17 * CLOCK


# For each bus in models/: clock (ps), bytes per data phase.
BUSES = [("pci-32-33", 30_000, 4), ("pci-64-33", 30_000, 8), ("pci-64-66", 15_000, 8)]


@pytest.mark.parametrize(("name", "clock", "width"), BUSES)
class TestBuses:
    def test_bursts(self, name, clock, width):
        slot = BusSpec.from_name(name).under(CHIPSET.replace({"decode": 2, "memory_time": "90 ns"}))
        wait = 90_000 // clock
        for size in (1, 4, 8, 9, 64, 1514, 4096):
            data = -(-size // width)
            assert slot.transfer_time(size, False) == (2 + 1 + wait + data) * clock
            assert slot.transfer_time(size, True) == (2 + 1 + data) * clock
        assert slot.transfer_time(1514, True, max_burst=512) == (3 * 3 + -(-1514 // width)) * clock

    def test_a_register_is_one_data_phase_whatever_the_width(self, name, clock, width):
        slot = BusSpec.from_name(name).under(CHIPSET).with_registers(6 * clock, 6 * clock)
        assert slot.access_time(1, 0) == slot.access_time(0, 1) == 8 * clock

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
