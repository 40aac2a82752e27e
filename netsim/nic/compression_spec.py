"""Completion entries that are compressed: several packets share one (mlx5: CQE compression).

What entries have in common is written once, in a title of the size of an entry; blocks of the same size follow, with a
few bytes for each packet, the title's own among them (Linux 5.17, mlx5/core/en_rx.c: mlx5e_decompress_cqes_start and
_cont; include/linux/mlx5/device.h: mlx5_mini_cqe8, MLX5_MINI_CQE_ARRAY_SIZE). In the enhanced format the last whole
entry is the title.
"""

from __future__ import annotations

from netsim.bus import PcieSpec
from netsim.spec import Spec
from netsim.units import Count, Time


class CompressionSpec(Spec):
    """A block tells of up to `minis` packets; where sessions are `titled`, a title is written for each. A session
    closes after `session` packets, or when none has come for `wait` (ps); a queue whose packets are always further
    apart has whole entries. What is not modelled: packets that differ in more than length and sum, which close it,
    too."""

    catalogue = "compressions"

    minis: Count
    titled: bool
    session: Count
    wait: Time

    def packets(self, apart: float) -> int:
        """Of a session, where a queue's packets come that far apart (ps)."""
        return 1 if apart > self.wait else self.session

    def wire_bytes(self, pcie: PcieSpec, entry: int, apart: float) -> float:
        """On the link to the host, for each packet, where a whole entry has `entry` bytes."""
        packets = self.packets(apart)
        write = sum(wire for _, wire in pcie.writes(0, entry))
        writes = 1 if packets == 1 else self.titled + -(-packets // self.minis)
        return write * writes / packets

    def hold(self, apart: float) -> int:
        """ps for which a packet waits on average until its session closes."""
        return round((self.packets(apart) - 1) * apart / 2)
