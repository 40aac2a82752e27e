"""Saturated stations in a running simulation."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from netsim.accounts import Accounts, Resource
from netsim.accounts.resource import SEGMENT
from netsim.engine import Environment
from netsim.errors import ConservationError
from netsim.ethernet import Segment
from netsim.scenario import StreamRun
from netsim.topology.ledger import Ledger
from netsim.topology.stations import contention
from netsim.units import MS
from netsim.workload.saturation.station import SaturatedStation

if TYPE_CHECKING:
    from netsim.workload.saturation.tool import Saturation

_START_SPREAD = 10 * MS  # ps: stations begin within ten milliseconds
_SENT, _GIVEN_UP = "sent", "given up"  # how a frame leaves its station


class SaturationRun(StreamRun):
    """The segment and its stations in a running simulation."""

    def __init__(self, env: Environment, test: Saturation) -> None:
        self.env = env
        self.test = test
        self.duration = test.duration
        self.segment = env.part(Segment)(env, test.segment, Resource("", SEGMENT))
        peers = [*test.names[1:], test.names[0]]
        self.stations = [
            self._station(number, name, peer) for number, (name, peer) in enumerate(zip(test.names, peers, strict=True))
        ]
        self._starts = [0] * len(self.stations)
        self.ledger = Ledger(env, {}, [self.segment])

    def _station(self, number: int, name: str, peer: str) -> SaturatedStation:
        mac = self.segment.mac(name, self.test.position(number))
        self.segment.learn(name, mac)
        return SaturatedStation(self.env, mac, self.test.frame, peer)

    def start(self) -> None:
        """Stations begin at times drawn from the seed."""
        self._starts = self.env.stream("start").integers(_START_SPREAD, size=len(self.stations)).tolist()
        for station, time in zip(self.stations, self._starts, strict=True):
            self.env.call_in(time, station.begin)

    @property
    def delivered(self) -> int:
        return self.test.frame * sum(one.frames_sent for one in self.stations)

    def busy(self) -> dict[str, int]:
        """There are no processors."""
        return {}

    def accounts(self) -> Accounts:
        pairs = {one.mac.name: self.test.frame * one.frames_sent for one in self.stations}
        read = self.ledger.read(self.delivered, contention([self.segment]), pairs=pairs)
        stayed, given_up = (sum(getattr(one, name) for one in self.stations) for name in ("stayed", "given_up"))
        return replace(
            read,
            ended={_SENT: sum(one.frames_sent for one in self.stations), _GIVEN_UP: self.segment.frames_lost},
            stays={_SENT: stayed, _GIVEN_UP: given_up},
            under_way=len(self.stations) * self.env.now,
        )

    def audit(self) -> None:
        """Check that every station has had one frame under way since it began. Raises ConservationError."""
        self.ledger.audit()
        for station, start in zip(self.stations, self._starts, strict=True):
            known = station.stayed + station.given_up + station.age
            if start <= self.env.now and known != self.env.now - start:
                text = f"frames under way for {known} ps, {self.env.now - start} ps since it began"
                raise ConservationError(f"{station.mac.name}: {text}")

    def waiting_for(self) -> str:
        return f"{self.segment.frames} frames handed over, {self.segment.frames_arrived} arrived"
