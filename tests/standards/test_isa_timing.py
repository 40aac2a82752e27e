"""Exact times of ISA and EISA: a processor's cycles, a master's transfers, and when a master leaves the bus."""

import pytest

from netsim.bus import Bus, EisaSpec, IsaSpec, Transaction
from netsim.engine import Environment
from netsim.units import S

CLOCK = 125_000  # ps of BCLK at 8 MHz
CYCLES = {
    "clock": "8 MHz",
    "io_cycle_8": 6,
    "io_cycle_16": 3,
    "memory_cycle_8": 6,
    "memory_cycle_16": 3,
    "zero_wait_cycle": 2,
    "zero_wait_cycle_8": 3,
    "synchronisation": 1.5,
    "io_recovery": 0,
    "arbitration": 4,
    "master_cycle": 3,
}


def isa(**more):
    return IsaSpec(**{**CYCLES, "width": 2, **more})


def eisa(**more):
    cycles = {"standard_cycle": 2, "compressed_cycle": 1.5, "burst_cycle": 1}
    own = {"width": 4, "eisa_arbitration": 2, **cycles, "preemption": 64}
    return EisaSpec(**{**CYCLES, **own, **more})


class TestAccesses:
    """The time for which a processor occupies the bus, and what it waits for in addition."""

    @pytest.mark.parametrize(
        ("width", "way", "zero_wait", "clocks"),
        [
            (1, "ports", False, 6),
            (2, "ports", False, 3),
            (4, "ports", False, 2 * 3),  # the controller splits it in two
            (1, "memory", False, 6),
            (2, "memory", False, 3),
            (4, "memory", False, 2 * 3),
            (2, "memory", True, 2),
            (1, "memory", True, 3),
            (1, "ports", True, 3),
            (2, "ports", True, 3),  # only memory can omit the wait state there
        ],
    )
    def test_cycles(self, width, way, zero_wait, clocks):
        assert isa().access_time(1, 0, width, way, zero_wait) == clocks * CLOCK
        assert isa().access_time(2, 3, width, way, zero_wait) == 5 * clocks * CLOCK

    def test_each_has_cycles_of_its_own(self):
        bus = isa(io_cycle_8=7, io_cycle_16=8, memory_cycle_8=9, memory_cycle_16=10, zero_wait_cycle=5,
                  zero_wait_cycle_8=4)  # fmt: skip
        found = [bus.access_time(1, 0, width, way) // CLOCK for way in ("ports", "memory") for width in (1, 2)]
        assert found == [7, 8, 9, 10]
        assert bus.access_time(1, 0, 2, "memory", True) == 5 * CLOCK
        assert bus.access_time(1, 0, 1, "ports", True) == 4 * CLOCK

    def test_a_slot_of_8_bits_splits_16(self):
        assert isa(width=1).access_time(1, 0, 2) == 2 * 6 * CLOCK

    def test_an_eisa_card_has_cycles_of_its_own_kind(self):
        assert eisa().access_time(1, 0, 4) == eisa().access_time(1, 0, 2) == 2 * CLOCK
        assert eisa().access_time(1, 0, 4, "memory") == 2 * CLOCK
        assert eisa().access_time(1, 0, 1) == 6 * CLOCK

    def test_the_processor_is_synchronised_each_time(self):
        assert isa().crossing_time(1) == 3 * CLOCK // 2
        assert isa().crossing_time(7, "memory") == 7 * 3 * CLOCK // 2

    def test_recovery_is_for_ports_alone(self):
        assert isa(io_recovery=5).crossing_time(4, "ports") == 4 * 13 * CLOCK // 2
        assert isa(io_recovery=5).crossing_time(4, "memory") == 4 * 3 * CLOCK // 2

    def test_writes_are_posted_only_to_the_memory_of_eisa_cards(self):
        assert not any(isa().posts(way) or eisa().for_isa().posts(way) for way in ("ports", "memory"))
        assert eisa().posts("memory")
        assert not eisa().posts("ports")


class TestMasters:
    def test_16_bits_in_three_clocks(self):
        """2 bytes in 375 ns are 5.33 MB/s."""
        bus = isa()
        assert bus.transfer_time(4, True) - bus.transfer_time(2, True) == 375_000
        assert 2**20 * S / bus.transfer_time(2**20, True) == pytest.approx(16e6 / 3, rel=1e-5)

    def test_each_burst_is_arbitrated_for(self):
        assert isa().transfer_time(64, True) == (4 + 32 * 3) * CLOCK
        assert isa().transfer_time(64, False, max_burst=16) == (4 * 4 + 32 * 3) * CLOCK
        assert isa().transfer_time(65, False, max_burst=16) == (5 * 4 + 33 * 3) * CLOCK
        assert isa().transfer_time(10, True, max_burst=5) == (2 * 4 + 2 * 3 * 3) * CLOCK  # of three cycles each

    def test_nothing_takes_no_time(self):
        assert isa().transfer_time(0, True) == eisa().transfer_time(0, False, 16) == 0
        assert isa().bursts(0, True) == 0

    def test_eisa_bursts_move_32_bits_a_clock(self):
        """33 MB/s at 8.33 MHz (EISA 3.12)."""
        bus = eisa(clock=f"{25e6 / 3} Hz")
        assert 2**20 * S / bus.transfer_time(2**20, True) == pytest.approx(100e6 / 3, rel=1e-4)

    def test_a_burst_begins_with_a_standard_cycle(self):
        assert eisa().transfer_time(4, True) == (2 + 2) * CLOCK
        assert eisa().transfer_time(64, True) == (2 + 2 + 15) * CLOCK
        assert eisa().transfer_time(64, True, max_burst=32) == 2 * (2 + 2 + 7) * CLOCK

    def test_standard_cycles_take_two_clocks_each(self):
        assert eisa().without_bursts().transfer_time(64, True) == (2 + 16 * 2) * CLOCK

    def test_isa_cards_keep_their_cycles_in_an_eisa_slot(self):
        seen = eisa().for_isa()
        assert seen == isa()
        assert seen.transfer_time(64, True) == (4 + 32 * 3) * CLOCK

    def test_descriptors_moved_together_are_arbitrated_for_once(self):
        assert isa().shared_time(8, False, 4) == (4 + 16 * 3) * CLOCK // 4


@pytest.mark.parametrize(
    ("name", "kind", "clocks"), [("isa-16", IsaSpec, 4 + 757 * 3), ("eisa", EisaSpec, 2 + 2 + 378)]
)
def test_the_buses_in_models(name, kind, clocks):
    """The longest frame in one burst, at a quarter of 33.3 MHz."""
    bus = kind.from_name(name)
    assert bus.transfer_time(1514, True) == round(clocks * 1e12 / 8_333_333)


class Master:
    """A DMA engine that notes its grants and its end."""

    def __init__(self, env, bus, seen, burst):
        self.env, self.bus, self.log = env, bus, []
        self.dma = Transaction(seen.tenure(True, burst), granted=self._granted, resumed=self._resumed, done=self._done)

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


BURST = (4 + 16 * 3) * CLOCK  # of 32 bytes on ISA


class TestIsaTenures:
    """An ISA master cannot be preempted: it stops by itself after each of its bursts."""

    @pytest.mark.parametrize(
        ("asked", "granted"),
        [(1, BURST), (BURST - 1, BURST), (BURST, BURST), (BURST + 1, 2 * BURST), (2 * BURST + 7, 3 * BURST)],
    )
    def test_a_rival_waits_for_the_end_of_the_burst(self, env, asked, granted):
        bus = Bus(env, isa(), "bus")
        one, two = (Master(env, bus, isa(), 32) for _ in range(2))
        one.start(0, 4 * BURST)
        two.start(asked, BURST)
        env.run()
        assert two.log == [("granted", granted), ("done", granted + BURST)]
        assert one.log[1:] == [("resumed", granted + BURST), ("done", 5 * BURST)]
        assert bus.busy_until(env.now) == 5 * BURST  # an interruption costs nothing

    def test_alone_it_goes_on(self, env):
        bus = Bus(env, isa(), "bus")
        one = Master(env, bus, isa(), 32)
        one.start(0, 4 * BURST)
        env.run()
        assert one.log == [("granted", 0), ("done", 4 * BURST)]

    def test_a_processor_waits_for_it_too(self, env):
        bus = Bus(env, isa(), "bus")
        one = Master(env, bus, isa(), 32)
        one.start(0, 2 * BURST)
        env.run(until=CLOCK)
        assert bus.access(6 * CLOCK) == BURST - CLOCK
        env.run()
        assert one.log[-1] == ("done", 2 * BURST + 6 * CLOCK)
        assert bus.busy_until(env.now) == env.now


class TestEisaTenures:
    LIMIT = 64 * CLOCK
    LEAST = (2 + 2) * CLOCK

    def contest(self, env, seen, burst, duration, asked):
        bus = Bus(env, eisa(), "bus")
        one, two = Master(env, bus, seen, burst), Master(env, bus, eisa(), 64)
        one.start(0, duration)
        two.start(asked, CLOCK)
        env.run()
        return one.log, two.log[0][1], bus.busy

    @pytest.mark.parametrize("asked", [1, 10 * CLOCK, 1000 * CLOCK])
    def test_a_master_leaves_8_us_after_somebody_asks(self, env, asked):
        log, granted, busy = self.contest(env, eisa(), 8192, 1600 * CLOCK, asked)
        assert granted == asked + self.LIMIT
        assert self.LIMIT == 8_000_000
        again = 3 * CLOCK  # arbitration, and a standard first cycle instead of a burst's
        assert log[-1] == ("done", 1600 * CLOCK + CLOCK + again)
        assert busy == 1601 * CLOCK + again

    def test_or_at_the_end_of_its_burst_if_that_is_sooner(self, env):
        burst = eisa().transfer_time(64, True)
        _, granted, busy = self.contest(env, eisa(), 64, 10 * burst, burst + 1)
        assert granted == 2 * burst
        assert busy == 10 * burst + CLOCK  # it would have requested the bus again anyway

    def test_one_cycle_it_has_in_any_case(self, env):
        seen = eisa(preemption=0)
        _, granted, _ = self.contest(env, seen, 64, 100 * CLOCK, 1)
        assert granted == self.LEAST

    def test_two_long_transfers_take_turns(self, env):
        bus = Bus(env, eisa(), "bus")
        one, two = Master(env, bus, eisa(), 8192), Master(env, bus, eisa(), 8192)
        one.start(0, 160 * CLOCK)
        two.start(0, 160 * CLOCK)
        env.run()
        grants = sorted(time for what, time in one.log + two.log if what != "done")
        last = 32 * CLOCK + 2 * 3 * CLOCK  # the remainder, and the starts
        assert grants == [0, self.LIMIT, 2 * self.LIMIT, 3 * self.LIMIT, 4 * self.LIMIT, 4 * self.LIMIT + last]
        assert bus.busy_until(env.now) == env.now == 2 * (160 + 2 * 3) * CLOCK

    def test_isa_masters_are_not_preempted(self, env):
        seen = eisa().for_isa()
        _, granted, _ = self.contest(env, seen, 1024, 2 * seen.transfer_time(1024, True), 1)
        assert granted == seen.transfer_time(1024, True) > 3 * self.LIMIT

    def test_a_processor_waits_no_longer(self, env):
        bus = Bus(env, eisa(), "bus")
        one = Master(env, bus, eisa(), 8192)
        one.start(0, 1000 * CLOCK)
        env.run(until=10 * CLOCK)
        assert bus.access(2 * CLOCK) == self.LIMIT
        env.run()
        assert one.log[-1] == ("done", (1000 + 2 + 3) * CLOCK)

    def test_a_processor_that_asks_after_a_rival_does_not_prolong_the_tenure(self, env):
        bus = Bus(env, eisa(), "bus")
        one, two = Master(env, bus, eisa(), 8192), Master(env, bus, eisa(), 64)
        one.start(0, 1000 * CLOCK)
        two.start(1, CLOCK)
        env.run(until=self.LIMIT // 2)
        assert bus.access(2 * CLOCK) == self.LIMIT // 2 + 1
        env.run()
        assert two.log[0][1] == self.LIMIT + 1 + 2 * CLOCK  # the rival follows it
