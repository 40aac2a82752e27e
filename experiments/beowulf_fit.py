"""Which parameters are fitted to which rows of the Beowulf report.

Rows that stand in no fit are predictions. Every start and bound has a physical reason, so that a fit that ends at one
says something; none depends on what an earlier fit found. Fits run in this order: each sees what those before it found,
and the starts of those that follow.
"""

from __future__ import annotations

from experiments.beowulf import row_id
from experiments.fit_definition import Fit
from netsim.calibrate import Parameter

TO_P166 = [
    row_id("2xpii-400", "p166", "TCP_STREAM", "rtl8139", "rtl8139"),
    row_id("2xpii-400", "p166", "TCP_STREAM", "lne100tx", "tulip"),
    row_id("2xpii-400", "p166", "TCP_STREAM", "3c905b", "3c59x"),
    row_id("2xpii-400", "p166", "TCP_STREAM", "3c905b", "3c90x"),
    row_id("2xpii-400", "p166", "TCP_STREAM", "eepro100", "eepro100"),
]
FROM_P166 = [
    row_id("p166", "2xpii-400", "TCP_STREAM", "rtl8139", "rtl8139"),
    row_id("p166", "2xpii-400", "TCP_STREAM", "lne100tx", "tulip"),
    row_id("p166", "2xpii-400", "TCP_STREAM", "3c905b", "3c90x"),
    row_id("p166", "2xpii-400", "TCP_STREAM", "eepro100", "eepro100"),
    row_id("p166", "2xpii-400", "UDP_STREAM", "lne100tx", "tulip"),
    row_id("p166", "2xpii-400", "UDP_STREAM", "3c905b", "3c90x"),
]

FITS = [
    Fit(
        name="P166",
        about="the costs of Linux 2.2.16, from the rows whose P166 is the bottleneck",
        parameters=[
            Parameter("systems/linux-2.2.16", "tcp.tx_cycles", "5000", "1000", "15000",
                      "a segment through TCP, IP and the queueing layer: 300 to 4,000 instructions and their cache misses"),
            Parameter("systems/linux-2.2.16", "tcp.rx_cycles", "5000", "1000", "15000", "as tcp.tx_cycles"),
            Parameter("systems/linux-2.2.16", "ip.fragment_cycles", "4000", "500", "15000",
                      "allocate a buffer, build a header, queue it; less than TCP's work for a segment"),
            Parameter("hosts/p166", "memory.read", "100.0 MB/s", "50.0 MB/s", "250.0 MB/s",
                      "EDO memory of a Pentium board: line fills of 32 bytes in 130 to 640 ns"),
            Parameter("drivers/tulip", "tx_cycles", "1500", "200", "20000",
                      "from a ring entry with everything in the cache, to a few dozen cache misses of 200 cycles and a lock"),
            Parameter("drivers/tulip", "rx_cycles", "2500", "200", "20000", "as tx_cycles, with a buffer allocated"),
            Parameter("drivers/eepro100", "rx_cycles", "2500", "200", "20000", "as tulip's"),
            Parameter("drivers/3c90x", "tx_cycles", "1500", "200", "20000", "as tulip's"),
            Parameter("drivers/3c90x", "rx_cycles", "2500", "200", "20000", "as tulip's"),
        ],
        rows=[*TO_P166, *FROM_P166],
    ),
    Fit(
        name="RTL8139",
        about="the gap between two frames that the RTL8139 sends, where nothing else binds",
        parameters=[
            Parameter("nics/rtl8139", "tx_turnaround", "8 us", "1 us", "30 us",
                      "below 1 us it would not be seen; 30 us is a quarter of a frame, and the frame rate measured is 10 % below the wire's"),
        ],
        rows=[row_id("piii-600", "piii-600", "TCP_STREAM", "rtl8139", "rtl8139")],
    ),
]  # fmt: skip
