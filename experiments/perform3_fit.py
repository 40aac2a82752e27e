"""Which parameters are fitted to which rows of the report on PERFORM3.

All together, as a workstation alone waits for the server, whose processor is kept busy by workstations. The rows with
five workstations and the throughputs of the server cards are in no fit, but for that of the one whose own processor
nothing else tells of.
"""

from __future__ import annotations

from experiments.fit_definition import Fit
from experiments.perform3 import CLIENT_NICS, SERVER_NICS, row_id
from netsim.calibration import Parameter

CODE = "from a few dozen instructions to some thousands"
LOOP = "from a string instruction's own clocks to a loop with a call in it"
ARBITER = "from less than a clock of the card's to the time of a frame's bytes on its memory"
# Starts are near where earlier searches from rounder ones (a seventh to twice of them) had ended: what workstations do
# to each other is chance, and many steps from far away end where its noise says so.

FITS = [
    Fit(
        name="NetWare on 10 Mbit/s",
        about="what requests cost both ends, and what drivers and cards cost the processor",
        parameters=[
            Parameter("netware/netx-3", "kernel.lookahead_cycles", "3600", "300", "12000", CODE),
            Parameter("netware/netx-3", "ncp.request_cycles", "4400", "500", "16000", CODE),
            Parameter("netware/netware-3.11", "ncp.request_cycles", "700", "200", "6000", CODE),
            Parameter("drivers/plx-sonic-lan", "tx_cycles", "500", "50", "4000", CODE),
            Parameter("drivers/sonic-at-lan", "tx_cycles", "1700", "50", "4000", CODE),
            Parameter("drivers/ne3200-lan", "tx_cycles", "600", "50", "4000", CODE),
            Parameter("nics/ne3200", "onboard.tx_cycles", "4000", "100", "8000", CODE),
            Parameter("drivers/exp16-lan", "tx_cycles", "2900", "50", "8000", CODE),
            Parameter("drivers/ne2000-lan", "element_clocks", "34", "2", "60", LOOP),
            Parameter("nics/at-lantic-io", "path.wait", "60 ns", "5 ns", "600 ns", ARBITER),
            Parameter("nics/at-lantic-shared", "path.wait", "60 ns", "5 ns", "600 ns", ARBITER),
        ],
        rows=[
            *(row_id("single-workstation", nic, "throughput") for nic in CLIENT_NICS),
            *(row_id("server", nic, "cpu") for nic in SERVER_NICS),
            row_id("server", "ne3200", "throughput"),
        ],
        limit="0.8 s",
        closed_form=False,  # of the server's processor it says nothing
    ),
]
