"""Packet tests on current hosts, shared by several test files."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

import netsim as ns

SENDER = {"server": "xeon-e5-2630", "pcie": "pcie-2-x8", "adapter": "82599", "driver": "ixgbe", "kernel": "linux-5.17",
          "link": "10gbase-sr"}  # fmt: skip
RECEIVER = {"server": "xeon-e5-1650-v4", "pcie": "pcie-3-x16", "adapter": "connectx-5", "driver": "mlx5",
            "kernel": "linux-4.18", "link": "100gbase-sr4"}  # fmt: skip
ACTIONS = ["xdp-drop", "xdp-drop-read", "linux-drop-raw", "linux-drop-conntrack", "linux-forward-one-route",
           "poll-drop"]  # fmt: skip
NEAR = {"server": "xeon-e5-2640-v4", "pcie": "pcie-3-x8", "adapter": "connectx-4-lx", "driver": "mlx5",
        "kernel": "linux-5.4", "path": "linux-5.4"}  # fmt: skip
NODES = {"nodes": 3, "copy_cycles": 0.2, "memory_cycles": 0.3, "remote_cycles": 0.03, "remote_line": "100 ns"}
FIXED = {"policy": "fixed-interval", "interval": "20 us", "frames": 10}


def pktgen(frame: int = 64, cores: int = 1, **changes: Any) -> ns.Pktgen:
    return _changed(ns.Pktgen(frame, cores, **SENDER), changes)


def packets(action: str = "xdp-drop", frame: int = 64, cores: int = 1, **changes: Any) -> ns.Packets:
    return _changed(ns.Packets(action, frame, cores, **RECEIVER), changes)


def requests(protocol: str = "udp", interval: str = "0 us", **changes: Any) -> ns.Requests:
    """Requests between two identical hosts; `wait`, `rps`, `shares` and the interrupt interval apply to both."""
    host = NEAR | {key: changes.pop(key) for key in ("wait", "rps", "shares") if key in changes}
    test = ns.Requests(protocol, host, host, link="25gbase-sr")
    fixed = {"policy": "fixed-interval", "interval": interval}
    return _changed(test.replace({f"{name}.driver.moderation": fixed for name in test.hosts}), changes)


def _changed(test: Any, changes: dict[str, Any]) -> Any:
    return test.replace({at.replace("__", "."): new for at, new in changes.items()})


POLICIES = ("ixgbe", "ixgbe-classes", "e1000e", "igb", "i40e", "dim")
_policies = st.sampled_from([{"policy": name} for name in POLICIES] + [FIXED])
_shared = {
    "driver.moderation": _policies,
    "adapter.throttle": st.sampled_from(["since-last", "since-first"]),
    "pcie": st.sampled_from(["pcie-1-x1", "pcie-2-x8", "pcie-3-x16"]),
    "server.clock": st.sampled_from(["1 GHz", "3.6 GHz"]),
    "kernel.interrupt_cycles": st.integers(0, 20_000),
}


@st.composite
def pktgens(draw: st.DrawFn) -> ns.Pktgen:
    own = {
        "driver.tx_ring": st.integers(30, 700), "driver.tx_work": st.integers(1, 300), "burst": st.integers(1, 32),
        "adapter.tx_packet_time": st.sampled_from(["0 ns", "27 ns", "700 ns"]),
        "adapter.tx_queue_packet_time": st.sampled_from(["0 ns", "80 ns", "2 us"]),
    }  # fmt: skip
    changes = {at: draw(values) for at, values in (_shared | own).items()}
    frame = draw(st.sampled_from([64, 128, 1000, 1518]))
    return ns.Pktgen(frame, draw(st.integers(1, 3)), **SENDER).replace(changes)


@st.composite
def receivers(draw: st.DrawFn) -> ns.Packets:
    own = {
        "driver.rx_ring": st.integers(1, 2000), "driver.xdp_buffer": st.sampled_from([2048, 65536]),
        "kernel.weight": st.integers(1, 100), "kernel.budget": st.integers(1, 300),
        "steering": st.sampled_from(["even", "rss"]), "flows": st.integers(12, 60),
        "driver.hashes_udp_ports": st.booleans(), "server.memory": st.sampled_from([None, NODES]),
        "driver.tx_ring": st.sampled_from([20, 1024]), "adapter.tx_packet_time": st.sampled_from(["5 ns", "700 ns"]),
        "adapter.tx_queue_packet_time": st.sampled_from(["0 ns", "1 us"]),
    }  # fmt: skip
    changes = {at: draw(values) for at, values in (_shared | own).items()}
    frame = draw(st.sampled_from([64, 128, 1000, 1518]))
    test = ns.Packets(draw(st.sampled_from(ACTIONS)), frame, draw(st.integers(1, 3)), **RECEIVER)
    rate = draw(st.integers(1000, int(test.link.frame_rate(frame))))
    most = draw(st.sampled_from([None, 1, 5000]))
    changes |= {"offered": rate, "burst": most, "driver.refill": min(8, changes["driver.rx_ring"])}
    return test.replace(changes)
