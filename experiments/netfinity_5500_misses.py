"""The quotient of the Netfinity report that misses, and what it says of its curves otherwise; and why."""

from __future__ import annotations

from experiments.miss import Miss, Misses
from experiments.netfinity_5500 import NET_BENCH, row_id

IDLE = (
    "Disks are in the way at both clocks, and a processor of 450 MHz is busy for 0.6 of the time, so a faster one "
    "can't help. Calls that cost 30,000 cycles would give 1.06, but then the processor is in the way before the "
    "adapters, which is not what the report says."
)
RAID_5 = (
    "What is written costs RAID-5 three times as much, which is the likely reason why on one of its curves disks fill "
    "up before an adapter does; it was not looked at by itself."
)

MISSES: Misses = {
    row_id(NET_BENCH, 0): Miss(-0.06, IDLE),
    "NetBench: adapter": Miss(None, RAID_5),
}
