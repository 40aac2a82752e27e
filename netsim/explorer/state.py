"""The state of a page: the current scenario, the scenario with the changes, and refused values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from netsim.errors import ScenarioError
from netsim.explorer import choices, ready, several
from netsim.explorer.case import Case
from netsim.explorer.choices import TOOL, Group
from netsim.explorer.numbers import moved, text_of
from netsim.explorer.place import place_of
from netsim.scenario import Scenario
from netsim.show.differences import Change, changes


@dataclass(frozen=True)
class Refused:
    """A user's text at an address, the reason why it was refused, and the values that it `gives`, by address."""

    text: str
    problem: str
    gives: Mapping[str, object]


class State:
    """`now` and `what_if`, which are the same at first. Invalid values are kept in `refused`, by address, and tried
    again with each further change: two changes that need each other can be made in succession."""

    def __init__(self, scenario: Scenario) -> None:
        self.now = self.what_if = Case.of(scenario)
        self.refused: dict[str, Refused] = {}
        self._before: list[tuple[Case, Case]] = []

    # ---- queries ----

    @property
    def scenario(self) -> Scenario:
        """The scenario with the changes."""
        return self.what_if.scenario

    @property
    def changes(self) -> list[Change]:
        """The differences from the current scenario."""
        return changes(self.now.scenario, self.scenario)

    @property
    def groups(self) -> list[Group]:
        """The available choices."""
        return choices.groups(self.scenario, {address: one.text for address, one in self.refused.items()})

    @property
    def can_undo(self) -> bool:
        """Whether a change can be undone."""
        return bool(self._before or self.refused)

    # ---- actions ----

    def choose(self, address: str, value: str) -> None:
        """Set another name at all like addresses."""
        if address == TOOL:
            self._take(self.now, Case.of(ready.under(self.scenario, value)))
            return
        alike = [one.addresses for group in self.groups for one in group.choices if one.address == address]
        self._change(address, value, alike[0] if alike else (address,))

    def set(self, address: str, text: str) -> None:
        """Set another value at one address."""
        self._change(address, text, (address,))

    def move(self, address: str, position: str) -> None:
        """Set a number to the position of its slider."""
        try:
            self.set(address, moved(self.what_if, self.now, address, int(position)))
        except ValueError as error:  # ScenarioError is one
            self.refused[address] = Refused(position, _problem(error, address), {})

    def more(self, address: str) -> None:
        """Add a copy of the thing there, in each of the like machines."""
        self._resize(address, 1)

    def fewer(self, address: str) -> None:
        """Remove the thing there."""
        self._resize(address, -1)

    def as_now(self, address: str) -> None:
        """Restore the current value."""
        if address in self.refused:
            del self.refused[address]
        else:
            self._try(address, {address: self.now.scenario.get(address)}, "")

    def keep(self) -> None:
        """Make the changed scenario the current one."""
        self._take(self.what_if, self.what_if)

    def back(self) -> None:
        """Restore all current values."""
        self._take(self.now, self.now)

    def undo(self) -> None:
        """Take back the last change; refused values first."""
        if self.refused:
            self.refused.clear()
        elif self._before:
            self.now, self.what_if = self._before.pop()

    # ---- changes ----

    def _change(self, address: str, text: str, addresses: tuple[str, ...]) -> None:
        place = place_of(self.scenario, address)
        self._try(address, dict.fromkeys(addresses, text_of(text, place)), text)

    def _resize(self, address: str, by: int) -> None:
        if address not in {one for group in self.groups for one in group.countable}:
            raise ScenarioError("nothing that can be added or removed", address=address)
        alike = [one.machines for one in self.groups if one.machines and address.startswith(f"{one.machines[0]}.")]
        every = [one + address.removeprefix(alike[0][0]) for one in alike[0]] if alike else [address]
        self._try(address.rpartition(".")[0] or address, several.changed(self.scenario, every, by), "")

    def _try(self, address: str, given: Mapping[str, object], text: str) -> None:
        """Apply a change together with the refused values; if that fails, alone; if that fails too, refuse it."""
        others = {at: one for at, one in self.refused.items() if at not in given}
        waiting = {at: value for one in others.values() for at, value in one.gives.items()}
        problem = ""
        for more, left in ((waiting, {}), ({}, others)):
            try:
                case = Case.of(self.scenario.replace({**more, **given}))
            except ScenarioError as error:
                problem = _problem(error, address)
            else:
                self._take(self.now, case)
                self.refused = left
                return
        self.refused = {**others, address: Refused(text, problem, given)}

    def _take(self, now: Case, what_if: Case) -> None:
        if (now, what_if) != (self.now, self.what_if):
            self._before.append((self.now, self.what_if))
        self.now, self.what_if, self.refused = now, what_if, {}


def _problem(error: Exception, address: str) -> str:
    """The error in one line, without the address of its own field."""
    return " ".join(str(error).split()).removeprefix(f"{address}: ")
