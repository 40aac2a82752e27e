"""The first answer is quick: modules that are slow to import are imported when they are used. Counted, not timed;
`python -m benchmarks.first_answer` times it."""

from __future__ import annotations

import subprocess
import sys

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
