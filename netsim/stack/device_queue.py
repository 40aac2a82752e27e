"""The queues below a protocol: packets that a full ring or byte queue limits keep in a queueing discipline, and packets
in the adapter's ring until the driver knows that they are sent.

Source: Linux 5.4, net/sched/sch_generic.c, sch_direct_xmit and qdisc_run; include/linux/netdevice.h,
netdev_tx_sent_queue and netdev_tx_completed_queue; mlx5, en_tx.c, which stops a queue whose ring has no room for
another packet, and starts it again in mlx5e_poll_tx_cq once there is room. The queueing discipline keeps the order and
drops nothing here: the layers above limit its length (TCP small queues, a socket's send buffer).
"""

from __future__ import annotations

from typing import Final, final

from netsim.engine import Fifo
from netsim.machine import ByteQueueLimits, StreamNapi
from netsim.stack.stream_way import StreamWay

CLEANED: Final = 128  # packets that a poll cleans, at most
_STILL: Final = 1 << 62  # ps: the ring is full


@final
class SentPacket:
    """`segments` segments up to `end`, sent by the protocol at `time` (ps). The driver can know at `out` (ps) that the
    adapter has sent them; `out` is set once they are in the ring."""

    __slots__ = ("end", "out", "segments", "time")

    def __init__(self, end: int, segments: int, time: int) -> None:
        self.end = end
        self.segments = segments
        self.time = time
        self.out = -1


@final
class DeviceQueue:
    """Packets of segments whose frames have `size` bytes. The driver can know `sent_latency` (ps) later that a packet
    is sent. The ring has `room` for packets, each with one descriptor; `limits` bound its bytes."""

    def __init__(
        self, way: StreamWay, size: int, sent_latency: int, room: int, limits: ByteQueueLimits | None
    ) -> None:
        self._way = way
        self._size = size
        self._sent_latency = sent_latency
        self._room = room
        self.limits = limits
        self.napi: StreamNapi | None = None  # which cleans the ring
        self._discipline: Fifo[SentPacket] = Fifo()
        self._ring: Fifo[SentPacket] = Fifo()
        self.segments = 0  # not yet known to be sent
        self.held = 0  # packets that had to wait for the limit
        self.kept_out = 0  # packets that had to wait for room in the ring
        self._full = 0  # ps for which the ring was full, before it was so last:
        self._full_from = self._full_to = 0  # ps

    @property
    def in_ring(self) -> int:
        """The number of packets in the ring."""
        return len(self._ring)

    @property
    def _is_full(self) -> bool:
        return len(self._ring) >= self._room

    @property
    def _over_limit(self) -> bool:
        return self.limits is not None and self.limits.stopped

    def put(self, packet: SentPacket) -> None:
        """Add a packet at `packet.time`."""
        self.segments += packet.segments
        if self._is_full:
            self._discipline.append(packet)
            self.kept_out += 1
        elif self._discipline or self._over_limit:
            self._discipline.append(packet)
            self.held += 1
        else:
            self._hand_over(packet, packet.time)

    def _hand_over(self, packet: SentPacket, time: int) -> None:
        if self.limits is not None:
            self.limits.queued(packet.segments * self._size)
        first = packet.end - packet.segments
        packet.out = self._way.put(time, first, packet.segments) + self._sent_latency
        self._ring.append(packet)
        if self._is_full:
            self._full += self._full_to - self._full_from
            self._full_from, self._full_to = max(time, self._full_to), _STILL
        assert self.napi is not None
        self.napi.expect_sent()

    def clean(self, now: int, time: int) -> tuple[int, int]:
        """A poll takes back the packets known to be sent by `now` and, at `time` (ps), hands over those that waited for
        room. Returns the numbers of packets and of segments that were sent."""
        packets = segments = 0
        while self._ring and packets < CLEANED and self._ring[0].out <= now:
            segments += self._ring.popleft().segments
            packets += 1
        self.segments -= segments
        if packets:
            if self._full_to == _STILL:
                self._full_to = max(time, self._full_from)
            if self.limits is not None:
                self.limits.completed(segments * self._size, now)
            while self._discipline and not self._is_full and not self._over_limit:
                self._hand_over(self._discipline.popleft(), time)
        return packets, segments

    def sent_at(self) -> int:
        """When the first packet in the ring will be known to be sent (ps); -1: the ring is empty."""
        return self._ring[0].out if self._ring else -1

    def full_time(self, now: int) -> int:
        """For how long the ring was full (ps), up to `now`."""
        return self._full + max(0, min(now, self._full_to) - self._full_from)
