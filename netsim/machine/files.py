"""The costs of an operating system's files, in processor time and memory."""

from __future__ import annotations

from netsim.errors import ScenarioError
from netsim.machine.bill import Bill
from netsim.spec import Spec
from netsim.storage import FileCacheSpec
from netsim.units import Bytes, Cycles


class FilesSpec(Spec):
    """How an operating system deals with files. `resident` is the memory that it needs itself, and `thread` that of
    each service thread (bytes); all the rest is its `cache`. Each read or write costs `request_cycles` (handle, locks,
    the file's location) and `lookup_cycles` for each page; each call on a file itself, such as open or find, costs
    `call_cycles` (path, directory, rights). If it `copies`, data are copied between its cache and a program's memory;
    otherwise the program accesses the page directly."""

    cache: FileCacheSpec
    resident: Bytes
    thread: Bytes
    request_cycles: Cycles
    call_cycles: Cycles
    lookup_cycles: Cycles
    copies: bool

    def room(self, memory: int, threads: int = 0) -> int:
        """Bytes of `memory` left for the cache. Raises ScenarioError if that is not even one page."""
        left = memory - self.resident - threads * self.thread
        if left < self.cache.page:
            text = f"{memory} bytes are not enough for the system and {threads} threads; allowed: more than"
            raise ScenarioError(f"{text} {memory - left + self.cache.page - 1} bytes", address="memory.size")
        return left

    def pages(self, offset: int, nbytes: int) -> int:
        """The number of pages that `nbytes` at `offset` touch."""
        return -(-(offset % self.cache.page + nbytes) // self.cache.page)

    def bill(self, bill: Bill, nbytes: int, pages: int) -> Bill:
        """The processor's costs of reading or writing `nbytes` on `pages` cached pages."""
        bill.cycles("file service", self.request_cycles + pages * self.lookup_cycles)
        return bill.copy(nbytes, "memory") if self.copies else bill

    def bill_call(self, bill: Bill) -> Bill:
        """The processor's costs of a call on a file itself."""
        return bill.cycles("file service", self.call_cycles)
