"""A device's DMA engine in a running simulation."""

from __future__ import annotations

from collections.abc import Callable

from netsim.bus.dma_engine_spec import DmaEngineSpec
from netsim.bus.pcie import PcieDirection
from netsim.bus.root_complex import ReadRequest, Requester, RootComplex
from netsim.engine import Environment, Fifo

Pieces = list[tuple[int, int]]  # bytes of payload, and on the wire


class DmaCommand:
    """A command to an engine: send `writes`, one packet each, and then `reads`, each given as the completions of one
    request, and call `done` when all are over: the root complex has passed the writes on, and the data read are in
    place. All are within one `page` of memory, if that matters."""

    __slots__ = ("done", "left", "moved", "page", "position", "reads", "ready", "writes")

    def __init__(self, writes: Pieces, reads: list[Pieces], done: Callable[[DmaCommand], None]) -> None:
        self.writes = writes
        self.reads = reads
        self.done = done
        self.position = 0  # of the next write
        self.ready = 0  # when its data are there to be sent (ps)
        self.left = len(reads)  # unanswered
        self.page = 0
        self.moved = 0  # when all data read so far are in place (ps)


class DmaEngine(Requester):
    """Takes commands in sequence, with many under way at once. Data of several commands move in parallel, but a command
    sends all of its packets before the next one does. Reads need tags, and wait for them in order."""

    def __init__(
        self, env: Environment, spec: DmaEngineSpec, up: PcieDirection, request_bytes: int, memory: RootComplex
    ) -> None:
        self._calendar = env.calendar
        self._spec = spec
        self._up = up
        self._request_bytes = request_bytes
        self._memory = memory
        self._read_interval, self._write_interval = spec.read_interval, spec.write_interval
        self._overhead = spec.overhead
        self._moves: dict[int, int] = {}  # ps, by bytes
        self._writing: Fifo[DmaCommand] = Fifo()  # the first one is sending its packets
        self._waiting: Fifo[ReadRequest] = Fifo()  # for a tag
        self._begins, self._posts, self._ends = self._begin, self._post, self._end  # bound once
        self.tags = spec.tags
        self.tags_free = self.tags
        self._held = 0  # ps for which tags that are free again were held
        self._sent = 0  # sum of the times when reads that hold tags were sent (ps)
        self._free = 0  # when it will have taken all commands so far (ps)
        self._busy = 0  # ps, including commands still to be taken
        self.bytes_written = 0
        self.bytes_read = 0

    def put(self, command: DmaCommand) -> None:
        """Add a command."""
        time = (self._write_interval if command.writes else 0) + (self._read_interval if command.reads else 0)
        now = self._calendar.now
        self._free = (self._free if self._free > now else now) + time
        self._busy += time
        self._calendar.call_at(self._free + self._overhead, self._begins, command)

    def _begin(self, command: DmaCommand) -> None:
        if not command.writes:
            self._ask(command)
            return
        command.ready = self._calendar.now
        self._writing.append(command)
        if len(self._writing) == 1:
            self._move(command)

    # --- writes ------------------------------------------------------------------------------------------------------

    def _move(self, command: DmaCommand) -> None:
        command.ready = ready = command.ready + self._move_time(command.writes[command.position][0])
        now = self._calendar.now
        self._calendar.call_at(ready if ready > now else now, self._posts, command)

    def _post(self, command: DmaCommand) -> None:
        nbytes, wire = command.writes[command.position]
        left = self._memory.write(nbytes, self._up.put(wire, nbytes), command.page)
        self.bytes_written += nbytes
        if self._go_on(command) and not command.reads:
            self._calendar.call_at(left, self._ends, command)

    def _go_on(self, command: DmaCommand) -> bool:
        """A packet has been sent; the next one follows. Returns whether it was the command's last write."""
        command.position += 1
        if command.position < len(command.writes):
            self._move(command)
            return False
        self._writing.popleft()
        if self._writing:
            self._move(self._writing[0])
        if command.reads:
            self._ask(command)
        return True

    # --- reads -------------------------------------------------------------------------------------------------------

    def _ask(self, command: DmaCommand) -> None:
        for completions in command.reads:
            request = ReadRequest(self, command, completions)
            request.page = command.page
            self._waiting.append(request)
        self._issue()

    def _issue(self) -> None:
        while self._waiting and self.tags_free:
            request = self._waiting.popleft()
            self.tags_free -= 1
            request.sent = self._calendar.now
            self._sent += request.sent
            self._send_request(request)

    def _send_request(self, request: ReadRequest) -> None:
        self._memory.read(request, self._up.put(self._request_bytes))

    def coming(self, request: ReadRequest, nbytes: int, at: int) -> None:
        """Data move on within the device as they arrive, those of one command in order."""
        command = request.transfer
        assert isinstance(command, DmaCommand)
        command.moved = (at if at > command.moved else command.moved) + self._move_time(nbytes)

    def answered(self, request: ReadRequest) -> None:
        """The request's tag is free again."""
        self.tags_free += 1
        self._held += self._calendar.now - request.sent
        self._sent -= request.sent
        self.bytes_read += request.size
        command = request.transfer
        assert isinstance(command, DmaCommand)
        command.left -= 1
        if not command.left:
            self._calendar.call_at(command.moved, self._ends, command)
        self._issue()

    def _end(self, command: DmaCommand) -> None:
        command.done(command)

    def _move_time(self, nbytes: int) -> int:
        time = self._moves.get(nbytes, -1)
        if time < 0:
            time = self._moves[nbytes] = self._spec.move_time(nbytes)
        return time

    # --- accounts ----------------------------------------------------------------------------------------------------

    def busy_until(self, now: int) -> int:
        """ps up to `now` in which it took commands."""
        return self._busy - max(0, self._free - now)

    def held_until(self, now: int) -> int:
        """ps up to `now` for which tags were held, in total over all tags."""
        return self._held + (self.tags - self.tags_free) * now - self._sent
