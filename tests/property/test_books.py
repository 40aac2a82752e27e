"""Whatever the scenario: nothing is lost or made up, the same seed gives the same books, no bound is beaten."""

from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.cases import ADAPTERS, SYSTEM
from netsim.engine import Environment
from netsim.scenario import host
from netsim.workload import Netperf

DURATION = 3 * 10**10  # ps


@st.composite
def hosts(draw):
    adapter = draw(st.sampled_from(ADAPTERS))
    model = draw(st.sampled_from(["p166", "piii-600", "2xpii-400"]))
    changes = {
        "nics.0.driver.tx_ring": draw(st.integers(2, 64)),
        "nics.0.driver.tx_queue": draw(st.sampled_from([1, 10, 100])),
        "system.kernel.backlog": draw(st.sampled_from([3, 300])),
        "bus.latency_timer": draw(st.sampled_from([8, 64, 248])),
    }
    if adapter != "rtl8139/rtl8139":
        changes["nics.0.driver.rx_ring"] = draw(st.integers(1, 64))
    return host(model, system=SYSTEM, nics=[adapter]).replace(changes)


@st.composite
def scenarios(draw):
    return Netperf(
        test=draw(st.sampled_from(["TCP_STREAM", "UDP_STREAM"])),
        sender=draw(hosts()),
        receiver=draw(hosts()),
        mtu=draw(st.sampled_from([576, 1500])),
        message=draw(st.integers(1, 20_000)),
        send_buffer=draw(st.sampled_from([8_192, 65_535])),
    ).replace("link.bit_error_rate", draw(st.sampled_from([0.0, 1e-7, 1e-5])))


def _books(scenario, seed):
    env = Environment(seed=seed)
    run = scenario.build(env)
    run.start()
    for part in (1, 2, 3):
        env.run(until=DURATION * part // 3)
        run.audit()
    return run.books()


@settings(max_examples=40, deadline=None)
@given(scenarios(), st.integers(0, 2**32))
def test_books(scenario, seed):
    books = _books(scenario, seed)
    assert books == _books(scenario, seed)
    bounds = scenario.bounds()
    allowed = bounds.limit * DURATION / 8e12  # bytes
    # What is read or written at once may have been under way when the time began, or may end after it.
    assert books.delivered <= allowed * 1.0001 + 2 * max(bounds.unit_bytes, scenario.message_size)
    for shares in books.busy.values():
        assert all(ps >= 0 for ps in shares.values())
    for name, share in books.utilisation().items():
        assert 0 <= share <= 1, name
