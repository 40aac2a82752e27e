"""Descriptions of interrupt moderation policies, one per class; each makes the rule that a simulation runs."""

from __future__ import annotations

from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from netsim.errors import ScenarioError
from netsim.machine.interrupt_policy import InterruptPolicy
from netsim.machine.policy_dim import DimRule
from netsim.machine.policy_e1000e import BULK, LOW, LOWEST, RATES, E1000eRule
from netsim.machine.policy_i40e import I40eRule
from netsim.machine.policy_igb import ITR, IgbRule, interval
from netsim.machine.policy_ixgbe import IxgbeClassRule, IxgbeRule
from netsim.spec import Spec
from netsim.units import GBIT_S, MBIT_S, PS_PER_S, US, Count, NonNegativeCount, Time

# Settings of DIM for receiving, by the event from which its times count (5.17: net_dim.c): us, and packets.
_PROFILES: Final = {
    "event": [(1, 256), (8, 256), (64, 256), (128, 256), (256, 256)],
    "completion": [(2, 256), (8, 128), (16, 64), (32, 64), (64, 64)],
}
_DEFAULT: Final = 1  # the initial setting


class FixedIntervalPolicy(Spec):
    """Interrupts always wait for the same `interval`, or until `frames` frames are there, if that is sooner (0: no such
    limit). Drivers call these rx-usecs and rx-frames."""

    policy: Literal["fixed-interval"] = "fixed-interval"
    interval: Time
    frames: NonNegativeCount = 0

    def least(self, rate: int) -> int:
        """The shortest interval (ps) that it may set on a link of `rate` (bit/s)."""
        return 0 if self.frames else self.interval

    def rule(self, rate: int, jiffy: int) -> InterruptPolicy:
        """The rule that sets the interval in a running simulation, for a link of `rate` (bit/s) and a kernel's
        `jiffy` (ps)."""
        return InterruptPolicy(self.interval, self.frames)


class E1000ePolicy(Spec):
    """The rule of e1000e, in its `mode`: 1 has a class of lowest latency, 3 does not."""

    policy: Literal["e1000e"] = "e1000e"
    mode: Literal[1, 3] = 3

    def least(self, rate: int) -> int:
        quick = LOWEST if self.mode == 1 else LOW
        return PS_PER_S // RATES[BULK if rate < GBIT_S else quick]

    def rule(self, rate: int, jiffy: int) -> InterruptPolicy:
        return E1000eRule(rate // MBIT_S, self.mode)


class IxgbePolicy(Spec):
    """The rule of ixgbe since Linux 4.15."""

    policy: Literal["ixgbe"] = "ixgbe"

    def least(self, rate: int) -> int:
        return 10 * US

    def rule(self, rate: int, jiffy: int) -> InterruptPolicy:
        return IxgbeRule(rate // MBIT_S, jiffy)


class IxgbeClassPolicy(Spec):
    """The rule of ixgbe up to Linux 4.14, with latency classes."""

    policy: Literal["ixgbe-classes"] = "ixgbe-classes"

    def least(self, rate: int) -> int:
        return 10 * US

    def rule(self, rate: int, jiffy: int) -> InterruptPolicy:
        return IxgbeClassRule()


class I40ePolicy(Spec):
    """The rule of i40e since Linux 4.16."""

    policy: Literal["i40e"] = "i40e"

    def least(self, rate: int) -> int:
        return 2 * US

    def rule(self, rate: int, jiffy: int) -> InterruptPolicy:
        return I40eRule(rate // MBIT_S, jiffy)


class IgbPolicy(Spec):
    """The rule of igb, in its `mode`: 1 has a class of lowest latency, 3 does not. With a single vector (`vectors`) it
    uses latency classes, with several the size of packets."""

    policy: Literal["igb"] = "igb"
    mode: Literal[1, 3] = 3
    vectors: Count = 2

    def least(self, rate: int) -> int:
        if rate < GBIT_S:
            return interval(ITR[BULK])
        if self.mode == 3:
            return interval(ITR[LOW])
        return interval(ITR[LOWEST]) if self.vectors == 1 else US

    def rule(self, rate: int, jiffy: int) -> InterruptPolicy:
        return IgbRule(rate // MBIT_S, self.mode, self.vectors)


class DimPolicy(Spec):
    """Linux's DIM with its own settings, whose times count from the last `event` (an interrupt) or from a `completion`;
    it begins with setting number `start`, counted from 0."""

    policy: Literal["dim"] = "dim"
    counts_from: Literal["event", "completion"] = "completion"
    start: NonNegativeCount = _DEFAULT

    @model_validator(mode="after")
    def _is_a_setting(self) -> Self:
        most = len(_PROFILES[self.counts_from]) - 1
        if self.start > most:
            raise ScenarioError(f"{self.start} is not allowed; allowed: 0 to {most}", address="start")
        return self

    def least(self, rate: int) -> int:
        return 0  # its settings limit frames

    def rule(self, rate: int, jiffy: int) -> InterruptPolicy:
        return DimRule(_PROFILES[self.counts_from], self.start)


PolicySpec = Annotated[
    FixedIntervalPolicy | E1000ePolicy | IgbPolicy | IxgbePolicy | IxgbeClassPolicy | I40ePolicy | DimPolicy,
    Field(discriminator="policy"),
]
