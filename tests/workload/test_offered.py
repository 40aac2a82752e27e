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
