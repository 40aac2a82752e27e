"""A crypto engine on the adapter, which handles IPsec for frames that the driver leaves to it (NDIS 5: IPsec offload).

A frame to be sent passes the engine between the last byte of the fetch and the wire, and keeps its place in the
transmit FIFO until its last bit has left; a received frame passes it between its last bit and the store. Frames of both
directions are processed one at a time, in the order in which their fetches began and their last bits arrived: a frame
whose fetch is under way precedes frames that arrive meanwhile.
"""

from __future__ import annotations

from mypy_extensions import mypyc_attr

from netsim.accounts import Resource
from netsim.engine import Environment, Idle
from netsim.ethernet import Frame
from netsim.nic.crypto_spec import CryptoSpec


@mypyc_attr(allow_interpreted_subclasses=True)
class CryptoEngine:
    """The engine in a running simulation."""

    __slots__ = ("_busy", "_calendar", "_free", "_idle", "_times", "name", "spec")

    def __init__(self, env: Environment, spec: CryptoSpec, name: Resource) -> None:
        self.spec = spec
        self.name = name
        self._calendar = env.calendar
        self._free = 0  # when it will have finished all its frames
        self._busy = 0  # ps of work so far, up to `_free`
        self._idle = Idle()  # between frames, up to `_free`
        self._times: dict[int, int] = {}  # ps of a frame, by bytes to encipher or decipher

    def put(self, frame: Frame, nbytes: int, there: int) -> int:
        """Take a frame that is available at `there` (ps), with `nbytes` to encipher or decipher. Returns when it is
        finished (ps)."""
        if there > self._free:
            self._idle.add(self._free, there, self._calendar.now)
            self._free = there
        duration = self._times.get(nbytes) or self._time(nbytes)
        self._free += duration
        self._busy += duration
        return self._free

    def _time(self, nbytes: int) -> int:
        time = self._times[nbytes] = self.spec.time(nbytes)
        return time

    def busy_until(self, now: int) -> int:
        """The time (ps) up to `now` in which it had work."""
        return self._busy - max(0, self._free - now) + self._idle.ahead(now)
