"""The rows of the report on Linux 2.2 that miss, and why."""

from __future__ import annotations

from experiments.beowulf import FAST, netpipe_id, row_id
from experiments.miss import Miss, Misses

DEPTH = (
    "What the receiving process gets is what interrupts and the protocol leave, the small difference of two large "
    "numbers: 1 % more for a fragment is an eighth of the goodput. The knee and the place of the losses are right."
)
OVERTAKING = (
    "Frames of several ports overtake each other less often than in the report, as the simulated machines are quieter "
    "than real ones; so less is sent again that was never lost."
)
ADAPTER = "What MPI/Pro adds to a latency depends on the adapter as measured, and is one number here."
PORTS = "The report has 3 us more than with one port, where other cards have 1 or none; here it is the bond's own 1 us."
BRIDGE = "The bridge between the two ports costs 2 us here, and nothing as measured."
HEADER = "Header and data arrive so close together that they overtake each other here, and not as measured."
SOURCE = (
    "The source of 3Com's driver was not available: its transmit interrupt and its copy of received frames are "
    "assumed, and its rows miss in opposite directions."
)
BOARD, DUAL, QUAD = ("3c905b", "3c59x"), ("eepro100-dual", "eepro100"), ("dfe570tx", "tulip")

MISSES: Misses = {
    row_id(FAST, FAST, "UDP_STREAM", *QUAD, 4): Miss(41.9, DEPTH),
    row_id(FAST, FAST, "UDP_STREAM", "rtl8139", "rtl8139", 3): Miss(56.3, DEPTH),
    row_id(FAST, FAST, "TCP_STREAM", *QUAD, 4): Miss(14.0, OVERTAKING),
    netpipe_id(*QUAD, 3, "NPtcp", "bandwidth"): Miss(7.4, OVERTAKING),
    netpipe_id(*QUAD, 4, "NPtcp", "bandwidth"): Miss(20.7, OVERTAKING),
    netpipe_id(*QUAD, 4, "NPmpi-mpich", "bandwidth"): Miss(16.6, OVERTAKING),
    netpipe_id(*QUAD, 3, "NPmpi-mpipro", "bandwidth"): Miss(11.0, OVERTAKING),
    netpipe_id(*QUAD, 4, "NPmpi-mpipro", "bandwidth"): Miss(22.2, OVERTAKING),
    netpipe_id(*DUAL, 2, "NPmpi-mpich", "latency"): Miss(32.6, HEADER),
    netpipe_id(*BOARD, 3, "NPtcp", "latency"): Miss(-7.6, PORTS),
    netpipe_id(*DUAL, 2, "NPtcp", "latency"): Miss(8.0, BRIDGE),
    netpipe_id(*BOARD, 3, "NPmpi-mpipro", "latency"): Miss(11.0, ADAPTER),
    netpipe_id(*QUAD, 4, "NPmpi-mpipro", "latency"): Miss(-8.1, ADAPTER),
    row_id("p166", "2xpii-400", "UDP_STREAM", "3c905b", "3c90x"): Miss(6.2, SOURCE),
}
