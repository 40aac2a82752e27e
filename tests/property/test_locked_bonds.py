"""Whatever bond with a lock, on however many processors: the accounts agree with each other and with the bond's
description, and the same seed gives the same."""

from __future__ import annotations

from hypothesis import assume, given, settings
from hypothesis import strategies as st

import netsim as ns
from netsim.accounts.accounts import Accounts
from netsim.engine import Environment
from netsim.workload.chariot.run import ChariotRun

LOCK = "server bond lock"
DURATION = 30 * 10**9  # ps
CONTENTION = st.sampled_from(["spin", "leave"])
CYCLES = st.integers(0, 30_000)
CLIENT = ns.host("piii-550", system="windows-2000", nics=["3cr990tx97/el99xnd4"])
BONDS = st.fixed_dictionaries(
    {
        "policy": st.sampled_from(["address", "round-robin"]),
        "tx_cycles": CYCLES,
        "rx_cycles": st.none() | CYCLES,
        "rx_copy": st.booleans(),
        "free_cycles": CYCLES,
        "lock": st.fixed_dictionaries({"receive": CONTENTION, "send": CONTENTION, "answers": st.booleans()}),
    }
)


@st.composite
def scenarios(draw: st.DrawFn) -> ns.Chariot:
    """A server of two or three processors with up to four ports, and up to six clients."""
    cards = draw(st.lists(st.sampled_from(["pro100s/e100bnt5", "3cr990svr97/e199xnd5"]), min_size=1, max_size=4))
    server = ns.host("ml530", system="windows-2000", nics=cards, bond=draw(BONDS))
    changes = {
        "processors.count": draw(st.integers(2, 3)),
        "system.kernel.interrupts": draw(st.sampled_from(["first", "spread"])),
        "system.kernel.ring_work": draw(st.sampled_from(["interrupt", "deferred"])),
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
    """The run at its end, audited on the way: frames, and the time of all processors."""
    run = test.build(Environment(seed=seed))
    run.start()
    for part in (1, 2, 3):
        run.env.run(until=DURATION * part // 3)
        run.audit()
    return run


def busy(accounts: Accounts, name: str) -> int:
    """ps that all the server's processors together spent so."""
    return sum(parts.get(name, 0) for cpu, parts in accounts.busy.items() if cpu.startswith("server "))


@settings(max_examples=100, deadline=None)
@given(scenarios(), st.integers(0, 2**32))
def test_the_books_agree(test: ns.Chariot, seed: int) -> None:
    accounts = ran(test, seed).accounts()
    assert accounts == ran(test, seed).accounts()
    processors = test.server.processors.count
    waited, held = accounts.waited[LOCK], accounts.occupied[LOCK]
    assert accounts.waited.keys() == {LOCK}
    assert waited.keys() <= {"receive", "send"}
    assert held <= DURATION
    # Frames to be sent are one task's, those received each processor's, and answers each connection's.
    pairs = len(test.clients) * len(test.directions)
    assert waited.get("send", 0) <= DURATION
    assert waited.get("receive", 0) <= (processors + pairs) * DURATION
    for cpu, idle in accounts.idle.items():
        assert 0 <= accounts.held_up[cpu] <= (min(idle, held) if cpu.startswith("server ") else 0)
    # Where one has the lock, the others at most can be idle or spin.
    assert sum(accounts.held_up.values()) + busy(accounts, "spin") <= (processors - 1) * held


@settings(max_examples=60, deadline=None)
@given(scenarios())
def test_only_who_spins_burns_time_and_one_at_a_time(test: ns.Chariot) -> None:
    accounts = ran(test.replace("server.bond.free_cycles", 0), 1).accounts()
    lock = test.server.bond.lock  # type: ignore[union-attr]
    assert lock is not None
    ways = {"receive": lock.receive, "send": lock.send}
    spinners = sum(ps for who, ps in accounts.waited[LOCK].items() if ways[who] == "spin")
    assert busy(accounts, "spin") <= spinners
    assert busy(accounts, "aggregation") <= accounts.occupied[LOCK]  # all the bond's own work, without giving back


@settings(max_examples=60, deadline=None)
@given(scenarios())
def test_by_address_nothing_comes_out_of_order(test: ns.Chariot) -> None:
    run = ran(test.replace("server.bond.policy", "address"), 1)
    accounts = run.accounts()
    assume(not any(accounts.drops.values()))
    assert not any(end.input.out_of_order for pair in run.pairs for end in (pair.out, pair.into))
    assert accounts.counts["retransmitted segments"] == 0
