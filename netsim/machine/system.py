"""What an operating system's kernel adds to a host, below the protocols."""

from __future__ import annotations

from typing import Literal

from netsim.machine.files import FilesSpec
from netsim.spec import Spec
from netsim.units import Count, Cycles, Time


class KernelSpec(Spec):
    """Costs in processor cycles: `interrupt_cycles` from the vector to the driver's handler and back,
    `system_call_cycles` of one call by a process, `wake_up_cycles` from waking a sleeping process until it runs.
    `backlog` is how many received frames may wait between drivers and protocols; once it was full, with
    `backlog_drains`, all further ones are dropped until it is empty. `nested_interrupts`: one adapter's interrupt
    suspends the handler of another. Every `tick` the clock interrupts (0: never), which takes `tick_cycles`.
    `interrupts`: the "first" processor takes all of them and the deferred work that follows, or they are "spread", the
    ports' to the processors in turn, and deferred work is done where it came up.
    `ring_work`: where drivers work off their rings; `deferred_cycles` for queueing and dispatching that work if it is
    deferred. `lookahead_cycles` is what the protocols take to look at a received frame's header and to say where it is
    to go, before the driver moves it there (ODI and NDIS: receive look-ahead). `send_masked`: drivers are entered to
    send with interrupts disabled, and stay so (ODI specification: DriverSend): by the core protocol, and where a queue
    is restarted. With `network_lock`, on several processors, the protocols' deferred work and processes' calls on
    sockets exclude each other: the second one spins.
    """

    interrupt_cycles: Cycles
    system_call_cycles: Cycles
    wake_up_cycles: Cycles
    backlog: Count
    backlog_drains: bool
    nested_interrupts: bool
    tick: Time
    tick_cycles: Cycles
    interrupts: Literal["first", "spread"] = "first"
    ring_work: Literal["interrupt", "deferred"] = "interrupt"
    deferred_cycles: Cycles = 0.0
    lookahead_cycles: Cycles = 0.0
    send_masked: bool = False
    network_lock: bool = False


class SystemSpec(Spec):
    """An operating system as far as a host without protocols knows it. Without `files` it has no disks."""

    kernel: KernelSpec
    files: FilesSpec | None = None
