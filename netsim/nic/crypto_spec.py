"""What a crypto engine on the adapter can do, and how long a frame takes it."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import model_validator

from netsim import catalog
from netsim.errors import ScenarioError
from netsim.spec import Spec
from netsim.units import PS_PER_S, BitRate, Count, Time

_PER_PEER = 2  # security associations: one for each direction (RFC 2401, 4.1)


class CryptoSpec(Spec):
    """`rate` (bit/s) of what it enciphers or deciphers, authentication included; `packet_time` (ps) that each frame
    takes beside that, for its key and state to be loaded. What it can do: `ciphers` and `authentications` by their
    names in the catalogue, `modes` of ESP. It holds up to `associations` security associations."""

    rate: BitRate
    packet_time: Time
    ciphers: tuple[str, ...]
    authentications: tuple[str, ...]
    modes: tuple[Literal["transport", "tunnel"], ...]
    associations: Count

    @model_validator(mode="after")
    def _known(self) -> Self:
        """The algorithms are in the catalogue: a misspelt name there would never be asked for."""
        for category in ("ciphers", "authentications"):
            for index, name in enumerate(getattr(self, category)):
                try:
                    catalog.path(category, name)
                except ScenarioError as error:
                    raise error.at(f"{category}.{index}") from None
        return self

    def time(self, nbytes: int) -> int:
        """ps for a frame of which `nbytes` are enciphered."""
        return self.packet_time + round(nbytes * 8 * PS_PER_S / self.rate)

    def does(self, cipher: str, authentication: str, mode: str, peers: int) -> bool:
        """Whether it can do these for one more peer, beside the `peers` that it has already."""
        able = cipher in self.ciphers and authentication in self.authentications and mode in self.modes
        return able and _PER_PEER * (peers + 1) <= self.associations
