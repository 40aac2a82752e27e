"""The rows of the report on four adapters that miss, and what it says of them otherwise; and why."""

from __future__ import annotations

from experiments.miss import Miss, Misses
from experiments.tolly_201105 import NT, THREECOM, WINDOWS, row_id

TOO_BUSY = (
    "3Com's aggregated adapters cost the processors too much, or their lock covers too little: with IPsec the report's "
    "processors do 4,600 cycles more for a frame than with separate cards and one of them idles, here 8,600."
)
ROUNDED = "Throughput is 3 % too low, and the report prints 5.6 for its own 497 Mbit/s over 90 %, which is 5.52."
APART = "Both cards' indices are near, 3Com's too low and Intel's too high."

MISSES: Misses = {
    row_id(WINDOWS, True, "offload", "download", THREECOM, "cpu"): Miss(8.0, TOO_BUSY),
    row_id(WINDOWS, True, "offload", "download", THREECOM, "index"): Miss(-0.30, TOO_BUSY),
    row_id(NT, True, "none", "bidirectional", THREECOM, "index"): Miss(-0.25, ROUNDED),
    "P/E, aggregated": Miss(-8.1, APART),
    "P/E, aggregated, NT 4.0": Miss(-8.1, APART),
}
