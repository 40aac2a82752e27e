"""Exact times of PCI-X, with clocks counted by hand: writes, split reads, sequences, cuts at disconnect boundaries."""

from __future__ import annotations

from typing import Any

import pytest

from netsim.bus import Bus, BusSpec, ChipsetSpec, PcixSlot, PcixSpec, Tenure, Transaction
from netsim.engine import Environment
from netsim.errors import ScenarioError

CLOCK = 7_500  # ps of a clock at 133 1/3 MHz
CHIPSET = ChipsetSpec(
    decode=1, memory_time="300 ns", miss="hold", read=32, read_line=32, read_multiple=256, post="1 MiB",
    memory_rate="10 GB/s", crossing="150 ns", split={"decode": 1, "completion": 512, "outstanding": 32},
)
STARTS = 4  # turnaround, address, attributes, target response of decode A
REQUEST = STARTS + 1  # plus the data phase that signals Split Response


def slot(**changes: Any) -> PcixSlot:
    """A slot of 64 bits at 133 MHz."""
    values = {"clock": "133.333333 MHz", "width": 8, "latency_timer": 64, "register_read_time": "45 ns",
              "register_write_time": "22.5 ns", "chipset": CHIPSET}  # fmt: skip
    own = {name: changes.pop(name) for name in list(changes) if name.partition(".")[0] in ChipsetSpec.model_fields}
    return PcixSlot(**values | {"chipset": CHIPSET.replace(own) if own else CHIPSET} | changes)


def whole(one: PcixSlot, nbytes: int, burst: int | None = None) -> int:
    return one.transfer_time(nbytes, False, burst) + one.away_time(nbytes, False, burst)


class TestTransactions:
    def test_six_data_phases_of_a_write_take_ten_clocks(self) -> None:
        """One more than in conventional PCI: the attribute phase."""
        assert slot().transfer_time(48, True) == (1 + 1 + 1 + 1 + 6) * CLOCK
        assert slot(**{"split.decode": 3}).transfer_time(48, True) == (1 + 1 + 1 + 3 + 6) * CLOCK

    def test_an_incomplete_word_takes_a_whole_data_phase(self) -> None:
        assert slot().transfer_time(49, True) == (STARTS + 7) * CLOCK
        assert slot(width=4).transfer_time(49, True) == (STARTS + 13) * CLOCK

    def test_a_read_is_a_request_and_a_completion_with_the_bus_free_between_them(self) -> None:
        assert slot().transfer_time(64, False) == (REQUEST + STARTS + 8) * CLOCK
        assert slot().away_time(64, False) == 300_000
        assert slot().away_time(64, True) == 0

    def test_a_completion_ends_where_the_bridge_disconnects(self) -> None:
        cut = slot(max_read=2048, **{"split.completion": 128})
        assert cut.transfer_time(1514, False) == (REQUEST + 12 * STARTS + 190) * CLOCK
        assert slot(max_read=2048).transfer_time(1514, False) == (REQUEST + 3 * STARTS + 190) * CLOCK
        assert [one.bursts(1514, False) for one in (cut, slot(max_read=2048))] == [12, 3]

    def test_no_sequence_is_longer_than_4096_bytes(self) -> None:
        assert slot().transfer_time(9014, True) == (3 * STARTS + 1127) * CLOCK
        assert slot().sequences(9014, True) == [4096, 4096, 822]
        assert slot(max_read=4096).sequences(9014, False) == [4096, 4096, 822]
        assert slot(max_read=4096).sequences(9014, False, 3000) == [3000, 3000, 3000, 14]

    def test_nothing_takes_no_time(self) -> None:
        assert slot().transfer_time(0, True) == slot().transfer_time(0, False) == slot().away_time(0, False) == 0

    def test_register_accesses(self) -> None:
        assert slot().access_time(1, 0) == (1 + 1 + 1 + 6 + 1) * CLOCK
        assert slot().access_time(0, 1) == (1 + 1 + 1 + 3 + 1) * CLOCK
        assert slot().access_time(2, 3) == (2 * 10 + 3 * 7) * CLOCK


