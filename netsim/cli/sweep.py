"""The command line's `netsim sweep`."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

from netsim.cli import scenario_file
from netsim.errors import ScenarioError, SimulationError


def add(commands: Any) -> None:
    """Add the command to the parser's."""
    command = commands.add_parser("sweep", help="simulate a scenario at many points, and keep the results")
    command.add_argument("sweep", metavar="SWEEP.toml", help="a scenario with a table [sweep] that says what varies")
    scenario_file.add_changes_to(command)
    command.add_argument("--store", required=True, metavar="FILE",
                         help="file that stores the results, so that none is computed twice")
    where = command.add_mutually_exclusive_group()
    where.add_argument("--jobs", type=_positive, metavar="N", help="number of processes (default: one per processor)")
    where.add_argument("--dask", metavar="ADDRESS", help="run on the workers of this dask scheduler (tcp://HOST:PORT)")
    command.add_argument("--retry", action="store_true", help="retry failed runs")
    command.set_defaults(lines=_sweep)


def _positive(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not allowed; allowed: a whole number, 1 or more")
    return number


def _sweep(options: argparse.Namespace) -> Iterator[str]:
    from netsim.show.told_apart import told_apart
    from netsim.sweeps import load
    from netsim.sweeps.listing import listed

    definition = load(options.sweep).replace(scenario_file.changes(options))
    with ExitStack() as stack:
        where = _cluster(options.dask, stack) if options.dask else {"jobs": options.jobs}
        try:
            sweep = definition.run(store=options.store, retry_failures=options.retry, **where)
        except KeyboardInterrupt as interrupt:
            told = interrupt.args[0] if interrupt.args else "interrupted"
            print(f"netsim: {told}; continue with: {_again(options)}", file=sys.stderr)
            raise
        except SimulationError as error:
            raise SimulationError(f"{error}; continue with: {_again(options)}") from None
    own = sweep.plan.registered
    yield from listed(sweep.store, own, told_apart(sweep.store.sweeps()).get(own.id, ""))
    status = sweep.status()
    yield str(status)
    if status.failed:
        impossible = sweep.failures["error"].str.startswith(ScenarioError.__name__).sum()
        again = "--retry runs them again" if impossible < status.failed else "they would fail again"
        raise SimulationError(f"{status.failed} of {status.runs} runs failed; {again}")


def _cluster(address: str, stack: ExitStack) -> dict[str, Any]:
    """The executor of a dask cluster, and how many runs keep its workers busy."""
    try:
        import distributed  # noqa: F401
    except ModuleNotFoundError:
        raise ScenarioError("--dask needs the distributed package: pip install distributed") from None
    from netsim.sweeps.dask_cluster import DaskCluster

    cluster = DaskCluster(address, lambda text: print(f"netsim: {text}", file=sys.stderr, flush=True))
    stack.callback(cluster.close)
    return {"executor": cluster, "jobs": cluster.jobs}


def _again(options: argparse.Namespace) -> str:
    """The command that continues where this one was interrupted."""
    where = ["--dask", options.dask] if options.dask else ["--jobs", str(options.jobs)] if options.jobs else []
    changes = [part for change in options.set for part in ("--set", change)]
    return shlex.join(["netsim", "sweep", options.sweep, *changes, "--store", options.store, *where])
