"""The time that a current host spends on a request or response message, stage by stage."""

from __future__ import annotations

from typing import NamedTuple


class MessageCosts(NamedTuple):
    """The times (ps) of one host. For a message that it sends: the entry into the call, the protocol, IP and the
    driver; then `back`, out of that call and into the next one. For a message that it receives: an `interrupt` up to
    its softirq, and the end of polling (`unmask`); a `poll`, the time to `clean` a sent frame, and a `frame`; to
    `steer` it to another core, whose interrupt is `ipi`; IP, the protocol; waking the process, on the softirq's core
    (`waking`) and on its own (`woken`); reading, and to `leave` the call. An idle core takes `idle_exit` first.
    `shares`: the process is on the core that takes interrupts."""

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
        """The times (ps) of the stages within the sender."""
        return [self.call, self.send, self.driver]

    @property
    def taking(self) -> list[int]:
        """The times (ps) of the stages within the receiver, for a message that arrives while there is no other work
        except cleaning one sent message."""
        told = self.interrupt + self.idle_exit if self.interrupt else 0
        steered = self.steer + self.ipi + self.idle_exit if self.ipi else 0
        wakes = self.waking + self.woken + (self.unmask if self.shares else 0)
        poll = self.poll + self.clean + self.frame
        return [told, poll, steered, self.ip, self.protocol, wakes, self.read, self.leave]

    @property
    def up(self) -> int:
        """The time (ps) of softirqs for a received message that finds them under way and the process awake."""
        return self.frame + (self.steer if self.ipi else 0) + self.ip + self.protocol

    @property
    def spared(self) -> int:
        """The part (ps) of `taking` from which others may relieve a message that follows them."""
        return sum(self.taking) - self.up - self.read - self.leave

    @property
    def polled(self) -> int:
        """The most time (ps) of the core that takes interrupts for a message each way, after the interrupt."""
        return self.poll + self.clean + self.frame + (self.steer if self.ipi else self.ip + self.protocol + self.waking)

    @property
    def process(self) -> int:
        """The least time (ps) that a process on a separate core works for one message each way."""
        return sum(self.sending) + self.back + self.read + self.leave

    @property
    def work(self) -> int:
        """The least time (ps) that the host's processors work for one message each way: interrupts and polls are shared
        with other messages, no other core is interrupted, and no process is woken."""
        return self.process + self.clean + self.up
