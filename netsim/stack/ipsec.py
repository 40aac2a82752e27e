"""IPsec in a running simulation: whose packets a host's cards protect, and whose the host itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from netsim.machine import Driver
from netsim.stack.ipsec_spec import EspSpec


class Associations:
    """The peers whose IPsec a host's cards do, in a running simulation: in the order of connecting, as long as the card
    has room for one more, and can do it. `packets` counts those sent and received, by whether a card did it."""

    def __init__(self, esp: EspSpec | None) -> None:
        self.packets = {False: 0, True: 0}
        self._esp = esp
        self._by_card: dict[int, bool] = {}  # by peer
        self._peers: Counter[int] = Counter()  # in a port's card

    def by_card(self, peer: int, drivers: Sequence[Driver]) -> bool:
        """Whether cards do the IPsec of `peer`: all cards (by their `drivers`) on its frames' paths, or none."""
        if self._esp is None:
            return False
        if peer not in self._by_card:
            able = all(one.port.adapter.offloads(*self._esp.names, self._peers[one.number]) for one in drivers)
            self._by_card[peer] = able
            self._peers.update(one.number for one in drivers if able)
        return self._by_card[peer]
