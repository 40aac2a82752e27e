"""A timeline's interrupts are those that processors take, however a host learns of frames: as many as its result
counts, and none of cards that are polled."""

from collections import Counter
from typing import Any

import pytest

import netsim as ns
from tests.in_networks import between_testers
from tests.watched import EXAMPLES, MS, check_interrupts, recorded

TCP = ns.load(EXAMPLES / "p166.toml")
BONDED = ns.load(EXAMPLES / "bonded.toml")
SMP = ns.host("2xpii-400", system="linux-2.2.14-smp", nics=["eepro100/eepro100"] * 2, forwards="ip")


def rotating(polling: str | None = None) -> ns.Flows:
    test = between_testers(20_000).replace("hosts.gateway", SMP)
    return test.replace("hosts.gateway.system.kernel.polling", polling)


INTERRUPTED = {
    "for each frame": between_testers(20_000),
    "moderated": TCP.replace({
        "sender.nics.0": "3c985b/acenic", "receiver.nics.0": "3c985b/acenic", "link": "1000base-sx"}),
    "masked": between_testers(20_000, "masked"),
    "one line for several ports": BONDED.replace({"sender.nics.0.irqs": [11], "receiver.nics.0.irqs": [11]}),
    "two processors in turn": rotating(),
    "two processors in turn, masked": rotating("masked"),
    "deferred": TCP.replace({"receiver.system.kernel.ring_work": "deferred", "receiver.nics.0.rx_seen": "reported"}),
    "NDIS": TCP.replace("receiver", ns.host("ml530", system="windows-2000", nics="pro100s/e100bnt5")),
}  # fmt: skip
POLLED = {how: between_testers(20_000, how) for how in ("ticks", "constant")}


def interrupts(recorder: Any) -> Counter[str]:
    return Counter(one.track for one in recorder.instants if one.name == "interrupt")


@pytest.mark.parametrize("name", INTERRUPTED)
def test_there_are_as_many_as_the_result_counts(name: str) -> None:
    run, recorder = recorded(INTERRUPTED[name], 20 * MS)
    check_interrupts(run, recorder)
    assert interrupts(recorder).total() > 20


@pytest.mark.parametrize("name", POLLED)
def test_polled_cards_have_none(name: str) -> None:
    run, recorder = recorded(POLLED[name], 20 * MS)
    check_interrupts(run, recorder)
    assert run.delivered > 0
    assert not interrupts(recorder)


def test_an_interrupt_of_a_shared_line_is_the_line_s() -> None:
    _, recorder = recorded(INTERRUPTED["one line for several ports"], 5 * MS)
    assert {*interrupts(recorder)} == {"sender IRQ 11 interrupts", "receiver IRQ 11 interrupts"}
