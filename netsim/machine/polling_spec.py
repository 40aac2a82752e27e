"""How a kernel polls its cards, instead of taking an interrupt for each event: one policy per class
(netsim.machine.polling runs them)."""

from __future__ import annotations

from abc import abstractmethod
from typing import Literal

from netsim.spec import Spec
from netsim.units import Count, Cycles, Fraction


class PollingSpec(Spec):
    """One poller empties the rings of all cards, and takes up to `quota` frames of one card before it turns to the
    next. Each frame goes through the protocols before the next one is taken. A look at a card takes `look_cycles`,
    whether or not it finds a frame."""

    catalogue = "polling"
    tag = "policy"

    policy: str = "masked"
    quota: Count
    look_cycles: Cycles

    @property
    @abstractmethod
    def interrupts(self) -> bool:
        """Whether cards still interrupt."""


class Masked(PollingSpec):
    """An interrupt masks those that would follow it until the card's rings have been found empty (Mogul and
    Ramakrishnan, 1997; Linux: NAPI). The poller precedes processes, but work that waits gets a turn after every
    `budget` frames."""

    policy: Literal["masked"] = "masked"
    budget: Count

    @property
    def interrupts(self) -> bool:
        return True


class OnTicks(PollingSpec):
    """Cards never interrupt. At each tick of the clock the poller takes up to a burst of frames from each card, before
    processes run, in rounds of up to `quota` frames, and looks at every card in each round. The burst grows by one
    frame a tick, up to `burst`. It shrinks by one frame after a tick that left less than `user_share` of its time, and
    by an eighth if the polling lasted until the next tick. With `idle` the poller continues while no process has work
    (FreeBSD 4: DEVICE_POLLING)."""

    policy: Literal["ticks"] = "ticks"
    burst: Count
    user_share: Fraction
    idle: bool = True

    @property
    def interrupts(self) -> bool:
        return False


class Constantly(PollingSpec):
    """Cards never interrupt. The poller looks at them all the time, in turn with processes that have work (Click:
    PollDevice in a kernel thread)."""

    policy: Literal["constant"] = "constant"

    @property
    def interrupts(self) -> bool:
        return False
