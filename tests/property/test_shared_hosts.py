"""Whatever cards share a segment: at any time nothing is lost or invented, the same seed gives the same accounts, and
no station reads what was not sent."""

from hypothesis import given, settings
from hypothesis import strategies as st

from experiments.perform3 import CLIENT_NICS, SERVER_NICS, WORKSTATIONS
from netsim.engine import Environment
from netsim.machine import SlaveAdapterSpec
from netsim.scenario import netware_host
from netsim.workload import Perform3

DURATION = 10**11  # ps
CLIENTS, SERVERS = sorted(set(CLIENT_NICS.values())), sorted(set(SERVER_NICS.values()))
RETRY = {"system.ncp.retry": "5 ms"}  # so that dropped requests are repeated within the run
FIRMWARE = st.none() | st.fixed_dictionaries(
    {"clock": st.just("10 MHz"), "tx_cycles": st.integers(0, 9000), "rx_cycles": st.integers(0, 9000)}
)


@st.composite
def slaves(draw, nic):
    """Settings that a card whose data the processor moves and its driver may have; its buffer holds a few frames."""
    chained = draw(st.booleans())
    page = draw(st.sampled_from([1, 256, 1536]))
    return {
        "nics.0.page": page,
        "nics.0.rx_header": draw(st.sampled_from([0, 4])),
        "nics.0.rx_early": draw(st.sampled_from([None, 0, 60, 64, 700])),
        "nics.0.tx_early": draw(st.sampled_from([None, 0, 16, 256])),
        "nics.0.tx_chained": chained,
        "nics.0.driver.tx_ring": draw(st.integers(1, 2)),
        "nics.0.driver.rx_ring": draw(st.integers(1, 3)),
        "nics.0.driver.rx_ring_bytes": draw(st.sampled_from([0, 1536, 3072])) if nic.buffer > 4096 else 1536,
        "nics.0.driver.tx_interrupt": draw(_interrupts()) if chained else {"policy": "every-frame"},
    } | ({"nics.0.page": 1} if nic.buffer <= 4096 else {})


@st.composite
def masters(draw, nic):
    firmware = draw(FIRMWARE)
    both = max(nic.tx_threshold, nic.tx_burst), max(nic.rx_threshold, nic.rx_burst)
    tx_least, rx_least = (max(48, min(nic.max_frame, nic.max_frame if firmware else one)) for one in both)
    return {
        "nics.0.tx_frames": draw(st.integers(1, 4)),
        "nics.0.tx_fifo": draw(st.sampled_from([tx_least, 2048, 8192])),
        "nics.0.tx_done": draw(st.sampled_from(["sent", "fetched"])),
        "nics.0.tx_turnaround": draw(st.sampled_from(["0 s", "30 us"])),
        "nics.0.tx_wake_up": draw(st.sampled_from(["0 s", "10 us"])),
        "nics.0.rx_fifo": draw(st.sampled_from([rx_least, 8192])),
        "nics.0.onboard": firmware,
        "nics.0.driver.tx_ring": draw(st.integers(1, 4)),
        "nics.0.driver.rx_ring": draw(st.integers(1, 3)),
        "nics.0.driver.tx_interrupt": draw(_interrupts()),
    }


def _interrupts():
    return st.just({"policy": "every-frame"}) | st.just({"policy": "queue-drain"})


@st.composite
def stations(draw, models, system, cards):
    pc = netware_host(draw(models), system=system, nics=[draw(st.sampled_from(cards))])
    nic = pc.nics[0]
    return pc.replace(
        RETRY
        | draw(slaves(nic) if isinstance(nic, SlaveAdapterSpec) else masters(nic))
        | {
            "nics.0.driver.tx_queue": draw(st.sampled_from([0, 1, 10])),
            "nics.0.driver.tx_retries": draw(st.sampled_from([0, 1, 10])),
            "system.kernel.send_masked": draw(st.booleans()),
            "system.kernel.nested_interrupts": draw(st.booleans()),
            "system.kernel.lookahead_cycles": draw(st.sampled_from([0, 3000])),
            "system.kernel.ring_work": draw(st.sampled_from(["interrupt", "deferred"])),
            "system.kernel.backlog": draw(st.sampled_from([1, 10])),
            "processors.count": draw(st.sampled_from([1, 1, 2])),
        }
    )


@st.composite
def scenarios(draw):
    server = draw(stations(st.just("compaq-cp3301"), "netware-3.11", SERVERS))
    some = st.lists(stations(st.sampled_from(WORKSTATIONS), "netx-3", CLIENTS), min_size=1, max_size=6)
    return Perform3(
        server=server, workstations=draw(some), file_sizes=[draw(st.integers(1, 4000))], duration="100 ms"
    )


STOPS = st.lists(st.integers(1, DURATION), max_size=4).map(sorted)


def run(scenario, seed, stops):
    env = Environment(seed=seed)
    one = scenario.build(env)
    one.start()
    for stop in [*stops, DURATION]:
        if stop > env.now:
            env.run(until=stop)
        one.audit()
    return one


@settings(max_examples=80, deadline=None)
@given(scenarios(), st.integers(0, 2**32), STOPS)
def test_shared_hosts(scenario, seed, stops):
    one = run(scenario, seed, stops)
    accounts = one.accounts()
    assert accounts == run(scenario, seed, []).accounts()
    read = sum(station.read_bytes for station in one.workstations)
    assert accounts.delivered == read <= one.server.replied_bytes
    assert one.server.requests <= sum(station.requests + station.repeated for station in one.workstations)
    for name, share in accounts.utilisation().items():
        assert 0 <= share <= 1, name


def test_frames_are_given_up_and_sent_again_and_the_books_hold():
    """Five stations always want to send: some frame has its sixteen collisions, and gets through later."""
    given_up = 0
    for seed in range(4):
        hosts = [netware_host(model, system="netx-3", nics=[CLIENT_NICS["ne2000"]]) for model in WORKSTATIONS]
        server = netware_host("compaq-cp3301", system="netware-3.11", nics=[SERVER_NICS["plx-sonic"]])
        test = Perform3(server=server, workstations=hosts, file_sizes=[1024], duration="400 ms")
        one = run(test, seed, [3 * DURATION, 4 * DURATION])
        given_up += one.segment.frames_lost
        assert one.accounts().counts["requests repeated"] == 0
    assert given_up > 0
