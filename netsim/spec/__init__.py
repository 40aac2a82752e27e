"""Spec: an immutable, validated description in which every number has one dotted address.

    pc.get("nics.0.driver.rx_cycles")        pc.replace("nics.0.driver.rx_cycles", 5000)

A spec can be compared, hashed, written to TOML and read back. The sources of its numbers are kept (`provenance`), but
do not count in a comparison: two specs with the same numbers are equal. Every mistake is a ScenarioError of one line.
"""

from netsim.spec.spec import Spec, Unfinished
from netsim.spec.spelling import NONE
from netsim.spec.tree import SET_BY_USER

__all__ = ["NONE", "SET_BY_USER", "Spec", "Unfinished"]
