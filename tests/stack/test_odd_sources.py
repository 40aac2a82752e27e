"""What a call copies from an address that is not word-aligned, and what it sums again: Linux 2.2.16, tcp_do_sendmsg."""

from __future__ import annotations

from netsim.machine import Work
from netsim.scenario import host
from netsim.stack.socket import Entry
from netsim.stack.tcp_costs import TcpCosts
from netsim.stack.tcp_works import TcpWorks
from tests.stack.test_windows_tcp import ONE, Connection
from tests.stack.transfer import PC, SECOND

QUIET = PC.replace("system.kernel.tick", "0 s")
Piece = tuple[int, bool, int]  # bytes, aligned, summed again


class Noted(TcpWorks):
    """Notes what is copied."""

    def __init__(self, costs: TcpCosts) -> None:
        super().__init__(costs)
        self.pieces: list[Piece] = []

    def write(self, nbytes: int, entry: Entry, aligned: bool, anew: int) -> Work:
        self.pieces.append((nbytes, aligned, anew))
        return super().write(nbytes, entry, aligned, anew)

    def write_and_send(
        self, nbytes: int, length: int, port: int, entry: Entry, aligned: bool, anew: int, alone: bool
    ) -> Work:
        self.pieces.append((nbytes, aligned, anew))
        return super().write_and_send(nbytes, length, port, entry, aligned, anew, alone)


def pieces(*sizes: int, linux: bool = True) -> list[Piece]:
    one = Connection(QUIET, QUIET) if linux else Connection(ONE, ONE)
    works = one.out.works = Noted(one.out.costs)
    one.read(*[100_000] * 10)
    one.send(*sizes)
    one.env.run(SECOND)
    assert one.out.output.snd_una == sum(sizes)
    return works.pieces


def test_a_message_is_copied_segment_by_segment() -> None:
    assert pieces(1448 * 3 + 100) == [(1448, True, 0)] * 3 + [(100, True, 0)]


def test_a_tail_that_waits_is_filled_up_by_the_next_call() -> None:
    """Three bytes off a word boundary: the tail is summed again as a whole, and the rest is copied one byte off."""
    shifted = [(1448, False, 0), (1448, False, 0), (375, False, 0)]
    assert pieces(1448 * 2 + 375, 1448 * 3)[3:] == [(1073, True, 1448), *shifted]


def test_a_tail_of_whole_words_is_summed_on_and_shifts_nothing() -> None:
    assert pieces(1448 * 2 + 376, 1448 * 2)[3:] == [(1072, True, 0), (1448, True, 0), (376, True, 0)]


def test_a_small_call_does_not_fill_it() -> None:
    assert pieces(1448 * 2 + 375, 10)[3:] == [(10, True, 385)]


def test_where_the_system_takes_calls_whole_each_begins_a_segment() -> None:
    assert pieces(1460 + 375, 1460 * 2, linux=False) == [(1460, True, 0), (375, True, 0)] + [(1460, True, 0)] * 2


def test_what_that_costs() -> None:
    """On the P5, 3 clocks more for each of 362 words in a segment, which include the sum; and a pass over the segment
    in the cache."""
    one = TcpCosts(host("p166", system="linux-2.2.16", nics=["rtl8139/rtl8139"]))
    entry = Entry(begins=False)
    straight = one.write(1448, entry).total
    assert one.write(1448, entry, aligned=False).total - straight == one.host.processors.time(3 * 362)
    anew = one.write(1073, entry, anew=1448)
    assert dict(anew.parts)["checksum"] == one.host.memory.read_time(1448, "cache")
