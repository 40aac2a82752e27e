"""How each of the ready sweeps is drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from netsim.sweeps import Sweep

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Draw = Callable[["Figure", Mapping[str, Sweep]], None]
FILES = Path(__file__).parent

DELAY = "receiver.nics.0.driver.rx_moderation.delay"
CLOCK = "sender.processors.clock"


def moderation(figure: Figure, sweeps: Mapping[str, Sweep]) -> None:
    """Throughput and the receiver's CPU over the offered load, a line for each delay; and the latency of a lone message
    over the delay, because no tool here measures the latency of a stream's datagrams."""
    above, middle, below = figure.subplots(3, 1)
    loaded, alone = sweeps["moderation"], sweeps["moderation_latency"]
    loaded.plot(x="offered", hue=DELAY, ax=above)
    loaded.plot(x="offered", y="cpu.receiver", hue=DELAY, ax=middle)
    alone.plot(x=DELAY, y="latency", ax=below)
    for axes in (above, middle, below):
        axes.set_ylim(0, None)


def mtu_bus(figure: Figure, sweeps: Mapping[str, Sweep]) -> None:
    """Throughput and the utilisation of the sender's bus over the MTU, a line for each bus."""
    sweep = sweeps["mtu_bus"]
    above, below = figure.subplots(2, 1, sharex=True)
    buses = {(4, "33.333333 MHz"): "32 bit", (8, "33.333333 MHz"): "64 bit", (8, "66.666667 MHz"): "64 bit, 66 MHz"}
    for width, clock in buses:
        where = {"sender.bus.width": width, "sender.bus.clock": clock}
        sweep.plot(x="mtu", where=where, ax=above)
        sweep.plot(x="mtu", y="utilisation.sender bus", where=where, ax=below)
    above.legend(above.containers, buses.values(), title="PCI", frameon=False)
    for axes in (above, below):
        axes.set_ylim(0, None)


def clock_offloads(figure: Figure, sweeps: Mapping[str, Sweep]) -> None:
    """Throughput over the sender's clock, a line for each set of offloads."""
    sweep = sweeps["clock_offloads"]
    axes = figure.subplots()
    card = "sender.nics.0"
    cases = {
        "nothing": {f"{card}.driver.tx_checksum": "host", f"{card}.tx_segmentation": False},
        "sums": {f"{card}.driver.tx_checksum": "nic", f"{card}.tx_segmentation": False},
        "sums and segments": {f"{card}.driver.tx_checksum": "nic", f"{card}.tx_segmentation": True},
    }
    for where in cases.values():
        sweep.plot(x=CLOCK, where=where, ax=axes)
    axes.legend(axes.containers, cases, title="the adapter's part", frameon=False)
    axes.set_ylim(0, None)


PICTURES: dict[str, tuple[Draw, tuple[str, ...]]] = {
    "moderation": (moderation, ("moderation", "moderation_latency")),
    "mtu_bus": (mtu_bus, ("mtu_bus",)),
    "clock_offloads": (clock_offloads, ("clock_offloads",)),
}


def files(name: str) -> Iterator[Path]:
    """The TOML files of a picture's sweeps."""
    return (FILES / f"{one}.toml" for one in PICTURES[name][1])
