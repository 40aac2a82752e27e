"""The population of a place, counted in two ways that have to agree: the number inside, and the stay of each one.

The number inside, summed over time, equals the total time that all customers have spent there (Little, 1961). One side
of this equation is counted without identifying customers, the other without counting those inside. A customer that
leaves twice, or never came, is refused at once; one that gets lost stays inside forever, which only an independent
count of those inside can detect.
"""

from __future__ import annotations

from netsim.engine import Environment
from netsim.errors import ConservationError


class Population:
    """The customers inside a system or at a station, called `name`. Times are in ps."""

    __slots__ = ("_calendar", "_changed", "_here", "area", "departures", "inside", "name", "stayed")

    def __init__(self, env: Environment, name: str) -> None:
        self._calendar = env.calendar
        self.name = name
        self.inside = 0
        self.departures = 0
        self.stayed = 0  # total stay of those that have left
        self.area = 0  # number inside x time, up to the last change
        self._changed = 0
        self._here: dict[int, int] = {}  # the number inside, by arrival time

    def arrive(self) -> int:
        """A customer arrives. Returns when (ps), for `depart`."""
        now = self._change(1)
        self._here[now] = self._here.get(now, 0) + 1
        return now

    def depart(self, arrived: int) -> int:
        """A customer that came at `arrived` leaves. Returns its stay. Raises ConservationError if none inside came
        then."""
        others = self._here.get(arrived, 0) - 1
        if others < 0:
            raise ConservationError(f"{self.name}: one leaves that came at {arrived} ps, and none inside did")
        if others:
            self._here[arrived] = others
        else:
            del self._here[arrived]
        now = self._change(-1)
        self.departures += 1
        self.stayed += now - arrived
        return now - arrived

    def _change(self, by: int) -> int:
        now = self._calendar.now
        self.area += self.inside * (now - self._changed)
        self._changed = now
        self.inside += by
        return now

    def area_until(self, now: int) -> int:
        """The number inside x time, up to `now`."""
        return self.area + self.inside * (now - self._changed)

    def audit(self, there: int | None = None) -> None:
        """Check Little's law, to the ps, and that the number inside equals the number `there` by another count, such as
        the length of a queue. Raises ConservationError."""
        now = self._calendar.now
        number = self.area_until(now)
        stays = self.stayed + sum((now - arrived) * count for arrived, count in self._here.items())
        if number != stays:
            raise ConservationError(f"{self.name}: {number} ps of customers there, {stays} ps of their stays")
        if there is not None and there != self.inside:
            raise ConservationError(f"{self.name}: {self.inside} came and did not leave, {there} are there")
