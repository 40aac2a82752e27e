"""Captures: the frames on wires, as a file for Wireshark and similar tools (pcap with nanoseconds, link type
Ethernet)."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from struct import Struct
from types import TracebackType
from typing import BinaryIO, Final, Self

from librt.strings import BytesWriter, write_i32_le
from mypy_extensions import mypyc_attr

from netsim.engine import Environment
from netsim.errors import ScenarioError, nearest, show
from netsim.ethernet import Frame, Link, Segment
from netsim.ethernet.frame import FCS, MIN_FRAME
from netsim.export.endpoints import Endpoints
from netsim.export.headers import routed
from netsim.export.whole_file import Kind, check_place, whole_file
from netsim.machine import Host
from netsim.topology.tester import Tester
from netsim.units import NS
from netsim.watch.driving import CAPTURED
from netsim.watch.watcher import Watcher

_FILE: Final = Struct("<IHHiIII")  # magic number, version, time zone, accuracy, snapshot length, link type
_MAGIC: Final = 0xA1B23C4D
_VERSION: Final = (2, 4)
_ETHERNET: Final = 1
_NS_PER_S: Final = 10**9
_BYTES_AT_ONCE: Final = 1 << 16
CAPTURE: Final = Kind("a capture", rb"\x4d\x3c\xb2\xa1\x02\x00\x04\x00.{12}\x01\x00\x00\x00")
WHOLE: Final = 262_144  # bytes: no frame is longer


class _Coming:
    """A frame whose last bit leaves at `end` (ps)."""

    def __init__(self, frame: Frame, end: int) -> None:
        self.frame = frame
        self.end = end


@mypyc_attr(allow_interpreted_subclasses=True)
class Capture(Watcher):
    """Writes the frames of a run to `path`. The file appears once it is complete: at the end of a `with` statement that
    no exception has ended.

    A frame is captured with its headers, without its FCS; its payload is zeros, enciphered data included. Its time is
    when its last bit leaves the sender, counted from the beginning of the run (rounded down to ns); frames lost on the
    way (bit errors, a failed cable) are therefore included, and collisions are not. With `wires`, by name, the capture
    has every frame on them; without, every frame that a host or a tester sends, once: frames that a switch or another
    host forwards are not repeated, but the packets of a tunnel are there besides those that they carry. Frames longer
    than `snaplen` are cut to that many bytes. Frames that have left before `since` (ps) are left out. Without `force`,
    a file that is not a capture of netsim's is not replaced. Raises ScenarioError for a wire that does not exist, when
    the run is ready or with the first frame, and then also for a tool without hosts.

    The three segments that open each TCP connection are not simulated. The capture shows them at the time of the
    connection's first simulated segment, for its window scale and its options (netsim.export.headers_tcp), unless that
    is before `since`.
    """

    def __init__(
        self, path: str | Path, wires: Sequence[str] | None = None, *, snaplen: int = WHOLE, since: int = 0,
        force: bool = False,
    ) -> None:
        self._path = Path(path)
        if snaplen < 1:
            raise ScenarioError(f"{snaplen} is not allowed; allowed: 1 byte or more", address="snaplen")
        check_place(self._path, "path", CAPTURE, force=force)
        self._open = ExitStack()
        self._file: BinaryIO | None = None
        self._env: Environment | None = None
        self._asked = wires
        self._wires: set[str] = set()  # captured ones, once they are known
        self._there: list[str] = []  # all
        self._snaplen, self._since = snaplen, since
        self._endpoints = Endpoints()
        self._coming: list[_Coming] = []  # by the time at which they will have left, then in order of arrival
        self._records = BytesWriter()  # not written yet

    def __enter__(self) -> Self:
        unfinished = self._open.enter_context(whole_file(self._path))
        self._file = self._open.enter_context(open(unfinished, "wb"))
        self._file.write(_FILE.pack(_MAGIC, *_VERSION, 0, 0, self._snaplen, _ETHERNET))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        if kind is not None:
            self._open.__exit__(kind, error, where)
            return
        with self._open:
            if self._env is not None:
                self.choose()
                self._write_until(self._env.now)
            self._flush()

    # --- what happens ------------------------------------------------------------------------------------------------

    def built(self, part: object) -> None:
        if isinstance(part, Host):
            self._endpoints.hosts.append(part)
        elif isinstance(part, Tester):
            self._endpoints.testers.append(part)
        elif isinstance(part, Link | Segment):
            self._there.append(part.name)
            self._env = part.env

    def ready(self) -> None:
        if not self._endpoints.hosts:
            text = f"this tool simulates no headers of frames; allowed for a capture: {', '.join(CAPTURED)}"
            raise ScenarioError(text, address="tool")
        self.choose()

    def carried(self, wire: str, frame: Frame, start: int, end: int, lost: bool) -> None:
        if wire in (self._wires or self.choose()) and (self._asked or self._endpoints.is_first(frame)):
            assert self._env is not None
            coming = self._coming
            place = len(coming)
            while place and coming[place - 1].end > end:
                place -= 1
            coming.insert(place, _Coming(frame, end))
            self._write_until(self._env.calendar.now)

    def choose(self) -> set[str]:
        """The names of the wires to capture, once the run is built: chosen with the first frame, or earlier on request.
        Raises ScenarioError if a requested wire does not exist."""
        for wire in self._asked or ():
            if wire not in self._there:
                raise ScenarioError(f"no wire is called {show(wire)}{nearest(wire, self._there)}", address="wires")
        self._wires = set(self._asked or self._endpoints.wires)
        return self._wires

    def _write_until(self, now: int) -> None:
        """Write the frames that have left by `now` (ps): no earlier frame will follow."""
        coming = self._coming
        while coming and coming[0].end <= now:
            first = coming.pop(0)
            frame, end = first.frame, first.end
            headers, time = self._endpoints.headers(frame), end // NS
            opening, own = headers.opening(frame), headers.of(frame)  # even of earlier frames, to continue from there
            if routers := self._endpoints.routers(frame):
                opening, own = [routed(one, routers) for one in opening], routed(own, routers)
            if end >= self._since:
                for one in opening:
                    self._record(time, one, max(len(one), MIN_FRAME - FCS))
                self._record(time, own, frame.size - FCS)

    def _record(self, time: int, headers: bytes, nbytes: int) -> None:
        """The record of a frame of `nbytes` at `time` (ns)."""
        records, taken = self._records, min(nbytes, self._snaplen)
        write_i32_le(records, time // _NS_PER_S)
        write_i32_le(records, time % _NS_PER_S)
        write_i32_le(records, taken)
        write_i32_le(records, nbytes)
        if len(headers) > taken:
            headers = headers[:taken]
        records.write(headers)
        records.write(bytes(taken - len(headers)))
        if len(records) > _BYTES_AT_ONCE:
            self._flush()

    def _flush(self) -> None:
        assert self._file is not None
        self._file.write(self._records.getvalue())
        self._records.truncate(0)
