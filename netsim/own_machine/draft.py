"""A description under construction: each value as read, or assumed with a reason; a value that a spec refuses is
assumed."""

from __future__ import annotations

from typing import Any, NamedTuple

from netsim.errors import ScenarioError
from netsim.own_machine.machine_spec import ImportedMachine
from netsim.own_machine.texts import Noted, Unread
from netsim.spec import NONE

Table = dict[str, Any]


class _Entry(NamedTuple):
    noted: Noted | None
    fallback: object
    reason: str


class Draft:
    """Values by their addresses."""

    def __init__(self) -> None:
        self._entries: dict[str, _Entry] = {}
        self._empty: list[str] = []
        self.unread: list[Unread] = []

    def put(self, address: str, noted: Noted | None, fallback: object, reason: str) -> None:
        """The value read, or else `fallback` for the given `reason`; None is "none"."""
        self._entries[address] = _Entry(noted, NONE if fallback is None else fallback, reason)

    def table(self, address: str) -> None:
        """Create a table, even an empty one."""
        self._empty.append(address)

    def read(self, address: str) -> object:
        """The value read for an address; None if none was."""
        entry = self._entries.get(address)
        return entry.noted.value if entry and entry.noted else None

    def build(self) -> ImportedMachine:
        """The machine; values that it refuses are reported and assumed instead."""
        for _ in range(len(self._entries)):
            try:
                return ImportedMachine.model_validate(self._tables())
            except ScenarioError as error:
                self._assume(error)
        return ImportedMachine.model_validate(self._tables())

    def _assume(self, error: ScenarioError) -> None:
        """Take back the value that an error concerns. Raises the error if it concerns no value."""
        entry = self._entries.get(error.address)
        if entry is None or entry.noted is None:
            raise error
        file, _, line = entry.noted.where.rpartition(":")
        self.unread.append(Unread(file, int(line), error.problem))
        self._entries[error.address] = _Entry(None, entry.fallback, f"{entry.noted.where}: {error.problem}")

    def _tables(self) -> Table:
        root: Table = {}
        for address in self._empty:
            _table(root, address.split("."))
        for address, entry in self._entries.items():
            *above, name = address.split(".")
            _table(root, above)[name] = _sourced(entry)
        return root


def _table(root: Table, path: list[str]) -> Table:
    for name in path:
        root = root.setdefault(name, {})
    return root


def _sourced(entry: _Entry) -> Table:
    if entry.noted is None:
        return {"value": entry.fallback, "kind": "assumed", "reason": entry.reason}
    return {"value": entry.noted.value, "kind": "imported", "source": entry.noted.where}
