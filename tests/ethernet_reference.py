"""A shared medium exactly as the standard describes it, station by station and edge by edge: slow, and obvious.

IEEE 802.3, 4.2.8: each station runs Deference, TransmitLinkMgmt, BackOff, BitTransmitter, InterFrameSignal and the
burst timer as state machines; the front and tail of each signal travel to every other station as separate events.
Simultaneous events are processed in a fixed order: transmissions that end, frames that become ready, stations that
start because they hear nothing, signals that arrive, stations that defer, stations whose gap is over.
Nothing here uses netsim.ethernet.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np

JAM_BITS, HEADER_BITS, GAP_BITS, PART_1_BITS = 32, 64, 96, 64
ATTEMPTS, BACKOFF_LIMIT, BURST_BITS = 16, 10, 65_536


@dataclass
class Sent:
    """A frame to send."""

    number: int
    size: int
    target: int


@dataclass
class Node:
    """One station."""

    number: int
    stream: np.random.Generator
    frame: Sent | None = None
    waiting: bool = False  # frameWaiting
    deferred: bool = False
    attempts: int = 0
    max_backoff: int = 2
    transmitting: bool = False
    started: int = -1
    heard: int = -1  # time of collisionDetect; -1: none so far
    first: bool = True  # burstStart
    carriers: int = 0  # of other stations
    state: str = "watch"  # watch, busy, part 1, part 2
    gap_from: int = 0
    was_transmitting: bool = False
    bursting: bool = False
    burst_from: int = 0
    filling: int = -1  # until when it fills a gap with bits; -1: it doesn't
    version: int = 0  # of the planned end of its transmission


class Reference:
    """The medium. Frames are handed over before `run`, or by `again(node, at, sent)`, which may return the next one."""

    def __init__(
        self, bit: int, slot: int, distances: list[list[int]], streams: list[np.random.Generator],
        extends: bool = False, bursts: bool = False,
    ) -> None:
        self.bit, self.slot, self.distances = bit, slot, distances
        self.extends, self.bursts = extends, bursts
        self.nodes = [Node(number, stream) for number, stream in enumerate(streams)]
        self.events: list[tuple[int, int, str, int, object]] = []
        self.count = 0
        self.log: list[tuple[int, int, int, str]] = []  # time, frame, station, "sent" | "given up" | "arrived"
        self.signals: list[tuple[int, int, int]] = []  # start, end, station
        self.collided: list[tuple[int, int, int]] = []  # start of the signal, time of the collision, station
        self.deferrals: set[int] = set()
        self.again: Callable[[int, int, bool], Sent | None] = lambda node, at, sent: None

    def at(self, time: int, kind: str, node: int, what: object = None) -> None:
        self.count += 1
        heappush(self.events, (time, self.count, kind, node, what))

    def hand_over(self, at: int, node: int, frame: Sent) -> None:
        self.at(at, "frame", node, frame)

    def run(self, until: int) -> None:
        while self.events and self.events[0][0] < until:
            now = self.events[0][0]
            due = defaultdict(list)
            while self.events and self.events[0][0] == now:
                _, _, kind, node, what = heappop(self.events)
                due[kind].append((self.nodes[node], what))
            self.moment(now, due)

    def moment(self, now: int, due: dict[str, list[tuple[Node, object]]]) -> None:
        for node, what in due["end"]:
            if what == node.version:
                self.end(node, now)
        for node, what in due["gap filled"]:
            if what == node.version:
                self.gap_filled(node, now)
        for node, frame in due["frame"]:
            self.transmit_frame(node, frame, now)
        for node, _ in due["backed off"]:
            node.waiting = True
        for node in self.nodes:
            if node.waiting and node.state == "watch" and not node.carriers and node.filling <= now:
                self.start(node, now)
        for node, _ in due["front"]:
            node.carriers += 1
        for node, _ in due["tail"]:
            node.carriers -= 1
        for node in self.nodes:
            if self.defer(node, now):
                self.start(node, now)
        for node in self.nodes:
            if node.transmitting and node.carriers and node.heard < 0:
                self.collision_detect(node, now)

    # --- TransmitLinkMgmt --------------------------------------------------------------------------------------------

    def transmit_frame(self, node: Node, frame: Sent, now: int) -> None:
        assert node.frame is None
        node.frame, node.attempts, node.deferred = frame, 0, False
        if node.filling > now and now < node.burst_from + BURST_BITS * self.bit:
            return  # bursting: it starts when the gap is filled
        node.waiting = True
        node.bursting = False

    def next_frame(self, node: Node, now: int, sent: bool) -> None:
        assert node.frame is not None
        self.log.append((now, node.frame.number, node.number, "sent" if sent else "given up"))
        node.frame = None
        following = self.again(node.number, now, sent)
        if following is not None:
            self.transmit_frame(node, following, now)

    def back_off(self, node: Node, now: int) -> None:
        if node.attempts == 1:
            node.max_backoff = 2
        elif node.attempts <= BACKOFF_LIMIT:
            node.max_backoff *= 2
        slots = int(node.stream.integers(0, 1024)) % node.max_backoff
        self.at(now + slots * self.slot, "backed off", node.number)

    # --- Deference ---------------------------------------------------------------------------------------------------

    def defer(self, node: Node, now: int) -> bool:
        """Advance the process as far as it gets at this moment; return whether a waiting frame starts."""
        carrier = node.carriers > 0 or node.transmitting or node.filling > now
        if node.state == "part 1" and now >= node.gap_from + PART_1_BITS * self.bit:
            node.state = "part 2"
        if node.state == "part 1" and carrier and not node.was_transmitting:
            node.state = "busy"  # StartRealTimeDelay, repeatedly
        if node.state == "part 2" and now >= node.gap_from + GAP_BITS * self.bit:
            node.state = "watch"
            if node.waiting:
                return True
        if node.state == "watch" and carrier:
            node.state, node.was_transmitting = "busy", node.transmitting
        if node.state == "busy":
            node.was_transmitting |= node.transmitting or node.filling > now
            if not carrier:
                node.state, node.gap_from = "part 1", now
                self.at(now + PART_1_BITS * self.bit, "timer", node.number)
                self.at(now + GAP_BITS * self.bit, "timer", node.number)
        node.deferred |= node.waiting and node.state != "watch"
        return node.state == "watch" and node.waiting

    # --- BitTransmitter ----------------------------------------------------------------------------------------------

    def start(self, node: Node, now: int) -> None:
        node.waiting, node.transmitting, node.first = False, True, True
        node.started, node.heard, node.was_transmitting = now, -1, True
        node.state = "busy"
        node.bursting, node.burst_from = self.bursts, now
        for other in self.nodes:
            if other is not node:
                self.at(now + self.distances[node.number][other.number], "front", other.number)
        self.send_bits(node, now)

    def send_bits(self, node: Node, now: int) -> None:
        assert node.frame is not None
        bits = node.frame.size * 8
        if self.extends and node.first:
            bits = max(bits, self.slot // self.bit)
        self.plan_end(node, now + (HEADER_BITS + bits) * self.bit)

    def plan_end(self, node: Node, end: int) -> None:
        node.version += 1
        self.at(end, "end", node.number, node.version)

    def collision_detect(self, node: Node, now: int) -> None:
        assert node.first, "a late collision: the layout is too long"
        node.heard = now
        bits = 0  # sent before the jam can begin: whole bits, and all of the header
        while node.started + bits * self.bit < now or bits < HEADER_BITS:
            bits += 1
        assert bits * self.bit <= HEADER_BITS * self.bit + self.slot, "a collision behind the least frame"
        node.bursting = False
        self.collided.append((node.started, now, node.number))
        self.plan_end(node, node.started + (bits + JAM_BITS) * self.bit)

    def end(self, node: Node, now: int) -> None:
        node.transmitting = False
        if node.heard >= 0:
            self.silent(node, now)
            node.attempts += 1
            if node.attempts < ATTEMPTS:
                self.back_off(node, now)
            else:
                self.next_frame(node, now, False)
            return
        frame = node.frame
        assert frame is not None
        if node.deferred and not node.attempts:
            self.deferrals.add(frame.number)
        self.log.append((now + self.distances[node.number][frame.target], frame.number, frame.target, "arrived"))
        if node.bursting and now < node.burst_from + BURST_BITS * self.bit:
            node.filling = now + GAP_BITS * self.bit
            node.version += 1
            self.at(node.filling, "gap filled", node.number, node.version)
        else:
            node.bursting = False
            self.silent(node, now)
        self.next_frame(node, now, True)

    def silent(self, node: Node, now: int) -> None:
        """The station's signal ends."""
        self.signals.append((node.started, now, node.number))
        for other in self.nodes:
            if other is not node:
                self.at(now + self.distances[node.number][other.number], "tail", other.number)

    def gap_filled(self, node: Node, now: int) -> None:
        node.filling = -1
        if node.frame is not None and not node.waiting:
            node.transmitting, node.first, node.deferred = True, False, False
            self.send_bits(node, now)
        else:
            node.bursting = False
            self.silent(node, now)
