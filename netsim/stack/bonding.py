"""Link aggregation: several ports as one device, by a driver between protocols and adapters (Linux: bonding; Windows:
an intermediate driver of NDIS). Nothing is put back in order at the other end.

Such a driver may work under a lock, as a serialised driver of NDIS does. It then holds it while it hands a received
frame up, so through the protocols' work for it, and while it hands one down, so through the work of the port's driver;
and frames to be sent queue for that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mypy_extensions import mypyc_attr

from netsim.engine import Fifo
from netsim.ethernet import Frame
from netsim.machine import QUEUED, Bill, Device, Driver, Lock, Task, Work
from netsim.machine.task import DEFERRED
from netsim.stack.bonding_spec import BondSpec


@mypyc_attr(allow_interpreted_subclasses=True)
class Bond(Device):
    """The bond in a running simulation. Some of its ports may be down; if all are, frames go to them as if all were up,
    and are lost there."""

    def __init__(self, spec: BondSpec, drivers: Sequence[Driver]) -> None:
        self.spec = spec
        self.drivers = drivers
        self._down: set[int] = set()
        self._up = drivers  # those that are not down
        self._next = 0

    def towards(self, number: int) -> Device:
        """What frames for the peer of this number are sent on."""
        return Lane(self, number) if self.spec.policy == "address" else self

    def down(self, port: int) -> None:
        """The port has no link: the others get its frames."""
        self._down.add(port)
        self._share()

    def up(self, port: int) -> None:
        """The port has a link again."""
        self._down.discard(port)
        self._share()

    def _share(self) -> None:
        self._up = [driver for driver in self.drivers if driver.number not in self._down] or self.drivers

    def choose(self, number: int) -> Driver:
        """The port for the peer, or the frame, of this number. Those of a port that is down are spread over the ports
        that are up; the others stay where they are."""
        turn, own = divmod(number, len(self.drivers))
        return self._up[turn % len(self._up)] if own in self._down else self.drivers[own]

    def straight(self) -> int:
        """Frames take the ports in turn."""
        return self.choose(self._next).straight()

    def put(self, frame: Frame) -> None:
        """Send `frame` on the port whose turn it is."""
        number, self._next = self._next, self._next + 1
        self.put_for(number, frame)

    def put_for(self, number: int, frame: Frame) -> None:
        """Send `frame` on the port for the peer, or the frame, of this number."""
        self.choose(number).put(frame)


class Lane(Device):
    """A bond's frames to one peer."""

    def __init__(self, bond: Bond, number: int) -> None:
        self._bond = bond
        self._number = number
        self.drivers = bond.drivers

    def straight(self) -> int:
        bond = self._bond
        return QUEUED if isinstance(bond, LockedBond) else bond.choose(self._number).straight()

    def put(self, frame: Frame) -> None:
        """Send `frame` to the peer."""
        self._bond.put_for(self._number, frame)


@mypyc_attr(allow_interpreted_subclasses=True)
class LockedBond(Bond):
    """A bond with a lock: what is to be sent queues for deferred work that has it."""

    def __init__(
        self,
        spec: BondSpec,
        drivers: Sequence[Driver],
        lock: Lock,
        defer: Callable[[Task], None],
        bill: Callable[[], Bill],
    ) -> None:
        super().__init__(spec, drivers)
        assert spec.lock is not None
        self._defer = defer
        self._bill = bill
        self._queue: Fifo[tuple[Frame, int]] = Fifo()
        self._work = Task(DEFERRED, self._begin, self._end, lock, spins=spec.lock.send == "spin", name="send")
        # By port, frame size, and whether the card enciphers it.
        self._works: dict[tuple[int, int, bool], Work] = {}

    def straight(self) -> int:
        return QUEUED

    def put_for(self, number: int, frame: Frame) -> None:
        """`frame` waits for the lock."""
        self._queue.append((frame, number))
        self._defer(self._work)

    def _begin(self) -> Work | None:
        if not self._queue:
            return None
        frame, number = self._queue[0]
        key = self.choose(number).straight(), frame.buffer, frame.encipher > 0
        return self._works.get(key) or self._priced(*key)

    def _priced(self, port: int, size: int, encipher: bool) -> Work:
        bill = self._bill().cycles("aggregation", self.spec.tx_cycles)
        if port != QUEUED:
            self.drivers[port].port.bill_transmit(bill, size, encipher)
        work = self._works[port, size, encipher] = bill.work()
        return work

    def _end(self) -> bool:
        frame, number = self._queue.popleft()
        self.choose(number).put(frame)
        return bool(self._queue)
