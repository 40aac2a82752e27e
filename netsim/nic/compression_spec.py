"""Compressed completion entries: several packets share one (mlx5: CQE compression).

The common part of the entries is written once, in a title as large as an entry; blocks of the same size follow, with a
few bytes for each packet, including the title's own (Linux 5.17, mlx5/core/en_rx.c: mlx5e_decompress_cqes_start and
_cont; include/linux/mlx5/device.h: mlx5_mini_cqe8, MLX5_MINI_CQE_ARRAY_SIZE). In the enhanced format the last whole
entry is the title.
"""

from __future__ import annotations

from netsim.bus import PcieSpec
from netsim.spec import Spec
from netsim.units import Count, Time


class CompressionSpec(Spec):
    """A block covers up to `minis` packets; if sessions are `titled`, each writes a title. A session closes after
    `session` packets, or when none has arrived for `wait` (ps); a queue whose packets are always further apart gets
    whole entries. Not modelled: packets that differ in more than length and checksum, which also close a session."""

    catalogue = "compressions"

    minis: Count
    titled: bool
    session: Count
    wait: Time

    def packets(self, apart: float) -> int:
        """The number of packets in a session, if a queue's packets arrive every `apart` ps."""
        return 1 if apart > self.wait else self.session

    def wire_bytes(self, pcie: PcieSpec, entry: int, apart: float) -> float:
        """Bytes on the link to the host for each packet, if a whole entry has `entry` bytes."""
        packets = self.packets(apart)
        write = sum(wire for _, wire in pcie.writes(0, entry))
        writes = 1 if packets == 1 else self.titled + -(-packets // self.minis)
        return write * writes / packets

    def hold(self, apart: float) -> int:
        """The mean time (ps) that a packet waits until its session closes."""
        return round((self.packets(apart) - 1) * apart / 2)
