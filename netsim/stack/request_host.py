"""A current host in a running simulation: its cores, its softirqs, and the process that they serve."""

from __future__ import annotations

from netsim.accounts import Resource
from netsim.accounts.resource import PROCESSOR
from netsim.engine import Environment, Fifo
from netsim.machine import InterruptPolicy, Processor, Task, Work
from netsim.machine.frame_napi import FrameNapi, NapiLimits
from netsim.machine.task import DEFERRED, INTERRUPT
from netsim.nic.queued_port import QueuedPort
from netsim.stack.message_costs import MessageCosts
from netsim.stack.message_works import MessageWorks, napi_works
from netsim.stack.request_process import RequestProcess
from netsim.stack.small_message import SmallMessage


class RequestHost:
    """The process runs on the last of the `cores`, and the first one takes interrupts. If messages are steered, the
    second one runs IP and the protocol."""

    def __init__(
        self, env: Environment, name: str, cores: int, port: QueuedPort, costs: MessageCosts,
        policy: InterruptPolicy, limits: NapiLimits,
    ) -> None:  # fmt: skip
        self._calendar = env.calendar
        self.name = name
        self.port = port
        self._costs = costs
        self._works = works = MessageWorks(costs)
        self.cores = [env.part(Processor)(env, Resource(name, PROCESSOR, number), []) for number in range(cores)]
        self.process = RequestProcess(env, self.cores[-1], port, costs, works)
        self.napi = env.part(FrameNapi)(env, self.cores[0], port, policy, limits, napi_works(costs))
        self.napi.next_work, self.napi.deliver = self._next_work, self._polled
        self.process.idles = self.napi.watch
        self._up: Work = works.brings  # of the message under way
        self._steered: Fifo[SmallMessage] = Fifo()  # on their way to the other core
        self._signal = Task(INTERRUPT, self._begin_signal, self._end_signal)
        self._backlog = Task(DEFERRED, self._begin_backlog, self._end_backlog)
        self._signalled = self._busy = self._was_idle = False

    def _next_work(self) -> Work:
        return self._works.steered if self._costs.ipi else self._begin_up()

    def _polled(self, message: SmallMessage) -> None:
        """A poll has finished with a message. Record when it arrived, was announced, and was polled."""
        napi = self.napi
        told = max(message.in_memory, napi.told)
        message.at += [*self.port.way(message), message.in_memory, told, max(told, napi.begun)]
        if self._costs.ipi:
            message.at.append(self._calendar.now - self._costs.steer)
            self._steer(message)
        else:
            message.at.append(self._calendar.now - self._time_up())
            self._end_up(message)

    # --- the core with IP and the protocol ----------------------------------------------------------------------------

    def _steer(self, message: SmallMessage) -> None:
        self._steered.append(message)
        if not self._busy:
            self._busy = self._signalled = True
            self._was_idle = self.cores[1].task is None
            self.cores[1].kick(self._signal)

    def _begin_signal(self) -> Work | None:
        if not self._signalled:
            return None
        return self._works.waking if self._was_idle else self._works.signal

    def _end_signal(self) -> bool:
        self._signalled = False
        self.cores[1].kick(self._backlog)
        return False

    def _begin_backlog(self) -> Work | None:
        if not self._steered:
            self._busy = False
            return None
        return self._begin_up()

    def _end_backlog(self) -> bool:
        self._end_up(self._steered.popleft())
        return True

    # --- to the socket ------------------------------------------------------------------------------------------------

    def _begin_up(self) -> Work:
        """Begin the path up to the socket, which wakes a waiting process."""
        self._up = self._works.wakes if self.process.waits else self._works.brings
        return self._up

    def _time_up(self) -> int:
        """The time (ps) of IP, the protocol and waking the process for the current message."""
        costs = self._costs
        return costs.ip + costs.protocol + (costs.waking if self._up is self._works.wakes else 0)

    def _end_up(self, message: SmallMessage) -> None:
        costs = self._costs
        began = self._calendar.now - self._time_up()
        message.at += [began, began + costs.ip, began + costs.ip + costs.protocol]
        self.process.put(message)

    @property
    def read(self) -> int:
        """The number of messages that the process has read."""
        return self.process.read

    @property
    def inside(self) -> int:
        """The number of messages that have arrived and not been read."""
        on_link = self.port.frames_arrived - self.port.stored
        return on_link + self.napi.waiting + len(self._steered) + self.process.unread
