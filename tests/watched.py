"""Watched and unwatched runs of the same scenarios, and checks that they are equal."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path

import netsim as ns
from netsim.accounts.resource import DISK_COMMANDS, THREADS
from netsim.engine import Environment
from netsim.ethernet import Link
from netsim.measure.simulation import seed_of
from netsim.watch.driving import drive
from netsim.watch.timeline import Recorder
from netsim.watch.watching import Watching

EXAMPLES = Path(__file__).parent.parent / "examples"
MS = 10**9  # ps

# Every tool, and every part that reports something: name -> example, changes to it, ms.
CASES = {
    "tcp": ("p166", {}, 10),
    "tcp, bits lost": ("p166", {"link.bit_error_rate": 1e-5}, 20),
    "tcp, two processors": ("p166", {"sender": ("2xpii-400", "linux-2.2.14-smp", "3c985b/acenic"),
                                     "receiver": ("2xpii-400", "linux-2.2.14-smp", "3c985b/acenic"),
                                     "link": "1000base-sx"}, 40),
    "tcp, deferred ring work": ("p166", {"receiver.system.kernel.ring_work": "deferred",
                                         "receiver.nics.0.rx_seen": "reported"}, 5),
    "udp": ("bonded", {}, 10),
    "udp, short ring": ("bonded", {"receiver.nics.0.driver.rx_ring": 4, "receiver.system.kernel.backlog": 6}, 10),
    "udp, one interrupt line": ("bonded", {"sender.nics.0.irqs": [11], "receiver.nics.0.irqs": [11]}, 5),
    "udp, no room": ("p166", {"test": "UDP_STREAM", "message": 8192, "sender.nics.0.driver.tx_ring": 3,
                              "sender.nics.0.driver.tx_queue": 2, "receiver.nics.0.driver.rx_ring": 2}, 10),
    "udp, overruns": ("p166", {"test": "UDP_STREAM", "message": 1000, "receiver.bus.clock": "1 MHz", "receiver.nics.0":
                              {"model": "de500/tulip", "rx_fifo": 512, "rx_burst": 256}}, 10),
    "netpipe": ("netpipe", {}, 6),
    "netpipe, mpi": ("netpipe", {"mpi": "mpich-1.2.1"}, 6),
    "chariot": ("chariot", {"flow": "upload", "switch.buffer": 9018}, 10),
    "chariot, team, ipsec": ("aggregation", {"ipsec": "3des-cbc/hmac-sha-1-96"}, 6),
    "chariot, outage": ("failover", {"link": "100base-tx", "outages.0.at": "4 ms", "outages.0.until": "8 ms"}, 10),
    "perform3": ("perform3", {}, 40),
    "perform3, crowded": ("perform3", {"workstations": [("ast-premium-5", "netx-3", "ne2000/ne2000-odi")] * 6,
                                       "server.nics.0": "ne2000/ne2000-lan", "segment": "10base2"}, 40),
    "netbench": ("netbench", {}, 8),
    "netbench, far apart": ("netbench", {"spacing": 100, "clients": 16}, 8),
    "serverbench": ("serverbench", {"server.memory.size": "73 MiB"}, 25),
}  # fmt: skip


def scenario(name):
    example, changes, _ = CASES[name]
    test = ns.load(EXAMPLES / f"{example}.toml")
    return test.replace({where: _hosts(what) for where, what in changes.items()}) if changes else test


def _hosts(what):
    """A host by model, system and adapter, or several; anything else stays as it is."""
    if isinstance(what, list):
        return [_hosts(one) for one in what]
    if not isinstance(what, tuple):
        return what
    kind = ns.netware_host if what[1].startswith("net") else ns.host
    return kind(what[0], system=what[1], nics=[what[2]])


def duration(name):
    return CASES[name][2] * MS


def plain(test, until, seed=1):
    """The unwatched run."""
    run = test.turn(0).build(Environment(seed_of(seed, 0)))
    drive(run, until)
    run.audit()
    return run


def recorded(test, until, seed=1):
    """The same run watched, and everything it reported, including events already planned for later."""
    recorder = Recorder()
    env = Watching(seed_of(seed, 0), [recorder])
    run = test.turn(0).build(env)
    drive(run, until)
    env.close()
    run.audit()
    recorder.finish(until)
    return run, recorder


def check_busy(run, recorder):
    """Checks that the reported time of every resource equals that in the run's accounts, to the picosecond.

    For a link, all frames count that were handed to it: its accounts include the idle time ahead of a frame that starts
    later as part of that frame, so they are exact again when the frame is over."""
    accounts, now, spent = run.accounts(), run.env.now, Counter()
    links = {one.name: one for one in run.ledger.links}
    buses = [bus for one in run.ledger.computers.values() for bus in one.buses]
    refreshing = {bus.name: bus._refresh for bus in buses if bus._refresh is not None}
    polled = {bus.name: sum(poll.taken(now) for poll in bus.polls) for bus in buses}
    parts, stations = defaultdict(Counter), defaultdict(list)
    for span in recorder.spans:
        end = span.end if span.track in links else min(span.end, now)
        spent[span.track.removesuffix(" single cycles")] += max(0, end - span.start)
        segment, comma, _ = span.track.partition(", ")
        if comma:
            stations[segment].append((span.start, span.end))
        for name, start, end in span.parts:
            parts[span.track][name] += end - start
    for name, busy in accounts.busy.items():
        assert parts[name] == busy, name
        assert spent[name] == sum(busy.values()), name
    for name, ps in accounts.occupied.items():
        if name in stations:
            assert in_use(stations[name], links[name].spec.gap, now) == ps, name
        elif isinstance(links.get(name), Link):
            assert spent[name] == links[name].busy_until(max(now, links[name].free)), name
        elif name.endswith(" disks"):
            disks = [ps for track, ps in spent.items() if _is_disk(track, name)]
            assert sum(disks) // len(run.ledger.computers[name.partition(" ")[0]].volume.controller.array.disks) == ps
        elif name.kind in (THREADS, DISK_COMMANDS):  # not told: their work is on the tracks of processors and disks
            continue
        elif name in refreshing:
            told = [span for span in recorder.spans if span.track == name]
            assert spent[name] + _beside(refreshing[name], told, now) == ps, name
        else:
            assert spent[name] + polled.get(name, 0) == ps, name


def _beside(refresh, told, now):
    """ps of a bus that memory refresh has taken outside all reported tenures; accesses are reported net."""
    pieces = []
    for span in sorted(told, key=lambda span: span.start):
        tenure, end = span.name != "registers", min(span.end, now)
        if pieces and pieces[-1][1] == span.start:
            start, _, before = pieces.pop()
            pieces.append((start, end, before or tenure))
        else:
            pieces.append((span.start, end, tenure))
    inside = sum(refresh.taken(end) - refresh.taken(start) for start, end, tenure in pieces if tenure)
    return refresh.taken(now) - refresh.taken(0) - inside


def check_interrupts(run, recorder):
    """Checks that each host's instants called "interrupt" are the interrupts that its processors have taken."""
    told = Counter(one.track.partition(" ")[0] for one in recorder.instants if one.name == "interrupt")
    counted = {name: host.interrupts for name, host in run.ledger.computers.items()}
    assert {name: told[name] for name in counted} == counted


def _is_disk(track, name):
    """Whether the track is one of the disks of "server disks"."""
    number = track.removeprefix(f"{name.removesuffix('s')} ")
    return number.isdigit()


def in_use(signals, gap, now):
    """ps in which a signal, or the gap after one, was on a segment."""
    used = until = 0
    for start, end in sorted(signals):
        start, end = max(start, until), min(end + gap, now)
        if end > start:
            used += end - start
            until = end
    return used


def check_drops(run, recorder):
    """Checks that there are as many instants as drops, by place, and collisions in the accounts."""
    accounts, told = run.accounts(), Counter()
    for one in recorder.instants:
        told[f"{one.track.removesuffix(' drops')}: {one.name}"] += 1
    for place, count in accounts.drops.items():
        assert told[place] == count, place
    collisions = sum(count for place, count in told.items() if place.endswith(": collision"))
    assert collisions == accounts.counts.get("collisions", 0)
