"""Ports that share an interrupt line: what their handlers read and write, the order of frames, and what is refused."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

import netsim as ns
from netsim.errors import ScenarioError
from netsim.stack import Computer, ComputerSpec
from netsim.units import US
from tests.machine.test_handler_passes import ACCESSES, busy, pc, price, received
from tests.watched import MS, recorded, scenario

# Reads and writes of a handler whose card has nothing to report (the interrupt routines of Linux 2.2.16): tulip CSR5
# read and written, then CSR8; 3c59x (2.2.17) its status; the others
# read and write their status.
FOREIGN = {
    "dfe570tx/tulip": (2, 1),
    "rtl8139/rtl8139": (1, 1),
    "3c905b/3c59x": (1, 0),
    "eepro100/eepro100": (1, 1),
}


def on_a_line(spec: ComputerSpec, irqs: Any = (11,)) -> ComputerSpec:
    """The same host with all its adapters on these lines."""
    return spec.replace({f"nics.{number}.irqs": irqs for number in range(len(spec.nics))})


def interrupts(spec: ComputerSpec, *arrivals: tuple[float, int]) -> int:
    """The number that the processor takes."""
    return received(spec, *arrivals)[0].interrupts


@pytest.mark.parametrize("nic", FOREIGN)
@pytest.mark.parametrize("port", [0, 2])
def test_every_driver_on_the_line_reads_its_status(nic: str, port: int) -> None:
    """Whichever card in the chain has interrupted."""
    spec = on_a_line(pc(nic, 3))
    computer, log = received(spec, (100, port))
    bill = spec.bill().interrupt(spec.system.kernel.handler_cycles)
    once = bill.work().total + 3 * spec.bill().cycles("interrupt", spec.nics[0].driver.interrupt_cycles).work().total
    expected = once + price(spec, *ACCESSES[nic][0]) + 2 * price(spec, *FOREIGN[nic])
    assert busy(computer)["interrupt"] == pytest.approx(expected, abs=3)  # ps, as each part is rounded
    assert (computer.interrupts, log) == (1, [port])


@pytest.mark.parametrize("port", [0, 1, 2])
def test_the_closed_form_has_them_all(port: int) -> None:
    spec = on_a_line(pc("rtl8139/rtl8139", 3))
    own = spec.ports()[port]
    assert [len(own.before), len(own.behind)] == [port, 2 - port]
    bill = own.bill_end(own.bill_receive(own.bill_interrupt(spec.bill()), 1514))
    computer, _ = received(spec, (100, port))
    assert sum(busy(computer).values()) == pytest.approx(bill.work().total, abs=6)


def test_frames_go_up_in_the_order_of_the_chain() -> None:
    """With separate lines the last card would be first; on one line the order of arrival does not matter."""
    spec = pc("3c905b/3c59x", 4)
    close = [(100, 2), (101, 3), (102, 0), (103, 1)]
    assert received(spec, *close)[1] == [1, 0, 3, 2]
    computer, log = received(on_a_line(spec), *close)
    assert log == [0, 1, 2, 3]
    assert computer.interrupts == 1


def test_a_card_that_comes_behind_its_call_interrupts_again() -> None:
    """The second driver works for 30 us; meanwhile the first one's card gets a frame and asserts the line."""
    spec = on_a_line(pc("3c905b/3c59x", 2, driver__rx_cycles=18_000))
    computer, log = received(spec, (100, 1), (125, 0))
    assert (log, computer.interrupts) == ([1, 0], 2)


def test_a_card_that_comes_ahead_of_its_call_does_not() -> None:
    """Now the second driver's card gets it, while the first driver works."""
    spec = on_a_line(pc("3c905b/3c59x", 2, driver__rx_cycles=18_000))
    computer, log = received(spec, (100, 0), (125, 1))
    assert (log, computer.interrupts) == ([0, 1], 1)


def test_another_pass_is_made_only_by_the_driver_that_is_being_called() -> None:
    spec = on_a_line(pc("rtl8139/rtl8139", 2, driver__rx_cycles=6000))
    once, twice = (received(spec, *[(100 + 8 * n, 1) for n in range(count)])[0] for count in (1, 2))
    assert twice.interrupts == 1
    assert busy(twice)["interrupt"] - busy(once)["interrupt"] == price(spec, *ACCESSES["rtl8139/rtl8139"][1])


def test_the_line_is_masked_for_its_own_handlers_alone() -> None:
    """A third port with a separate line suspends the first port's handler; the second, on the same line, does not."""
    spec = pc("3c905b/3c59x", 3, driver__rx_cycles=18_000).replace({"nics.0.irqs": [11], "nics.1.irqs": [11]})
    assert received(spec, (100, 0), (115, 1))[1] == [0, 1]
    assert received(spec, (100, 0), (115, 2))[1] == [2, 0]


def test_a_line_that_no_other_port_has_is_one_of_its_own() -> None:
    spec = pc("rtl8139/rtl8139", 2)
    apart = spec.replace({"nics.0.irqs": [11], "nics.1.irqs": [10]})
    arrivals = [(100.0 + 7 * n, n % 2) for n in range(9)]
    (one, order), (other, same) = received(spec, *arrivals), received(apart, *arrivals)
    assert (busy(one), one.interrupts, order) == (busy(other), other.interrupts, same)


