"""For any frames and any transmit FIFO: the FIFO never contains more bytes than it holds, and equal frames follow each
other as the closed form predicts."""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from netsim.engine import Environment
from netsim.ethernet import Frame, LinkSpec
from netsim.nic.transmitter import Transmitter
from netsim.units import US
from tests.nic.test_bursts import PC, card

LARGEST = 1518
FAST, SLOW = (LinkSpec.from_name(name) for name in ("1000base-sx", "100base-tx"))
SIZES = st.integers(64, LARGEST)
CHIPS = st.fixed_dictionaries(
    {
        "tx_fifo": st.integers(LARGEST, 3 * LARGEST),
        "tx_frames": st.integers(1, 5),
        "tx_threshold": st.sampled_from([0, 256, LARGEST]),
        "tx_burst": st.sampled_from([64, 2048]),
        "miss": st.sampled_from(["hold", "retry"]),
        "retry_clocks": st.sampled_from([0, 8, 100]),
        "tx_descriptors": st.sampled_from([1, 4]),
        "tx_turnaround": st.sampled_from(["0 s", "5 us"]),
        "tx_fetches": st.sampled_from(["parts", "buffers"]),
        "driver.tx_buffer": st.sampled_from([256, 1024, 2048]),
        "link": st.sampled_from([FAST, SLOW]),
    }
)


ROOMY = {
    "tx_fifo": 3 * LARGEST, "tx_frames": 5, "tx_threshold": LARGEST, "tx_burst": 2048, "miss": "retry",
    "retry_clocks": 100, "tx_descriptors": 1, "tx_turnaround": "0 s", "link": SLOW,
}  # fmt: skip


class Fetch:
    """The fetch of one frame: its bytes arrive from `start` to `end`, after its descriptor and in bursts, and have left
    at its last bit (ps)."""

    def __init__(self, frame: Frame, transmitter: Transmitter, start: int, end: int) -> None:
        self.frame, self.start, self.end = frame, start, end
        self._seen = transmitter.seen
        self._spec = transmitter.spec.unchecked(tx_threshold=frame.size)

    def inside(self, now: int) -> float:
        """Bytes in the FIFO just before `now`."""
        if now <= self.start or now > self.frame.last_bit:
            return 0
        whole = range(self.frame.fetched + 1)
        there = bisect_left(whole, now - self.start, key=lambda size: self._spec.tx_lead_time(self._seen, size)) - 1
        return self.frame.size * max(0, there) / self.frame.fetched


def fetches(frames: list[tuple[int, int]], **chip: Any) -> list[Fetch]:
    """What a card does with frames of these sizes, each handed over the given number of us after the one before."""
    env = Environment()
    nic, far = card(env, **chip)
    transmitter = nic.transmitter
    found: list[Fetch] = []
    granted = transmitter._dma.granted

    def noted(dma: Any) -> None:
        granted(dma)  # type: ignore[misc]
        found.append(Fetch(transmitter.sent[-1], transmitter, dma.start, dma.end + transmitter._gaps))

    transmitter._dma.granted = noted
    time = 0
    for size, later in frames:
        time += later * US
        env.call_at(time, lambda _, size=size: transmitter.put(Frame(size), False))
    env.run(10**12)
    assert len(far.times) == len(found) == len(frames)
    return found


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(SIZES, st.sampled_from([0, 0, 0, 1, 20, 200])), min_size=2, max_size=12), CHIPS)
def test_it_never_overflows(frames: list[tuple[int, int]], chip: Any) -> None:
    """It is fullest just before a frame has left, and when one has been fetched."""
    found = fetches(frames, **chip)
    for now in (time for one in found for time in (one.frame.last_bit, one.end)):
        inside = [one.inside(now) for one in found]
        assert sum(inside) <= chip["tx_fifo"] + 1e-6
        assert sum(nbytes > 0 for nbytes in inside) <= chip["tx_frames"]


@settings(max_examples=200, deadline=None)
@given(SIZES, CHIPS)
def test_equal_frames_come_as_the_closed_form_says(size: int, chip: Any) -> None:
    found = fetches([(size, 0)] * 8, **chip)
    apart = [after.frame.last_bit - before.frame.last_bit for before, after in pairwise(found)]
    assert sum(apart[3:]) == least([size] * 4, **chip)


def least(sizes: list[int], **chip: Any) -> float:
    """The time that the closed form gives for frames of these sizes (ps)."""
    spec = PC.nics[0].replace({name: value for name, value in chip.items() if name not in ("link", "miss")})
    seen = spec.sees(PC.replace("chipset.miss", chip["miss"]).slots[0])
    return spec.transmit_time(seen, chip["link"], [(1, Frame(size)) for size in sizes])


@settings(max_examples=300, deadline=None)
@example([64, 64, 64, 64, LARGEST], ROOMY)  # small frames are fetched while a large one is sent
@example([LARGEST, LARGEST, 64], {**ROOMY, "tx_fifo": LARGEST + 64, "retry_clocks": 0})  # room for a small one
@given(st.lists(SIZES | st.sampled_from([64, LARGEST]), min_size=2, max_size=5), CHIPS)
def test_no_mix_of_frames_comes_earlier_than_the_closed_form_says(sizes: list[int], chip: Any) -> None:
    sizes = sizes * 20
    found = fetches([(size, 0) for size in sizes], **chip)
    assert found[-1].frame.last_bit - found[0].start >= least(sizes[1:], **chip)


SMALL = {"tx_fifo": 2000, "tx_frames": 2, "tx_threshold": LARGEST, "link": SLOW, "miss": "hold"}
ROUNDED = {
    "tx_fifo": LARGEST, "tx_frames": 2, "tx_threshold": 256, "tx_burst": 2048, "miss": "retry", "retry_clocks": 0,
    "link": FAST,
}  # fmt: skip
ROUNDING = 4  # ps: data fetched ahead, all data, status and link are each rounded to the nearest, before and after
BETTER = {"bus.width": 8, "chipset.decode": 1, "chipset.memory_time": "0 s"}


@settings(max_examples=200, deadline=None)
@example(LARGEST, SMALL, "chipset.decode")  # also for a status, which is no byte of the frame
@example(1477, ROUNDED, "chipset.decode")  # a fetch that begins later by as much as it is shorter, and 1 ps more
@given(SIZES, CHIPS, st.sampled_from([*BETTER]))
def test_frames_follow_no_later_on_a_faster_bus(size: int, chip: Any, part: str) -> None:
    """A faster fetch begins later if room is short, but does not end later, except for rounding."""
    own = {f"nics.0.{name}": value for name, value in chip.items() if name not in ("link", "miss")}
    pc = PC.replace({"chipset.miss": chip["miss"], "nics.0.bus_width": 8, **own})
    before, after = (
        nic.transmit_interval(nic.sees(one.slots[0]), chip["link"], Frame(size))
        for one in (pc, pc.replace(part, BETTER[part]))
        for nic in one.nics
    )
    assert after <= before + ROUNDING
