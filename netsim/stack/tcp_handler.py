"""What takes in the segments of a TCP connection."""

from __future__ import annotations

from mypy_extensions import mypyc_attr

from netsim.machine import Work
from netsim.machine.backlog import Handler
from netsim.stack.tcp import TcpSegment


@mypyc_attr(allow_interpreted_subclasses=True)
class TcpHandler(Handler):
    """The socket or, if the connection is opened and closed in the run, the Connection in front of it. A segment is
    taken in when it arrives or, if a process is inside a call then, when its turn in the socket's backlog comes."""

    def arrival(self, frame: TcpSegment, checked: bool = False) -> Work:
        """The processor's work for a segment, which may have been `checked` before."""
        raise NotImplementedError

    def take_in(self, frame: TcpSegment) -> None:
        """All work for `frame` is done."""
        raise NotImplementedError

    def all_sent(self) -> None:
        """Deferred work has sent all that was written."""
