"""A sweep of many cheap points that is killed over and over, and what its store has in the end.

Run as a program: `python -m tests.killed_sweep FOLDER POINTS KILLS SEED`. A supervisor, which imports netsim once,
forks the process of the sweep ("the parent"), which has workers of its own. It kills the parent, a worker, or all of
them, at random moments (seeded), and forks the next parent when one is gone. Each run that is begun appends a line to
the file `begun`, so that it can be counted how often a point was computed, and whether after it was stored.
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
LAST = 10  # points that are left for after the last kill, so that none of the kills comes too late
FIRST = 1000  # bytes of the mtu at the first point


class Counted(Netperf):
    """A test that writes down that it is run."""

    def build(self, env: Environment) -> NetperfRun:
        """See Scenario."""
        if path := os.environ.get(BEGUN):
            file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
            os.write(file, b"%d\n" % self.mtu)
            os.close(file)
        return super().build(env)


def scenario(kind: type[Counted] = Counted) -> Counted:
    """Fast to simulate: a millisecond of one iteration."""
    pc = ns.host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"])
    return kind(test="TCP_STREAM", sender=pc, receiver=pc, min_iterations=1, max_iterations=1)


def run(store: Path, points: int) -> ns.sweep.Sweep:
    """The sweep, to its end."""
    axes = {"mtu": range(FIRST, FIRST + points)}
    return ns.sweep(scenario(), axes, store=store, jobs=2, progress=False, **SHORT)


def stored(store: Path) -> set[int]:
    """The mtus of the points in a store."""
    try:
        with sqlite3.connect(f"{store.absolute().as_uri()}?mode=ro", uri=True, timeout=60) as db:
            rows = db.execute("SELECT number FROM points JOIN runs USING (scenario, model)").fetchall()
    except sqlite3.OperationalError:  # there is no file yet, or there are no tables in it
        return set()
    return {FIRST + number for (number,) in rows}


def begun(path: Path) -> list[int]:
    """The mtus of the runs that were begun, in that order."""
    return [int(line) for line in path.read_text().split()] if path.exists() else []


def children(process: int) -> list[int]:
    """Its workers."""
    try:
        return [int(one) for one in Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    except OSError:
        return []


class Supervisor:
    """Kills, and starts again."""

    def __init__(self, folder: Path, points: int, seed: int) -> None:
        self.store, self.begun, self.points = folder / "killed.db", folder / "begun", points
        self.random = random.Random(seed)
        self.parent = 0
        self.kills = 0
        self.seen: list[tuple[int, set[int]]] = []  # how many were begun, and which were stored by then

    def start(self) -> None:
        """Another parent."""
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
        """Once, whom chance says, within the next `most` runs, or before the next if it is 0.

        A run that was alone with its worker when that was killed gets a second chance before the next worker is, as
        three deaths in a row would be its own fault: it is begun again, and so is one more, and the worker beside it
        may still have begun one.
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
        """Until so many more have begun, or the parent has ended."""
        until = len(begun(self.begun)) + runs
        while len(begun(self.begun)) < until and not self._ended():
            time.sleep(0.002)

    def _ended(self) -> bool:
        """Whether the parent has, of itself or not; what it says must not be an error."""
        if self.parent:
            process, status = os.waitpid(self.parent, os.WNOHANG)
            if process and os.WIFEXITED(status) and os.WEXITSTATUS(status):
                raise SystemExit(f"the sweep ended with {os.WEXITSTATUS(status)}")
            self.parent = 0 if process else self.parent
        return not self.parent

    def go(self, kills: int) -> None:
        """All kills, then to the end."""
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
    """All that must hold. Returns what there is to tell."""
    supervisor = Supervisor(folder, points, seed)
    ns.simulate(scenario(), **SHORT)  # so that what is imported late has been when the parents are forked
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
