"""Which parameters are fitted to which rows of the Beowulf report.

Rows in no fit are predictions: all that the wire limits, the RTL8139's UDP row between fast hosts, and those of
the P166 in which 3c59x and eepro100 keep the wire busy. Every start and bound has a physical reason, so that a fit that
ends at one says something; none depends on what an earlier fit found.
"""

from __future__ import annotations

from experiments.beowulf import netpipe_id, row_id
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
    row_id("p166", "2xpii-400", "UDP_STREAM", "rtl8139", "rtl8139"),
    row_id("p166", "2xpii-400", "UDP_STREAM", "lne100tx", "tulip"),
    row_id("p166", "2xpii-400", "UDP_STREAM", "3c905b", "3c90x"),
]
LATENCIES = [
    netpipe_id("rtl8139", "rtl8139", 1, "NPtcp", "latency"),
    netpipe_id("eepro100", "eepro100", 1, "NPtcp", "latency"),
    netpipe_id("3c905b", "3c59x", 1, "NPtcp", "latency"),
    netpipe_id("dfe570tx", "tulip", 1, "NPtcp", "latency"),
]
ADAPTERS = [
    row_id("piii-600", "piii-600", "TCP_STREAM", "rtl8139", "rtl8139"),
    row_id("piii-600", "piii-600", "UDP_STREAM", "3c905b", "3c90x"),
]

SEGMENT = "a segment through TCP, IP and the queueing layer: 300 to 4,000 instructions, and cache misses"
DRIVER = "from a ring entry with everything in the cache, to a hundred cache misses of 100 cycles"

FITS = [
    Fit(
        name="single adapters",
        about="Linux 2.2.16 and its drivers, from the rows in which a P166 or an adapter is the bottleneck",
        parameters=[
            Parameter("systems/linux-2.2.16", "tcp.tx_cycles", "5000", "1000", "15000", SEGMENT),
            Parameter("systems/linux-2.2.16", "tcp.rx_cycles", "5000", "1000", "15000", SEGMENT),
            Parameter("systems/linux-2.2.16", "ip.fragment_cycles", "5000", "500", "15000",
                      "allocate a buffer, build a header, queue it; not more than TCP's work for a segment"),
            Parameter("systems/linux-2.2.16", "kernel.interrupt_cycles", "500", "68", "3000",
                      "68 are the bare interrupt's; do_IRQ, handle_IRQ_event and do_bottom_half come on top"),
            Parameter("hosts/p166", "memory.cached", "200 MB/s", "105 MB/s", "528 MB/s",
                      "not slower than the memory behind it, not faster than 8 bytes in each clock of 66 MHz"),
            Parameter("drivers/rtl8139", "rx_cycles", "2500", "500", "20000", DRIVER),
            Parameter("nics/lne100tx", "doorbell_hold", "20 us", "1 us", "100 us",
                      "longer than the access itself, shorter than a frame takes"),
            Parameter("hosts/p166", "processors.relative_cpi", "1.2", "0.8", "2.5",
                      "half the instructions per clock at the least"),
            Parameter("drivers/eepro100", "rx_cycles", "2500", "500", "20000", DRIVER),
            Parameter("nics/eepro100", "tx_wake_up", "5 us", "0.5 us", "30 us",
                      "the command unit is a microprogram that is told to go on"),
            Parameter("hosts/p166", "memory.write", "105 MB/s", "60 MB/s", "264 MB/s",
                      "4 bytes every 66 to 15 ns: slow memory behind a chipset without buffers, or the bus's best"),
            Parameter("drivers/3c90x", "tx_cycles", "2500", "200", "20000", DRIVER),
            Parameter("drivers/3c90x", "tx_interrupt.delay", "100 us", "10 us", "1000 us",
                      "longer than a frame, shorter than what a user would notice"),
            Parameter("nics/rtl8139", "tx_turnaround", "8 us", "1 us", "30 us",
                      "below 1 us it would not be seen; 30 us is a quarter of a frame's time on the wire"),
        ],
        rows=[*TO_P166, *FROM_P166, *ADAPTERS, *LATENCIES],
    ),
]  # fmt: skip
