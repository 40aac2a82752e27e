"""PERFORM3: what framing allows, one workstation alone step by step, and several, which never beat the bound."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import pytest

import netsim as ns
from netsim.engine import Environment
from netsim.ethernet import SegmentSpec
from netsim.ethernet.frame import FCS, INTERFRAME_GAP, PREAMBLE
from netsim.units import KBYTE_PER_S, PS_PER_S, US
from netsim.workload.perform3.framing import captured, on_the_wire, padded
from netsim.workload.perform3.run import Perform3Run
from tests.on_servers import LAN, NT

# By how the card works: the card in a workstation, and in the server.
WORKSTATION = {
    "slave, ports": "ne2000/ne2000-odi",
    "slave, shared memory": "smc-elite16/8390-shared-odi",
    "slave, early receive and transmit": "3c509/3c509-odi",
    "master": "at1500/at1500-odi",
}
SERVER = {
    "slave, ports": "ne2000/ne2000-lan",
    "slave, shared memory": "smc-elite16/8390-shared-lan",
    "slave, early receive and transmit": "3c509/3c509-lan",
    "master": "plx-sonic/plx-sonic-lan",
    "onboard": "ne3200/ne3200-lan",
}
KIB = 1024
LENGTH = 300 * 10**9  # ps


def perform3(
    server: str = "master", workstation: str = "slave, ports", number: int = 1, **changes: object
) -> ns.Perform3:
    """Workstations of one kind, with stopped clocks and memory that needs no refresh; files of 1 KiB."""
    one = ns.netware_host("ast-premium-5", system="netx-3", nics=[WORKSTATION[workstation]])
    other = ns.netware_host("compaq-cp3301", system="netware-3.11", nics=[SERVER[server]])
    still = [host.replace({"system.kernel.tick": 0, "bus.refresh_interval": 0}) for host in (one, other)]
    test = ns.Perform3(server=still[1], workstations=[still[0]] * number, segment="10base2", file_sizes=[KIB])
    return test.replace(changes) if changes else test


def after(test: ns.Perform3, time: int = LENGTH, seed: int = 1) -> Perform3Run:
    run = test.build(Environment(seed))
    run.start()
    run.env.run(time)
    run.audit()
    return run


# --- framing ---------------------------------------------------------------------------------------------------------

NCP = perform3().server.system.ncp
SEGMENT = SegmentSpec.from_name("10base2")


@pytest.mark.parametrize(
    ("count", "request_bytes", "reply_bytes", "time", "throughput"),
    [
        (captured, 57, 1078, 940_000_000, 1089.36),  # 45.6 + 862.4 + 12.8 + 19.2 us, printed as 940 and 1090
        (padded, 64, 1078, 945_600_000, 1082.91),
        (on_the_wire, 64, 1082, 948_800_000, 1079.26),
    ],
)
def test_a_read_by_framing_alone(
    count: object, request_bytes: int, reply_bytes: int, time: int, throughput: float
) -> None:
    read = count(SEGMENT, NCP.replace("request", 13), KIB)  # type: ignore[operator]  # as the report has it
    assert (read.request, read.reply, read.time) == (request_bytes, reply_bytes, time)
    assert KBYTE_PER_S.of(read.throughput) == pytest.approx(throughput, abs=0.005)


def test_the_wires_bound_is_the_frames_as_they_are() -> None:
    bounds = perform3().bounds()
    assert bounds.demand["wire segment"] == on_the_wire(SEGMENT, NCP, KIB).time
    assert bounds.throughput("wire segment") == on_the_wire(SEGMENT, NCP, KIB).throughput


def test_counted_by_hand() -> None:
    """The report's four lines."""
    byte = 8 * PS_PER_S // SEGMENT.rate
    lines = [57 * byte, (KIB + 54) * byte, 2 * PREAMBLE * byte, 2 * INTERFRAME_GAP * byte]
    assert [line / US for line in lines] == [45.6, 862.4, 12.8, 19.2]
    assert sum(lines) == captured(SEGMENT, NCP.replace("request", 13), KIB).time
    assert sum(lines) + 2 * FCS * byte + 7 * byte == on_the_wire(SEGMENT, NCP, KIB).time  # 57 + 7 of header, and FCS


# --- one workstation alone -------------------------------------------------------------------------------------------


@cache
def reads(server: str, workstation: str, size: int) -> list[int]:
    """When each file of a lone workstation has arrived (ps)."""
    test = perform3(server, workstation, file_sizes=[size])
    run = test.build(Environment(1))
    run.start()
    times = []
    read = 0
    while len(times) < 12:
        run.env.step()
        if run.delivered >= read + size:
            read += size
            times.append(run.env.now)
    return times


@pytest.mark.parametrize("size", [KIB, 512, 3 * KIB, 5000])
@pytest.mark.parametrize("server", SERVER)
@pytest.mark.parametrize("workstation", WORKSTATION)
def test_one_workstation_is_its_closed_form(server: str, workstation: str, size: int) -> None:
    """To the picosecond, file after file."""
    bounds = perform3(server, workstation, file_sizes=[size]).bounds()
    assert bounds.bottleneck == "workstations"
    times = reads(server, workstation, size)[2:]
    assert {later - earlier for earlier, later in pairwise(times)} == {round(bounds.demand["workstations"])}


def test_a_copy_of_what_is_read_is_part_of_it() -> None:
    """If the workstation's protocol makes one, the file is later by the time of the copy."""
    test = perform3()
    copying = test.replace("workstations.0.system.ncp.receive_copy", True)
    pc = copying.workstations[0]
    copy = pc.bill().copy(KIB, *pc.ports()[0].leaves(1082)).work().total
    assert copying.bounds().demand["workstations"] == pytest.approx(test.bounds().demand["workstations"] + copy)
    run = after(copying)
    for _ in range(2):
        read, start = run.delivered, run.env.now
        while run.delivered == read:
            run.env.step()
    assert run.env.now - start == round(copying.bounds().demand["workstations"])


