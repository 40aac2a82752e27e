"""A controller's description, with the times of its steps; the array behind it, and the cost of the host's driver."""

from __future__ import annotations

from netsim.bus import ClockedSlot, PciSlot, ReadCommands, Slot
from netsim.spec import Spec
from netsim.storage.disk_spec import DiskSpec
from netsim.storage.raid_spec import RaidSpec
from netsim.units import (
    PS_PER_S,
    ByteRate,
    Bytes,
    Count,
    Cycles,
    Descriptor,
    NonNegativeCount,
    Parts,
    PositiveBuffer,
    Time,
    Width,
)


class ControllerSpec(Spec):
    """A bus master on PCI, with a processor, a cache and channels to disks.

    Its processor spends `command_time` on a command from the host and `disk_command_time` on each command to a disk,
    parity included. The `cache` holds lines of a stripe unit; with `write_back` a write is done when it is in the
    cache, if that has room, otherwise when the disks have it. Data move over `channels` channels of `channel_rate`
    bytes per second, to which the disks are assigned in turn. The controller accepts up to `commands` at a time; more
    wait in the driver's queue.

    For each command it fetches `descriptor` bytes and writes `status` bytes, and moves data in bursts of up to `burst`
    bytes. It reads memory by `read_commands`, as in NicSpec. Its registers take `register_read_time` and
    `register_write_time`, as in CardSpec. `bus_width` is its number of data lines in bytes (None: as many as its slot
    has)."""

    catalogue = "controllers"

    command_time: Time
    disk_command_time: Time
    cache: Bytes
    write_back: bool
    channels: Parts
    channel_rate: ByteRate
    commands: Count
    burst: PositiveBuffer
    descriptor: Descriptor
    status: Descriptor
    read_commands: ReadCommands
    register_read_time: Time = 0
    register_write_time: Time = 0
    bus_width: Width | None = None

    def sees(self, bus: Slot) -> Slot:
        """A host's bus as the controller sees it."""
        near = bus
        if isinstance(near, ClockedSlot):
            near = near.with_registers(self.register_read_time, self.register_write_time)
        if isinstance(near, PciSlot):
            near = near.unchecked(read_commands=self.read_commands)
        return near if self.bus_width is None else near.narrowed(self.bus_width)

    def bus_time(self, seen: Slot, nbytes: int, to_memory: bool) -> int:
        """ps of bus time that a command for `nbytes` takes: its data, descriptor and status. `to_memory`: a read from
        the disks."""
        data = seen.transfer_time(nbytes, to_memory, self.burst) if nbytes else 0
        return data + sum(seen.transfer_time(size, write) for size, write in self._about if size)

    def away_time(self, seen: Slot, nbytes: int, to_memory: bool) -> int:
        """ps for which the command also waits for memory to answer, and leaves the bus to others."""
        data = seen.away_time(nbytes, to_memory, self.burst)
        return data + sum(seen.away_time(size, write) for size, write in self._about)

    @property
    def _about(self) -> tuple[tuple[int, bool], ...]:
        """The transfers besides the data: bytes, and whether to memory."""
        return (self.descriptor, False), (self.status, True)

    def channel_time(self, nbytes: int) -> int:
        """ps that a channel takes to move `nbytes`."""
        return nbytes * PS_PER_S // self.channel_rate


class DiskDriverSpec(Spec):
    """The cost of the host's driver: `submit_cycles` of the processor and `submit_writes` to registers to hand a
    command over; `completion_cycles` for each completed command, and `interrupt_reads` and `interrupt_writes` of
    registers for each interrupt."""

    submit_cycles: Cycles
    submit_writes: NonNegativeCount
    completion_cycles: Cycles
    interrupt_reads: NonNegativeCount
    interrupt_writes: NonNegativeCount


class StorageSpec(RaidSpec):
    """A `controller` on the host's bus number `slot`, the array of disks behind it, all like `disk`, and its
    `driver`."""

    controller: ControllerSpec
    disk: DiskSpec
    driver: DiskDriverSpec
    slot: NonNegativeCount = 0

    @property
    def size(self) -> int:
        """Bytes of data that the array holds."""
        return self.capacity(self.disk)
