"""A switch's part of link aggregation (IEEE 802.3ad-2000, clause 43): several ports that lead to one station.

How frames are distributed is the switch's own choice, as long as those of a conversation stay in order (43.2.4): each
conversation has a port of its own ("address"). Round robin over all ports does not keep to that. Which ports belong
together is configured: there is no LACP (43.4), and no marker (43.2.5) that would hold a conversation back while it
moves to another port.
"""

from __future__ import annotations

from collections.abc import Sequence

from netsim.ethernet.frame import Frame
from netsim.ethernet.switch import Outlet, SwitchPort


class Trunk:
    """Ports of a switch, by number, of which some may be down. If all are, frames go to them as if all were up, and are
    lost there."""

    def __init__(self, ports: Sequence[SwitchPort], policy: str) -> None:
        self._ports = list(ports)
        self._down: set[int] = set()
        self._up = self._ports  # those that are not down
        self._shared = RoundRobin(self._ports) if policy == "round-robin" else None
        self._conversations: dict[int, Conversation] = {}

    def conversation(self, number: int) -> Outlet:
        """What frames of one conversation, of any number from 0, go out on."""
        if self._shared is not None:
            return self._shared
        if number not in self._conversations:
            self._conversations[number] = Conversation(self._port(number))
        return self._conversations[number]

    def down(self, number: int) -> None:
        """A port's cable has failed: leave it out."""
        self._down.add(number)
        self._distribute()

    def up(self, number: int) -> None:
        """It is back: take it in again."""
        self._down.discard(number)
        self._distribute()

    def _distribute(self) -> None:
        self._up = [port for at, port in enumerate(self._ports) if at not in self._down] or self._ports
        if self._shared is not None:
            self._shared.ports = self._up
        for one, conversation in self._conversations.items():
            conversation.port = self._port(one)

    def _port(self, number: int) -> SwitchPort:
        """A conversation's own port, or one of those that are up: conversations of one port go to all of them, and
        those of other ports stay where they are."""
        turn, own = divmod(number, len(self._ports))
        return self._up[turn % len(self._up)] if self._ports[own] not in self._up else self._ports[own]


class Conversation:
    """Frames between two stations, which leave on one port."""

    __slots__ = ("port",)

    def __init__(self, port: SwitchPort) -> None:
        self.port = port

    def put(self, frame: Frame) -> None:
        """Hand `frame` to the port."""
        self.port.put(frame)


class RoundRobin:
    """All frames in turn over `ports`, whatever their destination."""

    __slots__ = ("_turn", "ports")

    def __init__(self, ports: Sequence[SwitchPort]) -> None:
        self.ports = ports
        self._turn = 0

    def put(self, frame: Frame) -> None:
        """Hand `frame` to the port whose turn it is."""
        self.ports[self._turn % len(self.ports)].put(frame)
        self._turn += 1
