"""A switch's part of link aggregation (IEEE 802.3ad-2000, clause 43): several ports that lead to one station.

The switch may choose how to distribute frames, provided that those of a conversation stay in order (43.2.4): each
conversation is assigned a port ("address"). Round robin over all ports does not guarantee the order. The configuration
defines which ports belong together: LACP (43.4) is not modelled, and neither is the marker (43.2.5) that would hold a
conversation back while it moves to another port.
"""

from __future__ import annotations

from collections.abc import Sequence

from netsim.ethernet.frame import Frame
from netsim.ethernet.switch import Outlet, SwitchPort


class Trunk:
    """Ports of a switch, by number, some of which may be down. If all are down, frames are distributed as if all were
    up, and are lost on the cables."""

    def __init__(self, ports: Sequence[SwitchPort], policy: str) -> None:
        self._ports = list(ports)
        self._down: set[int] = set()
        self._up = self._ports  # those that are not down
        self._shared = RoundRobin(self._ports) if policy == "round-robin" else None
        self._conversations: dict[int, Conversation] = {}

    def conversation(self, number: int) -> Outlet:
        """The outlet for frames of one conversation, numbered from 0."""
        if self._shared is not None:
            return self._shared
        if number not in self._conversations:
            self._conversations[number] = Conversation(self._port(number))
        return self._conversations[number]

    def down(self, number: int) -> None:
        """A port's cable has failed: stop using it."""
        self._down.add(number)
        self._distribute()

    def up(self, number: int) -> None:
        """The cable is back: use the port again."""
        self._down.discard(number)
        self._distribute()

    def _distribute(self) -> None:
        self._up = [port for at, port in enumerate(self._ports) if at not in self._down] or self._ports
        if self._shared is not None:
            self._shared.ports = self._up
        for one, conversation in self._conversations.items():
            conversation.port = self._port(one)

    def _port(self, number: int) -> SwitchPort:
        """A conversation's assigned port, or one of those that are up: conversations of a failed port are spread over
        all of them, and those of other ports stay where they are."""
        turn, own = divmod(number, len(self._ports))
        return self._up[turn % len(self._up)] if self._ports[own] not in self._up else self._ports[own]


class Conversation:
    """Frames between two stations, which leave through one port."""

    __slots__ = ("port",)

    def __init__(self, port: SwitchPort) -> None:
        self.port = port

    def put(self, frame: Frame) -> None:
        """Hand `frame` to the port."""
        self.port.put(frame)


class RoundRobin:
    """All frames over `ports` in turn, whatever their destination."""

    __slots__ = ("_turn", "ports")

    def __init__(self, ports: Sequence[SwitchPort]) -> None:
        self.ports = ports
        self._turn = 0

    def put(self, frame: Frame) -> None:
        """Hand `frame` to the port whose turn it is."""
        self.ports[self._turn % len(self.ports)].put(frame)
        self._turn += 1
