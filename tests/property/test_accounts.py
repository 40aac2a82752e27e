"""In any scenario nothing is lost or invented, the same seed gives the same accounts, and no bound is exceeded."""

from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.cases import ADAPTERS, SYSTEM
from netsim.accounts import Resource
from netsim.engine import Environment
from netsim.scenario import host
from netsim.workload import Netperf

DURATION = 3 * 10**10  # ps


TIMES = st.sampled_from(["1 us", "30 us", "400 us"])
FEW = st.integers(1, 12)
POLICIES = st.one_of(
    st.just({"policy": "none"}),
    st.fixed_dictionaries({"policy": st.just("absolute-delay"), "delay": TIMES}),
    st.fixed_dictionaries(
        {"policy": st.just("packet-delay"), "delay": TIMES, "limit": TIMES, "runs_on": st.booleans()}
    ),
    st.fixed_dictionaries({"policy": st.just("minimum-gap"), "gap": TIMES}),
    st.fixed_dictionaries({"policy": st.just("count-or-time"), "frames": FEW, "time": TIMES}),
    st.fixed_dictionaries({"policy": st.just("count-or-tick"), "frames": FEW, "period": TIMES}),
    st.fixed_dictionaries({"policy": st.just("adaptive"), "gap": TIMES, "frames": FEW, "period": TIMES}),
)
FIRMWARE = st.none() | st.fixed_dictionaries(
    {"clock": st.just("50 MHz"), "tx_cycles": st.integers(0, 9000), "rx_cycles": st.integers(0, 9000)}
)


CUT = {"nics.0.tx_segmentation": True, "nics.0.tx_checksum": True, "nics.0.driver.tx_checksum": "nic"}


@st.composite
def cards(draw):
    """Settings of a card and its driver beyond those in the catalogue. With firmware, which may be the slowest
    resource, the queues are large enough that no acknowledgement is lost: a lost one would cost nothing, and the bound
    does not take losses into account."""
    firmware = draw(FIRMWARE)
    queues = {"nics.0.rx_fifo": "64 KiB", "nics.0.driver.rx_ring": 64, "nics.0.driver.tx_queue": 100}
    large_send = draw(st.sampled_from([0, 0, 3000, 20_000, 65_495]))
    return (queues if firmware else {}) | (CUT | {"nics.0.driver.large_send": large_send} if large_send else {}) | {
        "chipset.read_multiple": draw(st.sampled_from([0, 32, 512])),
        "chipset.miss": draw(st.sampled_from(["hold", "retry"])),
        "nics.0.retry_clocks": draw(st.sampled_from([0, 16, 600])),
        "nics.0.tx_fifo": draw(st.sampled_from([1518, 2000, 8192])),
        "nics.0.tx_frames": draw(st.integers(1, 4)),
        "nics.0.tx_burst": draw(st.sampled_from([64, 2048])),
        "nics.0.tx_turnaround": draw(st.sampled_from(["0 s", "5 us"])),
        "nics.0.tx_descriptors": draw(st.sampled_from([1, 4])),
        "nics.0.rx_descriptors": draw(st.sampled_from([1, 4])),
        "nics.0.rx_seen": draw(st.sampled_from(["stored", "reported"])),
        "nics.0.tx_seen": draw(st.sampled_from(["done", "reported"])),
        "nics.0.registers": draw(st.sampled_from(["ports", "memory"])),
        "nics.0.onboard": firmware,
        "nics.0.driver.rx_moderation": draw(POLICIES),
        "nics.0.driver.tx_moderation": draw(POLICIES),
        "system.kernel.ring_work": draw(st.sampled_from(["interrupt", "deferred"])),
    }


@st.composite
def hosts(draw):
    adapter = draw(st.sampled_from(ADAPTERS))
    model = draw(st.sampled_from(["p166", "piii-600", "2xpii-400"]))
    changes = {
        "nics.0.driver.tx_ring": draw(st.integers(2, 64)),
        "nics.0.driver.tx_queue": draw(st.sampled_from([1, 10, 100])),
        "system.kernel.backlog": draw(st.sampled_from([3, 300])),
        "bus.latency_timer": draw(st.sampled_from([8, 64, 248])),
        "processors.count": draw(st.integers(1, 3)),
        "system.kernel.big_lock": draw(st.booleans()),
        "memory.bandwidth": draw(st.sampled_from([None, "50 MB/s", "400 MB/s"])),
        "system.tcp.timestamps": draw(st.booleans()),
        "system.tcp.backlog": draw(st.booleans()),
        "system.tcp.receive_copy": draw(st.sampled_from(["process", "deferred"])),
        "system.tcp.window_share": draw(st.sampled_from([0.5, 1])),
        "system.tcp.window_rounds_up": draw(st.booleans()),
        "system.socket.counts": draw(st.sampled_from(["memory", "payload"])),
        "system.socket.takes_whole": draw(st.booleans()),
    }
    if adapter != "rtl8139/rtl8139":
        changes["nics.0.driver.rx_ring"] = draw(st.integers(1, 64))
    changes |= draw(st.just({}) | cards())
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


def _run(scenario, seed):
    """The accounts at the end, and the bytes (delivered and, for TCP, acknowledged) for which all work is done, except
    for freeing their buffers."""
    env = Environment(seed=seed)
    run = scenario.build(env)
    run.start()
    for part in (1, 2, 3):
        env.run(until=DURATION * part // 3)
        run.audit()
    accounts = run.accounts()
    acknowledged = run.out.output.snd_una if scenario.test == "TCP_STREAM" else accounts.delivered
    return accounts, min(acknowledged, accounts.delivered)


def _to_be_freed(end):
    """ps still needed to free the buffers of a full ring."""
    (port,) = end.ports()
    return port.driver.tx_ring * port.bill_free(end.bill(), 1).work().total


@settings(max_examples=60, deadline=None)
@given(scenarios(), st.integers(0, 2**32))
def test_accounts(scenario, seed):
    accounts, done = _run(scenario, seed)
    assert (accounts, done) == _run(scenario, seed)
    bounds = scenario.bounds()
    # Nothing was in progress when the time began.
    time = DURATION + max(map(_to_be_freed, (scenario.sender, scenario.receiver)))
    assert done <= bounds.limit * time / 8e12 * 1.0001
    # The wire to the receiver carries no acknowledgements, so it bounds everything that was delivered.
    wire = bounds.throughput(Resource("receiver", "cable")) * DURATION / 8e12
    assert accounts.delivered <= wire * 1.0001
    for shares in accounts.busy.values():
        assert all(ps >= 0 for ps in shares.values())
    for name, share in accounts.utilisation().items():
        assert 0 <= share <= 1, name
