"""A host's disks in a running simulation: controller, driver, and the cache in the remaining memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netsim.machine.disk_driver import DiskDriver
from netsim.storage import Controller, FileCache

if TYPE_CHECKING:
    from netsim.machine.host import Host


class Volume:
    """A host's disks in a running simulation: controller, driver, and the cache in the remaining memory."""

    def __init__(self, host: Host) -> None:
        env, spec = host.env, host.spec
        storage, files, size = spec.storage, spec.system.files, spec.memory.size
        assert storage is not None
        assert files is not None
        assert size is not None
        self.spec = files
        self._memory = size
        self._threads = 0
        bus = host.buses[storage.slot]
        self.controller = Controller(env, storage, bus, storage.controller.sees(bus.spec), host.name)
        self.driver = DiskDriver(host, storage, self.controller)
        self.cache = env.part(FileCache)(env, files.cache, self.capacity, self.driver, host.name)

    def add_thread(self) -> None:
        """One more service thread needs memory, which the cache has to give up."""
        self._threads += 1
        self.cache.resize(self.capacity)

    @property
    def capacity(self) -> int:
        """Bytes of memory that are left for the cache."""
        return self.spec.room(self._memory, self._threads)

    def counts(self) -> dict[str, int]:
        """The volume's counters in a run's accounts."""
        return {"file cache hits": self.cache.hits, "file cache misses": self.cache.misses}

    def audit(self) -> None:
        """Check that nothing was lost on the way to the disks and back. Raises ConservationError."""
        self.cache.audit()
        self.controller.audit()
