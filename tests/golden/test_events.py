"""How many events a frame costs: exact, so that a change of speed shows without a clock.

The numbers depend on models/ too, as the machines' speed decides who waits for whom. Fitted values are set aside,
so that a new fit changes nothing here. To renew them after a change that is meant, put what
`python -m tests.golden.test_events` prints in place of EVENTS, and say why in the commit.
"""

import pytest

from benchmarks.cases import ADAPTERS, fast_ethernet, tcp_gigabit
from netsim.engine import Environment

DURATION = 10**11  # ps

# case -> (events, frames on both wires)
EVENTS = {
    "TCP_STREAM 1 Gbit/s": (33505, 3474),  # 9.64 per frame
    "TCP_STREAM 3c905b/3c59x": (10755, 1215),  # 8.85 per frame
    "UDP_STREAM 3c905b/3c59x": (5930, 876),  # 6.77 per frame
    "TCP_STREAM 3c905b/3c90x": (9362, 1215),  # 7.71 per frame
    "UDP_STREAM 3c905b/3c90x": (5788, 850),  # 6.81 per frame
    "TCP_STREAM dfe570tx/tulip": (12518, 1215),  # 10.30 per frame
    "UDP_STREAM dfe570tx/tulip": (6724, 876),  # 7.68 per frame
    "TCP_STREAM eepro100/eepro100": (8624, 1215),  # 7.10 per frame
    "UDP_STREAM eepro100/eepro100": (5877, 876),  # 6.71 per frame
    "TCP_STREAM lne100tx/tulip": (12518, 1215),  # 10.30 per frame
    "UDP_STREAM lne100tx/tulip": (6724, 876),  # 7.68 per frame
    "TCP_STREAM rtl8139/rtl8139": (10919, 1118),  # 9.77 per frame
    "UDP_STREAM rtl8139/rtl8139": (7550, 801),  # 9.43 per frame
}


# What stands in place of fitted values, by the last part of their address; 5000 (cycles) else.
ROUND = {"write": "100 MB/s", "relative_cpi": 1} | dict.fromkeys(
    ("delay", "tx_turnaround", "doorbell_hold", "tx_wake_up"), "9 us"
)


def scenarios():
    yield "TCP_STREAM 1 Gbit/s", settled(tcp_gigabit())
    for adapter in ADAPTERS:
        for test in ("TCP_STREAM", "UDP_STREAM"):
            yield f"{test} {adapter}", settled(fast_ethernet(test, adapter))


def settled(scenario):
    """The scenario with round numbers in place of fitted ones."""
    fitted = [address for address, source in scenario.provenance().items() if source.kind == "fitted"]
    return scenario.replace({address: ROUND.get(address.rpartition(".")[2], 5000) for address in fitted})


def count(scenario):
    env = Environment(seed=1)
    run = scenario.build(env)
    run.start()
    env.run(until=DURATION)
    run.audit()
    books = run.books()
    return books.counts["events"], sum(books.frames.values())


@pytest.mark.parametrize(("name", "scenario"), [pytest.param(*one, id=one[0]) for one in scenarios()])
def test_events_per_frame(name, scenario):
    assert count(scenario) == EVENTS[name]


if __name__ == "__main__":
    for title, machine in scenarios():
        found = count(machine)
        print(f'    "{title}": {found},  # {found[0] / found[1]:.2f} per frame')
