"""The search for the highest load without loss."""

from __future__ import annotations

from typing import Any

import pytest

import netsim as ns
from netsim.engine import Environment
from netsim.scenario import StreamRun
from netsim.units import MS, PS_PER_S
from tests.in_networks import FAST, SLOW, SMALLEST, between_testers, cabled
from tests.packet_tools import packets

AT = "flows.load.offered"
SHORT: dict[str, Any] = {"trial": "0.25 s", "precision": 0.05}


def test_it_lies_between_what_passes_and_what_does_not() -> None:
    test = between_testers(1000, "constant")
    found = ns.loss_free(test, AT, **SHORT)
    limit = test.replace(AT, None).bounds().limit
    assert found.lost_at is not None
    assert 0.9 * limit < found.rate < found.lost_at <= limit + 1
    assert found.lost_at - found.rate <= 0.05 * limit
    assert found.trials[0].offered == int(limit)
    for one in found.trials:
        assert (one.lost == 0) == (one.offered <= found.rate)
    assert "without loss" in str(found)


def test_interrupts_cost_a_third_of_it() -> None:
    rates = [ns.loss_free(between_testers(1000, how), AT, **SHORT).rate / 8 / SMALLEST for how in (None, "masked")]
    assert rates[0] < 0.75 * rates[1]
    assert rates[1] < PS_PER_S


def test_all_that_is_possible_may_pass() -> None:
    """The wire is slower than the router."""
    test = between_testers(1000, "constant", clock="600 MHz").replace("links.in.link", "10base-t")
    found = ns.loss_free(test, AT, trial="20 ms")
    assert found.lost_at is None
    assert found.rate == pytest.approx(1e7 / 8 / 84 * 8 * SMALLEST, rel=1e-6)
    assert str(found).endswith("the highest possible load")


def test_the_highest_load_tried_need_not_be_the_highest_possible() -> None:
    found = ns.loss_free(between_testers(1000, "constant"), AT, highest="1 Mbit/s", trial="20 ms")
    assert (found.rate, found.lost_at) == (1e6, None)
    assert str(found) == "1 Mbit/s without loss, the highest load tried"


def test_no_load_above_the_closed_form_is_tried() -> None:
    """Whatever the highest: a hundredth of that may be more than what passes."""
    test = between_testers(1000, "constant")
    far, near = (ns.loss_free(test, AT, highest=highest, **SHORT) for highest in ("1000 Gbit/s", None))
    assert far == near
    assert far.highest is None


@pytest.mark.parametrize("streams", [1, 2])
def test_a_tool_with_a_default_load_is_limited_by_its_hosts(streams: int) -> None:
    """iperf3 without a bitrate sends 1 Mbit/s."""
    test = ns.load("examples/iperf3-udp.toml").replace("streams", streams)
    found = ns.loss_free(test, "bitrate", trial="5 ms", precision=0.05)
    limit = test.replace("bitrate", "100 Gbit/s").bounds().limit
    assert found.trials[0].offered == int(limit / streams)
    assert found.lost_at is not None
    assert found.rate > 500e6


def test_several_senders_are_raised_together() -> None:
    test = between_testers(1000, "constant")
    flows = dict.fromkeys(("one", "two"), test.each["load"])
    both = between_testers(None, "constant", flows=flows)
    found = ns.loss_free(both, [f"flows.{name}.offered" for name in flows], **SHORT)
    alone = ns.loss_free(test, AT, **SHORT)
    assert 2 * found.rate == pytest.approx(alone.rate, rel=0.08)


