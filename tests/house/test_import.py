"""The first answer is quick: modules that are slow to import are imported when they are used. Counted, not timed;
`python -m benchmarks.first_answer` times it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import netsim as ns
from netsim import catalog
from netsim.units import QUANTITIES
from netsim.units.reading import TEXT

HEAVY = {
    "dask", "distributed", "IPython", "jinja2", "matplotlib", "pandas", "perfetto", "pint", "scipy", "tornado", "tqdm",
    "xarray",
}  # fmt: skip
NAMES = {"des-cbc"}  # of ciphers: their values begin with a digit
README = """
pc = ns.host("piii-600", system="linux-2.2.16", nics="3c905b/3c59x")
test = ns.Netperf("TCP_STREAM", pc, ns.host("p166", system="linux-2.2.16", nics="3c905b/3c59x"))
"""
SIMULATE = README + 'print(ns.simulate(test, precision=0.5, limit="60 ms"), file=sys.stderr)'

LISTED = re.compile(r"^\.\. auto\w+:: netsim\.([\w.]+)$", re.MULTILINE)  # in docs/reference/api.md
# A process of its own for the names of each package, since importing one thing makes others available.
ASK_EACH = """
import os, sys
from itertools import groupby
from operator import attrgetter
import netsim as ns

for package, names in groupby(sys.argv[1:], key=lambda name: name.partition(".")[0]):
    child = os.fork()
    if not child:
        attrgetter(*names)(ns)
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        sys.exit(package)
"""


def _imported(then: str = "") -> set[str]:
    """The modules in a fresh interpreter after `import netsim as ns` and the code in `then`."""
    code = f"import sys\nimport netsim as ns\n{then}\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return set(done.stdout.split())


def _libraries(modules: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in modules}


def test_importing_netsim_imports_nothing_heavy() -> None:
    imported = _imported()
    assert "netsim.measure.simulation" in imported
    assert _libraries(imported) & HEAVY == set()
    assert not any(name.startswith("netsim.workload") for name in imported)  # tools are imported when they are used


def test_hosts_of_the_catalogue_import_nothing_heavy() -> None:
    assert _libraries(_imported(README)) & HEAVY == set()


def test_the_catalogue_needs_no_pint() -> None:
    """It uses the units that netsim shows; others take longer to read."""
    things = [f"{category}/{name}" for category in catalog.categories() for name in catalog.names(category)]
    texts = [text for thing in things for _, text, _ in catalog.describe(thing)]
    units = {match[2].strip() for text in texts if (match := TEXT.fullmatch(text)) and match[2]} - NAMES
    assert {"MHz", "us", "Mbit/s", "KiB"} <= units
    assert units <= {symbol for rule in QUANTITIES.values() for symbol in rule.units or ()}


def test_a_first_simulation_imports_special_functions_and_nothing_else_heavy() -> None:
    imported = _imported(SIMULATE)
    assert _libraries(imported) & HEAVY == {"scipy"}
    public = {name for name in imported if name.startswith("scipy.") and "._" not in name}
    assert {name.split(".")[1] for name in public} <= {"special", "version"}


def test_all_that_the_reference_lists_is_there_without_another_import() -> None:
    names = LISTED.findall(Path("docs/reference/api.md").read_text())
    inside = sorted({name for name in names if "." in name}, reverse=True)
    assert {"sweeps.results", "queueing.asymptotes", "measure.loss_free.Trial"} <= {*inside}
    assert {*names} - {*inside} <= {*ns.__all__}
    subprocess.run([sys.executable, "-c", ASK_EACH, *inside], check=True)