def test_ports_behind_a_bridge_take_their_cards_lines_in_turn() -> None:
    """INTA# to INTD# by the device number (PCI-PCI bridge 1.2, table 9-1)."""
    spec = ns.host("piii-600", system="linux-2.2.16", nics=["dfe570tx:4/tulip"])
    lines = {irqs: spec.replace("nics.0.irqs", irqs).shared_lines() for irqs in ((), (11,), (11, 10), (9, 5, 9, 10))}
    assert [*lines.values()] == [{}, {11: [0, 1, 2, 3]}, {11: [0, 2], 10: [1, 3]}, {9: [0, 2]}]
    assert spec.replace("nics.0.irqs", 11).nics[0].irqs == (11,)


def test_frames_sent_are_freed_by_the_chain_too() -> None:
    pair = on_a_line(ns.host("piii-600", system="linux-2.2.16", nics=["dfe570tx:2/tulip"], bond="linux-2.2.17"))
    test = ns.Netperf("UDP_STREAM", pair, pair, link="100base-tx", message=8192)
    own = test.replace({"sender.nics.0.irqs": (), "receiver.nics.0.irqs": ()})
    shared, apart = (ns.simulate(one, precision=0.05, warm_up="10 ms", limit="30 ms") for one in (test, own))
    assert shared.throughput == pytest.approx(apart.throughput, rel=1e-2)
    assert shared.throughput - shared.half_width <= test.bounds().limit == own.bounds().limit
    rates = [one.counts["receiver interrupts"] / one.elapsed for one in (shared, apart)]  # a run may end sooner
    assert rates[0] < 0.95 * rates[1]


def test_of_several_processors_each_takes_a_whole_chain() -> None:
    spec = ns.host("2xpii-400", system="linux-2.2.16", nics=["3c905b/3c59x"] * 2).replace("system.kernel.tick", 0)
    computer, log = received(on_a_line(spec), (100, 0), (101, 1), (900, 1), (901, 0))
    assert (log, computer.interrupts) == ([0, 1, 0, 1], 2)
    one, other = (cpu.busy()["interrupt"] for cpu in computer.processors)
    assert one == other > 0


def test_what_follows_an_interrupt_at_once_is_the_next_processors() -> None:
    spec = ns.host("2xpii-400", system="linux-2.2.16", nics=["3c905b/3c59x"] * 2)
    spec = on_a_line(spec.replace({"system.kernel.tick": 0, "nics.0.driver.rx_cycles": 12_000,
                                   "nics.1.driver.rx_cycles": 12_000}))  # fmt: skip
    computer, log = received(spec, (100, 1), (125, 0))
    assert (log, computer.interrupts) == ([1, 0], 2)
    assert all(cpu.busy()["interrupt"] > 0 for cpu in computer.processors)


REFUSED: dict[str, tuple[str, list[Any], dict[str, Any], str]] = {
    "another bus": ("p100", [{"model": "at1500/lance", "slot": 1}] * 2, {},
                    'nics.0.irqs: 11: another port uses the same line, but only bus masters on PCI can share a line'),
    "another system": ("piii-600", ["3c905b/3c59x"] * 2, {"system.kernel.chains_handlers": False},
                       "how this system handles a shared line is not known"),
    "polling": ("piii-600", ["3c905b/3c59x"] * 2, {"system.kernel.polling": "masked"},
                "how this system handles a shared line is not known"),
    "an unknown driver": ("piii-600", ["3c905b/3c59x"] * 2, {"nics.1.driver.foreign_reads": None},
                          "nics.1.driver.foreign_reads: needed where ports share a line"),
    "more lines than ports": ("piii-600", ["3c905b/3c59x"], {"nics.0.irqs": [11, 10]},
                              "nics.0.irqs: 2 lines are more than the ports in use (1); allowed: up to 1"),
    "no line": ("piii-600", ["3c905b/3c59x"], {"nics.0.irqs": [255]}, "1 to 254"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_can_not_share_one_is_told_why(case: str) -> None:
    model, nics, changes, message = REFUSED[case]
    lines = {f"nics.{number}.irqs": [11] for number in range(len(nics))}
    spec = ns.host(model, system="linux-2.2.16", nics=nics)
    with pytest.raises(ScenarioError) as error:
        spec.replace(lines | changes)
    assert message in str(error.value)


def test_the_time_of_an_empty_chain_is_not_lost() -> None:
    """The processor's busy and idle times add up to the elapsed time."""
    computer: Computer = received(on_a_line(pc("eepro100/eepro100", 3)), *[(100 + n, n % 3) for n in range(40)])[0]
    assert sum(busy(computer).values()) + computer.processors[0].idle_until_now() == 50_000 * US
    assert computer.frames_handled == 40


def test_a_timeline_has_the_interrupts_of_a_line() -> None:
    run, recorder = recorded(scenario("udp, one interrupt line"), 2 * MS)
    told = Counter(str(one.track) for one in recorder.instants)
    counts = run.accounts().counts
    assert told["receiver IRQ 11 interrupts"] == counts["receiver interrupts"] > 10
    assert not any(told[f"receiver nic {port} interrupts"] for port in range(4))  # they are the line's
