"""A transmit FIFO that runs dry within a frame, because others have the bus, raises its threshold."""

from __future__ import annotations

import pytest

from netsim.bus import Bus, Transaction
from netsim.engine import Environment
from netsim.ethernet import Frame, Link, LinkSpec
from netsim.nic import Nic
from netsim.nic.transmitter import Transmitter
from netsim.nic.underruns import Rise
from netsim.scenario import host
from netsim.stack import Computer
from netsim.units import US
from tests.sink import Nowhere

TULIP = Rise(2, 0, 1518)  # tulip.c 2.2.16, tulip_interrupt: 128, 256, 512 and 1024 bytes, and whole frames
PC = host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"])
SIZE = 1518


class Far(Nowhere):
    """The other end of the wire."""

    def __init__(self, env: Environment) -> None:
        self._env = env
        self.times: list[int] = []

    def put(self, frame: Frame) -> None:
        self.times.append(self._env.now)


def sent(
    frames: int, rivals: int, threshold: int = 128, rise: Rise | None = TULIP, begin: float = 2
) -> tuple[Transmitter, list[int]]:
    """A transmitter that has sent frames, one every 400 us, and the arrival time of each (ps after its doorbell).
    `begin` us after each doorbell, `rivals` masters request the bus for 100 us in total; the latency timer makes them
    alternate every 2 us."""
    env = Environment()
    bus = Bus(env, PC.slots[0], "bus")
    nic = Nic(env, PC.nics[0].replace("tx_threshold", threshold), bus, PC.slots[0], "pc", 0)
    transmitter, far = nic.transmitter, Far(env)
    assert isinstance(transmitter, Transmitter)
    transmitter.rise = rise
    transmitter.link = Link(env, LinkSpec.from_name("100base-tx"), "out")
    transmitter.link.attach(far)
    others = [Transaction(PC.slots[0].tenure(False, 4096)) for _ in range(rivals)]
    for number in range(frames):
        start = number * 400 * US
        env.call_at(start, lambda _: transmitter.put(Frame(SIZE), False))
        for other in others:
            env.call_at(round(start + begin * US), lambda _, one=other: bus.request(one, 100 * US // rivals))
    env.run(frames * 400 * US)
    return transmitter, [time - number * 400 * US for number, time in enumerate(far.times)]


def raised(transmitter: Transmitter) -> int:
    """How often its FIFO has run dry."""
    return transmitter.underruns.count if transmitter.underruns else 0


def test_a_fifo_that_is_filled_in_time_does_not_run_dry() -> None:
    """One rival leaves the bus to it every other 2 us: still six times as fast as the wire."""
    transmitter, _ = sent(3, rivals=1)
    assert (raised(transmitter), transmitter.spec.tx_threshold) == (0, 128)


def test_the_threshold_rises_step_by_step_until_it_is_enough() -> None:
    """Twelve rivals make it wait for 24 us, 300 bytes of the wire, with about 200 bytes fetched: 512 are enough."""
    transmitter, times = sent(8, rivals=12, begin=3)
    assert raised(transmitter) >= 1
    settled = transmitter.spec.tx_threshold
    assert settled in (256, 512, 1024)
    assert times == sorted(times)  # a higher threshold, a later start
    more, _ = sent(16, rivals=12, begin=3)
    assert (raised(more), more.spec.tx_threshold) == (raised(transmitter), settled)
    from_there, _ = sent(4, rivals=12, begin=3, threshold=settled)
    assert raised(from_there) == 0


def test_a_higher_threshold_starts_the_wire_later_by_what_more_has_to_be_fetched() -> None:
    """The bus carries nothing else."""
    (low,), (high,) = (sent(1, rivals=0, threshold=threshold)[1] for threshold in (128, 512))
    assert high - low == PC.slots[0].transfer_time(512, False) - PC.slots[0].transfer_time(128, False)


def test_the_frame_itself_arrives_all_the_same() -> None:
    (first, *_), (plain, *_) = sent(2, 12, begin=3)[1], sent(2, 12, begin=3, rise=None)[1]
    assert first == plain


def test_a_frame_that_has_not_been_begun_does_not_run_dry() -> None:
    """A chip that stores whole frames waits for the last byte."""
    assert raised(sent(3, rivals=12, threshold=1518)[0]) == 0


def test_without_a_driver_that_raises_it_the_fifo_does_not_run_dry() -> None:
    transmitter, _ = sent(3, rivals=12, begin=3, rise=None)
    assert (raised(transmitter), transmitter.spec.tx_threshold) == (0, 128)


def test_above_the_most_it_stays_as_it_is() -> None:
    transmitter, times = sent(4, rivals=12, begin=3, rise=Rise(1, 64, 100))
    assert (raised(transmitter), transmitter.spec.tx_threshold) == (4, 128)
    assert len(set(times)) == 1


@pytest.mark.parametrize(
    ("nic", "threshold", "steps"),
    [
        ("dfe570tx/tulip", 128, [256, 512, 1024, 1518, 1518]),
        ("rtl8139/rtl8139", 256, [*range(320, 1537, 64), 1536]),
        ("eepro100/eepro100", 256, [*range(288, 1793, 32), 1792]),
        ("3c905b/3c59x", 1518, []),
    ],
)
def test_the_steps_are_the_drivers(nic: str, threshold: int, steps: list[int]) -> None:
    computer = Computer(Environment(1), host("piii-600", system="linux-2.2.16", nics=[nic]), "pc")
    transmitter = computer.nics[0].transmitter
    assert isinstance(transmitter, Transmitter)
    rise, found = transmitter.rise, []
    while rise is not None and len(found) < len(steps):
        found.append(threshold := rise.above(threshold))
    assert found == steps
