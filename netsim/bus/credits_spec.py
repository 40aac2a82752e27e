"""Flow control of PCI Express: the room in a root port, and how soon it is given back.

A sender may send a packet if it has credits for it: one for its header, and one for each 16 bytes of its data,
separately for posted requests (writes), non-posted ones (reads) and completions. An UpdateFC returns a credit when the
packet has left the receiver's buffer. An endpoint accepts all completions that it requested: its credits for those are
infinite (PCI Express Base Specification, 2.6.1).
"""

from __future__ import annotations

from netsim.bus.pcie_spec import PcieSpec
from netsim.spec import Spec
from netsim.units import Count, Time

UNIT = 16  # bytes of data per credit


class CreditsSpec(Spec):
    """A root port's credits: `posted_headers` and `posted_data` for writes, `nonposted_headers` for read requests;
    `return_time` is the time from when a packet leaves the buffer until the sender knows of it (ps)."""

    catalogue = "pcie-credits"

    posted_headers: Count
    posted_data: Count
    nonposted_headers: Count
    return_time: Time

    def holds(self, pcie: PcieSpec) -> bool:
        """Whether the largest packet fits."""
        return self.posted_data >= data_credits(pcie.max_payload)


def data_credits(nbytes: int) -> int:
    """The credits for a payload of `nbytes`."""
    return -(-nbytes // UNIT)
