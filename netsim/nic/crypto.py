"""A crypto engine on the adapter, which does the IPsec of frames that the driver leaves to it (NDIS 5: IPsec offload).

A frame to be sent passes it between the last byte of the fetch and the wire, and keeps its place in the transmit FIFO
until its last bit has left; a received one passes it between its last bit and the store. Frames of both directions are
taken one at a time, in the order in which their fetches began and their last bits came in: one whose fetch is under way
has its turn before those that come in meanwhile.
"""

from __future__ import annotations

from typing import Literal, Self

from pydantic import model_validator

from netsim import catalog
from netsim.accounts import Resource
from netsim.engine import Environment, Idle
from netsim.errors import ScenarioError
from netsim.ethernet import Frame
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


class CryptoEngine:
    """The engine in a running simulation."""

    __slots__ = ("_busy", "_env", "_free", "_idle", "name", "spec")

    def __init__(self, env: Environment, spec: CryptoSpec, name: Resource) -> None:
        self.spec = spec
        self.name = name
        self._env = env
        self._free = 0  # when it is done with all frames it has
        self._busy = 0  # ps of work so far, up to `_free`
        self._idle = Idle()  # between frames, up to `_free`

    def put(self, frame: Frame, nbytes: int, there: int) -> int:
        """Take a frame that is `there` (ps), and of which `nbytes` are enciphered; returns when it is done (ps)."""
        if there > self._free:
            self._idle.add(self._free, there, self._env._now)
            self._free = there
        duration = self.spec.time(nbytes)
        self._free += duration
        self._busy += duration
        return self._free

    def busy_until(self, now: int) -> int:
        """ps of `now` in which it had work."""
        return self._busy - max(0, self._free - now) + self._idle.ahead(now)
