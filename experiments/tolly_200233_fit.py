"""Which parameters are fitted to which rows of the gigabit report.

Rows in no fit are predictions: among them most jumbo frames, and what coalescing makes of the 3Com card. Windows 2000's
costs and the server's memory are shared with every other report that used this server. What was chosen with these rows
in view stands in docs/validation.md.
"""

from __future__ import annotations

from experiments.fit_definition import Fit
from experiments.tolly_200233 import row_id
from netsim.calibration import Parameter

STANDARD, JUMBO = 1518, 9018
LIMIT = "0.1 s"  # five hosts at 1 Gbit/s take long
LINUX, WINDOWS = "linux-2.2.14", "windows-2000"
SK, INTEL, TIGON = "syskonnect-sk9843", "intel-pro1000f", "3com-3c985b"

DRIVER = "from a ring entry with everything in the cache, to a hundred cache misses of 100 cycles"
SEGMENT = "a segment through TCP, IP and NDIS: 300 to 4,000 instructions, and cache misses"


def _reads(card: str, nic: str) -> Fit:
    """What a card that reads plainly needs, from the rows in which nothing else is in the way."""
    physics = "from the bus's next clock, to a read that is told to come again and again"
    cases = [(WINDOWS, STANDARD), (WINDOWS, JUMBO), (LINUX, JUMBO)]
    return Fit(
        name=f"the reads of {card}",
        about="what its DMA engine needs between two bursts",
        parameters=[Parameter(f"nics/{card}", "tx_burst_gap", "100 ns", "15 ns", "2000 ns", physics)],
        rows=[row_id(os, nic, "download", frame) for os, frame in cases],
        limit=LIMIT,
    )


FITS = [
    Fit(
        name="the server's memory, Windows 2000, and drivers",
        about="from rows in which the server's processors, or the one that takes the interrupts, are busy all the time",
        parameters=[
            Parameter("hosts/ml530", "memory.write", "300 MB/s", "100 MB/s", "1066 MB/s",
                      "from a read, a write back and a missed row for each line to the processors' bus"),
            Parameter("systems/windows-2000", "tcp.rx_cycles", "3000", "500", "20000", SEGMENT),
            Parameter("drivers/sk98win", "rx_cycles", "2000", "200", "20000", DRIVER),
            Parameter("drivers/e1985nd5", "rx_cycles", "2000", "200", "20000", DRIVER),
            Parameter("drivers/sk98lin", "tx_cycles", "2000", "200", "20000", DRIVER),
            Parameter("drivers/e1000", "tx_cycles", "2000", "200", "20000", DRIVER),
            Parameter("drivers/e1000", "rx_cycles", "2000", "200", "20000", DRIVER),
        ],
        rows=[
            row_id(WINDOWS, SK, "upload", STANDARD),
            row_id(WINDOWS, INTEL, "upload", STANDARD),
            row_id(WINDOWS, TIGON, "upload", STANDARD),
            row_id(LINUX, SK, "download", STANDARD),
            row_id(LINUX, SK, "upload", STANDARD),
            row_id(LINUX, SK, "upload", JUMBO),
            row_id(LINUX, INTEL, "download", STANDARD),
            row_id(LINUX, INTEL, "upload", STANDARD),
            row_id(LINUX, INTEL, "upload", JUMBO),
        ],
        limit=LIMIT,
    ),
    Fit(
        name="the Tigon's firmware",
        about="what the card's processor needs for a frame, from the two rows in which it is busy all the time",
        parameters=[
            Parameter("nics/3c985b", "onboard.tx_cycles", "600", "100", "3000",
                      "from 280 instructions at one a cycle, as a firmware was counted, to cache misses all along"),
        ],
        rows=[row_id(WINDOWS, TIGON, "download", STANDARD), row_id(LINUX, TIGON, "download", STANDARD)],
        limit=LIMIT,
    ),
    _reads("sk9843", SK),
    _reads("pro1000f", INTEL),
]  # fmt: skip
