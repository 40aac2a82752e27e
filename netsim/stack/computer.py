"""A computer with its operating system's protocols."""

from __future__ import annotations

from collections.abc import Callable

from mypy_extensions import mypyc_attr

from netsim.accounts import Resource
from netsim.accounts.resource import BOND_LOCK
from netsim.engine import Environment
from netsim.machine import Device, Host, Lock, Processor, Task, Work
from netsim.machine.backlog import Backlog
from netsim.machine.task import DEFERRED
from netsim.stack.bonding import Bond, LockedBond
from netsim.stack.computer_spec import ComputerSpec
from netsim.stack.ipsec import Associations


@mypyc_attr(allow_interpreted_subclasses=True)
class Computer(Host):
    """The computer in a running simulation."""

    spec: ComputerSpec

    def __init__(self, env: Environment, spec: ComputerSpec, name: str, *, half_duplex: bool = False) -> None:
        # The bond's, and how it is used.
        how = spec.bond.lock if spec.bond and spec.locked_bond else None
        self._lock = (env.part(Lock)(env, Resource(name, BOND_LOCK)), how) if how else None
        super().__init__(env, spec, name, half_duplex=half_duplex)
        self.bond = self._bonded()
        self.associations = Associations(spec.ipsec)

    def _bonded(self) -> Bond | None:
        spec = self.spec.bond
        if spec is None or self._lock is None:
            return Bond(spec, self.drivers) if spec else None
        return self.env.part(LockedBond)(spec, self.drivers, self._lock[0], self.defer, self.bill)

    def _backlog(self, processor: Processor) -> Backlog:
        if self._lock is None:
            return super()._backlog(processor)
        lock, how = self._lock
        spins = how.receive == "spin"
        kernel = self.spec.system.kernel
        return self.env.part(Backlog)(kernel, processor, self.handlers, lock, spins=spins, keeps=False)

    def deferred(self, begin: Callable[[], Work | None], end: Callable[[], bool]) -> Task:
        if self._lock is None or not self._lock[1].answers:
            return super().deferred(begin, end)
        lock, how = self._lock
        return Task(DEFERRED, begin, end, lock, spins=how.receive == "spin", name="receive")

    def towards(self, number: int) -> Device:
        """What a connection to the peer of this number sends on: the bond, or else a port, peers to ports in turn."""
        return self.bond.towards(number) if self.bond else self.drivers[number % len(self.drivers)]

    @property
    def locks(self) -> list[Lock]:
        return [*super().locks, self._lock[0]] if self._lock else super().locks
