"""Conventional PCI (PCI Local Bus Specification 2.1/2.2): one shared bus, several masters, one burst at a time.

A burst is: one clock of turnaround on the idle bus (arbitration is hidden behind the burst before), the address phase,
for reads a turnaround clock, the target's initial latency, and a data phase of one clock for each bus width. A master
keeps the bus as long as it has data and nobody else asks; when somebody does, its grant is taken away, and it must
stop once its latency timer has run out (3.5.4). Writes are posted in the host bridge. A read is served from what the
bridge has prefetched from memory: when that is used up it disconnects (3.3.3.2.1), and the master comes again.

Not modelled: subsequent-phase wait states, other target disconnects, retries, parity errors.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from heapq import heappush

from simpy.events import NORMAL

from netsim.engine import Environment
from netsim.spec import Spec
from netsim.units import PS_PER_S, Bytes, Clocks, Frequency, PositiveBytes, Time

_TURNAROUND = 1  # idle clock between bursts of different masters, and between address and read data (3.3.1)
_ADDRESS = 1


class PciSpec(Spec):
    """A PCI bus and the host bridge behind it.

    `clock`, `width` in bytes (4 or 8), `latency_timer` in clocks; `read_latency` and `write_latency` are the bridge's
    initial target latency in clocks for a master that reads or writes memory, `register_read_latency` and
    `register_write_latency` an adapter's for a processor that reads or writes one of its registers, `bridge_crossing`
    what the bridge adds to that (ps). `read_prefetch` is how many bytes of memory the bridge hands out in one burst to
    a plain read (Memory Read, Memory Read Line), before it disconnects (0: as many as the master wants).
    """

    catalogue = "buses"

    clock: Frequency
    width: PositiveBytes
    latency_timer: Clocks
    read_latency: Clocks
    write_latency: Clocks
    register_read_latency: Clocks
    register_write_latency: Clocks
    bridge_crossing: Time
    read_prefetch: Bytes = 0

    def clocks(self, count: int) -> int:
        """ps of `count` bus clocks."""
        return round(count * PS_PER_S / self.clock)

    def overhead_clocks(self, write: bool) -> int:
        """Clocks of one burst in which no data move."""
        if write:
            return _TURNAROUND + _ADDRESS + self.write_latency
        return _TURNAROUND + _ADDRESS + _TURNAROUND + self.read_latency

    def transfer_time(self, nbytes: int, write: bool, max_burst: int | None = None) -> int:
        """ps in which a master that has the bus to itself moves `nbytes`, in bursts of at most `max_burst` bytes.

        `write` is the master's view: True when the adapter writes to memory (reception).
        """
        bursts = self.bursts(nbytes, write, max_burst)
        return self.clocks(bursts * self.overhead_clocks(write) + -(-nbytes // self.width))

    def shared_time(self, nbytes: int, write: bool, pieces: int) -> int:
        """ps for one piece of `nbytes` of so many that are moved in one burst."""
        return self.transfer_time(pieces * nbytes, write) // pieces

    def bursts(self, nbytes: int, write: bool, max_burst: int | None = None) -> int:
        """How many bursts that takes: none is longer than the master makes it, nor a read than the bridge lets it."""
        return -(-nbytes // (self._longest(nbytes, write, max_burst) or 1))

    def _longest(self, nbytes: int, write: bool, max_burst: int | None) -> int:
        return min(filter(None, (max_burst, nbytes, 0 if write else self.read_prefetch)), default=0)

    def restart_time(self, write: bool, max_burst: int) -> int:
        """ps it costs a master to take up again a transfer that was cut at its latency timer: nothing if its bursts are
        shorter than that, as it then stops between two of them."""
        burst = self.overhead_clocks(write) + -(-self._longest(max_burst, write, None) // self.width)
        return 0 if burst <= self.latency_timer else self.clocks(self.overhead_clocks(write))

    def access_time(self, reads: int, writes: int) -> int:
        """ps of bus for a processor's `reads` and `writes` of adapter registers, one data phase each."""
        read = 2 * _TURNAROUND + _ADDRESS + self.register_read_latency + 1
        write = _TURNAROUND + _ADDRESS + self.register_write_latency + 1
        return self.clocks(reads * read + writes * write)


class Transaction:
    """What one DMA engine has under way: a transfer that may be cut and resumed.

    `granted` is called when the bus is given, and again after each `cut`, which it has to take note of and clear:
    `start` and the planned `end` are then known. `done` is called at the true end. Either may be None. An engine reuses
    its transaction for one transfer after another, but never while it is `waiting`.
    """

    __slots__ = ("cut", "done", "end", "granted", "left", "nbytes", "planned", "restart", "start", "waiting")

    def __init__(
        self,
        restart: int,
        granted: Callable[[Transaction], None] | None = None,
        done: Callable[[Transaction], None] | None = None,
    ) -> None:
        self.restart = restart  # ps it costs to take up a transfer again that was cut
        self.granted = granted
        self.done = done
        self.start = 0  # of the current tenure
        self.end = 0
        self.left = 0  # ps still to come when next granted
        self.nbytes = 0  # of memory, of a transfer that has not been granted yet
        self.planned = -1  # the end for which an entry is on the heap
        self.waiting = False
        self.cut = False  # the next tenure, or this one, goes on with a transfer that was begun


