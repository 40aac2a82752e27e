"""Whichever ports NDIS serialises, on any number of processors: the accounts agree with each other, no bound is
exceeded, and the same seed gives the same results."""

from __future__ import annotations

from hypothesis import assume, given, settings
from hypothesis import strategies as st

import netsim as ns
from netsim.accounts.accounts import Accounts
from netsim.engine import Environment
from netsim.workload.chariot.run import ChariotRun

DURATION = 30 * 10**9  # ps
CYCLES = st.integers(0, 30_000)
CLIENT = ns.host("piii-550", system="windows-2000", nics=["3cr990tx97/el99xnd4"])
TEAM = st.none() | st.fixed_dictionaries(
    {"policy": st.sampled_from(["address", "round-robin"]), "tx_cycles": CYCLES, "rx_cycles": st.none() | CYCLES,
     "detection": st.none()}
)


@st.composite
def scenarios(draw: st.DrawFn) -> ns.Chariot:
    """A server of two or three processors with up to four ports, and up to six clients."""
    cards = draw(st.lists(st.sampled_from(["pro100s/e100bnt5", "3cr990svr97/e199xnd5"]), min_size=1, max_size=4))
    server = ns.host("ml530", system="windows-2000", nics=cards, bond=draw(TEAM))
    changes = {f"nics.{number}.driver.serialised": draw(st.booleans()) for number, _ in enumerate(cards)}
    changes |= {f"nics.{number}.driver.tx_cycles": draw(CYCLES) for number, _ in enumerate(cards)}
    changes |= {
        "processors.count": draw(st.integers(2, 3)),
        "system.kernel.interrupts": draw(st.sampled_from(["first", "spread"])),
        "system.kernel.ring_work": draw(st.sampled_from(["interrupt", "deferred", "deferred"])),
        "system.tcp.backlog": draw(st.booleans()),
        "system.tcp.receive_copy": draw(st.sampled_from(["process", "deferred"])),
    }
    return ns.Chariot(
        server=server.replace(changes),
        clients=[CLIENT] * draw(st.integers(1, 6)),
        switch="summit48",
        flow=draw(st.sampled_from(["download", "upload", "bidirectional"])),
        file_size=draw(st.sampled_from([1000, 20_000, 100_000])),
    )


def ran(test: ns.Chariot, seed: int) -> ChariotRun:
    """The run at its end, with frames and processor time audited on the way."""
    run = test.build(Environment(seed=seed))
    run.start()
    for part in (1, 2, 3):
        run.env.run(until=DURATION * part // 3)
        run.audit()
    return run


def busy(accounts: Accounts, name: str) -> int:
    """ps that all the server's processors together spent under this name."""
    return sum(parts.get(name, 0) for cpu, parts in accounts.busy.items() if cpu.startswith("server "))


@settings(max_examples=60, deadline=None)
@given(scenarios(), st.integers(0, 2**32))
def test_the_books_agree(test: ns.Chariot, seed: int) -> None:
    accounts = ran(test, seed).accounts()
    assert accounts == ran(test, seed).accounts()
    processors = test.server.processors.count
    deferred = test.server.system.kernel.ring_work == "deferred"
    serialised = [number for number, nic in enumerate(test.server.nics) if deferred and nic.driver.serialised]
    locks = [f"server nic {number} miniport lock" for number in serialised]
    assert [lock for lock in accounts.waited if lock.host == "server"] == locks
    spun = busy(accounts, "spin")
    assert spun <= sum(accounts.waited[lock].get("receive", 0) for lock in locks)
    held = [accounts.occupied[lock] for lock in locks]
    assert max(held, default=0) <= DURATION
    # One processor at a time holds a lock, and a waiting one spins, or leaves.
    assert sum(held) + spun <= processors * DURATION
    for waits in accounts.waited.values():
        assert waits.keys() <= {"receive", "send"}


@settings(max_examples=40, deadline=None)
@given(scenarios(), st.integers(0, 2**32))
def test_no_bound_is_beaten(test: ns.Chariot, seed: int) -> None:
    accounts, bounds = ran(test, seed).accounts(), test.bounds()
    pairs = len(test.clients) * len(test.directions)
    # A file in progress counts in the accounts but not in the bound, which covers whole transactions.
    assert accounts.delivered <= bounds.limit * DURATION / 8e12 * 1.0001 + pairs * test.file_size


@settings(max_examples=40, deadline=None)
@given(scenarios())
def test_by_address_nothing_comes_out_of_order(test: ns.Chariot) -> None:
    if test.server.bond is not None:
        test = test.replace("server.bond.policy", "address")
    run = ran(test, 1)
    accounts = run.accounts()
    assume(not any(accounts.drops.values()))
    assert not any(end.input.out_of_order for pair in run.pairs for end in (pair.out, pair.into))
    assert accounts.counts["retransmitted segments"] == 0