# --- several ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [1, 2, 3, 5])
@pytest.mark.parametrize(("server", "workstation"), [*zip(SERVER, WORKSTATION, strict=False), ("onboard", "master")])
def test_no_number_of_workstations_beats_the_bound(server: str, workstation: str, number: int) -> None:
    """Reads in progress at the beginning of the window may count in it: one for each workstation."""
    test = perform3(server, workstation, number)
    run = after(test, LENGTH // 3)
    before = run.delivered
    run.env.run(LENGTH)
    run.audit()
    allowed = test.bounds().limit * (LENGTH - LENGTH // 3) / (8 * PS_PER_S)
    assert 0 < run.delivered - before <= allowed + number * KIB


@pytest.mark.parametrize("number", [1, 5])
def test_a_server_of_two_processors_serves_twice_as_many(number: int) -> None:
    """By the bound; and no simulation beats it where the processors are the bottleneck."""
    slow = perform3(number=number).replace("server.system.ncp.request_cycles", 300_000)
    test = slow.replace("server.processors.count", 2)
    processors = "server processors"
    assert test.bounds().demand[processors] == slow.bounds().demand[processors] / 2
    run = after(test)
    assert run.delivered <= test.bounds().limit * LENGTH / (8 * PS_PER_S) + number * KIB


def test_the_wire_is_nearly_full_with_five() -> None:
    """Collisions take the rest."""
    test = perform3(number=5)
    run = after(test)
    assert test.bounds().bottleneck == "wire segment"
    assert 0.85 < run.delivered * 8 * PS_PER_S / LENGTH / test.bounds().limit < 1
    assert run.segment.collisions > 100


def test_alone_nobody_collides() -> None:
    run = after(perform3())
    assert run.segment.collisions == 0
    assert run.segment.drops == {"excess collisions": 0}


def test_a_reply_needs_no_interrupt_of_its_own_while_deferred_work_is_due() -> None:
    """When the reply arrives, a slow client under NDIS has yet to handle the frame that it has sent: one entry handles
    both, so the bound must not count two."""
    slow = NT.replace({"processors.clock": "33 MHz", "nics.0.driver.rx_cycles": 0, "system.kernel.cold_cycles": 0})
    server = ns.netware_host("netfinity-5500", system="netware-4.11", nics=[LAN])
    test = ns.Perform3(server=server, workstations=[slow], segment="100base-tx-hub", file_sizes=[8192])
    found = ns.simulate(test, limit="0.2 s", precision=0.02)
    assert 0.9 * test.bounds().limit < found.throughput < test.bounds().limit


def on_netbenchs_hub(size: int, **changes: object) -> ns.Perform3:
    """NetBench's client and server, with their clocks."""
    test = ns.load("examples/netbench.toml")
    assert isinstance(test, ns.NetBench)
    one = {"segment": "100base-tx-hub", "spacing": 50, "file_sizes": [size]}
    return ns.Perform3(server=test.server, workstations=[test.client], **one).replace(changes)


@pytest.mark.parametrize("size", [4096, 1400])
def test_a_tick_may_save_an_interrupt(size: int) -> None:
    """While the clock's interrupt is handled, the reply arrives, and shares an interrupt with the frame that asked for
    it. A lone client is up to 0.1 % faster than one whose clock stands still."""
    test = on_netbenchs_hub(size, **{"workstations.0.system.ncp.burst": 0})
    still = test.replace({"workstations.0.system.kernel.tick": 0, "server.system.kernel.tick": 0})
    found = ns.simulate(test, precision=0, limit="2 s").throughput
    assert 0.99 < found / test.bounds().limit < 1
    assert found > 0.999 * still.bounds().limit


@pytest.mark.parametrize("size", [1500, 1823, 2800])
def test_a_short_last_frame_does_not_hide_an_early_first_one(size: int) -> None:
    """The driver begins with the first frame long before its last bit, with the last one only just before."""
    test = perform3(workstation="slave, early receive and transmit", file_sizes=[size])
    ncp = {"system.ncp.largest": 1400, "system.ncp.burst": 3000, "system.ncp.request_cycles": 0}
    both = {f"{host}.{address}": value for host in ("server", "workstations.0") for address, value in ncp.items()}
    test = test.replace(both | {"workstations.0.processors.clock": "66 MHz"})
    run = after(test)
    assert 0.98 < run.delivered * 8 * PS_PER_S / LENGTH / test.bounds().limit < 1


def test_frames_of_a_burst_are_on_the_wire_while_the_interrupt_begins() -> None:
    """So the bound must not count both."""
    test = on_netbenchs_hub(20_000)
    found = ns.simulate(test, precision=0, limit="1 s").throughput
    assert 0.9 < found / test.bounds().limit < 1


# --- several sizes ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [1, 3])
def test_each_size_has_the_same_time(number: int) -> None:
    """A small second request makes some sizes slower: the result is the mean of rates, not of times."""
    sizes = [1024, 1030, 1040]
    test = perform3(workstation="slave, early receive and transmit", number=number, file_sizes=sizes)
    each = [test.replace("file_sizes", [size]).bounds() for size in sizes]
    bounds = test.bounds()
    for one in bounds.demand:
        mean = sum(alone.throughput(one) for alone in each) / len(sizes)
        assert bounds.throughput(one) == pytest.approx(mean, rel=1e-12)
    found = ns.simulate(test, precision=0.005, limit="1 s").throughput
    assert (0.99 if number == 1 else 0.7) < found / bounds.limit < 1.002
