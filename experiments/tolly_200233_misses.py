"""The rows of the gigabit report that miss, and why."""

from __future__ import annotations

from experiments.miss import Miss, Misses
from experiments.tolly_200233 import row_id

LINUX, WINDOWS = "linux-2.2.14", "windows-2000"
INTEL = "intel-pro1000f"
STANDARD, JUMBO = 1518, 9018
JUMBO_COPIES = (
    "Something costs Windows more for a jumbo frame than for a standard frame and its bytes: the report leaves room "
    "for 80 us of a processor, and here a jumbo frame takes 72. What it is, is not known."
)
ONLY_DATA = (
    "What a frame sent costs the driver (some 7 us more than others need) it costs for an acknowledgement too here, as "
    "it seems not to: sending is too fast, and receiving too slow."
)
TOGETHER = (
    "An interrupt comes after 20 frames or a millisecond; how the clients' windows of three segments fall together "
    "with that decides."
)

MISSES: Misses = {
    row_id(WINDOWS, INTEL, "upload", JUMBO): Miss(12.3, JUMBO_COPIES),
    row_id(WINDOWS, "syskonnect-sk9843", "upload", JUMBO): Miss(9.8, JUMBO_COPIES),
    row_id(LINUX, "3com-3c985b", "upload", JUMBO): Miss(7.7, TOGETHER),
    row_id(LINUX, INTEL, "download", STANDARD): Miss(6.0, ONLY_DATA),
    row_id(LINUX, INTEL, "upload", STANDARD): Miss(-9.1, ONLY_DATA),
}
