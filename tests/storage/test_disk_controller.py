"""The controller: its steps for a command, its cache's savings, and how it shares the PCI bus."""

from __future__ import annotations

import pytest

from netsim.bus import BusSpec, ChipsetSpec, Transaction
from netsim.errors import ConservationError, ScenarioError, SimulationError
from netsim.storage import StorageSpec
from netsim.units import MS, US
from tests.storage_parts import BUS, DISK, STORAGE, Machine

KB = 1024
UNIT = 8 * KB
STILL = STORAGE.replace({"disk.rotation": "1 ps", "disk.overhead": "1 ms"})  # nothing waits for its platter
CARD = STORAGE.controller


def bus_time(nbytes: int, to_memory: bool) -> int:
    return CARD.bus_time(BUS, nbytes, to_memory)


def platter(spec: StorageSpec, nbytes: int) -> int:
    """ps at the disk, on its first cylinder."""
    return spec.disk.overhead + spec.disk.transfer_time(nbytes)


# ---- one command ----


def test_a_read_goes_through_processor_disk_channel_and_bus() -> None:
    done = Machine(STILL).run((0, 4 * KB, False))
    steps = 200 * US + 100 * US + platter(STILL, 4 * KB) + CARD.channel_time(4 * KB) + bus_time(4 * KB, True)
    assert done == steps


def test_a_write_goes_through_processor_bus_channel_and_disk() -> None:
    done = Machine(STILL).run((0, 4 * KB, True))
    steps = 200 * US + bus_time(4 * KB, False) + 100 * US + CARD.channel_time(4 * KB) + platter(STILL, 4 * KB)
    assert done == steps


def test_the_bus_carries_data_descriptor_and_status() -> None:
    pieces = ((4 * KB, True, 512), (64, False, None), (16, True, None))
    assert bus_time(4 * KB, True) == sum(BUS.transfer_time(*piece) for piece in pieces)
    machine = Machine()
    machine.run((0, 4 * KB, False), (0, 8 * KB, True))
    assert machine.bus.busy_until(machine.env.now) == bus_time(4 * KB, True) + bus_time(8 * KB, False)


def test_what_lies_on_several_disks_is_read_from_all_at_once() -> None:
    machine = Machine(STILL)
    done = machine.run((0, 10 * UNIT, False))
    assert machine.disk_commands == [1] * 5  # two units each
    one = 200 * US + 100 * US + platter(STILL, 2 * UNIT)
    channel = 5 * CARD.channel_time(2 * UNIT)  # slower than the processor issues commands
    assert done == one + channel + bus_time(10 * UNIT, True)


def test_a_small_write_of_level_5_reads_first() -> None:
    machine = Machine(STILL.replace("level", 5))
    done = machine.run((0, 4 * KB, True))
    assert machine.disk_commands == [2, 0, 0, 0, 2]
    ahead = 200 * US + bus_time(4 * KB, False)
    each = 100 * US + 2 * CARD.channel_time(4 * KB) + platter(STILL, 4 * KB)  # the second one waits for the channel
    assert done == ahead + 2 * each


def test_a_whole_row_of_level_5_is_written_at_once() -> None:
    machine = Machine(STORAGE.replace("level", 5))
    machine.run((0, 4 * UNIT, True))
    assert machine.disk_commands == [1] * 5


def test_a_command_beyond_the_end_is_refused() -> None:
    machine = Machine()
    with pytest.raises(SimulationError, match=r"512 B at \d+ of server's array, which has \d+ B"):
        machine.submit(STORAGE.size - 511, 512, False)
    machine.run((STORAGE.size - 512, 512, False))
    for offset, nbytes in ((-1, 10), (0, 0)):
        with pytest.raises(SimulationError):
            machine.submit(offset, nbytes, True)


# ---- several ----


def test_its_processor_can_be_the_bottleneck() -> None:
    slow = STORAGE.replace({"controller.command_time": "9 ms", "controller.disk_command_time": "9 ms"})
    machine = Machine(slow)
    done = machine.run(*((number * UNIT, 512, False) for number in range(40)))
    occupied = dict(machine.controller.occupied(done))
    assert occupied["server disk controller"] == 40 * 2 * 9 * MS
    assert done < 1.05 * 40 * 2 * 9 * MS
    assert occupied["server disks"] < done / 2


