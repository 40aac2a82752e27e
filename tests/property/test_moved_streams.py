"""TCP and UDP by cards whose frames the processor moves, on a shared wire, with any numbers: nothing is lost or
invented, and no run is faster than its closed form."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

import netsim as ns
from netsim.engine import Environment
from netsim.stack import ComputerSpec

US = 10**6  # ps
CARDS = ("ne2000/ne", "smc-elite16/wd", "smc-ultra/smc-ultra", "3c509/3c509", "at1500/lance", "etherexpress16/eexpress")


@st.composite
def hosts(draw: st.DrawFn) -> ComputerSpec:
    nic = draw(st.sampled_from(CARDS))
    host = ns.host(draw(st.sampled_from(["486dx-33", "486dx2-66"])), system="linux-2.2.16", nics=nic)
    changes: dict[str, object] = {"processors.relative_cpi": draw(st.floats(0.1, 4))}
    driver = "nics.0.driver"
    if host.nics[0].moved_by == "processor":
        changes["nics.0.path.wait"] = f"{draw(st.integers(0, 400))} ns"
        changes[f"{driver}.tx_masked"] = draw(st.booleans())
        if nic != "3c509/3c509":
            changes[f"{driver}.tx_ring"] = draw(st.integers(1, 2))
            changes[f"{driver}.overrun"] = draw(st.sampled_from(["0 s", "500 us", "10 ms"]))
        changes[f"{driver}.handles_first"] = draw(st.sampled_from(["sent", "received"]))
    return host.replace(changes)


@settings(max_examples=20, deadline=None)
@given(
    st.sampled_from(["TCP_STREAM", "UDP_STREAM", "TCP_RR"]),
    hosts(),
    hosts(),
    st.sampled_from(["10base2", "10base5", "10base-t-hub"]),
    st.integers(0, 99),
)
def test_nothing_is_lost_or_made_up_nor_faster_than_its_bound(
    test: str, sender: ComputerSpec, receiver: ComputerSpec, segment: str, seed: int
) -> None:
    more = {"message": 4096} if test == "UDP_STREAM" else {}
    scenario = ns.Netperf(test, sender, receiver, segment=segment, **more)
    bounds = scenario.bounds()
    needed = bounds.demand[bounds.bottleneck]
    run = scenario.build(Environment(seed))
    run.start()
    for part in (1, 2, 3):
        now = part * 40_000 * US
        run.env.run(until=now)
        run.audit()
        assert run.delivered / bounds.delivered * needed <= now + 2 * needed
    assert run.delivered > 0 or test == "UDP_STREAM"
