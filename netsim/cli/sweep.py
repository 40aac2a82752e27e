"""The command line's `netsim sweep` and `netsim results`."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from netsim.errors import ScenarioError, SimulationError
from netsim.export.whole_file import whole_file

if TYPE_CHECKING:
    import pandas as pd

PATIENCE = "10 s"  # for a scheduler to answer
FORMATS = ("csv", "parquet", "json")


def add(commands: Any) -> None:
    """Add both commands to the parser's."""
    command = commands.add_parser("sweep", help="simulate a scenario at many points, and keep what is found")
    command.add_argument("sweep", metavar="SWEEP.toml", help="a scenario with a table [sweep] that says what varies")
    command.add_argument("--store", required=True, metavar="FILE", help="where results are kept and not made again")
    where = command.add_mutually_exclusive_group()
    where.add_argument("--jobs", type=_positive, metavar="N", help="processes (default: one for each processor)")
    where.add_argument("--dask", metavar="ADDRESS", help="of a dask scheduler whose workers do it: tcp://HOST:PORT")
    command.add_argument("--retry", action="store_true", help="also do again what failed")
    command.set_defaults(lines=_sweep)

    command = commands.add_parser("results", help="what is in a sweep's store")
    command.add_argument("store", metavar="FILE", help="as given to netsim sweep")
    into = command.add_mutually_exclusive_group()
    for name in FORMATS:
        into.add_argument(f"--{name}", metavar="FILE", help=f"write every column to a file as {name.upper()}")
    command.add_argument("--all-versions", action="store_true", help="also what other versions of netsim have found")
    command.set_defaults(lines=_results)


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not allowed; allowed: 1 or more")
    return number


# --- netsim sweep ----------------------------------------------------------------------------------------------------


def _sweep(options: argparse.Namespace) -> Iterator[str]:
    from netsim.sweeps import load
    from netsim.sweeps.listing import listed

    definition = load(options.sweep)
    with ExitStack() as stack:
        where = _cluster(options.dask, stack) if options.dask else {"jobs": options.jobs}
        try:
            sweep = definition.run(store=options.store, retry_failures=options.retry, **where)
        except KeyboardInterrupt as interrupt:
            told = interrupt.args[0] if interrupt.args else "interrupted"
            print(f"netsim: {told}; go on with: {_again(options)}", file=sys.stderr)
            raise
    yield from listed(sweep.store, sweep.plan.registered)
    status = sweep.status()
    yield str(status)
    if status.failed:
        raise SimulationError(f"{status.failed} of {status.runs} runs failed; --retry does them again")


def _cluster(address: str, stack: ExitStack) -> dict[str, Any]:
    """The executor of a dask cluster, and how many runs keep its workers busy."""
    try:
        from distributed import Client
    except ModuleNotFoundError:
        raise ScenarioError("--dask needs dask and distributed; allowed: after pip install netsim[sweep]") from None
    try:
        client = stack.enter_context(Client(address, timeout=PATIENCE))  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise ScenarioError(f"--dask {address}: no scheduler answers ({type(error).__name__})") from None
    threads = sum(client.nthreads().values())
    return {"executor": client.get_executor(), "jobs": max(2, 2 * threads)}


def _again(options: argparse.Namespace) -> str:
    """The command that goes on where this one was interrupted."""
    where = ["--dask", options.dask] if options.dask else ["--jobs", str(options.jobs)] if options.jobs else []
    return shlex.join(["netsim", "sweep", options.sweep, "--store", options.store, *where])


# --- netsim results --------------------------------------------------------------------------------------------------


def _results(options: argparse.Namespace) -> Iterator[str]:
    from netsim.sweeps import Store, results
    from netsim.sweeps.listing import listed

    asked = [(name, Path(path)) for name in FORMATS if (path := getattr(options, name))]
    if asked:
        table = results(options.store, all_versions=options.all_versions)
        ((name, path),) = asked
        _write(table, name, path)
        yield f"{len(table)} rows written: {path}"
        return
    store = Store(options.store, writable=False)
    for number, sweep in enumerate(store.sweeps()):
        yield from [""] * bool(number)
        yield from listed(store, sweep, options.all_versions)


def _write(table: pd.DataFrame, name: str, path: Path) -> None:
    """The table as a file, which is there whole or not at all."""
    with whole_file(path) as unfinished:
        if name == "csv":
            table.to_csv(unfinished, index=False)
        elif name == "json":
            unfinished.write_text(_json(table), encoding="utf-8")
        else:
            _parquet(table, unfinished)


def _json(table: pd.DataFrame) -> str:
    """A list of rows with every digit; null for what a row doesn't have."""
    import json

    rows = table.astype(object).where(table.notna(), None).to_dict("records")
    return json.dumps(rows, indent=1, ensure_ascii=False, default=str) + "\n"


def _parquet(table: pd.DataFrame, path: Path) -> None:
    try:
        table.to_parquet(path, index=False)
    except ImportError:
        raise ScenarioError("--parquet needs pyarrow; allowed: after pip install netsim[sweep]") from None
