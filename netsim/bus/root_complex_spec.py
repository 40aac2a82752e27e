"""A root complex, where PCI Express ends and a host's memory and caches begin."""

from __future__ import annotations

from typing import Literal

from netsim.bus.pcie_spec import PcieSpec
from netsim.spec import Spec
from netsim.units import Time


class RootComplexSpec(Spec):
    """A root complex, as a device sees it. `read_time` is the time from a request's last bit to its first completion if
    the data are in the cache, including the logic at both ends; `miss_time` is added if they are not. `write_time` is
    the time until written data can be read, `remote_time` the time that memory of another socket adds to either (ps).
    `completion`: it answers with packets as long as possible ("max_payload"), or each as long as the boundary at which
    they may be cut ("read_boundary")."""

    catalogue = "root-complexes"

    read_time: Time
    miss_time: Time
    write_time: Time
    remote_time: Time
    completion: Literal["max_payload", "read_boundary"] = "max_payload"

    def answer_time(self, cached: bool, remote: bool) -> int:
        """ps from a request to its first completion."""
        return self.read_time + (0 if cached else self.miss_time) + (self.remote_time if remote else 0)

    def visible_time(self, remote: bool) -> int:
        """ps from a write's arrival until it can be read."""
        return self.write_time + (self.remote_time if remote else 0)

    def longest(self, pcie: PcieSpec) -> int:
        """The most bytes of a completion."""
        return pcie.max_payload if self.completion == "max_payload" else pcie.read_boundary