@pytest.mark.parametrize("model", ["piii-600", "p166"])
def test_a_load_that_is_not_sent_does_not_pass(model: str) -> None:
    """The sender takes longer for a datagram than any receiver or wire. It loses nothing, but sends late."""
    near, far = (ns.host(one, system="linux-2.2.16", nics="3c905b/3c59x") for one in (model, "xeon-2400"))
    test = ns.Netperf("UDP_STREAM", near, far, message=SMALLEST)
    found = ns.loss_free(test, "offered", trial="0.1 s", precision=0.02)
    assert found.trials[0].lost == 0
    assert found.trials[0].unsent > 0
    assert found.lost_at is not None
    assert str(found).endswith("exceeds what the senders can send")
    result = ns.simulate(test.replace("offered", f"{int(found.rate)} bit/s"), precision=0.01, limit="1 s")
    assert result.throughput == pytest.approx(found.rate, rel=0.02)


def test_so_is_it_in_a_network() -> None:
    flow = {"kind": "datagrams", "sender": "a", "receiver": "b", "size": SMALLEST}
    found = ns.loss_free(cabled(flow, SLOW, FAST), "flows.one.offered", trial="50 ms", precision=0.05)
    assert found.lost_at is not None
    assert [one.unsent > 0 for one in found.trials] == [not one.passed for one in found.trials]


def test_a_stream_of_iperf3_that_is_not_sent_does_not_pass() -> None:
    test = ns.load("examples/iperf3-udp.toml").replace({"length": 100, "bitrate": "100 Gbit/s"})
    run = test.build(Environment())
    assert isinstance(run, StreamRun)
    run.start()
    run.env.run(10 * MS)
    assert run.unsent(5 * MS) > 0
    run = test.replace("bitrate", "10 Mbit/s").build(Environment())
    assert isinstance(run, StreamRun)
    run.start()
    run.env.run(10 * MS)
    assert run.unsent(5 * MS) == 0


def test_a_trial_in_which_nothing_arrives_is_too_short() -> None:
    """Senders begin within a millisecond."""
    test = between_testers(1000, "constant")
    with pytest.raises(ns.ScenarioError, match=r"^trial: 1 us has no frame; allowed: .* or more$") as refused:
        ns.loss_free(test, AT, trial="1 us")
    enough = str(refused.value).removeprefix("trial: 1 us has no frame; allowed: ").removesuffix(" or more")
    assert ns.loss_free(test, AT, trial=enough).rate > 0


@pytest.mark.parametrize(
    ("arguments", "keys", "message"),
    [
        ((3, AT), {}, r"scenario: 3 is not allowed; .*"),
        ((between_testers(1000), []), {}, r"addresses: \[\] is not allowed; .*"),
        ((between_testers(1000), "flows.lod.offered"), {},
         r'flows\.lod\.offered: .*did you mean "flows\.load\.offered".*'),
        ((between_testers(1000), "links.in.link.mtu"), {},
         r"links\.in\.link\.mtu: not an offered load; allowed: flows\.load\.offered$"),
        ((between_testers(1000), 5), {}, r"addresses: 5 is not allowed; allowed: an address, .*"),
        ((between_testers(1000), [5]), {}, r"addresses: 5 is not allowed; allowed: an address, .*"),
        ((between_testers(1000), [AT, AT]), {},
         r'addresses: "flows\.load\.offered" is there twice; allowed: each address once$'),
        ((between_testers(1000), AT), {"precision": "x"}, r'precision: "x" is not allowed; allowed: more than 0 .*'),
        ((between_testers(1000), AT), {"highest": "3 MiB"}, r'highest: "3 MiB" is not a bit rate; .*'),
        ((between_testers(1000), AT), {"precision": 0}, r"precision: 0 is not allowed; .*"),
        ((between_testers(1000), AT), {"trial": "3 Mbit"}, r".*3 Mbit.*"),
        ((between_testers(1000), AT), {"trial": "0 s"}, r'trial: "0 s" is out of range .*'),
        ((packets(), "offered"), {}, r"scenario: packets offers packets; allowed: a tool that offers bit/s; ns\.rfc.*"),
    ],
)  # fmt: skip
def test_wrong_arguments_are_refused(arguments: tuple[Any, Any], keys: dict[str, Any], message: str) -> None:
    with pytest.raises(ns.ScenarioError, match=f"^{message}"):
        ns.loss_free(*arguments, **keys)
