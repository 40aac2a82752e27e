"""Published stages of a remote procedure call in Linux, netsim's figure for each, and the fit of the costs behind them.

    python -m experiments.latency_stages

fits every parameter to its rows (`FITTED_TO`) by netsim.calibrate, and writes them into models/.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial

import netsim as ns
from experiments.basis import Basis
from experiments.modern import Sources, fit_in_turn, lines
from netsim.calibration import Calibration, FitSettings, Observation
from netsim.results.result import Result
from netsim.stack.small_message import BETWEEN

HOST = {"server": "xeon-e5-2640-v4", "pcie": "pcie-3-x8", "adapter": "connectx-4-lx", "driver": "mlx5",
        "kernel": "linux-5.4", "path": "linux-5.4"}  # fmt: skip
AT_BEST = {"wait": "spin", "rps": True}  # the process polls its socket, and no core has two things to do
AT_ONCE = {"policy": "fixed-interval", "interval": "0 us"}  # assumed: interrupts are not held back
SWITCH = "300 ns"  # assumed: a current cut-through switch
BYTES = 100
NIC_TO_NIC, ROUND_TRIP, TCP = 2805, 15100, 20000  # ns, from the file's head
STAGES = {  # name in the file: name in rows, name in the simulation
    "system call (send)": ("system-call-send", "call"),
    "send": ("protocol-send", "send"),
    "IP and driver": ("output", "IP and driver"),
    "interrupt to NAPI": ("interrupt", "interrupt"),
    "NAPI": ("napi", "NAPI"),
    "softirq wake-up on another core": ("steering", "steering"),
    "IP softirq": ("ip", "IP"),
    "protocol": ("protocol-receive", "protocol"),
    "wake-up of the process": ("wake-up", "wake-up"),
    "receive": ("read", "receive"),
    "system call (receive)": ("system-call-receive", "return"),
}
FITTED_TO = {
    "socket-paths/linux-5.4:call_cycles": "latency-stages/system-call-*",
    "socket-paths/linux-5.4:output_cycles": "latency-stages/output-*",
    "socket-paths/linux-5.4:buffer_cycles": "latency-stages/napi-*",
    "socket-paths/linux-5.4:input_cycles": "latency-stages/ip-*",
    "message-protocols/homa:send_cycles": "latency-stages/protocol-*",
    "message-protocols/homa:receive_cycles": "latency-stages/protocol-*",
    "message-protocols/homa:open_cycles": "latency-stages/protocol-*",
    "message-protocols/homa:read_cycles": "latency-stages/read-*",
}
FILES = ("adapters/connectx-4-lx", "kernels/linux-5.17", "message-protocols/homa", "message-protocols/tcp",
         "queue-drivers/mlx5", "servers/xeon-e5-2640-v4", "socket-paths/linux-5.4")  # fmt: skip


@dataclass(frozen=True)
class StageRow:
    """A measured time (ns) that the simulation's `stages` together should take, over a protocol."""

    id: str
    measured: float
    stages: tuple[str, ...]
    protocol: str = "homa"

    @property
    def basis(self) -> Basis:
        """The row's label."""
        return sources().basis(self.id)

    @cached_property
    def simulated(self) -> float:
        """The simulated time (ns)."""
        return self.of(simulated(self.protocol))

    @property
    def error(self) -> float:
        """In per cent."""
        return 100 * (self.simulated / self.measured - 1)

    def of(self, result: Result) -> float:
        """The median time in a result (ns), of all stages if none are named."""
        found = result.latencies
        assert found is not None
        if not self.stages:
            return 1e9 * found.median
        return 1e9 * sum(stage.median for stage in found.stages if stage.name in self.stages)

    @property
    def observation(self) -> Observation:
        """The row as a fit uses it."""
        return Observation(self.id, self.measured, partial(scenario, self.protocol), self.of, None, 0.05)


def scenario(protocol: str) -> ns.Requests:
    """The machines in their fastest configuration; over TCP, where the process sleeps."""
    host = HOST | (AT_BEST if protocol == "homa" else {})
    test = ns.Requests(protocol, host, host, request=BYTES, response=BYTES, link="25gbase-sr", switch=SWITCH)
    return test.replace({f"{name}.driver.moderation": AT_ONCE for name in test.hosts})


@cache
def simulated(protocol: str) -> Result:
    """The result over a protocol."""
    return ns.simulate(scenario(protocol), warm_up="1 ms", sample="100 us")  # all transactions are alike


def _rows() -> Iterator[StageRow]:
    for line in lines("latency-stages"):
        name, stage = STAGES[line["stage"]]
        for side in ("client", "server"):
            yield StageRow(f"latency-stages/{name}-{side}", float(line[f"{side}_ns"]), (f"{side}: {stage}",))
    yield StageRow("latency-stages/nic-to-nic", NIC_TO_NIC, tuple(f"there: {stage}" for stage in BETWEEN))
    yield StageRow("latency-stages/round-trip", ROUND_TRIP, ())
    yield StageRow("latency-stages/round-trip-tcp", TCP, (), "tcp")


@cache
def rows() -> Sequence[StageRow]:
    """All rows."""
    return tuple(_rows())


@cache
def sources() -> Sources:
    """What models/ says about the rows."""
    return Sources.of(FILES)


def table() -> str:
    """All rows in Markdown: measured, simulated, error, label."""
    cells = ["| row | measured | simulated | error | label |", "|---|---|---|---|---|"]
    for row in rows():
        values = f"{row.measured:.0f} ns | {row.simulated:.0f} | {row.error:+.1f} %"
        cells.append(f"| {row.id.partition('/')[2]} | {values} | {row.basis} |")
    return "\n".join(cells)


def fit() -> list[Calibration]:
    """Fits all parameters."""
    return fit_in_turn(FITTED_TO, rows(), FitSettings(precision=0.01, warm_up="200 us", sample="50 us", limit=None))


if __name__ == "__main__":
    for one in fit():
        print(one)
