"""The subjects of reports to watchers: tracks, each in a group."""

from __future__ import annotations

from typing import Self

from netsim.accounts import Resource

WIRES = "wires"  # the group of everything that carries frames between machines


class Track(str):
    """The subject of reports, by its name: a resource, or a part of one. Its `group` is the host or the switch that it
    belongs to, or "wires"."""

    __slots__ = ("group",)

    group: str

    def __new__(cls, group: str, name: str) -> Self:
        self = super().__new__(cls, name)
        self.group = group
        return self

    def __getnewargs__(self) -> tuple[str, str]:  # type: ignore[override]
        return self.group, str(self)

    @classmethod
    def of(cls, resource: Resource, what: str = "") -> Self:
        """The track of a resource, or of its part `what`."""
        return cls(WIRES if resource.is_wire else resource.host, f"{resource}{what}")

    @classmethod
    def drops(cls, where: str) -> Self:
        """The track of the drops of a host or a switch."""
        return cls(where, f"{where} drops")
