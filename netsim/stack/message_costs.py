"""What a host of today spends on a message of a request or a response, stage by stage."""

from __future__ import annotations

from typing import NamedTuple


class MessageCosts(NamedTuple):
    """ps, of one host. Of a message that it sends: the way into the call, the protocol, IP and the driver; then `back`,
    out of that call and into the next one. Of one that it takes: an `interrupt` up to its softirq, and from its last
    poll on (`unmask`); a `poll`, to `clean` a frame that was sent, and a `frame`; to `steer` it to another core, whose
    interrupt is `ipi`; IP, the protocol; to wake the process, on whichever core the softirq is (`waking`) and on its
    own (`woken`); to read, and to `leave` the call. A core that has nothing to do takes `idle_exit` first. The process
    is on the core that takes interrupts, if it `shares` that."""

    call: int
    send: int
    driver: int
    back: int
    interrupt: int
    unmask: int
    poll: int
    clean: int
    frame: int
    steer: int
    ipi: int
    ip: int
    protocol: int
    waking: int
    woken: int
    read: int
    leave: int
    idle_exit: int
    shares: bool

    @property
    def sending(self) -> list[int]:
        """ps of the stages within the sender."""
        return [self.call, self.send, self.driver]

    @property
    def taking(self) -> list[int]:
        """ps of the stages within the receiver, of a message that comes while nothing else is to be done, except for
        one that was sent to be cleaned."""
        told = self.interrupt + self.idle_exit if self.interrupt else 0
        steered = self.steer + self.ipi + self.idle_exit if self.ipi else 0
        wakes = self.waking + self.woken + (self.unmask if self.shares else 0)
        poll = self.poll + self.clean + self.frame
        return [told, poll, steered, self.ip, self.protocol, wakes, self.read, self.leave]

    @property
    def process(self) -> int:
        """ps that a process works on a core of its own for one message each way, at least."""
        return sum(self.sending) + self.back + self.read + self.leave

    @property
    def work(self) -> int:
        """ps that its processors work for one message each way, at least: others share interrupts and polls, no
        core has to be called, and no process woken."""
        return self.process + self.clean + self.frame + (self.steer if self.ipi else 0) + self.ip + self.protocol
