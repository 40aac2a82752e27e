"""The size of the packets that TCP leaves to an adapter to cut into segments (TSO), and how many of their bytes may
wait below TCP.

Source: Linux 5.4 and 5.17, net/ipv4/tcp_output.c: tcp_tso_autosize, tcp_small_queue_check, tcp_tso_should_defer;
tcp_input.c: tcp_update_pacing_rate.
"""

from __future__ import annotations

from typing import Final

from netsim.units.constants import PS_PER_S

MOST: Final = 65_535 - 320  # bytes: GSO_MAX_SIZE, less 1 and the room for headers (MAX_TCP_HEADER)
FEWEST: Final = 2  # segments (tcp_min_tso_segs)
SHIFT: Final = 10  # about 1 ms of the pacing rate (sk_pacing_shift)
OUTPUT: Final = 1 << 20  # bytes: tcp_limit_output_bytes
_SLOW_START, _AVOIDANCE = 200, 120  # per cent (tcp_pacing_ss_ratio, tcp_pacing_ca_ratio)
_DIVISOR: Final = 3  # tcp_tso_win_divisor


def pacing_rate(mss: int, window: int, slow_start: bool, rtt: int) -> int:
    """The pacing rate (bytes/s) for `window` segments of `mss` bytes per smoothed round trip of `rtt` (ps)."""
    return mss * window * (_SLOW_START if slow_start else _AVOIDANCE) * PS_PER_S // (100 * max(1, rtt))


def goal(rate: int, mss: int) -> int:
    """Segments in a packet at a pacing rate of `rate` (bytes/s)."""
    return max(min(rate >> SHIFT, MOST) // mss, FEWEST)


def queue_limit(rate: int, packet: int) -> int:
    """Bytes of one connection that may wait in the queueing discipline and the adapter, with packets of `packet` bytes.
    The connection may send another packet while the limit is not exceeded."""
    return max(2 * packet, min(rate >> SHIFT, OUTPUT))


def defers(segments: int, wanted: int, window: int) -> bool:
    """Whether a packet with fewer segments than `wanted` waits for the next acknowledgement, with a window of `window`
    segments."""
    return segments < wanted and segments * _DIVISOR < window
