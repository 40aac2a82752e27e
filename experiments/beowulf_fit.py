"""Which parameters are fitted to which rows of the Beowulf report.

Rows in no fit are predictions: all that the wire limits, every bandwidth of NetPIPE, and what becomes of UDP and TCP
over bonded ports, but for one row. Every start and bound has a physical reason, so that a fit that ends at one says
something. What was moved after trial fits stands in docs/validation.md.
"""

from __future__ import annotations

from experiments.beowulf import netpipe_id, row_id
from experiments.fit_definition import Fit
from netsim.calibration import Parameter

TO_P166 = [
    row_id("2xpii-400", "p166", "TCP_STREAM", "rtl8139", "rtl8139"),
    row_id("2xpii-400", "p166", "TCP_STREAM", "lne100tx", "tulip"),
    row_id("2xpii-400", "p166", "TCP_STREAM", "3c905b", "3c59x"),
    row_id("2xpii-400", "p166", "TCP_STREAM", "eepro100", "eepro100"),
]
FROM_P166 = [
    row_id("p166", "2xpii-400", "TCP_STREAM", "rtl8139", "rtl8139"),
    row_id("p166", "2xpii-400", "TCP_STREAM", "lne100tx", "tulip"),
    row_id("p166", "2xpii-400", "TCP_STREAM", "3c905b", "3c59x"),
    row_id("p166", "2xpii-400", "TCP_STREAM", "eepro100", "eepro100"),
    row_id("p166", "2xpii-400", "UDP_STREAM", "rtl8139", "rtl8139"),
    row_id("p166", "2xpii-400", "UDP_STREAM", "lne100tx", "tulip"),
]
FAST = [row_id("piii-600", "piii-600", "TCP_STREAM", "rtl8139", "rtl8139")]
COPIES = [
    row_id("piii-600", "piii-600", "TCP_STREAM", "rtl8139", "rtl8139", 3),
    netpipe_id("3c905b", "3c59x", 3, "NPmpi-mpich", "bandwidth"),
    netpipe_id("eepro100-dual", "eepro100", 2, "NPmpi-mpich", "bandwidth"),
]
LATENCIES = [
    netpipe_id("rtl8139", "rtl8139", 1, "NPtcp", "latency"),
    netpipe_id("eepro100", "eepro100", 1, "NPtcp", "latency"),
    netpipe_id("3c905b", "3c59x", 1, "NPtcp", "latency"),
    netpipe_id("dfe570tx", "tulip", 1, "NPtcp", "latency"),
]
OF_3C90X = [
    row_id("2xpii-400", "p166", "TCP_STREAM", "3c905b", "3c90x"),
    row_id("p166", "2xpii-400", "TCP_STREAM", "3c905b", "3c90x"),
    row_id("p166", "2xpii-400", "UDP_STREAM", "3c905b", "3c90x"),
    row_id("piii-600", "piii-600", "UDP_STREAM", "3c905b", "3c90x"),
]
BONDS = [("3c905b", "3c59x", 3), ("dfe570tx", "tulip", 3), ("dfe570tx", "tulip", 4), ("eepro100-dual", "eepro100", 2)]

SEGMENT = "a segment through TCP, IP and the queueing layer: 300 to 4,000 instructions, and cache misses"
DRIVER = "from a ring entry with everything in the cache, to a hundred cache misses of 100 cycles"
LIBRARY = "from a thin layer over the socket to many, with queues, locks and conversions"

FITS = [
    Fit(
        name="Linux 2.2.16, its drivers, and the Pentium's memory",
        about="from rows in which a processor or an adapter is the bottleneck, and the latencies of single adapters",
        parameters=[
            Parameter("systems/linux-2.2.16", "tcp.tx_cycles", "5000", "1000", "15000", SEGMENT),
            Parameter("systems/linux-2.2.16", "tcp.rx_cycles", "5000", "1000", "15000", SEGMENT),
            Parameter("systems/linux-2.2.16", "ip.fragment_cycles", "5000", "500", "15000",
                      "allocate a buffer, build a header, queue it; not more than TCP's work for a segment"),
            Parameter("hosts/p166", "processors.relative_cpi", "1.5", "0.8", "2.5",
                      "two instructions a clock in order against three out of order"),
            Parameter("hosts/p166", "memory.write", "105 MB/s", "60 MB/s", "264 MB/s",
                      "from a copy of 38 MB/s, near the best that lmbench found on slower Pentiums, to the bus's best"),
            Parameter("drivers/rtl8139", "rx_cycles", "2500", "500", "20000", DRIVER),
            Parameter("nics/rtl8139", "tx_turnaround", "8 us", "1 us", "30 us",
                      "below 1 us it would not be seen; 30 us is a quarter of a frame's time on the wire"),
            Parameter("nics/lne100tx", "doorbell_hold", "20 us", "1 us", "100 us",
                      "longer than the access itself, shorter than a frame takes"),
            Parameter("drivers/eepro100", "rx_cycles", "2500", "500", "20000", DRIVER),
            Parameter("nics/eepro100", "tx_wake_up", "5 us", "0.5 us", "30 us",
                      "a microprogram that is told to go on: tens to hundreds of its steps"),
        ],
        rows=[*TO_P166, *FROM_P166, *FAST, *LATENCIES],
    ),
    Fit(
        name="the fast host's memory",
        about="from rows with copies of whole frames and of whole messages",
        parameters=[
            Parameter("hosts/piii-600", "memory.write", "300 MB/s", "100 MB/s", "800 MB/s",
                      "from a read, a write back and a missed row for each line to the memory's clock"),
        ],
        rows=COPIES,
    ),
    Fit(
        name="3c90x",
        about="the driver whose source was not available",
        parameters=[
            Parameter("drivers/3c90x", "tx_cycles", "2500", "200", "20000", DRIVER),
            Parameter("drivers/3c90x", "tx_moderation.delay", "500 us", "10 us", "5000 us",
                      "longer than a frame, shorter than a user would notice"),
        ],
        rows=OF_3C90X,
    ),
    Fit(
        name="bonding",
        about="what the latency of a bond is more than that of a port",
        parameters=[
            Parameter("bonds/linux-2.2.17", "tx_cycles", "800", "100", "5000",
                      "two function calls, to a second pass through the queueing layer with all its cache misses"),
        ],
        rows=[netpipe_id(*bond, "NPtcp", "latency") for bond in BONDS],
    ),
    Fit(
        name="MPICH",
        # Without the EtherExpress, on which in the simulation a message's header and its data overtake each other.
        about="what a message costs the library",
        parameters=[Parameter("mpi/mpich-1.2.1", "receive_cycles", "6000", "300", "60000", LIBRARY)],
        rows=[netpipe_id(*bond, "NPmpi-mpich", "latency") for bond in BONDS[:3]],
    ),
    Fit(
        name="MPI/Pro",
        about="what a message costs the library",
        parameters=[Parameter("mpi/mpipro-1.5", "receive_cycles", "6000", "300", "60000", LIBRARY)],
        rows=[netpipe_id(*bond, "NPmpi-mpipro", "latency") for bond in BONDS],
    ),
]  # fmt: skip