class PciBus:
    """The bus in a running simulation: a queue of transactions served in turn, cut at the latency timer."""

    __slots__ = (
        "_clock", "_current", "_ended", "_latency", "_queue", "_release_at", "busy", "env", "free", "moves", "name",
        "spec",
    )

    def __init__(self, env: Environment, spec: PciSpec, name: str) -> None:
        self.env = env
        self.spec = spec
        self.name = name
        self.free = 0  # the bus is taken until then
        self.busy = 0  # ps taken so far, up to `free`
        self._latency = spec.clocks(spec.latency_timer)
        self._clock = spec.clocks(1)
        self._current: Transaction | None = None
        self._queue: deque[Transaction] = deque()
        self._release_at = -1  # when the current tenure ends; -1: nobody waits for it
        self._ended = self._end  # bound once
        self.moves: Callable[[int, int], None] | None = None  # is told of each transfer its bytes and its end

    def request(self, transaction: Transaction, duration: int, nbytes: int = 0) -> None:
        """Start `transaction`, `duration` ps long if nothing comes between, now or when its turn has come. It moves
        `nbytes` to memory or from there."""
        transaction.nbytes = nbytes
        if self.free <= self.env._now and not self._queue:
            self._grant(transaction, duration)
            return
        transaction.left = duration
        transaction.waiting = True
        self._queue.append(transaction)
        if self._release_at < 0:
            self._plan_release()

    def access(self, duration: int) -> int:
        """A processor takes the bus for `duration` ps of register accesses; returns how long it waits first (ps)."""
        now = self.env._now
        self.busy += duration
        if self.free <= now:
            self.free = now + duration
            return 0
        current = self._current
        if current is None or current.end != self.free:
            wait = self.free - now  # behind another processor's accesses
            self.free += duration
            return wait
        cut = max(now, self._cut_time(current))
        if cut < current.end:
            self.busy += current.restart
            current.end += duration + current.restart
            self.free = current.end
            return cut - now
        self.free += duration
        return current.end - now

    def _grant(self, transaction: Transaction, duration: int) -> None:
        env = self.env
        self._current = transaction
        transaction.start = end = env._now
        end += duration
        transaction.end = self.free = end
        self.busy += duration
        if self.moves is not None:
            self.moves(transaction.nbytes, end)
            transaction.nbytes = 0
        if transaction.done is not None:
            transaction.planned = end
            heappush(env.queue, (end, NORMAL, next(env.numbers), self._ended, transaction))
        granted = transaction.granted
        if granted is not None:
            granted(transaction)

    def _end(self, transaction: Transaction) -> None:
        now = self.env._now
        if transaction.waiting or transaction.planned != now:
            return  # cut in between: another entry is, or will be, on the heap
        if transaction.end > now:  # a processor's access came between
            transaction.planned = transaction.end
            self.env.call_at(transaction.end, self._ended, transaction)
        else:
            done = transaction.done
            done(transaction)  # type: ignore[misc]

    def _plan_release(self) -> None:
        """Somebody waits: the current tenure ends with its data or at its latency timer, whichever is first."""
        now = self.env._now
        release = self.free
        current = self._current
        if current is not None and current.end == release:
            release = max(now, min(release, self._cut_time(current)))
        self._release_at = release
        self.env.call_at(release, self._release, None)

    def _release(self, _: object) -> None:
        now = self.env._now
        current = self._current
        if self.free > now:
            if current is None or current.end != self.free or now < self._cut_time(current):
                self._plan_release()  # an access came between, and the bus is still taken
                return
            self._cut(current, now)
        self._release_at = -1
        following = self._queue.popleft()
        following.waiting = False
        self._grant(following, following.left)
        if self._queue and self._release_at < 0:
            self._plan_release()

    def _cut_time(self, current: Transaction) -> int:
        """When its latency timer makes a transfer stop; one data phase it has in any case."""
        return current.start + max(self._latency, current.restart + self._clock)

    def _cut(self, current: Transaction, now: int) -> None:
        rest = current.end - now
        self.busy -= rest
        current.left = rest + current.restart
        current.waiting = current.cut = True
        current.planned = -1
        self._queue.append(current)

    def busy_until(self, now: int) -> int:
        """ps of `now` that the bus was taken."""
        return self.busy - max(0, self.free - now)