class TestSequences:
    """1514 bytes in sequences of 512, 512 and 490: 64, 64 and 62 data phases."""

    def test_one_after_the_other_each_waits_for_memory(self) -> None:
        assert slot().transfer_time(1514, False) == (3 * REQUEST + 3 * STARTS + 190) * CLOCK
        assert slot().away_time(1514, False) == 3 * 300_000

    def test_under_way_together_they_wait_once(self) -> None:
        """The second and third requests are sent while the first one waits."""
        assert slot(outstanding=3).away_time(1514, False) == 300_000 - 2 * REQUEST * CLOCK

    def test_two_at_once_leave_the_third_to_wait(self) -> None:
        """It is requested after the first completion, and waits while the second one arrives."""
        away = 300_000 - REQUEST * CLOCK + 300_000 - (STARTS + 64) * CLOCK
        assert away > 0
        assert slot(outstanding=2, memory_time="600 ns").away_time(1514, False) == away + 600_000
        assert slot(outstanding=2).away_time(1514, False) == 300_000 - REQUEST * CLOCK  # the completion is longer

    def test_no_more_than_the_bridge_has_room_for(self) -> None:
        assert whole(slot(outstanding=32, **{"split.outstanding": 1}), 1514) == whole(slot(), 1514)

    def test_one_sequence_waits_once(self) -> None:
        assert slot(max_read=2048).away_time(1514, False) == 300_000

    def test_a_stream_goes_as_memory_does(self) -> None:
        """At 500 MB/s a byte takes 2 ns, and on the bus less than one."""
        slow = slot(max_read=2048, link="500 MB/s")
        assert whole(slow, 1514) == REQUEST * CLOCK + 300_000 + 1514 * 2_000
        assert slot(post="128 B", link="500 MB/s").transfer_time(1128, True) == 1000 * 2_000


class TestTenures:
    """A latency timer of 64 clocks, after that of turnaround; disconnect boundaries every 16."""

    def test_a_transaction_within_the_latency_timer_is_not_cut(self) -> None:
        assert slot().tenure(True, 488) == Tenure(0, least=65 * CLOCK)
        assert slot().restart_time(True, 496) == STARTS * CLOCK
        assert slot(max_read=4096, **{"split.completion": 384}).restart_time(False, 4096) == 0

    @pytest.mark.parametrize(("asked", "cut"), [(0, 68), (60, 68), (68, 68), (69, 84), (99, 100)])
    def test_a_longer_one_goes_on_to_the_next_boundary(self, asked: int, cut: int) -> None:
        tenure = slot().tenure(True, 4096)
        assert tenure.restart == STARTS * CLOCK
        assert tenure.cut(0, asked * CLOCK) == cut * CLOCK

    def test_on_a_bus_with_two_masters(self) -> None:
        """4096 bytes are 516 clocks. Another master asks at 10, gets the bus at 68 for 12, and the rest starts anew."""
        env, ends = Environment(), []
        bus = Bus(env, slot(), "bus")  # type: ignore[arg-type]
        first, second = (
            Transaction(slot().tenure(True, burst), done=lambda _, n=n: ends.append((n, env.now)))  # type: ignore[misc]
            for n, burst in enumerate((4096, 64))
        )
        bus.request(first, slot().transfer_time(4096, True))
        env.call_at(10 * CLOCK, lambda _: bus.request(second, slot().transfer_time(64, True)))
        env.run(10**9)
        assert ends == [(1, (68 + 12) * CLOCK), (0, (516 + 12 + STARTS) * CLOCK)]


BUSES = [("pci-x-66", 15_000), ("pci-x-100", 10_000), ("pci-x-133", 7_500)]


@pytest.mark.parametrize(("name", "clock"), BUSES)
def test_the_catalogues_buses(name: str, clock: int) -> None:
    """533, 800 and 1,066 MB/s, which long writes approach."""
    one = BusSpec.from_name(name).under(CHIPSET)
    assert one.transfer_time(4096, True) == (STARTS + 512) * clock
    assert one.transfer_time(2**20, True) / 2**20 == pytest.approx(clock / 8, rel=0.01)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"clock": "33 MHz"}, "clock: 33 MHz is not a clock of PCI-X 1.0; allowed: 50 to 133.33 MHz"),
        ({"clock": "266 MHz"}, "clock: 266 MHz is not a clock of PCI-X 1.0; allowed: 50 to 133.33 MHz"),
        ({"width": 2}, "width: 2 B is not a width of PCI-X; allowed: 4 B, 8 B"),
    ],
)
def test_what_the_standard_has_not_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ScenarioError) as error:
        PcixSpec.from_name("pci-x-133").replace(changes)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("address", "value", "message"),
    [
        ("split.completion", 100, "100 B do not end at a disconnect boundary; allowed: multiples of 128 B up to 4096"),
        ("split.decode", 4, "4 is not a decode speed of PCI-X; allowed: 1 (A), 2 (B), 3 (C)"),
    ],
)
def test_nor_what_a_bridge_must_not_do(address: str, value: int, message: str) -> None:
    with pytest.raises(ScenarioError) as error:
        CHIPSET.replace(address, value)
    assert str(error.value).startswith(f"{address}: {message}")
