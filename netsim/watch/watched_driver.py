"""Drivers that report interrupts, and the frames that pass, wait and are dropped there; and interrupt lines that
drivers share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mypy_extensions import mypyc_attr

from netsim.ethernet import Frame
from netsim.machine import Driver, Work
from netsim.machine.interrupt_line import InterruptLine, SharedDriver
from netsim.machine.polled import PolledDriver
from netsim.machine.serialised import SerialisedDriver
from netsim.watch.teller import Teller
from netsim.watch.track import Track
from netsim.watch.watched_track import WatchedTrack


class AtPort:
    """Reports the work of a port's driver."""

    def __init__(self, driver: Driver, teller: Teller) -> None:
        nic = driver.nic
        self._teller = teller
        self._calendar = nic.env.calendar
        self._queue = driver.queue
        self._drops = WatchedTrack.drops(nic.host)
        self._queued = WatchedTrack(Track(nic.host, f"{nic.name} transmit queue"))
        self._interrupts = WatchedTrack(Track(nic.host, f"{nic.name} interrupts"))
        self._begun_with = Frame(0)  # the frame that the card has begun to send, perhaps before it has all of it

    def put(self, frame: Frame) -> None:
        """The current work sends the frame."""
        self._teller.handed(frame, "aggregate")

    def waits(self, frame: Frame) -> None:
        """The frame waits."""
        self._teller.reached(frame, "transmit queue")

    def waiting(self) -> None:
        """Report the number of waiting frames."""
        self._teller.counted(self._queued, len(self._queue))

    def drop(self, frame: Frame) -> None:
        """The queue has no room for the frame."""
        self._teller.dropped(self._drops, "transmit queue", frame)

    def dequeue(self) -> None:
        """The first waiting frame is next."""
        self._begun_with = self._queue[0]
        self._teller.handed(self._begun_with, "restart")

    def moved_rest(self) -> None:
        """The current work concerned the frame that the card has begun to send."""
        self._teller.about(self._begun_with)

    def interrupt(self) -> None:
        """A processor takes the port's interrupt."""
        self._teller.happened(self._interrupts, "interrupt", self._calendar.now)

    def handle(self, frame: Frame | None) -> None:
        """The work that begins concerns this frame."""
        if frame is not None:
            self._teller.about(frame, "receive")

    def give_up(self, frame: Frame) -> None:
        """The card has lost the frame."""
        self._teller.leave(frame, "excess collisions")


@mypyc_attr(allow_interpreted_subclasses=True)
class WatchedDriver(Driver):
    """Reports its work."""

    def watched_by(self, teller: Teller) -> None:
        self._at = AtPort(self, teller)

    def put(self, frame: Frame) -> None:
        self._at.put(frame)
        super().put(frame)

    def enqueue(self, frame: Frame) -> None:
        self._at.waits(frame)
        super().enqueue(frame)
        self._at.waiting()

    def drop(self, frame: Frame) -> None:
        super().drop(frame)
        self._at.drop(frame)

    def dequeue(self) -> None:
        self._at.dequeue()
        super().dequeue()
        self._at.waiting()

    def moved_rest(self) -> None:
        self._at.moved_rest()
        super().moved_rest()

    def count_interrupt(self) -> None:
        self._at.interrupt()
        super().count_interrupt()

    def begin(self) -> Work | None:
        work = super().begin()
        self._at.handle(self._frame)
        return work

    def give_up(self, frame: Frame) -> None:
        self._at.give_up(frame)
        super().give_up(frame)


@mypyc_attr(allow_interpreted_subclasses=True)
class WatchedSerialisedDriver(SerialisedDriver):
    """Reports the same."""

    def watched_by(self, teller: Teller) -> None:
        self._at = AtPort(self, teller)

    def put(self, frame: Frame) -> None:
        self._at.put(frame)
        super().put(frame)

    def enqueue(self, frame: Frame) -> None:
        self._at.waits(frame)
        super().enqueue(frame)
        self._at.waiting()

    def drop(self, frame: Frame) -> None:
        super().drop(frame)
        self._at.drop(frame)

    def dequeue(self) -> None:
        self._at.dequeue()
        super().dequeue()
        self._at.waiting()

    def moved_rest(self) -> None:
        self._at.moved_rest()
        super().moved_rest()

    def count_interrupt(self) -> None:
        self._at.interrupt()
        super().count_interrupt()

    def begin(self) -> Work | None:
        work = super().begin()
        self._at.handle(self._frame)
        return work

    def give_up(self, frame: Frame) -> None:
        self._at.give_up(frame)
        super().give_up(frame)


@mypyc_attr(allow_interpreted_subclasses=True)
class WatchedPolledDriver(PolledDriver):
    """Reports the same."""

    def watched_by(self, teller: Teller) -> None:
        self._at = AtPort(self, teller)

    def put(self, frame: Frame) -> None:
        self._at.put(frame)
        super().put(frame)

    def enqueue(self, frame: Frame) -> None:
        self._at.waits(frame)
        super().enqueue(frame)
        self._at.waiting()

    def drop(self, frame: Frame) -> None:
        super().drop(frame)
        self._at.drop(frame)

    def dequeue(self) -> None:
        self._at.dequeue()
        super().dequeue()
        self._at.waiting()

    def moved_rest(self) -> None:
        self._at.moved_rest()
        super().moved_rest()

    def count_interrupt(self) -> None:
        self._at.interrupt()
        super().count_interrupt()

    def begin(self) -> Work | None:
        work = super().begin()
        self._at.handle(self._frame)
        return work

    def give_up(self, frame: Frame) -> None:
        self._at.give_up(frame)
        super().give_up(frame)


@mypyc_attr(allow_interpreted_subclasses=True)
class WatchedSharedDriver(SharedDriver):
    """Reports the same."""

    def watched_by(self, teller: Teller) -> None:
        self._at = AtPort(self, teller)

    def put(self, frame: Frame) -> None:
        self._at.put(frame)
        super().put(frame)

    def enqueue(self, frame: Frame) -> None:
        self._at.waits(frame)
        super().enqueue(frame)
        self._at.waiting()

    def drop(self, frame: Frame) -> None:
        super().drop(frame)
        self._at.drop(frame)

    def dequeue(self) -> None:
        self._at.dequeue()
        super().dequeue()
        self._at.waiting()

    def moved_rest(self) -> None:
        self._at.moved_rest()
        super().moved_rest()

    def count_interrupt(self) -> None:
        self._at.interrupt()
        super().count_interrupt()

    def begin(self) -> Work | None:
        work = super().begin()
        self._at.handle(self._frame)
        return work

    def give_up(self, frame: Frame) -> None:
        self._at.give_up(frame)
        super().give_up(frame)


@mypyc_attr(allow_interpreted_subclasses=True)
class WatchedInterruptLine(InterruptLine):
    """Reports the interrupts that the processor takes, whichever cards assert the line."""

    def watched_by(self, teller: Teller) -> None:
        self._teller = teller
        self._track = WatchedTrack(Track(self.host, f"{self.host} IRQ {self.irq} interrupts"))

    def enter(self) -> None:
        self._teller.happened(self._track, "interrupt", self.calendar.now)
        super().enter()


DRIVERS: Mapping[type[Any], type[Any]] = {
    Driver: WatchedDriver, SerialisedDriver: WatchedSerialisedDriver, PolledDriver: WatchedPolledDriver,
    SharedDriver: WatchedSharedDriver, InterruptLine: WatchedInterruptLine,
}  # fmt: skip
