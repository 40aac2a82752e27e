"""A crypto engine on the adapter: its algorithms, and its time for a frame."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import model_validator

from netsim import catalog
from netsim.errors import ScenarioError
from netsim.spec import Spec
from netsim.units import PS_PER_S, BitRate, Count, Time

_PER_PEER = 2  # security associations: one for each direction (RFC 2401, 4.1)


class CryptoSpec(Spec):
    """It enciphers or deciphers at `rate` (bit/s), including authentication; each frame takes `packet_time` (ps) in
    addition, to load its key and state. It supports `ciphers` and `authentications`, by their names in the catalogue,
    and `modes` of ESP. It holds up to `associations` security associations."""

    rate: BitRate
    packet_time: Time
    ciphers: tuple[str, ...]
    authentications: tuple[str, ...]
    modes: tuple[Literal["transport", "tunnel"], ...]
    associations: Count

    @model_validator(mode="after")
    def _known(self) -> Self:
        """The algorithms are in the catalogue: a misspelt name would never be used."""
        for category in ("ciphers", "authentications"):
            for index, name in enumerate(getattr(self, category)):
                try:
                    catalog.path(category, name)
                except ScenarioError as error:
                    raise error.at(f"{category}.{index}") from None
        return self

    def time(self, nbytes: int) -> int:
        """The time (ps) for a frame with `nbytes` to encipher or decipher."""
        return self.packet_time + round(nbytes * 8 * PS_PER_S / self.rate)

    def does(self, cipher: str, authentication: str, mode: str, peers: int) -> bool:
        """Whether it supports these for another peer, in addition to the `peers` that it already has."""
        able = cipher in self.ciphers and authentication in self.authentications and mode in self.modes
        return able and _PER_PEER * (peers + 1) <= self.associations
