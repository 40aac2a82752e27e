"""Every value is found by its address, has its range and its source, and moves between its ends."""

from __future__ import annotations

import pytest

import netsim as ns
from netsim.errors import ScenarioError
from netsim.explorer import ready
from netsim.explorer.case import Case
from netsim.explorer.numbers import MOST, STEPS, Number, found, moved, parts
from netsim.explorer.place import place_of

CASE = Case.of(ready.first())


def one(address: str, case: Case = CASE) -> Number:
    part = address.rpartition(".")[0]
    (number,) = [each for each in found(case, CASE, address, part)[0] if each.address == address]
    return number


def test_every_value_can_be_found() -> None:
    for address in [*CASE.leaves][::29]:
        place = place_of(CASE.scenario, address)
        assert place is not None
        assert one(address).address == address
    assert found(CASE, CASE, "", "", (), {"mtu"})[1] == found(CASE, CASE, "", "")[1] - 1


def test_without_a_question_the_test_itself_and_what_has_changed() -> None:
    shown, _ = found(CASE, CASE, "", "")
    assert all("." not in each.address for each in shown)
    assert {"mtu", "message", "duration"} <= {each.address for each in shown}
    other = Case.of(CASE.scenario.replace("receiver.processors.clock", "300 MHz"))
    shown, _ = found(other, CASE, "", "")
    assert (shown[0].address, shown[0].before, shown[0].kind) == ("receiver.processors.clock", "166 MHz", "set here")


def test_words_part_and_source_narrow_it_down() -> None:
    shown, count = found(CASE, CASE, "receiver fitted", "")
    assert count == len(shown)
    assert {each.source.kind for each in shown} == {"fitted"}
    shown, count = found(CASE, CASE, "", "receiver.nics.0.driver")
    assert {each.address.rpartition(".")[0] for each in shown} >= {"receiver.nics.0.driver"}
    assert "receiver.nics.0.driver" in parts(CASE.scenario)
    shown, count = found(CASE, CASE, "e", "")
    assert (len(shown), count > MOST) == (MOST, True)


def test_it_says_what_is_allowed_and_why_it_is_so() -> None:
    clock = one("receiver.processors.port_access")
    assert clock.allowed.startswith("a time, ")
    assert "credible: 0.4 us to 1.2 us" in clock.because
    assert one("mtu").kind == "default"


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("test", ["TCP_STREAM", "UDP_STREAM", "TCP_RR", "UDP_RR", "TCP_CRR"]),
        ("nodelay", ["true", "false", "none"]),
        ("receiver.system.kernel.interrupts", ["first", "spread", "rotating"]),
    ],
)
def test_words_are_those_that_the_field_takes(address: str, words: list[str]) -> None:
    assert one(address).words == words


def test_a_variant_can_be_exchanged_by_its_tag() -> None:
    address = "receiver.nics.0.driver.tx_interrupt.policy"
    policies = one(address).words
    assert len(policies) > 2
    for policy in policies:
        try:
            changed = CASE.scenario.replace(address, policy)
        except ScenarioError:  # not for this card
            continue
        assert changed.get(address) == policy


def test_a_slider_goes_over_the_range_that_is_known_or_eight_times_either_way() -> None:
    ends = [moved(CASE, CASE, "receiver.processors.port_access", at) for at in (-STEPS, STEPS)]
    assert ends == ["400 ns", "1.2 us"]
    clocks = [moved(CASE, CASE, "receiver.processors.clock", at) for at in (-STEPS, 0, STEPS)]
    assert clocks == ["20.8 MHz", "166 MHz", "1.33 GHz"]
    assert one("receiver.processors.clock").position == 0


@pytest.mark.parametrize("address", ["spacing", "link.propagation", "receiver.nics.0.driver.rx_ring", "interval"])
def test_what_a_slider_says_can_be_so_and_stands_where_it_was_put(address: str) -> None:
    rising = []
    for at in range(-STEPS, STEPS + 1, 40):
        text = moved(CASE, CASE, address, at)
        case = Case.of(CASE.scenario.replace(address, text if not text.isdigit() else int(text)))
        rising.append(case.scenario.get(address))
        position = one(address, case).position
        assert position is not None
        assert abs(position - at) <= 12
    assert rising == sorted(rising)


def test_what_is_no_number_has_no_slider() -> None:
    assert one("test").position is None
    assert one("message").position is None
    with pytest.raises(ScenarioError, match="test: not a number that a slider can move"):
        moved(CASE, CASE, "test", 3)


def test_scenarios_without_machines_have_numbers_too() -> None:
    case = Case.of(ns.load(ready.examples_path() / "pcie-slot.toml"))
    assert "pcie.lanes" in case.leaves
    assert found(case, case, "lanes", "")[1] >= 1
