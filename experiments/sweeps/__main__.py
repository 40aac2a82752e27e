"""python -m experiments.sweeps [NAME ...]: runs the ready sweeps, and draws a picture of each into build/sweeps."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from experiments.sweeps.pictures import PICTURES, files
from netsim.errors import NetsimError, ScenarioError
from netsim.sweeps import load

BUILD = Path("build/sweeps")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line. Returns the exit code: 0, 1 for runs that failed, 2 for a user's mistake, 130 after Ctrl-C."""
    parser = argparse.ArgumentParser(prog="python -m experiments.sweeps", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(PICTURES)}; all if none is named")
    parser.add_argument("--build", type=Path, default=BUILD, metavar="DIR", help="where to (default: %(default)s)")
    parser.add_argument("--jobs", type=int, metavar="N", help="number of processes (default: one per processor)")
    options = parser.parse_args(arguments)
    try:
        options.build.mkdir(parents=True, exist_ok=True)
        for name in _known(options.names):
            print(_drawn(name, options.build, options.jobs))
    except (NetsimError, OSError) as error:
        print(error, file=sys.stderr)
        return 2 if isinstance(error, ScenarioError | OSError) else 1
    except KeyboardInterrupt as interrupt:
        print(*interrupt.args, "run it again to go on", sep="; ", file=sys.stderr)
        return 130
    return 0


def _known(names: Sequence[str]) -> Sequence[str]:
    for name in names:
        if name not in PICTURES:
            raise ScenarioError(f"no sweep is called {name}; allowed: {', '.join(PICTURES)}")
    return names or [*PICTURES]


def _drawn(name: str, build: Path, jobs: int | None) -> Path:
    """The picture of a sweep; only points that are not stored yet are computed."""
    from matplotlib.figure import Figure

    draw, _ = PICTURES[name]
    sweeps = {file.stem: load(file).run(store=build / f"{file.stem}.db", jobs=jobs) for file in files(name)}
    figure = Figure(figsize=(7, 8), layout="constrained")
    draw(figure, sweeps)
    path = build / f"{name}.svg"
    figure.savefig(path, metadata={"Date": None})
    return path


if __name__ == "__main__":
    sys.exit(main())
