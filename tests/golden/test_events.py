"""The number of events per frame: exact, so that a change of speed shows without a clock.

The numbers depend on models/ too, since the machines' speed decides what waits for what. Round numbers replace fitted
values, so that a new fit changes nothing here.

A count that differs is a finding, not a number to update. Before EVENTS changes:
1. State which mechanism should have changed it, and by how many events or frames in which of the cases: a pure clean-up
   changes none, and a change in a card's driver changes no case without that card.
2. Compare the difference with that: `git stash; python -m tests.golden.test_events` prints the counts of the code
   before. More frames in the same time mean that throughput has changed, and so has a row of a report.
3. Make sure that a behavioural test fails without the change (tests/machine, tests/stack ...): counts alone have let a
   halved timer and a copy that was charged twice pass as numbers to update.
Then replace EVENTS by the output of `python -m tests.golden.test_events`, and state the results of 1 and 2 in the
commit.
"""

from pathlib import Path

import pytest

import netsim as ns
from benchmarks.cases import ADAPTERS, SYSTEM, fast_ethernet, tcp_gigabit
from netsim.engine import Environment
from netsim.scenario import host, netware_host
from netsim.workload import Netperf, Perform3

DURATION = 10**11  # ps
EXAMPLE = Path(__file__).parents[2] / "examples" / "ne2000-10base2.toml"

# case -> (events, frames on both wires)
EVENTS = {
    "TCP_STREAM 1 Gbit/s": (29277, 3066),  # 9.55 per frame
    "TCP_STREAM 3c905b/3c59x": (9175, 1219),  # 7.53 per frame
    "UDP_STREAM 3c905b/3c59x": (6823, 876),  # 7.79 per frame
    "TCP_STREAM 3c905b/3c90x": (8854, 1218),  # 7.27 per frame
    "UDP_STREAM 3c905b/3c90x": (4918, 732),  # 6.72 per frame
    "TCP_STREAM dfe570tx/tulip": (11868, 1219),  # 9.74 per frame
    "UDP_STREAM dfe570tx/tulip": (8789, 876),  # 10.03 per frame
    "TCP_STREAM eepro100/eepro100": (9141, 1219),  # 7.50 per frame
    "UDP_STREAM eepro100/eepro100": (6616, 876),  # 7.55 per frame
    "TCP_STREAM lne100tx/tulip": (10701, 1220),  # 8.77 per frame
    "UDP_STREAM lne100tx/tulip": (7937, 876),  # 9.06 per frame
    "TCP_STREAM rtl8139/rtl8139": (11098, 1124),  # 9.87 per frame
    "UDP_STREAM rtl8139/rtl8139": (8388, 803),  # 10.45 per frame
    "TCP_RR 3c905b/3c59x": (58814, 5501),  # 10.69 per frame
    "TCP_STREAM ne2000/ne to 3c509/3c509 on 10BASE2": (1562, 112),  # 13.95 per frame
    "PERFORM3 five workstations": (2613, 185),  # 14.12 per frame
}


# Replacements of fitted values, by the last part of their address; 5000 (cycles) for all others.
ROUND = {"write": "100 MB/s", "relative_cpi": 1, "cycle_factor": 1} | dict.fromkeys(
    ("delay", "tx_turnaround", "doorbell_hold", "tx_wake_up"), "9 us"
)
ROUND |= {"wait": "100 ns", "element_clocks": 10, "read": "400 MB/s", "cold_cycles": 1000}


def five_workstations():
    """On a half-duplex segment, with four ways to move a frame, one card for each."""
    nics = ("3c509/3c509-odi", "at1500/at1500-odi", "smc-elite16/8390-shared-odi", *["ne2000/ne2000-odi"] * 2)
    return Perform3(
        server=netware_host("compaq-cp3301", system="netware-3.11", nics=["plx-sonic/plx-sonic-lan"]),
        workstations=[netware_host("ast-premium-5", system="netx-3", nics=[nic]) for nic in nics],
        segment="10base2",
    )


def requests():
    """Four in progress at once."""
    pc = host("piii-600", system=SYSTEM, nics=["3c905b/3c59x"])
    return Netperf(test="TCP_RR", sender=pc, receiver=pc, request=100, response=200, burst=3, nodelay=True)


def scenarios():
    yield "TCP_STREAM 1 Gbit/s", settled(tcp_gigabit())
    for adapter in ADAPTERS:
        for test in ("TCP_STREAM", "UDP_STREAM"):
            yield f"{test} {adapter}", settled(fast_ethernet(test, adapter))
    yield "TCP_RR 3c905b/3c59x", settled(requests())
    yield "TCP_STREAM ne2000/ne to 3c509/3c509 on 10BASE2", settled(ns.load(EXAMPLE))
    yield "PERFORM3 five workstations", settled(five_workstations())


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
    accounts = run.accounts()
    return accounts.counts["events"], sum(accounts.frames.values())


@pytest.mark.parametrize(("name", "scenario"), [pytest.param(*one, id=one[0]) for one in scenarios()])
def test_events_per_frame(name, scenario):
    assert count(scenario) == EVENTS[name]


if __name__ == "__main__":
    for title, machine in scenarios():
        found = count(machine)
        print(f'    "{title}": {found},  # {found[0] / found[1]:.2f} per frame')
