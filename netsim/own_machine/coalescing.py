"""The moderation that `ethtool -c` reports, as a policy.

Some drivers select their adaptive policy by small values of rx-usecs: 1 or 3 with e1000e and igb, 1 with ixgbe (Linux
5.17: their ethtool.c, get_coalesce). The others report "Adaptive RX".
"""

from __future__ import annotations

from collections.abc import Mapping

from netsim.machine import QueueDriverSpec
from netsim.own_machine.machine_spec import AdapterFound
from netsim.units import US, Exact

_FIXED, _DIM = "fixed-interval", "dim"
_MODES = (1, 3)


def moderation_of(adapter: AdapterFound, driver: QueueDriverSpec) -> Mapping[str, object] | None:
    """The fields of a policy; None if nothing is known, for the driver's own policy."""
    own = driver.moderation
    if adapter.rx_usecs is None:
        return None
    usecs = adapter.rx_usecs // US
    if "mode" in type(own).model_fields and usecs in _MODES:
        return {"policy": own.policy, "mode": usecs}
    if own.policy == "ixgbe" and usecs == 1:
        return {"policy": own.policy}
    if adapter.adaptive_rx:
        return {"policy": _DIM if own.policy == _FIXED else own.policy}
    return {"policy": _FIXED, "interval": Exact(adapter.rx_usecs), "frames": adapter.rx_frames or 0}


def adaptive(adapter: AdapterFound, driver: QueueDriverSpec) -> tuple[str, Mapping[str, object]] | None:
    """The ethtool setting that turns a fixed interval into the driver's adaptive one, and the values that it then
    reports; None if the interval is already adaptive, or can't be."""
    now = moderation_of(adapter, driver)
    if now is None or now["policy"] != _FIXED:
        return None
    mode = {"e1000e": 3, "igb": 3, "ixgbe": 1}.get(driver.moderation.policy)
    if mode is not None:
        return f"rx-usecs {mode}", {"rx_usecs": f"{mode} us"}
    return None if adapter.adaptive_rx is None else ("adaptive-rx on", {"adaptive_rx": True})
