"""Published packet rates on current hosts, netsim's figure for each, and the fit of their costs.

    python -m experiments.packet_rates

fits every parameter to its rows (`FITTED_TO`) by netsim.calibrate, and writes them into models/.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial

import netsim as ns
from experiments.basis import Basis
from experiments.modern import Sources, fit_in_turn, lines
from netsim import catalog
from netsim.calibration import Calibration, FitSettings, Observation, closed_form
from netsim.results.result import Result
from netsim.scenario import Scenario

SENDER = {"server": "xeon-e5-2630", "pcie": "pcie-2-x8", "adapter": "82599", "driver": "ixgbe-3.16",
          "kernel": "linux-3.16", "link": "10gbase-sr"}  # fmt: skip
RECEIVER = {"server": "xeon-e5-1650-v4", "pcie": "pcie-3-x16", "adapter": "connectx-5", "driver": "mlx5",
            "kernel": "linux-4.18", "link": "100gbase-sr4"}  # fmt: skip
FILES = ("adapters/82599", "adapters/connectx-5", "kernels/linux-5.17", "queue-drivers/ixgbe", "queue-drivers/mlx5",
         "servers/xeon-e5-2630", "servers/xeon-e5-1650-v4")  # fmt: skip
ADAPTIVE = 1  # its value in ixgbe's rx-usecs
RINGS = {768: 5354401, 1024: 5356847}  # longer rings under adaptive moderation, from the file's head
WHOLE = 100.0  # idle shares are in per cent
FITTED_TO = {
    "queue-drivers/ixgbe:tx_cycles": "pktgen-moderation/packets-?0-512",
    "kernels/linux-5.17:interrupt_cycles": "pktgen-moderation/packets-?0-512",
    "queue-drivers/mlx5:rx_cycles": "packet-rate/xdp-drop-1024-1",
    "queue-drivers/mlx5:interrupt_cycles": "idle/xdp-drop-*",
    "packet-actions/xdp-drop-read:cycles": "packet-rate/xdp-drop-read-1024-1",
    "packet-actions/linux-drop-raw:cycles": "packet-rate/linux-drop-raw-1024-1",
    "packet-actions/linux-drop-raw:poll_cycles": "idle/linux-drop-raw-*",
    "packet-actions/linux-drop-filter:cycles": "packet-rate/linux-drop-filter-1024-1",
    "packet-actions/linux-drop-conntrack:cycles": "packet-rate/linux-drop-conntrack-1024-1",
    "packet-actions/linux-forward-one-route:cycles": "packet-rate/linux-forward-one-route-1024-1",
    "servers/xeon-e5-1650-v4:cache.miss_time": "packet-rate/xdp-drop-read-1024-[456]",
}
ROUNDS = 2  # parameters are fitted in turn, those that others depend on first


@dataclass(frozen=True)
class PacketRow:
    """A measured value: packets per second, interrupts per second, or the idle share of the only core (per cent)."""

    id: str
    quantity: str
    measured: float
    build: Callable[[], Scenario]

    @property
    def basis(self) -> Basis:
        """The row's label."""
        return sources().basis(self.id)

    @cached_property
    def simulated(self) -> float:
        """The simulated value."""
        return self.of(ns.simulate(self.build(), precision=0.005))

    @property
    def error(self) -> float:
        """In per cent, or in points of an idle share."""
        if self.quantity == "idle":
            return self.simulated - self.measured
        return 100 * (self.simulated / self.measured - 1)

    def of(self, result: Result) -> float:
        """The quantity in a result. Interrupts are all those that the system counts, including the clock's."""
        if self.quantity == "packets":
            return result.throughput
        if self.quantity == "interrupts":
            return (result.counts["interrupts"] + result.counts["clock ticks"]) / result.elapsed
        return WHOLE * (1 - result.cpu["host"])

    @property
    def observation(self) -> Observation:
        """The row as a fit uses it."""
        idle = self.quantity == "idle"
        return Observation(
            self.id, self.measured, self.build, self.of, None if idle else closed_form,
            0.01 if idle else 0.005, WHOLE if idle else None,
        )  # fmt: skip


def _sending(usecs: int, ring: int = 512) -> ns.Pktgen:
    test = ns.Pktgen(64, **SENDER).replace("driver.tx_ring", ring)
    fixed = {"policy": "fixed-interval", "interval": f"{usecs} us"}
    return test if usecs == ADAPTIVE else test.replace("driver.moderation", fixed)


def _receiving(action: str, cores: int, ring: int, offered: int | None = None) -> ns.Packets:
    return ns.Packets(action, 64, cores, offered=offered, **RECEIVER).replace("driver.rx_ring", ring)


def _moderation() -> Iterator[PacketRow]:
    for line in lines("pktgen-moderation"):
        usecs = int(line["rx_usecs"])
        for quantity, column in (("packets", "pps"), ("interrupts", "interrupts_per_s")):
            name = f"pktgen-moderation/{quantity}-{usecs}-512"
            yield PacketRow(name, quantity, float(line[column]), partial(_sending, usecs))
    for ring, rate in RINGS.items():
        build = partial(_sending, ADAPTIVE, ring)
        yield PacketRow(f"pktgen-moderation/packets-{ADAPTIVE}-{ring}", "packets", rate, build)


def _rates() -> Iterator[PacketRow]:
    for line in lines("packet-rate-per-core"):
        action, ring = line.pop("what"), line.pop("ring")
        for cores, rate in line.items():
            build = partial(_receiving, action, int(cores), int(ring))
            yield PacketRow(f"packet-rate/{action}-{ring}-{cores}", "packets", 1e6 * float(rate), build)


def _idle() -> Iterator[PacketRow]:
    for line in lines("idle-by-offered-rate"):
        action = line.pop("what")
        for offered, share in line.items():
            if share:
                build = partial(_receiving, action, 1, 1024, int(float(offered) * 1e6))
                yield PacketRow(f"idle/{action}-{offered}", "idle", float(share), build)


def _rows() -> Iterator[PacketRow]:
    yield from _moderation()
    yield from _rates()
    yield from _idle()


@cache
def rows() -> Sequence[PacketRow]:
    """All rows."""
    return tuple(_rows())


@cache
def sources() -> Sources:
    """What models/ says about the rows."""
    return Sources.of([*FILES, *(f"packet-actions/{name}" for name in catalog.names("packet-actions"))])


def table(start: str) -> str:
    """The rows whose id begins with `start`, in Markdown: measured, simulated, error, label."""
    cells = ["| row | measured | simulated | error | label |", "|---|---|---|---|---|"]
    for row in rows():
        if row.id.startswith(start):
            divide, unit, points = {"packets": (1e6, " Mpps", "%"), "interrupts": (1, " /s", "%")}.get(
                row.quantity, (1, " % idle", "points")
            )
            values = f"{row.measured / divide:.4g}{unit} | {row.simulated / divide:.4g} | {row.error:+.1f} {points}"
            cells.append(f"| {row.id.partition('/')[2]} | {values} | {row.basis} |")
    return "\n".join(cells)


def fit() -> list[Calibration]:
    """Fits all parameters in `ROUNDS` rounds; returns the last round's fits."""
    settings = FitSettings(precision=0.001, sample="2 ms", limit=None)
    return [fit_in_turn(FITTED_TO, rows(), settings) for _ in range(ROUNDS)][-1]


if __name__ == "__main__":
    for one in fit():
        print(one)
