"""A transmitter whose fetch is cut on the bus: the frames still go out whole, once and in order."""

from netsim.bus import PciBus, Transaction
from netsim.engine import Environment
from netsim.ethernet import Frame, Link, LinkSpec
from netsim.nic import Nic
from netsim.scenario import host

PC = host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"])
US = 10**6  # ps


class Far:
    """The other end of the wire."""

    def __init__(self):
        self.sizes = []

    def receive_lead(self, size):
        return 0

    def arrive(self, frame):
        self.sizes.append(frame.size)


def plugged(env):
    bus = PciBus(env, PC.bus, "bus")
    nic = Nic(env, PC.nics[0], bus, PC.bus, "nic")
    far = Far()
    out = Link(env, LinkSpec.from_name("100base-tx"), "out")
    out.attach(far)
    nic.transmitter.link = out
    return bus, nic.transmitter, far


def test_frames_handed_over_while_a_cut_fetch_waits_for_the_bus():
    """The first fetch (about 12 us) and another master's 40 us take turns from 2 us on. Two more frames come while that
    fetch waits for its last turn, after the time at which it would have ended had it gone on."""
    env = Environment()
    bus, transmitter, far = plugged(env)
    transmitter.transmit(Frame(1518), False)
    other = Transaction(restart=0)
    env.call_at(2 * US, lambda _: bus.request(other, 40 * US))
    dma = transmitter._dma
    while not (dma.waiting and dma.end < env.now):
        env.run(env.now + US // 20)
    rest = dma.left
    for size in (1000, 500):
        transmitter.transmit(Frame(size), False)
    assert dma.left == rest  # the fetch that waits is still the first one
    env.run(1000 * US)
    assert far.sizes == [1518, 1000, 500]
    assert bus.free < 1000 * US
    times = transmitter.spec
    needed = sum(times.tx_bus_time(PC.bus, size - 4) for size in (1518, 1000, 500)) + 40 * US
    cuts = 40 * US // PC.bus.clocks(PC.bus.latency_timer)  # at the most
    assert needed < bus.busy <= needed + cuts * PC.bus.clocks(PC.bus.overhead_clocks(write=False))


def test_a_latency_timer_shorter_than_a_start_lets_one_data_phase_through():
    env = Environment()
    bus = PciBus(env, PC.bus.replace("latency_timer", 0), "bus")
    done = []
    restart = bus.spec.clocks(bus.spec.overhead_clocks(write=False))
    one, two = (Transaction(restart, done=lambda _, n=n: done.append((n, env.now))) for n in (1, 2))
    time = bus.spec.transfer_time(64, write=False)  # 16 data phases
    bus.request(one, time)
    bus.request(two, time)
    env.run(1000 * US)
    assert [n for n, _ in done] == [1, 2]
    assert done[-1][1] == bus.busy == 2 * time + 30 * restart  # each is cut after every data phase but its last
