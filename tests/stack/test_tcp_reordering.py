"""Reordering is distinguished from loss as in Linux 2.2: with SACK, by forward acknowledgement."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netsim.engine import Environment
from netsim.stack.delayed_ack import DelayedAck
from netsim.stack.tcp_receive import Reception
from netsim.stack.tcp_send import Transmission
from tests.stack.channel import BARE, MEMORY, SPEC, Channel, segment
from tests.stack.transfer import TEST, Transfer

S = 100  # bytes of a segment
WINDOW = 20 * S
TEN = SPEC.replace({"initial_window": 10, "sack": True})
NO_SACK = TEN.replace("sack", False)
BOTH = pytest.mark.parametrize("spec", [TEN, NO_SACK], ids=["SACK", "no SACK"])


class Sender:
    """A Transmission fed by hand, in segments; ten are in transit."""

    def __init__(self, nodelay: bool = False) -> None:
        self.output = output = Transmission(Environment(1), TEN, S, lambda: None, nodelay)
        output.snd_wnd_end = WINDOW
        output.write_seq = 1000 * S
        assert self.go() == list(range(10))

    def go(self) -> list[int]:
        """Send what may be sent; returns the numbers of the segments."""
        numbers = []
        while (planned := self.output.upcoming())[1]:
            self.output.sent(*planned)
            assert planned[1] == S
            numbers.append(planned[0] // S)
        return numbers

    def ack(self, ack: int, *blocks: tuple[int, int], length: int = 0) -> list[int]:
        """An acknowledgement arrives; returns the segments sent in response. The window's edge does not move."""
        frame = segment(length=length, ack=ack * S, window=WINDOW - ack * S)
        frame.sacked = tuple((start * S, end * S) for start, end in blocks)
        self.output.acknowledged(frame)
        return self.go()

    @property
    def windows(self) -> tuple[float, float]:
        """Congestion window and slow-start threshold."""
        return self.output.cwnd / S, self.output.ssthresh / S


# ---- by hand, with SACK ----


def test_what_is_held_is_not_in_flight() -> None:
    sender = Sender()
    assert sender.ack(0, (1, 2)) == [10, 11]  # everything before the last byte held counts as gone, including the hole
    assert sender.ack(0, (1, 3)) == [12]
    assert sender.output.retransmitted == 0


def test_more_than_three_segments_to_the_last_byte_held_are_a_loss() -> None:
    sender = Sender()
    assert sender.ack(0, (3, 4)) == [0, 1]  # at the first duplicate
    assert sender.windows == (8, 5)
    assert sender.output.fast_retransmits == 1


def test_holes_are_filled_as_far_as_the_congestion_window_allows() -> None:
    sender = Sender()
    assert sender.ack(0, (3, 4)) == [0, 1]  # in flight: 4 to 9, and these two; the window is 8
    assert sender.ack(0, (3, 5)) == [10]
    assert sender.ack(0, (3, 6)) == [11]
    assert sender.ack(0, (3, 7)) == [2]  # from the fourth duplicate on more holes are filled
    assert sender.ack(1, (3, 7)) == [12]


def test_a_partial_acknowledgement_fills_what_is_left() -> None:
    sender = Sender()
    assert [sender.ack(0, (1, end)) for end in (2, 3, 4)] == [[10, 11], [12], [0]]
    assert sender.ack(4, (5, 13)) == [4, *range(13, 20)]
    assert sender.output._recover == 13 * S
    sender.ack(13)
    assert not sender.output._recover


def test_each_hole_is_filled_once() -> None:
    sender = Sender()
    assert sender.ack(0, (1, 4))[0] == 0
    for end in range(5, 10):
        assert 0 not in sender.ack(0, (1, end))


