"""The catalogue's parts nearest to a machine's, among those with known stream costs."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable

from netsim import catalog
from netsim.ethernet import LinkSpec
from netsim.machine import NapiSpec, QueueDriverSpec, ServerSpec
from netsim.nic import QueuedNicSpec

DRIVERS = "queue-drivers"


def nearest_server(clock: int | None) -> str:
    """The server with the nearest clock, of those with a known cost of moving data."""
    known = {name: ServerSpec.from_name(name) for name in catalog.names("servers")}
    return _nearest({name: one.clock for name, one in known.items() if one.memory}, clock)


def nearest_kernel(release: str) -> str:
    """The kernel with the nearest version, of those with a known cost of TCP."""
    known = [name for name in catalog.names("kernels") if NapiSpec.from_name(name).tcp]
    return _nearest({name: _version(name) or 1 for name in known}, _version(release))


def _version(text: str) -> int | None:
    """ "6.1.0-18-amd64", "linux-5.4": the third number does not count."""
    match = re.search(r"(\d{1,3})\.(\d{1,3})", text, re.ASCII)
    return 1000 * int(match[1]) + int(match[2]) if match else None


def nearest_adapter(module: str, rate: int) -> tuple[str, str, bool]:
    """The adapter with the nearest rate, its driver, and whether that is the driver of the kernel's module; other
    drivers count only if the module has none. Of several for an adapter, it takes one with known costs of streams, or
    else the one without a version in its name, which is the newest."""
    cards = {name: catalog.cards_of(name, DRIVERS) for name in catalog.names(DRIVERS)}
    own = [name for name in cards if cards[name] and _is_module(name, module)]
    last = sorted(own or cards, key=lambda name: (QueueDriverSpec.from_name(name).stream is not None, -len(name)))
    drivers = {card: name for name in last for card in cards[name]}
    found = _nearest({card: QueuedNicSpec.from_name(card).rate for card in drivers}, rate)
    return found, drivers[found], bool(own)


def _is_module(driver: str, module: str) -> bool:
    """ "mlx5-5.4" is the driver of "mlx5_core"."""
    return re.fullmatch(rf"{re.escape(driver.partition('-')[0])}(_\w+)?", module) is not None


def stream_driver() -> QueueDriverSpec:
    """A driver with known costs of streams."""
    own = (name for name in catalog.names(DRIVERS) if catalog.cards_of(name, DRIVERS))
    return next(one for one in map(QueueDriverSpec.from_name, own) if one.stream)


def nearest_link(rate: int, port: str | None) -> str:
    """The link with the nearest rate; of several, the one with the same medium."""
    known = {name: LinkSpec.from_name(name) for name in catalog.names("links")}
    medium = "twisted pair" if port and port.lower() == "twisted pair" else "fibre"
    return _nearest({name: one.rate for name, one in known.items()}, rate, lambda name: known[name].medium != medium)


def _nearest(values: dict[str, int], value: int | None, other: Callable[[str], bool] = lambda name: False) -> str:
    """The name of the nearest value, by ratio; ties go to one that is not `other`, then to the shortest name."""
    names: Iterable[str] = sorted(values)
    return min(names, key=lambda name: (abs(math.log(values[name] / (value or values[name]))), other(name), len(name)))
