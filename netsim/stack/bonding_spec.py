"""What several ports are as one device, and what the driver that makes them one costs."""

from __future__ import annotations

from typing import Literal

from netsim.machine.lock import Contention
from netsim.spec import Spec
from netsim.units import Cycles, Time


class BondLockSpec(Spec):
    """What a processor that finds the lock taken does with a received frame, and with one to send: "spin" until it is
    free, or "leave" the frame in its queue until then. With `answers`, protocols also hold the lock while they send in
    deferred work, mostly in answer to what was handed up."""

    receive: Contention
    send: Contention
    answers: bool


class BondSpec(Spec):
    """`policy`: the frames of a bond go to its ports in turn ("round-robin"), or all those for one peer to one port
    ("address", peers to ports in turn). `tx_cycles` per frame sent, from the bond's own entry to that of the port's
    driver, `rx_cycles` per frame received (None: as many), which it copies with `rx_copy`, and `free_cycles` per frame
    sent that a port's driver gives back. With a `lock`, all but the last is done under it. The bond notices that a port
    has lost its link, or has it again, after `detection` (ps)."""

    catalogue = "bonds"

    policy: Literal["round-robin", "address"]
    tx_cycles: Cycles
    rx_cycles: Cycles | None = None
    rx_copy: bool = False
    free_cycles: Cycles = 0.0
    lock: BondLockSpec | None = None
    detection: Time = 0
