"""Parts for tests of storage: round numbers, not those of a real product."""

from __future__ import annotations

from netsim.bus import Bus, BusSpec, ChipsetSpec
from netsim.engine import Environment
from netsim.storage import Command, Controller, DiskSpec, StorageSpec

DISK = DiskSpec(
    capacity=9_000_000_000, cylinders=9000, rotation="6 ms", media_rate="18 MB/s", track_to_track="0.8 ms",
    average_seek="5.3 ms", full_stroke="10.8 ms", overhead="0.3 ms", order="fifo",
)
STORAGE = StorageSpec.model_validate(
    {
        "controller": {
            "command_time": "200 us", "disk_command_time": "100 us", "cache": 0, "write_back": False, "channels": 1,
            "channel_rate": "40 MB/s", "commands": 32, "burst": "512 B", "descriptor": "64 B", "status": "16 B",
            "read_commands": "multiple",
        },
        "disk": DISK,
        "disks": 5,
        "level": 0,
        "stripe_unit": "8 KiB",
        "driver": {
            "submit_cycles": 1, "submit_writes": 1, "completion_cycles": 1, "interrupt_reads": 1, "interrupt_writes": 1,
        },
    }
)
BUS = STORAGE.controller.sees(BusSpec.from_name("pci-32-33").under(ChipsetSpec.from_name("intel-440bx")))


class Machine:
    """A controller on its own bus, with a driver that costs nothing and records when each command is done."""

    def __init__(self, spec: StorageSpec = STORAGE, seed: int = 1) -> None:
        self.env = Environment(seed)
        self.bus = Bus(self.env, BUS, "bus")
        self.controller = Controller(self.env, spec, self.bus, BUS, "server")
        self.controller.interrupt = self.interrupt
        self.interrupts = 0
        self.done: list[tuple[int, int]] = []  # offset, when

    def interrupt(self) -> None:
        self.interrupts += 1
        finished = self.controller.finished
        while finished:
            finished.popleft().done()

    def submit(self, offset: int, nbytes: int, write: bool) -> None:
        self.controller.submit(
            Command(offset, nbytes, write, lambda: self.done.append((offset, self.env.now)))
        )

    def run(self, *commands: tuple[int, int, bool]) -> int:
        """Submits all commands at once; returns when the last one is done (ps)."""
        for command in commands:
            self.submit(*command)
        self.env.run()
        self.controller.audit()
        return max((when for _, when in self.done), default=0)

    @property
    def disk_commands(self) -> list[int]:
        """The number of commands of each disk so far."""
        return [disk.commands for disk in self.controller.array.disks]
