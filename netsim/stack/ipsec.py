"""IPsec in a running simulation: for which peers a host's cards protect packets, and for which the host does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from netsim.machine import Driver
from netsim.stack.ipsec_spec import EspSpec


class Associations:
    """The peers for which a host's cards do IPsec in a running simulation: peers are accepted in the order in which
    they connect, while the card supports the algorithms and has room for another. `packets` counts packets sent and
    received, by whether a card did the work."""

    def __init__(self, esp: EspSpec | None) -> None:
        self.packets = {False: 0, True: 0}
        self._esp = esp
        self._by_card: dict[int, bool] = {}  # by peer
        self._peers: Counter[int] = Counter()  # in a port's card

    def by_card(self, peer: int, drivers: Sequence[Driver]) -> bool:
        """Whether cards do IPsec for `peer`: either all cards (by their `drivers`) on the paths of its frames, or
        none."""
        if self._esp is None:
            return False
        if peer not in self._by_card:
            able = all(one.port.adapter.offloads(*self._esp.names, self._peers[one.number]) for one in drivers)
            self._by_card[peer] = able
            self._peers.update(one.number for one in drivers if able)
        return self._by_card[peer]
