"""What flow control of PCI Express is: how much a root port has room for, and how soon room is given back.

A sender may send a packet if there are credits for it: one for its header, and one for each 16 bytes of its data, apart
for posted requests (writes), non-posted ones (reads) and completions. A credit comes back by an UpdateFC when the
packet has left the receiver's buffer. An endpoint takes all completions that it asked for: its credits for those are
infinite (PCI Express Base Specification, 2.6.1).
"""

from __future__ import annotations

from netsim.bus.pcie_spec import PcieSpec
from netsim.spec import Spec
from netsim.units import Count, Time

UNIT = 16  # bytes of data for a credit


class CreditsSpec(Spec):
    """A root port's credits: `posted_headers` and `posted_data` for writes, `nonposted_headers` for read requests;
    and `return_time` from when a packet has left its buffer until the sender knows (ps)."""

    catalogue = "pcie-credits"

    posted_headers: Count
    posted_data: Count
    nonposted_headers: Count
    return_time: Time

    def holds(self, pcie: PcieSpec) -> bool:
        """Whether the largest packet fits."""
        return self.posted_data >= data_credits(pcie.max_payload)


def data_credits(nbytes: int) -> int:
    """Of a packet's payload."""
    return -(-nbytes // UNIT)
