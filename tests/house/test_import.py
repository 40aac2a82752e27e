"""`import netsim` is quick: what takes long to import is left until it is used. Counted, not timed."""

from __future__ import annotations

import subprocess
import sys

HEAVY = {
    "dask", "distributed", "IPython", "jinja2", "matplotlib", "pandas", "perfetto", "pint", "scipy", "tqdm", "xarray",
}  # fmt: skip


def test_importing_netsim_imports_nothing_heavy() -> None:
    code = "import sys, netsim; print(*{name.partition('.')[0] for name in sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    imported = set(done.stdout.split())
    assert "netsim" in imported
    assert imported & HEAVY == set()
