"""Consecutive frames over wires of different rates: the first frame reaches a wire, all frames pass through it, and the
last one continues from there. The wire for which this takes longest counts."""

from __future__ import annotations

import pytest

import netsim as ns
from netsim.accounts import Resource
from netsim.accounts.resource import LATENCY
from netsim.closed_form.outline import frame
from netsim.closed_form.route_way import RouteWay
from netsim.closed_form.way import Way
from netsim.engine import Environment
from netsim.ethernet import LinkSpec, SwitchSpec
from netsim.units import MS, US

PC = ns.host("piii-600", system="linux-2.2.16", nics="3c905b/3c59x")
ROUTER = ns.host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"] * 2, forwards="ip")
FAST, SLOW = "100base-tx", "10base-t"
SHORT, LONG = 117, 1242  # bytes: with a preamble, 10 and 100 us on the fast wire, 100 and 1000 us on the slow one
UDP = {"kind": "request-response", "sender": "a", "receiver": "b", "over": "udp", "response": 1}


def chain(rates: list[str], request: int = 1, middle: str = "switch") -> ns.Flows:
    """Wires of these rates without delay, and between them switches that take 5 us, or a router."""
    routed = middle == "router"
    between = [("r.0", "r.1")] if routed else [(f"s{number}",) * 2 for number in range(len(rates) - 1)]
    ends = zip(["a", *(out for _, out in between)], [*(into for into, _ in between), "b"], strict=True)
    links = {f"w{number}": {"ends": pair, "link": rates[number]} for number, pair in enumerate(ends)}
    test = ns.Flows(
        {"a": PC, "b": PC} | ({"r": ROUTER} if routed else {}), {"one": UDP | {"request": request}}, links=links,
        switches={} if routed else {near: "summit48" for near, _ in between},
    )  # fmt: skip
    return test.replace({f"links.{name}.link.{one}": 0 for name in links for one in ("propagation", "coding_delay")})


@pytest.mark.parametrize(
    ("rates", "frames", "us"),
    [
        ([FAST], [(1, SHORT), (1, LONG)], 10.96 + 100),
        ([SLOW], [(3, LONG), (1, SHORT)], 3 * 1009.6 + 100),
        ([FAST, FAST], [(1, LONG), (1, SHORT)], 105 + 100.96 + 10),  # on the second one
        ([FAST, FAST], [(1, SHORT), (1, LONG)], 10.96 + 105 + 100),  # on the first one
        ([FAST, SLOW], [(1, SHORT), (1, LONG)], 15 + 109.6 + 1000),
        ([FAST, SLOW], [(1, LONG), (1, SHORT)], 105 + 1009.6 + 100),
        ([SLOW, FAST], [(1, SHORT), (1, LONG)], 109.6 + 1005 + 100),
        ([SLOW, FAST], [(1, LONG), (1, SHORT)], 1009.6 + 105 + 10),
        ([FAST, SLOW, FAST], [(1, SHORT), (1, LONG)], 15 + 109.6 + 1005 + 100),
        ([FAST, SLOW, FAST], [(1, LONG), (1, SHORT)], 105 + 1009.6 + 105 + 10),
        ([SLOW, FAST, SLOW], [(1, SHORT), (1, LONG)], 109.6 + 1005 + 105 + 1000),
        ([SLOW, FAST, SLOW], [(1, LONG), (1, SHORT)], 1005 + 105 + 1009.6 + 100),
        ([FAST, SLOW, FAST], [(20, LONG), (1, SHORT)], 105 + 20 * 1009.6 + 105 + 10),
    ],
)  # fmt: skip
def test_the_slowest_wire_delays_every_frame(rates: list[str], frames: list[tuple[int, int]], us: float) -> None:
    test = chain(rates)
    ways = test.routes()["one"]
    assert ways is not None
    way = RouteWay(PC, PC, ways[0], test)
    assert way.cabled([(count, frame(size)) for count, size in frames]) == pytest.approx(us * US)


@pytest.mark.parametrize(("sizes", "us"), [([LONG, SHORT], 105 + 100.96 + 10), ([SHORT, LONG], 10.96 + 105 + 100)])
def test_a_switch_between_two_hosts_is_a_second_wire(sizes: list[int], us: float) -> None:
    link = LinkSpec.from_name(FAST).replace({"propagation": 0, "coding_delay": 0})
    way = Way(PC, PC, link, link.delay, SwitchSpec.from_name("summit48"))
    assert way.cabled([(1, frame(size)) for size in sizes]) == pytest.approx(us * US)


@pytest.mark.parametrize("middle", ["switch", "router"])
@pytest.mark.parametrize("request_size", [1473, 1600, 2000, 8192])
@pytest.mark.parametrize("rates", [[FAST, SLOW], [SLOW, FAST]], ids=["slower", "faster"])
def test_a_lone_request_in_fragments_takes_hardly_more(rates: list[str], request_size: int, middle: str) -> None:
    """Linux 2.2 sends the short fragment first."""
    test = chain(rates, request_size, middle)
    run = test.build(Environment(1))
    run.start()
    run.env.run(30 * MS)
    alone = test.flow_bounds()["one"].demand[Resource("one", LATENCY)] * (request_size + 1)
    assert alone <= min(run.response_logs["one"].times) < 1.06 * alone


@pytest.mark.parametrize("over", ["tcp", "udp"])
def test_a_slow_wire_between_fast_ones_limits_a_long_message(over: str) -> None:
    nbytes = 30_000
    test = chain([FAST, SLOW, FAST]).replace("flows.one", UDP | {"over": over, "request": nbytes, "response": nbytes})
    run = test.build(Environment(1))
    run.start()
    run.env.run(200 * MS)
    alone = test.flow_bounds()["one"].demand[Resource("one", LATENCY)] * 2 * nbytes
    assert alone <= min(run.response_logs["one"].times) < 1.01 * alone
