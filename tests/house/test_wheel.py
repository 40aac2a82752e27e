"""A wheel contains everything that a run needs, and works from an empty folder, away from the checkout: a pure one,
made from the source distribution, and one with the existing library."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest

from netsim.compiled import COMPILED, MADE_FROM

ROOT = Path(__file__).resolve().parents[2]
LEFT_OUT = shutil.ignore_patterns(  # files that git ignores, and git's own
    "__pycache__", "*.pyc", ".git*", ".venv", "build", "dist", "*.egg-info", ".*_cache", ".hypothesis", ".coverage*",
    "htmlcov", ".ipynb_checkpoints", "dask-worker-space",
)  # fmt: skip
LIBRARY = {f"netsim/compiled/{name}" for name in (MADE_FROM.name, MADE_FROM.name.removesuffix(".sources"))}
RUN = """
import sys
sys.path += sys.argv[1:]
import netsim
from netsim.compiled import VARIANT
pc = netsim.host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"])
test = netsim.Netperf(test="TCP_STREAM", sender=pc, receiver=pc)
print(netsim.__file__, test.bounds().bottleneck, VARIANT, sep="\\n")
"""


def run(*command: str | Path, cwd: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, env=os.environ | environment)


def built(source: Path, into: Path, pure: bool) -> Path:
    """The wheel of a folder or a source distribution."""
    pip = [sys.executable, "-m", "pip", "--isolated", "--disable-pip-version-check", "wheel", "--quiet"]
    offline = ["--no-index", "--no-deps", "--no-build-isolation"]
    done = run(*pip, *offline, "--wheel-dir", into, source, NETSIM_PURE="1" if pure else "")
    assert done.returncode == 0, done.stderr
    (file,) = into.glob("netsim_host-*.whl")
    return file


def package() -> set[str]:
    """The minimum contents of a wheel."""
    files = [path for path in (ROOT / "netsim").rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    sources = {path.relative_to(ROOT).as_posix() for path in files if not path.name.startswith("native__mypyc.")}
    tables = [*(ROOT / "models").rglob("*.toml"), *(ROOT / "examples").glob("*.toml")]
    return sources | {f"netsim/{path.relative_to(ROOT).as_posix()}" for path in tables}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy, since setuptools' remains of an earlier build would get into the wheel."""
    source = shutil.copytree(ROOT, tmp_path_factory.mktemp("netsim") / "source", ignore=LEFT_OUT)
    shutil.rmtree(source / "docs" / "notebooks", ignore_errors=True)
    return source


@pytest.fixture(scope="module")
def distribution(source: Path) -> Path:
    """The source distribution."""
    done = run(sys.executable, "setup.py", "--quiet", "sdist", cwd=source, NETSIM_PURE="1")
    assert done.returncode == 0, done.stderr
    (file,) = (source / "dist").glob("netsim_host-*.tar.gz")
    return file


@pytest.fixture(scope="module", params=["interpreted", "compiled"])
def wheel(
    request: pytest.FixtureRequest, source: Path, distribution: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    into = tmp_path_factory.mktemp(request.param)
    if request.param == "interpreted":
        return built(distribution, into, pure=True)
    if not COMPILED:
        pytest.skip("these tests run interpreted")
    return built(source, into, pure=False)


@pytest.fixture(scope="module")
def unpacked(wheel: Path) -> Path:
    folder = wheel.parent / "unpacked"
    zipfile.ZipFile(wheel).extractall(folder)
    return folder


def is_pure(wheel: Path) -> bool:
    return wheel.parent.name.startswith("interpreted")


@pytest.fixture(scope="module")
def spread(distribution: Path) -> Path:
    """The source distribution, unpacked."""
    with tarfile.open(distribution) as archive:
        archive.extractall(distribution.parent, filter="data")
    return distribution.parent / distribution.name.removesuffix(".tar.gz")


def files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_the_source_distribution_carries_all_sources(source: Path, spread: Path) -> None:
    """Tests and documentation too."""
    sources = {name for name in files(source) if not name.startswith(("build/", "dist/"))}
    assert {"tests/house/test_wheel.py", "docs/index.md", "requirements/run.txt", "recipe/recipe.yaml"} < sources
    assert sources - files(spread) == LIBRARY & sources
    assert not files(spread) & LIBRARY


def test_tests_run_from_the_source_distribution(spread: Path) -> None:
    pytest_itself = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n0", "tests/bus/test_buses.py")
    done = run(*pytest_itself, cwd=spread, NETSIM_PURE="1", PYTHONPATH=str(spread))
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout.splitlines()[-1]


def test_it_says_what_it_runs_on(wheel: Path) -> None:
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    tag = wheel.stem.split("-", 2)[2]
    assert tag == "py3-none-any" if is_pure(wheel) else tag.startswith(f"{python}-{python}-")


def test_it_carries_the_package_and_the_catalogue_and_nothing_else(wheel: Path, unpacked: Path) -> None:
    assert {"netsim/py.typed", "netsim/models/hosts/piii-600.toml", "netsim/examples/p166.toml"} < package()
    carried = {path.relative_to(unpacked).as_posix() for path in unpacked.rglob("*") if path.is_file()}
    expected = package() if is_pure(wheel) else package() | LIBRARY
    assert {path for path in carried if ".dist-info/" not in path} == expected


def test_it_brings_the_command(unpacked: Path) -> None:
    (entry_points,) = unpacked.glob("netsim_host-*.dist-info/entry_points.txt")
    assert "netsim = netsim.cli:main" in entry_points.read_text(encoding="utf-8")


def test_it_works_from_an_empty_folder(wheel: Path, unpacked: Path, tmp_path: Path) -> None:
    # -I leaves out the current folder, PYTHONPATH and the user's packages, -S the paths of an editable install.
    installed = {sysconfig.get_path(name) for name in ("purelib", "platlib")}
    done = run(sys.executable, "-I", "-S", "-c", RUN, unpacked, *installed, cwd=tmp_path, NETSIM_PURE="")
    assert done.returncode == 0, done.stderr
    file, bottleneck, variant = done.stdout.splitlines()
    assert Path(file) == unpacked / "netsim" / "__init__.py"
    assert (bottleneck, variant) == ("wire to receiver", "interpreted" if is_pure(wheel) else "compiled")
    assert os.listdir(tmp_path) == []


BUILD = (sys.executable, "setup.py", "--quiet", "build_ext", "--inplace")  # as in `make venv`


@pytest.mark.parametrize(("pure", "compiler", "reason"), [("1", "cc", "NETSIM_PURE=1"), ("", "false", "no C compiler")])
def test_what_cannot_be_compiled_says_why(source: Path, pure: str, compiler: str, reason: str) -> None:
    done = run(*BUILD, cwd=source, NETSIM_PURE=pure, CC=compiler)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (1, reason)


@pytest.mark.validation  # mypy reads all of netsim
def test_a_library_is_left_as_it_is_if_compiling_fails(source: Path, tmp_path: Path) -> None:
    if not COMPILED:
        pytest.skip("these tests run interpreted")
    changed = shutil.copytree(source, tmp_path / "changed")
    with (changed / "netsim" / "engine" / "population.py").open("a") as file:
        file.write("yield\n")  # mypy stops here; it would find a wrong type only after checking all of netsim
    library = {name: (changed / name).read_bytes() for name in LIBRARY}
    done = run(*BUILD, cwd=changed)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (1, "compiling failed")
    assert "engine/population.py" in done.stdout
    assert {name: (changed / name).read_bytes() for name in LIBRARY} == library