def test_a_channel_can_be_the_bottleneck() -> None:
    slow = STORAGE.replace({"controller.channel_rate": "1 MB/s", "disk.rotation": "1 ps"})
    one, five = (Machine(slow.replace("controller.channels", channels)) for channels in (1, 5))
    reads = [(number * UNIT, UNIT, False) for number in range(20)]
    first, second = one.run(*reads), five.run(*reads)
    assert first > 20 * CARD.replace("channel_rate", "1 MB/s").channel_time(UNIT)
    assert second < first / 4
    assert [name for name, _ in five.controller.occupied(second)] == [
        "server disks", "server disk controller", *(f"server SCSI channel {i}" for i in range(5)),
        "server disk commands",
    ]


def test_more_than_it_takes_wait_in_the_drivers_queue() -> None:
    reads = [(number * 1001 * UNIT, 512, False) for number in range(20)]
    one, many = (Machine(STORAGE.replace("controller.commands", count)) for count in (1, 20))
    assert one.run(*reads) > 2 * many.run(*reads)
    assert [offset for offset, _ in one.done] == [offset for offset, _, _ in reads]
    full, roomy = (dict(each.controller.occupied(each.env.now))["server disk commands"] for each in (one, many))
    assert full == one.done[-2][1]  # the last one begins when the one before it is done
    assert roomy == 0


def test_one_interrupt_tells_of_all_that_is_finished_by_then() -> None:
    machine = Machine(STILL)
    machine.controller.interrupt = lambda: None
    for number in range(5):
        machine.submit(number * UNIT, 512, False)
    machine.env.run()
    assert len(machine.controller.finished) == 5
    interrupts: list[int] = []
    machine.controller.interrupt = lambda: interrupts.append(len(machine.controller.finished))
    machine.run((0, 512, False))
    assert interrupts == []  # the driver has not emptied it
    machine.controller.finished.clear()
    machine.run((0, 512, False))
    assert interrupts == [1]


def test_it_shares_the_bus_with_other_masters() -> None:
    """A card with a long transfer keeps it waiting, and is interrupted for it."""
    alone, shared = Machine(STILL), Machine(STILL)
    other = Transaction(BUS.tenure(True, 4096), done=lambda _: None)
    read = 200 * US + 100 * US + platter(STILL, UNIT) + CARD.channel_time(UNIT)
    shared.env.call_at(read - 1 * US, lambda _: shared.bus.request(other, 500 * US, 4096))
    first, second = alone.run((0, UNIT, False)), shared.run((0, UNIT, False))
    assert first < second < first + 500 * US


def test_its_own_data_lines_and_reads() -> None:
    wide = BusSpec.from_name("pci-64-33").under(ChipsetSpec.from_name("intel-440bx"))
    assert CARD.replace("bus_width", 4).sees(wide).width == 4
    assert CARD.sees(wide).width == 8
    plain = CARD.replace("read_commands", "read")
    assert plain.bus_time(plain.sees(wide), UNIT, False) > CARD.bus_time(CARD.sees(wide), UNIT, False)


# ---- its cache ----

CACHED = STORAGE.replace("controller.cache", "64 KiB")  # eight lines


def test_what_was_read_is_read_from_the_cache() -> None:
    machine = Machine(CACHED)
    first = machine.run((0, UNIT, False))
    second = machine.run((KB, 2 * KB, False)) - first
    assert second == 200 * US + bus_time(2 * KB, True)
    assert sum(machine.disk_commands) == 1
    assert dict(machine.controller.counts())["server disk controller cache hits"] == 1


def test_a_part_of_a_line_is_no_more_than_that() -> None:
    machine = Machine(CACHED)
    machine.run((KB, 2 * KB, False))
    machine.run((0, 2 * KB, False))
    assert sum(machine.disk_commands) == 2
    machine.run((0, 3 * KB, False))  # both parts together
    assert sum(machine.disk_commands) == 2


def test_the_least_recently_used_line_goes_first() -> None:
    machine = Machine(CACHED)
    for number in [*range(8), 0, 8]:
        machine.run((number * UNIT, UNIT, False))
    assert sum(machine.disk_commands) == 9
    machine.run((0, UNIT, False))
    assert sum(machine.disk_commands) == 9
    machine.run((1 * UNIT, UNIT, False))
    assert sum(machine.disk_commands) == 10


