"""The ledger of a run: it reads the accounts of all parts, and checks that nothing is lost or invented."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from netsim.accounts import Accounts, DropPlace, Resource
from netsim.accounts.balance import require
from netsim.accounts.resource import TRANSMIT_QUEUE
from netsim.engine import Environment, Transactions
from netsim.ethernet import Link, Segment, Switch
from netsim.machine import Driver, Host, Threads
from netsim.stack import Computer


class Ledger:
    """Reads the accounts of all parts of a run."""

    def __init__(
        self,
        env: Environment,
        computers: Mapping[str, Host],
        links: Sequence[Link | Segment],
        switches: Sequence[Switch] = (),
        transactions: Transactions | None = None,
        threads: Sequence[Threads] = (),
    ) -> None:
        self.env = env
        self.computers = computers
        self.links = links
        self.switches = switches
        self.transactions = transactions or Transactions(env, [], 0)
        self.threads = threads
        self._places: dict[tuple[str, str | int], DropPlace] = {}  # by host, and by what or by the number of a port

    def busy(self) -> dict[str, int]:
        """The total time (ps) up to now for which each host's processors were busy."""
        now = self.env.now
        return {
            name: len(host.processors) * now - sum([one.idle_until_now() for one in host.processors])
            for name, host in self.computers.items()
        }

    @property
    def frames(self) -> int:
        """The number of frames on all wires up to now."""
        return sum([link.frames for link in self.links])

    def read(
        self,
        delivered: int,
        counts: Mapping[str, int],
        drops: Mapping[DropPlace, int] | None = None,
        pairs: Mapping[str, int] | None = None,
    ) -> Accounts:
        """The accounts up to now, with the values that only the workload knows."""
        now = self.env.now
        hosts = self.computers.values()
        processors = [processor for host in hosts for processor in host.processors]
        interrupts = {f"{host.name} interrupts": host.interrupts for host in hosts}
        ipsec = {
            f"{host.name} IPsec packets by the {'card' if by_card else 'host'}": count
            for host in hosts
            if isinstance(host, Computer)
            for by_card, count in host.associations.packets.items()
            if host.spec.ipsec is not None or (host.is_gateway and not by_card)
        }
        files = {name: n for host in hosts if host.volume for name, n in host.volume.counts().items()}
        forwarded = {
            f"{host.name} frames forwarded": sum(one.accepted for one in host.forwarders.values())
            for host in hosts
            if isinstance(host, Computer) and host.forwarders
        }
        segments = [link for link in self.links if isinstance(link, Segment)]
        transmitters = [nic.transmitter for host in hosts for nic in host.nics]
        return Accounts(
            elapsed=now,
            delivered=delivered,
            busy={processor.name: processor.busy() for processor in processors},
            idle={processor.name: processor.idle_until_now() for processor in processors},
            occupied=dict(self._occupied(now)),
            waited={lock.name: lock.waited_until(now) for host in hosts for lock in host.locks},
            frames={link.name: link.frames for link in self.links},
            drops={**dict(self._drops()), **(drops or {})},
            pairs=pairs or {},
            counts={**interrupts, **ipsec, **forwarded, **files, "events": self.env.events, **counts},
            ended=self.transactions.counts(),
            stays=self.transactions.stays(),
            under_way=self.transactions.all.area_until(now),
            wanted={one.name: one.wanted_until(now) for one in [*segments, *transmitters]},
        )

    def _occupied(self, now: int) -> Iterator[tuple[Resource, int]]:
        for link in self.links:
            yield link.name, link.busy_until(now)
        for threads in self.threads:
            yield threads.name, threads.busy_until(now)
        for host in self.computers.values():
            for bus in host.buses:
                yield bus.name, bus.occupied_until(now)
            for lock in host.locks:
                yield lock.name, lock.held_until(now)
            for nic in host.nics:
                for part in (nic.transmitter, nic.onboard, nic.crypto):
                    if part is not None:
                        yield part.name, part.busy_until(now)
            if host.volume is not None:
                yield from host.volume.controller.occupied(now)

    def _drops(self) -> Iterator[tuple[DropPlace, int]]:
        for link in self.links:
            yield from ((DropPlace(link.name, what), count) for what, count in link.drops.items())
        for switch in self.switches:
            for port in switch.ports:
                yield DropPlace(switch.name, f"port to {port.neighbour}", port.out.name), port.dropped
        for host in self.computers.values():
            found: dict[str, int] = {}
            parts: list[Any] = [host, *host.nics]
            if isinstance(host, Computer):
                parts += host.openers.values()
            for part in parts:
                for what, count in part.drops.items():
                    found[what] = found.get(what, 0) + count
            for what, count in found.items():
                yield self._place(host.name, what), count
            for driver in host.drivers:
                yield self._transmit_queue(host, driver), driver.drops[TRANSMIT_QUEUE]

    def _transmit_queue(self, host: Host, driver: Driver) -> DropPlace:
        """The queue before a driver's port; each port has its own, and its own wire."""
        place = self._places.get((host.name, driver.number))
        if place is None:
            number = driver.number if len(host.drivers) > 1 else None
            place = DropPlace(host.name, TRANSMIT_QUEUE, driver.nic.wire, number)
            self._places[host.name, driver.number] = place
        return place

    def _place(self, host: str, what: str) -> DropPlace:
        """A place, cached because there are hundreds and they are needed often."""
        place = self._places.get((host, what))
        if place is None:
            place = self._places[host, what] = DropPlace(host, what)
        return place

    def audit(self) -> None:
        """Check conservation. Raises ConservationError.

        Every frame sent has reached a protocol, was dropped (counted by place), or is on its way; every processor's
        busy and idle times add up to the elapsed time; every transaction has ended or is under way.
        """
        self.transactions.audit()
        for threads in self.threads:
            threads.busy.audit()
        for host in self.computers.values():
            for processor in host.processors:
                total = sum(processor.busy().values()) + processor.idle_until_now()
                require(total, self.env.now, f"busy and idle ps of {processor.name}")
            handled = host.frames_handled + host.frames_inside
            handled += sum(host.drops.values()) + sum(sum(nic.drops.values()) for nic in host.nics)
            arrived = sum(nic.receiver.frames_arrived for nic in host.nics) + host.frames_again
            require(handled, arrived, f"frames that arrived at {host.name}")
            if host.volume is not None:
                host.volume.audit()
            if isinstance(host, Computer):
                host.audit()
        for link in self.links:
            there = link.frames_arrived + link.frames_lost + link.in_flight
            require(there, link.frames, f"frames sent on {link.name}")
        for switch in self.switches:
            there = switch.frames_sent + sum(switch.drops.values()) + switch.frames_inside
            require(there, switch.frames_arrived, f"frames that arrived at {switch.name}")
