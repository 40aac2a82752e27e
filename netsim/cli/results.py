"""The command line's `netsim results`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from netsim.errors import ScenarioError
from netsim.export.whole_file import Kind, check_place, whole_file

if TYPE_CHECKING:
    import pandas as pd

FORMATS = {
    "csv": Kind("a table", rb"(sweep,)?point,replication,"),
    "parquet": Kind("a table", rb'PAR1.*"replication".*PAR1\Z'),
    "json": Kind("a table", rb'\[(\]|\s*\{\s*"(sweep|point)": )'),
}


def add(commands: Any) -> None:
    """Add the command to the parser's."""
    command = commands.add_parser("results", help="print the results of a sweep, or write them to a file")
    command.add_argument("store", metavar="FILE", help="the store of netsim sweep")
    command.add_argument("--force", action="store_true", help="overwrite a file that netsim did not write, or a device")
    into = command.add_mutually_exclusive_group()
    for name in FORMATS:
        into.add_argument(f"--{name}", metavar="FILE", help=f"write every column to a file as {name.upper()}")
    command.add_argument("--all-versions", action="store_true", help="include the results of other versions of netsim")
    command.set_defaults(lines=_results)


def _results(options: argparse.Namespace) -> Iterator[str]:
    from netsim.show.told_apart import told_apart
    from netsim.sweeps import Store
    from netsim.sweeps.listing import listed
    from netsim.sweeps.table import damage, table_of

    asked = [(name, Path(path)) for name in FORMATS if (path := getattr(options, name))]
    for name, path in asked:
        check_place(path, f"--{name}", FORMATS[name], force=options.force)
    with closing(Store(options.store, writable=False)) as store:
        if damaged := damage(store):
            print(f"netsim: {damaged}", file=sys.stderr)
        for name, path in asked:
            table = table_of(store, all_versions=options.all_versions)
            _write(table, name, path)
            yield f"{len(table)} rows written: {path}"
        if not asked:
            own = told_apart(sweeps := store.sweeps())
            for number, sweep in enumerate(sweeps):
                yield from [""] * bool(number)
                yield from listed(store, sweep, own.get(sweep.id, ""), options.all_versions)


def _write(table: pd.DataFrame, name: str, path: Path) -> None:
    """Write the table to a file, which is complete or not there at all."""
    with whole_file(path) as unfinished:
        if name == "csv":
            table.map(_plain).to_csv(unfinished, index=False)
        elif name == "json":
            unfinished.write_text(_json(table), encoding="utf-8")
        else:
            _parquet(table, unfinished)


def _plain(cell: object) -> object:
    """A cell that no spreadsheet reads as a formula."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(("=", "+", "-", "@", "\t", "\r")) else cell


def _json(table: pd.DataFrame) -> str:
    """A list of rows with every digit; null for what a row doesn't have."""
    import json

    rows = table.astype(object).where(table.notna(), None).to_dict("records")
    return json.dumps(rows, indent=1, ensure_ascii=False, default=str) + "\n"


def _parquet(table: pd.DataFrame, path: Path) -> None:
    try:
        table.to_parquet(path, index=False)
    except ImportError:
        raise ScenarioError("--parquet needs the pyarrow package: pip install pyarrow") from None
