"""A sweep of many cheap points that is killed repeatedly, and the final content of its store.

Run as a program: `python -m tests.killed_sweep FOLDER POINTS KILLS SEED`. A supervisor, which imports netsim once,
forks the process of the sweep ("the parent"), which has its own workers. It kills the parent, a worker, or all of
them, at random moments (seeded), and forks the next parent when one is gone. Each run appends a line to the file
`begun` when it begins, which shows how often a point was computed, and whether that happened after it was stored.
"""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import sys
import time
from pathlib import Path

import netsim as ns
from netsim.engine import Environment
from netsim.workload import Netperf
from netsim.workload.netperf.run import NetperfRun

SHORT = {"precision": 0.5, "limit": "1 ms", "warm_up": "50 us", "sample": "50 us"}
BEGUN = "SWEEP_BEGUN"  # the environment variable with the file's name
LAST = 20  # points reserved for after the last kill, so that no kill is too late
FIRST = 1000  # the MTU of the first point, in bytes


class Counted(Netperf):
    """A test that records each of its runs."""

    def build(self, env: Environment) -> NetperfRun:
        """See Scenario."""
        if path := os.environ.get(BEGUN):
            file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
            os.write(file, b"%d\n" % self.mtu)
            os.close(file)
        return super().build(env)


def scenario(kind: type[Counted] = Counted) -> Counted:
    """A scenario that is fast to simulate: a millisecond of one iteration."""
    pc = ns.host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"])
    return kind(test="TCP_STREAM", sender=pc, receiver=pc, min_iterations=1, max_iterations=1)


def run(store: Path, points: int) -> ns.sweep.Sweep:
    """The sweep, to its end."""
    axes = {"mtu": range(FIRST, FIRST + points)}
    return ns.sweep(scenario(), axes, store=store, jobs=2, progress=False, **SHORT)


def stored(store: Path) -> set[int]:
    """The MTUs of the points in a store."""
    try:
        with sqlite3.connect(f"{store.absolute().as_uri()}?mode=ro", uri=True, timeout=60) as db:
            rows = db.execute("SELECT number FROM points JOIN runs USING (scenario, model)").fetchall()
    except sqlite3.OperationalError:  # no file yet, or no tables in it
        return set()
    return {FIRST + number for (number,) in rows}


def begun(path: Path) -> list[int]:
    """The MTUs of the runs that were begun, in that order."""
    return [int(line) for line in path.read_text().split()] if path.exists() else []


def children(process: int) -> list[int]:
    """The processes that are a process's workers."""
    try:
        return [int(one) for one in Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    except OSError:
        return []


class Supervisor:
    """Kills the sweep, and restarts it."""

    def __init__(self, folder: Path, points: int, seed: int) -> None:
        self.store, self.begun, self.points = folder / "killed.db", folder / "begun", points
        self.random = random.Random(seed)
        self.parent = 0
        self.kills = 0
        self.seen: list[tuple[int, set[int]]] = []  # at each kill: runs begun, and points stored

    def start(self) -> None:
        """Start another parent."""
        self.parent = os.fork()
        if self.parent == 0:
            code = 1
            try:
                os.environ[BEGUN] = str(self.begun)
                run(self.store, self.points)
                code = 0
            finally:
                os._exit(code)

    def kill(self, most: int) -> None:
        """Kill a random process once, within the next `most` runs, or before the next run if it is 0.

        After a worker is killed, its run gets a second chance before the next worker is killed, because three deaths in
        a row would count as the run's own fault: three runs must begin, namely the repeated run, one more, and one that
        the other worker may already have begun.
        """
        whom = self.random.choice(["parent", "worker", "both"] if most >= 3 else ["parent", "both"])
        self._wait_for(self.random.randint(3 if whom == "worker" else 0, most))
        time.sleep(self.random.uniform(0, 0.01))
        if self._ended():
            return
        workers = children(self.parent)
        chosen = {"parent": [self.parent], "worker": workers[:1], "both": [self.parent, *workers]}[whom]
        for process in chosen:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                continue
        known = stored(self.store)
        self.seen.append((len(begun(self.begun)), known))
        self.kills += bool(chosen)

    def _wait_for(self, runs: int) -> None:
        """Wait until that many more runs have begun, or the parent has ended."""
        until = len(begun(self.begun)) + runs
        while len(begun(self.begun)) < until and not self._ended():
            time.sleep(0.002)

    def _ended(self) -> bool:
        """Whether the parent has ended, by itself or killed; raises SystemExit if it ended with an error."""
        if self.parent:
            process, status = os.waitpid(self.parent, os.WNOHANG)
            if process and os.WIFEXITED(status) and os.WEXITSTATUS(status):
                raise SystemExit(f"the sweep ended with {os.WEXITSTATUS(status)}")
            self.parent = 0 if process else self.parent
        return not self.parent

    def go(self, kills: int) -> None:
        """Perform all kills, then finish the sweep."""
        while self.kills < kills and len(stored(self.store)) < self.points:
            if self._ended():
                self.start()
            left = self.points - len(stored(self.store)) - LAST
            self.kill(max(0, 2 * left // (kills - self.kills) - 2))
        while len(stored(self.store)) < self.points:
            if self._ended():
                self.start()
            time.sleep(0.02)


def check(folder: Path, points: int, kills: int, seed: int) -> str:
    """Check everything that must hold. Returns a summary."""
    supervisor = Supervisor(folder, points, seed)
    ns.simulate(scenario(), **SHORT)  # so that late imports are done before the parents are forked
    supervisor.go(kills)
    runs = begun(supervisor.begun)
    for number, (before, known) in enumerate(supervisor.seen):
        assert known <= stored(supervisor.store), f"kill {number}: points that were stored are gone"
        again = known & set(runs[before:])
        assert not again, f"kill {number}: computed again after they were stored: {sorted(again)}"
    killed, whole = run(supervisor.store, points), run(folder / "whole.db", points)
    assert killed.computed == 0
    assert killed.failures.empty, killed.failures
    assert killed.to_frame().to_csv() == whole.to_frame().to_csv()
    assert killed.to_frame().equals(whole.to_frame())
    return f"{supervisor.kills} kills, {len(runs)} runs begun for {points} points"


if __name__ == "__main__":
    folder, *numbers = sys.argv[1:]
    print(check(Path(folder), *map(int, numbers)))
