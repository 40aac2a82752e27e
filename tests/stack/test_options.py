"""Settings made by a user take effect: socket buffers, and which part computes checksums."""

from __future__ import annotations

import pytest

import netsim as ns
from netsim.engine import Environment
from netsim.workload import Netperf
from tests.stack.transfer import PC, TEST


def delivered(test: Netperf) -> int:
    env = Environment(1)
    run = test.build(env)
    run.start()
    env.run(10**11)
    run.audit()
    return run.accounts().delivered


def test_a_small_receive_buffer_limits_the_window() -> None:
    """Linux makes 4 KiB of 2; half of that holds one segment, so the sender waits for each acknowledgement."""
    assert delivered(TEST.replace("receive_buffer", 2048)) < 0.9 * delivered(TEST)


def test_a_small_send_buffer_limits_what_is_on_its_way() -> None:
    """2 KiB of memory hold one segment, and the next follows when the driver has freed it."""
    assert delivered(TEST.replace("send_buffer", 1024)) < 0.9 * delivered(TEST)


def test_a_buffer_is_as_large_as_the_system_makes_it() -> None:
    asked = TEST.replace({"send_buffer": 10_000, "receive_buffer": 20_000})
    assert (asked.send_buffer_size, asked.receive_buffer_size) == (20_000, 40_000)
    assert (TEST.send_buffer_size, TEST.receive_buffer_size) == (65_535, 65_535)
    most = TEST.replace({"send_buffer": 200_000, "receive_buffer": 65_536})
    assert (most.send_buffer_size, most.receive_buffer_size) == (131_070, 131_070)


def test_a_buffer_has_a_least_size() -> None:
    """Linux 2.2: sock_setsockopt. A datagram needs no window."""
    asked = TEST.replace({"test": "UDP_STREAM", "message": 100, "send_buffer": 100, "receive_buffer": 100})
    assert (asked.send_buffer_size, asked.receive_buffer_size) == (2048, 256)
    asked = asked.replace({"send_buffer": 1025, "receive_buffer": 129})
    assert (asked.send_buffer_size, asked.receive_buffer_size) == (2050, 258)


def test_a_card_that_can_not_check_is_not_asked_to() -> None:
    with pytest.raises(ns.ScenarioError, match=r"nics\.0\.driver\.tx_checksum.*allowed here: \"host\""):
        ns.host("p166", system="linux-2.2.16", nics=["rtl8139/rtl8139"]).replace("nics.0.driver.tx_checksum", "nic")


def test_a_second_processor_runs_the_process_that_sends() -> None:
    dual = ns.host("2xpii-400", system="linux-2.2.16", nics=["3c905b/3c59x"])
    dual = dual.replace({"system.kernel.interrupts": "first", "system.kernel.big_lock": False})
    result = ns.simulate(TEST.replace("sender", dual), limit="0.2 s")
    first, second = (result.processors[f"sender processor {number}"] for number in (0, 1))
    assert "interrupt" in first
    assert "interrupt" not in second
    assert second["copy"] > 0.02


def checksum_share(**changes: object) -> float:
    whole = TEST.replace("message", 44 * 1448)  # no tail for the next call to fill up and sum again
    slow = whole.replace({address.replace("__", "."): value for address, value in changes.items()})
    return ns.simulate(slow, limit="0.2 s").cpu_by_name("sender").get("checksum", 0.0)


def test_a_sum_taken_with_the_copy_costs_nothing() -> None:
    assert checksum_share() == 0


def test_a_sum_of_its_own_costs_a_pass_and_a_card_can_save_it() -> None:
    apart = {"sender__system__socket__checksum_with_copy": False}
    assert checksum_share(**apart) > 0.005
    assert checksum_share(**apart, sender__nics__0__driver__tx_checksum="nic") == 0


def test_who_checks_what_is_received_is_the_drivers_choice() -> None:
    assert PC.nics[0].rx_checksum
    by_host = TEST.replace("receiver.nics.0.driver.rx_checksum", "host")
    assert ns.simulate(by_host, limit="0.2 s").cpu_by_name("receiver")["checksum"] > 0.02
    assert "checksum" not in ns.simulate(TEST, limit="0.2 s").cpu_by_name("receiver")
