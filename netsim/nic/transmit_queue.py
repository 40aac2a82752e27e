"""A transmit queue of an adapter in a running simulation: frames that the driver hands over at a constant pace, and
when the adapter has finished each. This is arithmetic; frames are not events."""

from __future__ import annotations

from typing import final

from netsim.engine import Fifo


@final
class Train:
    """Consecutive `frames`: the first one is finished at `first` (ps), each further one `step` later."""

    __slots__ = ("first", "frames", "step")

    def __init__(self, first: int, step: int, frames: int) -> None:
        self.first = first
        self.step = step
        self.frames = frames


@final
class TransmitQueue:
    """Each frame occupies the wire, or a slower part, for `service` (ps), after its doorbell and all earlier frames; it
    is known to be sent `latency` (ps) later."""

    def __init__(self, service: int, latency: int) -> None:
        self.service = service
        self._latency = latency
        self._free = 0  # when it has sent all frames so far (ps)
        self._trains: Fifo[Train] = Fifo()
        self.handed = 0
        self.cleaned = 0

    def put(self, first: int, step: int, frames: int) -> None:
        """Ring doorbells for `frames` frames, the first one at `first`, the others `step` apart (ps)."""
        self.handed += frames
        while frames:
            some = self._train(first, step, frames)
            first += some * step
            frames -= some

    def _train(self, first: int, step: int, frames: int) -> int:
        """Add a train of the first frames with equal spacing: those that wait for the wire, or all if none waits.
        Returns their number."""
        service, behind = self.service, self._free - first
        if step < service or behind > 0:
            pace = service
            if behind > 0 and step > service:  # until the wire has caught up
                frames = min(frames, behind // (step - service) + 1)
            start = max(self._free, first) + service
        else:
            pace, start = step, first + service
        self._free = start + (frames - 1) * pace
        self._trains.append(Train(start + self._latency, pace, frames))
        return frames

    def done(self, now: int) -> int:
        """The number of frames sent by `now` and not cleaned yet."""
        found = 0
        for number in range(len(self._trains)):
            train = self._trains[number]
            some = _by(train, now)
            found += some
            if some < train.frames:
                break
        return found

    def done_time(self, frames: int) -> int:
        """When `frames` of the waiting frames are known to be sent (ps); -1: fewer are waiting."""
        for number in range(len(self._trains)):
            train = self._trains[number]
            if frames <= train.frames:
                return train.first + (frames - 1) * train.step
            frames -= train.frames
        return -1

    def would_be_done(self, first: int) -> int:
        """When a frame handed over at `first` would be known to be sent (ps)."""
        return max(self._free, first) + self.service + self._latency

    def clean(self, frames: int) -> None:
        """The driver takes back the descriptors of `frames` frames."""
        self.cleaned += frames
        while frames:
            train = self._trains[0]
            some = min(frames, train.frames)
            train.first += some * train.step
            train.frames -= some
            frames -= some
            if not train.frames:
                self._trains.popleft()

    @property
    def unclean(self) -> int:
        """The number of descriptors in use."""
        return self.handed - self.cleaned

    @property
    def waiting(self) -> int:
        """The number of frames that the adapter knows of and the driver has not cleaned."""
        return sum([train.frames for train in self._trains])

    def sent(self, now: int) -> int:
        """The number of frames known to be sent by `now`."""
        return self.cleaned + self.done(now)

    def begun(self, now: int) -> int:
        """The part (ps) of the service of the frame after those sent by `now`; like them, it counts `latency` late."""
        known = self.done_time(self.done(now) + 1)
        return 0 if known < 0 else max(0, now - (known - self.service))


def _by(train: Train, now: int) -> int:
    if now < train.first:
        return 0
    return min(train.frames, (now - train.first) // train.step + 1) if train.step else train.frames
