"""The costs and rules of an operating system's kernel, below the protocols."""

from __future__ import annotations

from typing import Literal

from netsim.machine.files import FilesSpec
from netsim.machine.polling_spec import PollingSpec
from netsim.spec import Spec
from netsim.units import Count, Cycles, NonNegativeCount, Period, Ratio


class KernelSpec(Spec):
    """Costs are in cycles of a reference core. All code of this system, with drivers and libraries (ciphers excepted),
    takes `cycle_factor` times as many: where costs are counted instructions, at 2.2 cycles each, the factor says how
    many cycles they take. `interrupt_cycles` is the cost from the vector to the driver's handler and back,
    `system_call_cycles` that of one call by a process, `wake_up_cycles` that from waking a sleeping process until it
    runs. A call of select() on one socket takes `select_cycles` more than another call if the socket is ready, and
    `selected_cycles` more after it has waited. To wake a thread through a condition variable takes `condition_cycles`
    in addition to the switch. The clock interrupts every `tick` (0: never), which takes `tick_cycles`.

    `backlog` is the number of received frames that may wait between drivers and protocols; with `backlog_drains`, a
    full backlog drops all further ones until it is empty. With `queues_first` the deferred work that takes these frames
    up first restarts the queues that wait for a device, then takes up all frames, then restarts queues again; otherwise
    frames and queues take turns. It stops when `pass_ticks` ticks have come since it began (0: never), and continues
    once other work has had its turn and an interrupt or a call is over (Linux 2.2: net_bh).

    `interrupts`: the "first" processor takes all of them and the deferred work that follows; or they are "spread", with
    ports assigned to the processors in turn; or each goes to the next processor ("rotating", see Rotation). In the
    latter two cases deferred work is done where it comes up. `nested_interrupts`: one adapter's interrupt suspends the
    handler of another. With `masks_interrupts` an interrupt's line is masked at the controller while it is handled,
    which takes accesses before and after (Linux 2.2: mask_and_ack_8259A); otherwise only its end takes an access. With
    `apic_alone` the system uses the board's I/O APIC even with one processor, otherwise only with several. With
    `chains_handlers` the kernel calls the handlers of all ports on a shared line in turn (without it, the kernel's
    behaviour is not known).

    `ring_work`: where drivers empty their rings; `deferred_cycles` is the cost of queueing and dispatching that work if
    it is deferred. `cold_cycles` is how much more its first frame takes than further ones, because caches have filled
    with other things since the last interrupt. `lookahead_cycles` is the protocols' time to look at a received frame's
    header and to name its destination, before the driver moves it there (ODI and NDIS: receive look-ahead).
    `send_masked`: the core protocol and the restart of a queue enter drivers with interrupts disabled to send, and they
    remain disabled (ODI specification: DriverSend). With a `polling` policy rings are emptied according to that policy
    instead, and nothing waits in the `backlog`.

    The kernel functions that every driver calls cost `receive_cycles` for each frame that it hands up (Linux:
    eth_type_trans and netif_rx; NDIS: a packet indicated and returned), `buffer_cycles` for each new receive buffer
    (Linux: dev_alloc_skb), and `free_cycles` for each frame sent that it gives back (Linux: dev_kfree_skb; NDIS:
    NdisMSendComplete).

    Compiled for several processors, a thousand cycles of its code contain `locked` locked instructions (locks, counters
    and flags that others may change). With several processors, the path of each frame through driver, protocols and
    process touches on average `shared_lines` cache lines last changed by another processor: its buffers, queues and
    locks.

    With a `big_lock`, on several processors, a process spins while another one is inside a call on a socket, and
    deferred work is done by one processor at a time (BottomHalves); calls keep it out while they hand over a frame and
    while they take in frames that came meanwhile (Linux 2.2: kernel_flag, global_bh_count, global_bh_lock).
    """

    cycle_factor: Ratio = 1.0
    interrupt_cycles: Cycles
    system_call_cycles: Cycles
    wake_up_cycles: Cycles
    select_cycles: Cycles = 0.0
    selected_cycles: Cycles = 0.0
    condition_cycles: Cycles = 0.0
    backlog: Count
    backlog_drains: bool
    queues_first: bool = False
    pass_ticks: NonNegativeCount = 0
    nested_interrupts: bool
    masks_interrupts: bool = True
    apic_alone: bool = True
    chains_handlers: bool = False
    tick: Period
    tick_cycles: Cycles
    interrupts: Literal["first", "spread", "rotating"] = "first"
    ring_work: Literal["interrupt", "deferred"] = "interrupt"
    deferred_cycles: Cycles = 0.0
    cold_cycles: Cycles = 0.0
    lookahead_cycles: Cycles = 0.0
    receive_cycles: Cycles = 0.0
    buffer_cycles: Cycles = 0.0
    free_cycles: Cycles = 0.0
    shared_lines: Ratio = 0.0
    locked: Ratio = 0.0
    send_masked: bool = False
    polling: PollingSpec | None = None
    big_lock: bool = False

    @property
    def handler_cycles(self) -> float:
        """Cycles of an interrupt, apart from the driver's own. Ring work that it does finds cold caches."""
        return self.interrupt_cycles + (self.cold_cycles if self.ring_work == "interrupt" else 0.0)

    @property
    def dispatch_cycles(self) -> float:
        """Cycles of deferring ring work, which finds cold caches."""
        return self.deferred_cycles + self.cold_cycles


class SystemSpec(Spec):
    """An operating system without its protocols. Without `files` it can't use disks."""

    kernel: KernelSpec
    files: FilesSpec | None = None
