"""Streams between current hosts, shared by several test files."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

import netsim as ns

HOST = {"server": "xeon-gold-6128", "pcie": "pcie-3-x16", "adapter": "connectx-5", "driver": "mlx5-5.4",
        "kernel": "linux-5.4"}  # fmt: skip


def stream(link: str = "100gbase-sr4", mtu: int = 9000, **changes: Any) -> ns.Iperf3:
    """A stream between identical hosts; a change of `host` applies to both."""
    test = ns.Iperf3(HOST, HOST, link=link, mtu=mtu)
    found = {}
    for at, new in changes.items():
        place = at.replace("__", ".")
        ends = ("sender", "receiver") if place.startswith("host") else ("",)
        found |= {place.replace("host", end, 1) if end else place: new for end in ends}
    return test.replace(found) if found else test


@st.composite
def streams(draw: st.DrawFn) -> ns.Iperf3:
    """Streams between hosts of any kind, including some with short rings and slow slots or adapters."""
    changes: dict[str, Any] = {
        "mtu": draw(st.sampled_from([576, 1500, 4000, 9000])),
        "streams": draw(st.integers(1, 3)),
        "length": draw(st.sampled_from([100, 1000, 16_384, 131_072])),
        "congestion": draw(st.sampled_from(["cubic", "reno"])),
    }
    for end in ("sender", "receiver"):
        for switch in ("tso", "gro", "arfs"):
            changes[f"{end}.{switch}"] = draw(st.booleans())
        changes[f"{end}.pcie"] = draw(st.sampled_from(["pcie-1-x1", "pcie-3-x16"]))
        changes[f"{end}.driver.rx_ring"] = draw(st.sampled_from([8, 60, 1024]))
        changes[f"{end}.adapter.latency"] = draw(st.sampled_from(["0 us", "3 us"]))
        changes[f"{end}.server.idle_exit"] = draw(st.sampled_from(["0 us", "10 us"]))
        for half in ("rx", "tx", "tx_queue"):
            changes[f"{end}.adapter.{half}_packet_time"] = draw(st.sampled_from(["5 ns", "1 us"]))
        changes[f"{end}.kernel.hz"] = draw(st.sampled_from([250, 1000]))
        changes[f"{end}.server.memory.nodes"] = draw(st.sampled_from([1, 4]))
    changes["sender.driver.tx_ring"] = draw(st.sampled_from([18, 30, 1024]))
    changes["sender.bql"] = draw(st.booleans())
    changes["receiver.tcp_rmem"] = draw(st.sampled_from([65_536, 6 << 20]))
    changes["sender.tcp_wmem"] = draw(st.sampled_from([65_536, 4 << 20]))
    changes["receiver.driver.moderation"] = draw(
        st.sampled_from([{"policy": "dim"}, {"policy": "fixed-interval", "interval": "20 us", "frames": 0}])
    )
    changes["link.bit_error_rate"] = draw(st.sampled_from([0, 1e-8, 1e-6]))
    return ns.Iperf3(HOST, HOST, link=draw(st.sampled_from(["10gbase-sr", "100gbase-sr4"]))).replace(changes)
