"""When datagrams are due at an offered load."""

from netsim.units import US
from netsim.workload.offered import Offered


def test_they_are_due_at_even_intervals_from_the_first_on():
    offered = Offered(1000, 80_000_000)  # 8,000 bits at 80 Mbit/s: 100 us
    assert [offered.next_due(now * US) for now in (7, 7, 150, 207)] == [one * US for one in (7, 107, 207, 307)]


def test_a_late_process_catches_up():
    offered = Offered(1000, 80_000_000)
    offered.next_due(7 * US)
    assert [offered.next_due(1000 * US) for _ in range(3)] == [one * US for one in (107, 207, 307)]


def test_without_a_load_each_is_due_at_once():
    offered = Offered(1000, None)
    assert [offered.next_due(now) for now in (7, 9)] == [7, 7]


def test_a_process_that_is_always_late_leaves_some_unsent():
    """Each call takes 150 us, but every 100 us a datagram is due."""
    offered = Offered(1000, 80_000_000)
    for now in range(7, 3000, 150):
        offered.next_due(now * US)
    assert offered.unsent(3007 * US, since=1500 * US) == 10  # 31 are due, 20 begun, and one may be late


def test_one_that_was_late_for_a_while_leaves_none():
    offered = Offered(1000, 80_000_000)
    for now in (7, 7, 1000, *[1000] * 9, 1010, 1107):
        offered.next_due(now * US)
    assert offered.unsent(1600 * US, since=1100 * US) == 0
    assert offered.unsent(1600 * US, since=1200 * US) == 1


def test_no_load_is_never_late():
    offered = Offered(1000, None)
    offered.next_due(7)
    assert offered.unsent(10**12, since=10**6) == 0


def test_the_highest_load_is_a_datagram_each_ps():
    offered = Offered(1, 10**18)
    offered.next_due(7)
    assert offered.unsent(1000, since=500) == 992
