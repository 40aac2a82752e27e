"""Calls that accept all their data and return when the data are few, or when all earlier calls but one have been
acknowledged: Windows' AFD (Microsoft KB 214397)."""

from __future__ import annotations

from itertools import accumulate

from hypothesis import given, settings
from hypothesis import strategies as st

from netsim.engine import Environment
from netsim.stack import ComputerSpec
from netsim.stack.tcp_send import Transmission
from tests.stack.channel import segment
from tests.stack.test_windows_tcp import ONE, SEGMENT, SPEC, TWO, Connection
from tests.stack.transfer import SECOND

BUFFER = 8192


class Unheard(Connection):
    """Nothing that is sent arrives, so nothing is acknowledged."""

    def __init__(self, a: ComputerSpec = ONE) -> None:
        super().__init__(a)
        out = self.a.nics[0].transmitter.link
        assert out is not None
        out.lost = lambda _: True  # type: ignore[method-assign]


def test_one_call_may_be_under_way_beside_another() -> None:
    """The third call has copied all its bytes too, and waits."""
    one = Unheard()
    one.send(100_000, 100_000, 50_000, 1)
    one.env.run(SECOND)
    assert len(one.sends) == 2
    assert one.out.output.write_seq == 250_000


def test_small_calls_return_until_the_buffer_is_full() -> None:
    one = Unheard()
    one.send(*[1000] * 12)
    one.env.run(SECOND)
    assert len(one.sends) == 8
    assert one.out.output.write_seq == 9000


def test_a_call_is_over_when_its_last_byte_is_acknowledged() -> None:
    output = Transmission(Environment(), SPEC, SEGMENT, lambda: None)
    for nbytes in (SEGMENT, 100):
        output.begin_call(nbytes)
        output.write_seq += nbytes
        output.sent(output.snd_nxt, nbytes)
    assert output.calls == 2
    for ack, calls in ((SEGMENT - 1, 2), (SEGMENT, 1), (SEGMENT + 99, 1), (SEGMENT + 100, 0)):
        output.acknowledged(segment(ack=ack, window=10 * SEGMENT))
        assert output.calls == calls


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(1, 12_000), min_size=1, max_size=8), st.sampled_from([ONE, TWO]))
def test_the_rule(sizes: list[int], pc: ComputerSpec) -> None:
    one = Unheard(pc)
    one.send(*sizes)
    one.env.run(SECOND)
    waits = [held >= BUFFER and calls > 2 for calls, held in enumerate(accumulate(sizes), 1)]
    returned = waits.index(True) if any(waits) else len(sizes)
    assert len(one.sends) == returned
    assert one.out.output.write_seq == sum(sizes[: returned + 1])


def test_a_call_waits_for_all_earlier_ones_but_one() -> None:
    """Nothing is read, so 17,520 bytes arrive: the first call's bytes are then all acknowledged, and the third call
    returns."""
    one = Connection()
    acknowledged: list[int] = []
    send = one.out.send
    one.out.send = lambda nbytes, then: send(  # type: ignore[method-assign]
        nbytes, lambda: (acknowledged.append(one.out.output.snd_una), then())[1]
    )
    one.send(15_000, 100_000, 1, 1)
    one.env.run(SECOND)
    assert len(acknowledged) == 3
    assert acknowledged[1] < 15_000 <= acknowledged[2]
    assert one.out.output.write_seq == 15_000 + 100_000 + 2


def test_a_call_that_has_waited_is_woken_once() -> None:
    one = Connection()
    one.read(*[65535] * 100)
    one.send(*[30_000] * 6)
    one.env.run(SECOND)
    assert len(one.sends) == 6
    assert one.works(one.a, "wake-up") == 4  # the first two did not wait


def test_a_call_that_only_returns_sends_nothing() -> None:
    """On a processor of its own it runs before the deferred work that sends, and must not pay for that."""
    one = Connection(TWO)
    one.read(*[65535] * 100)
    one.send(*[20 * SEGMENT] * 6)
    one.env.run(SECOND)
    assert one.into.read_bytes == 120 * SEGMENT
    returns = [work for cpu in one.a.processors for work in cpu.tally if dict(work.parts).keys() & {"wake-up"}]
    assert returns
    assert all(dict(work.parts).keys() == {"wake-up"} for work in returns)
