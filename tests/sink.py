"""Handlers that only record the port that received each frame, or when it went up, and the far end of a cable that
accepts all frames."""

from __future__ import annotations

from netsim.engine import Environment
from netsim.ethernet import Frame
from netsim.machine.backlog import Handler


class Sink(Handler):
    """Accepts frames, without any work."""

    def __init__(self) -> None:
        self.log: list[int] = []

    def arriving(self, frame: Frame) -> None:
        self.log.append(frame.received_by)

    def put(self, frame: Frame) -> None:
        raise AssertionError("nothing is to be done for it")


class TimedSink(Sink):
    """Records times (ps)."""

    def __init__(self, env: Environment) -> None:
        super().__init__()
        self.env = env
        self.times: list[int] = []

    def arriving(self, frame: Frame) -> None:
        self.times.append(self.env.now)


class Nowhere:
    """The far end of a cable."""

    frames_arrived = 0

    def receive_lead(self, size: int) -> int:
        return 0

    def put(self, frame: Frame) -> None:
        pass
