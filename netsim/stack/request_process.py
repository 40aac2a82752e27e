"""A process that exchanges small messages, in a running simulation."""

from __future__ import annotations

from collections.abc import Callable

from netsim.engine import Environment, Fifo
from netsim.machine import Processor, Task, Work
from netsim.machine.task import PROCESS
from netsim.nic.queued_port import QueuedPort
from netsim.stack.message_costs import MessageCosts
from netsim.stack.message_works import MessageWorks
from netsim.stack.small_message import SmallMessage


class RequestProcess:
    """It sends the messages handed to it through `port`, and passes messages that it has read to `taken`. When there is
    nothing to send or read, it calls `idles` and waits."""

    def __init__(
        self, env: Environment, core: Processor, port: QueuedPort, costs: MessageCosts, works: MessageWorks
    ) -> None:
        self._calendar = env.calendar
        self._core = core
        self._port = port
        self._costs = costs
        self._works = works
        self.taken: Callable[[SmallMessage], None]
        self.idles: Callable[[], None]
        self._task = Task(PROCESS, self._begin, self._end)
        self._to_send: Fifo[SmallMessage] = Fifo()
        self._socket: Fifo[SmallMessage] = Fifo()
        self._work: Work = works.back
        self.waits = False
        self._woken = self._returns = False
        self.read = 0

    def start(self) -> None:
        """Begin to wait for a message to send or read."""
        self._core.kick(self._task)

    def send(self, message: SmallMessage) -> None:
        """Let its next call send `message`."""
        self._to_send.append(message)
        self._go_on()

    def put(self, message: SmallMessage) -> None:
        """A message has reached its socket."""
        self._woken = self._woken or self.waits
        self._socket.append(message)
        self._go_on()

    def _go_on(self) -> None:
        self.waits = False
        self._core.kick(self._task)

    def _begin(self) -> Work | None:
        works = self._works
        if self._returns:
            self._work = works.back
        elif self._to_send:
            self._work = works.send
        elif self._socket:
            self._work = works.woken if self._woken else works.read
            self._woken = False
        else:
            self.waits = True
            self.idles()
            return None
        return self._work

    def _end(self) -> bool:
        if self._work is self._works.back:
            self._returns = False
        elif self._work is self._works.send:
            self._sent(self._to_send.popleft())
        else:
            self._read(self._socket.popleft())
        return True

    def _sent(self, message: SmallMessage) -> None:
        """The call has reached the doorbell."""
        now, costs = self._calendar.now, self._costs
        driver = now - costs.driver
        message.at = [message.began, driver - costs.send, driver, now]
        self._returns = True
        self._port.send(message)

    def _read(self, message: SmallMessage) -> None:
        now, costs = self._calendar.now, self._costs
        message.at += [now - costs.leave - costs.read, now - costs.leave, now]
        self.read += 1
        self.taken(message)

    @property
    def unread(self) -> int:
        """The number of messages in its socket."""
        return len(self._socket)
