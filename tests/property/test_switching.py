"""Whatever is sent through a switch, every frame arrives once, in order, or is counted where it was dropped."""

from __future__ import annotations

from collections import Counter, defaultdict

from hypothesis import given
from hypothesis import strategies as st

from netsim.ethernet import Frame
from tests.standards.test_switch_timing import Network

NAMES = "abcd"
Sent = tuple[str, str, int, int]
one_frame = st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES), st.integers(64, 1518), st.integers(0, 2 * 10**8))


@given(
    frames=st.lists(one_frame, max_size=60),
    buffer=st.integers(1518, 6000),
    latency=st.sampled_from(["0 s", "5 us", "200 us"]),
    looks=st.lists(st.integers(0, 10**9), max_size=5).map(sorted),
)
def test_frames_in_are_frames_out_dropped_or_inside(
    frames: list[Sent], buffer: int, latency: str, looks: list[int]
) -> None:
    network = Network(NAMES, buffer=buffer, max_frame=1518, latency=latency)
    switch = network.switch
    order: dict[tuple[str, str], list[Frame]] = defaultdict(list)
    for source, target, size, earliest in frames:
        order[source, target].append(network.send(source, target, size, earliest))
    for look in looks:
        network.env.run(until=look)
        out = sum(link.frames for link in network.out.values())
        assert out + sum(switch.drops.values()) + switch.frames_inside == switch.frames_arrived
    network.env.run()
    arrived = {name: [frame for _, frame in sink.log] for name, sink in network.sinks.items()}
    assert Counter(target for _, target, _, _ in frames) == Counter(
        {name: len(arrived[name]) + switch.drops[f"port to {name}"] for name in NAMES}
    )
    for (_, target), sent in order.items():
        there = [frame for frame in arrived[target] if frame in sent]
        assert there == [frame for frame in sent if frame in there]


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(64, 1518)), max_size=40))
def test_nothing_is_dropped_where_there_is_room_for_all(frames: list[tuple[str, int]]) -> None:
    network = Network(buffer=max(1518, sum(size for _, size in frames)), max_frame=1518)
    for source, size in frames:
        network.send(source, "c", size)
    network.env.run()
    assert network.sinks["c"].frames_arrived == len(frames)
    sending = sum(network.link.frame_time(size) for _, size in frames)
    assert network.out["c"].busy_until(network.env.now + 10**9) == sending