def test_what_was_written_is_read_from_the_cache() -> None:
    machine = Machine(CACHED)
    machine.run((0, UNIT, True))
    machine.run((0, UNIT, False))
    assert machine.disk_commands == [1, 0, 0, 0, 0]


def test_old_data_and_parity_in_the_cache_are_not_read_again() -> None:
    machine = Machine(CACHED.replace("level", 5))
    machine.run((0, 4 * KB, True))
    assert machine.disk_commands == [2, 0, 0, 0, 2]
    machine.run((0, 4 * KB, True))
    assert machine.disk_commands == [3, 0, 0, 0, 3]
    machine.run((UNIT, 4 * KB, True))  # the parity is in the cache
    assert machine.disk_commands == [3, 2, 0, 0, 4]


def test_what_a_write_has_read_is_in_the_cache_too() -> None:
    machine = Machine(CACHED.replace("level", 5))
    machine.run((0, 3 * UNIT, True))
    assert machine.disk_commands == [1, 1, 1, 1, 1]
    machine.run((3 * UNIT, UNIT, False))
    assert machine.disk_commands == [1, 1, 1, 1, 1]


def test_a_gap_in_a_line_is_not_there() -> None:
    machine = Machine(CACHED)
    for start in (0, 4 * KB, 2 * KB):
        machine.run((start, KB, False))
    assert sum(machine.disk_commands) == 3


# ---- write-back ----

BACK = CACHED.replace({"controller.write_back": True, "level": 5})


def test_a_write_is_acknowledged_when_the_cache_has_it() -> None:
    machine = Machine(BACK)
    done = machine.run((0, 4 * KB, True))
    assert done == 200 * US + bus_time(4 * KB, False)
    assert machine.disk_commands == [2, 0, 0, 0, 2]


def test_without_room_it_waits_for_the_disks() -> None:
    """Eight lines: the first eight writes, each to a row of its own, are done at once; the next ones are not."""
    machine = Machine(BACK)
    machine.run(*((number * 4 * UNIT, 4 * KB, True) for number in range(12)))
    times = sorted(when for _, when in machine.done)
    assert times[7] < 13 * (200 * US + bus_time(4 * KB, False))
    assert times[8] > times[7] + 3 * MS


def test_what_is_larger_than_the_cache_goes_to_the_disks() -> None:
    machine = Machine(BACK)
    done = machine.run((0, 12 * UNIT, True))
    assert done > 200 * US + bus_time(12 * UNIT, False) + platter(BACK, UNIT)


def test_a_row_that_fills_up_while_it_waits_is_written_as_one() -> None:
    """The first unit is written at once, with its parity; meanwhile all four arrive again."""
    machine = Machine(BACK.replace("controller.cache", "1 MiB"))
    machine.run(*[(number * UNIT, UNIT, True) for number in range(4)] * 2)
    assert machine.disk_commands == [3, 1, 1, 1, 3]


def test_dirty_data_are_read_from_the_cache() -> None:
    machine = Machine(BACK)
    machine.submit(0, 4 * KB, True)
    machine.env.run(1 * MS)
    machine.submit(0, 4 * KB, False)
    machine.env.run(2 * MS)
    assert len(machine.done) == 2
    machine.run()


def test_dirty_rows_are_all_destaged_in_the_end() -> None:
    machine = Machine(BACK)
    machine.run(*((number * 1234 * KB, 6 * KB, True) for number in range(60)))
    assert machine.controller._destager.population.inside == 0
    assert machine.controller._destager.population.departures > 0
    assert not machine.controller._lines._pins
    assert len(machine.controller._lines) == 8


def test_a_lost_command_is_found() -> None:
    machine = Machine()
    machine.submit(0, 512, False)
    machine.env.run(MS // 10)
    machine.controller.population.inside -= 1
    with pytest.raises(ConservationError, match="server storage commands"):
        machine.controller.audit()


# ---- the spec ----


def test_too_few_disks_are_told_by_address() -> None:
    with pytest.raises(ScenarioError, match=r"disks: 2 are too few for RAID level 5"):
        STORAGE.replace({"level": 5, "disks": 2})


def test_its_size() -> None:
    assert STORAGE.size == 5 * (DISK.capacity // UNIT) * UNIT
