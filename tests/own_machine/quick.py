"""Machines, their tests, and simulations as short as the tests allow."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from netsim.own_machine import ImportedMachine, import_machine
from tests.machines import MACHINES, copied

ADAPTERS = {"board-arm": "eth1", "desktop-e1000e": "enp0s31f6", "server-ixgbe": "p2p1", "server-mlx5": "enp129s0np0"}
MLX5 = ADAPTERS["server-mlx5"]


@cache
def machine(name: str) -> ImportedMachine:
    return import_machine(MACHINES / name).machine


def measured(folder: Path, name: str = "server-mlx5", **start: Any) -> ImportedMachine:
    """A machine whose run of iperf3 has other values in `start` (a table for those of `test_start`)."""
    place = copied(name, folder)
    file = place / f"iperf3-{ADAPTERS[name]}.json"
    run = json.loads((MACHINES / "server-mlx5" / f"iperf3-{MLX5}.json").read_text())
    run["start"] |= start | {"test_start": run["start"]["test_start"] | start.get("test_start", {})}
    file.write_text(json.dumps(run, indent=1))
    return import_machine(place).machine