def test_the_window_after_recovery_is_the_threshold_if_more_than_three_duplicates_came() -> None:
    sender = Sender()
    for end in (2, 3, 4, 5):
        sender.ack(0, (1, end))
    assert sender.windows == (8, 5)
    sender.ack(sender.output.snd_max // S)
    assert sender.windows == (5, 5)


def test_a_timeout_forgets_what_is_held() -> None:
    sender = Sender()
    sender.ack(0, (1, 3))
    sender.output._timeout()
    assert sender.windows == (1, 5)
    assert sender.go() == [0]
    assert sender.ack(3) == [3, 4]


def test_what_is_written_in_between_waits_for_the_holes() -> None:
    sender = Sender()
    frame = segment(ack=0, window=WINDOW)
    frame.sacked = ((3 * S, 5 * S),)
    sender.output.acknowledged(frame)
    assert sender.output.retransmit_queue == [(0, S), (S, S), (2 * S, S)]
    assert sender.output.upcoming() == (0, S)
    sender.output.acknowledged(segment(ack=S + S // 2, window=WINDOW))
    assert sender.output.retransmit_queue == [(S + S // 2, S // 2), (2 * S, S)]  # without what arrived meanwhile


# ---- by hand, without SACK ----


def test_the_third_duplicate_sends_the_first_segment_again() -> None:
    sender = Sender()
    assert [sender.ack(0) for _ in range(3)] == [[], [], [0]]
    assert sender.windows == (8, 5)
    assert [sender.ack(0) for _ in range(4)] == [[], [], [], [10]]  # each means that one has left; the hole counts too
    assert sender.output.fast_retransmits == 1


def test_a_partial_acknowledgement_sends_the_next_hole_without_sack() -> None:
    sender = Sender()
    for _ in range(3):
        sender.ack(0)
    assert sender.ack(4)[0] == 4
    sender.ack(10)
    assert not sender.output._recover
    assert sender.output.retransmitted == 2


def test_duplicates_count_in_succession() -> None:
    sender = Sender()
    sent = [sender.ack(ack) for ack in (0, 0, 1, 1, 1, 2, 2, 2)]
    assert sender.output.duplicate_acks == 6
    assert sender.output.retransmitted == 0
    assert [one for some in sent for one in some] == list(range(10, 10 + 4))  # slow start: two for each new one


def test_data_and_window_updates_are_no_duplicates() -> None:
    sender = Sender()
    for more in range(1, 5):
        sender.ack(0, length=S)
        sender.output.acknowledged(segment(ack=0, window=WINDOW + more))
    assert sender.output.duplicate_acks == 0


def test_data_from_the_peer_break_a_recovery_off() -> None:
    sender = Sender()
    for _ in range(4):
        sender.ack(0)
    assert sender.windows == (9, 5)
    sender.ack(0, length=S)
    assert sender.windows == (5, 5)
    for _ in range(3):
        sender.ack(0)
    assert sender.output.fast_retransmits == 1  # not again for what is in transit


def test_slow_start_goes_on_to_the_threshold_and_the_window_ends_at_65535_segments() -> None:
    sender = Sender()
    sender.output.ssthresh = 11 * S
    for ack in range(1, 4):
        sender.ack(ack)
    assert sender.windows == (12.08, 11)
    sender.output.cwnd = 65_535 * S
    sender.output.ssthresh = S
    sender.ack(4)
    assert sender.windows[0] == 65_535


def test_small_segments_wait_unless_told_not_to() -> None:
    for nodelay in (False, True):
        output = Transmission(Environment(1), TEN, S, lambda: None, nodelay)
        output.write_seq = S + 1
        output.sent(*output.upcoming())
        assert output.upcoming() == (S, 1 if nodelay else 0)


# ---- the receiver ----


def test_the_block_that_grew_last_comes_first() -> None:
    into = Reception(TEN, S, BARE)
    for number in (2, 4, 6, 8, 4):
        into.take(segment(number * S, S), MEMORY)
    assert [start // S for start, _ in into.blocks] == [4, 8, 6, 2]
    into.take(segment(3 * S, S), MEMORY)
    assert into.blocks[0] == (2 * S, 5 * S)
    for number in (0, 1):
        into.take(segment(number * S, S), MEMORY)
    assert into.rcv_nxt == 5 * S
    assert into.blocks == [(8 * S, 9 * S), (6 * S, 7 * S)]
    assert into.duplicates == 1


def test_what_follows_a_disorder_is_acknowledged_at_once() -> None:
    into = Reception(TEN, S, BARE)
    delayed_ack = DelayedAck(Environment(1), TEN.delayed_ack, S, into, lambda: None)
    at_once = []
    for number in (0, 2, 1, 3, 3, 4, 5):
        frame = segment(number * S, S)
        at_once.append(delayed_ack.acks_now(frame))
        into.take(frame, MEMORY)
        if at_once[-1]:
            delayed_ack.sent()
    assert at_once == [False, True, True, False, True, True, False]


@pytest.mark.parametrize(("timestamps", "most"), [(True, 3), (False, 4)])
def test_the_option_has_room_for_so_many_blocks_and_its_size(timestamps: bool, most: int) -> None:
    spec = TEN.replace("timestamps", timestamps)
    assert spec.sack_blocks == most
    assert spec.replace("sack", False).sack_blocks == 0
    assert spec.frame_size(1000, most) - spec.frame_size(1000) == 4 + 8 * most
    assert spec.headers + 4 + 8 * most <= 20 + 60


# ---- both ends ----


@BOTH
@pytest.mark.parametrize("behind", [1, 2, 3, 4, 5])
def test_three_segments_that_overtake_one_are_taken_for_a_loss(spec, behind: int) -> None:
    """The acknowledgement of the preceding segment may be due just then and is no duplicate: without SACK one more
    segment then has to overtake. With SACK only the distance to the last byte held counts."""
    found = set()
    for number in (6, 7):
        output = Channel(60 * S, S, {number: (behind,)}, {}, spec).run().output
        assert output.timeouts == 0
        assert bool(output.retransmitted) == bool(output.fast_retransmits)
        found.add(output.retransmitted > 0)
    assert found == ({False} if behind < 3 else {True} if spec.sack or behind > 3 else {False, True})


@pytest.mark.parametrize("lost", [(12, 13), (12, 15), (12, 18), (12, 14, 16), (11, 12, 13, 14)])
def test_several_losses_in_a_window_are_mended_at_once_with_sack(lost: tuple[int, ...]) -> None:
    output = Channel(60 * S, S, dict.fromkeys(lost, ()), {}, TEN).run().output
    assert (output.fast_retransmits, output.timeouts, output.retransmitted) == (1, 0, len(lost))


def test_two_losses_in_a_window_are_mended_without_sack_too() -> None:
    output = Channel(60 * S, S, {12: (), 15: ()}, {}, NO_SACK).run().output
    assert (output.fast_retransmits, output.timeouts, output.retransmitted) == (1, 0, 2)


def test_a_retransmission_that_is_lost_takes_the_timeout() -> None:
    """Linux 2.2 fills a hole once."""
    plain = Channel(60 * S, S, {12: ()}, {}, TEN).run()
    again = next(number for number, one in enumerate(plain.sent) if one in plain.sent[:number])
    assert Channel(60 * S, S, {12: (), again: ()}, {}, TEN).run().output.timeouts == 1


fates = st.dictionaries(st.integers(0, 80), st.lists(st.integers(0, 12), max_size=2), max_size=50)


@settings(max_examples=300, deadline=None)
@given(fates, fates, st.booleans(), st.booleans(), st.sampled_from([0, 0, 3, 40]), st.integers(1, 700))
def test_every_byte_arrives_once_and_in_order(data, acks, sack, nodelay, slowness, nbytes) -> None:
    """Segments of 10 bytes are delayed, lost and duplicated in both directions, with a window of a dozen segments."""
    spec = SPEC.replace({"sack": sack, "receive_buffer": 2000})
    channel = Channel(nbytes, 10, data, acks, spec, nodelay)
    channel.slowness = slowness
    channel.run()
    assert channel.read == channel.input.rcv_nxt == channel.output.snd_una == nbytes
    assert channel.received == set(range(nbytes))
    assert all(len(ack.sacked) <= (3 if sack else 0) for ack in channel.acks)
    assert all(ack.ack < start < end for ack in channel.acks for start, end in ack.sacked)


# ---- in computers ----


@settings(max_examples=15, deadline=None)
@given(st.dictionaries(st.tuples(st.sampled_from(["data", "ack"]), st.integers(0, 60)), st.integers(1, 9), max_size=20))
def test_a_transfer_survives_any_order(late: dict[tuple[str, int], int]) -> None:
    Transfer(60_000, late=lambda name, count: late.get((name, count), 0)).complete(seconds=100)


def test_two_that_overtake_cost_nothing_and_their_blocks_make_acknowledgements_longer() -> None:
    done = Transfer(60_000, late=lambda name, count: 2.5 if (name, count) == ("data", 15) else 0).complete()
    output, into = done.run.out.output, done.run.into.input
    assert (output.retransmitted, into.out_of_order) == (0, 2)
    assert {kind.size: kind.sent for kind in done.run.ledger.links[1]._kinds.values()}[SPEC.frame_size(0, 1)] == 2


def test_four_that_overtake_are_a_needless_retransmission() -> None:
    done = Transfer(60_000, late=lambda name, count: 4.5 if (name, count) == ("data", 15) else 0).complete()
    assert done.run.out.output.fast_retransmits > 0
    assert done.run.out.output.timeouts == 0
    assert done.run.into.input.duplicates > 0


def test_sack_takes_both_ends() -> None:
    test = TEST.replace("sender.system.tcp.sack", False)
    done = Transfer(60_000, lambda name, count, _: (name, count) == ("data", 15), test=test).complete()
    assert done.run.out.sack_blocks == done.run.into.sack_blocks == 0
    assert SPEC.frame_size(0, 1) not in done.run.ledger.links[1]._kinds


@pytest.mark.parametrize(
    ("share", "length", "goes"), [(0.5, S // 2, True), (0.5, S // 2 - 1, False), (1, S - 1, False)]
)
def test_what_is_small_to_nagle_is_a_share_of_a_segment(share: float, length: int, goes: bool) -> None:
    """Half of one in Linux 2.2 (tcp_snd_test): a shorter segment waits for those in transit."""
    output = Transmission(Environment(1), TEN.replace("nagle_share", share), S, lambda: None)
    output.write_seq = S + length
    output.sent(*output.upcoming())
    assert output.upcoming() == (S, length if goes else 0)
