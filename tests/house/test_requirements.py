"""The pinned requirements match setup.cfg, and a package in both files has the same version in both."""

from __future__ import annotations

import re
from configparser import ConfigParser
from importlib.metadata import distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
PINNED = re.compile(r"^([a-z][^\\\n]*?) \\\n((?: +--hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", re.MULTILINE)


def metadata() -> ConfigParser:
    parser = ConfigParser()
    parser.read(ROOT / "setup.cfg")
    return parser


def asked(text: str) -> list[Requirement]:
    """The requirements of a list in setup.cfg."""
    return [Requirement(line) for line in text.splitlines() if line]


def locked(name: str) -> dict[str, str]:
    """Each pinned line, with its hashes."""
    text = (ROOT / "requirements" / name).read_text(encoding="utf-8")
    found: dict[str, str] = dict(PINNED.findall(text))
    assert len(found) == len(re.findall(r"^[a-z]", text, re.MULTILINE))  # each line has hashes
    return found


def satisfied(asked_for: Requirement, lock: dict[str, str]) -> bool:
    pins = [pin for pin in map(Requirement, lock) if pin.name == asked_for.name]
    return bool(pins) and all(asked_for.specifier.contains(str(pin.specifier).removeprefix("==")) for pin in pins)


RUN, DEV = locked("run.txt"), locked("dev.txt")
INSTALLED = metadata()["options"]["install_requires"]
EXTRAS = dict(metadata()["options.extras_require"])


def test_a_shared_package_is_the_same_in_both() -> None:
    assert RUN.items() <= DEV.items()


@pytest.mark.parametrize("requirement", asked(INSTALLED + EXTRAS["compile"]), ids=str)
def test_what_runs_is_pinned(requirement: Requirement) -> None:
    assert satisfied(requirement, RUN)


@pytest.mark.parametrize("extra", EXTRAS)
def test_every_extra_is_pinned(extra: str) -> None:
    assert [one for one in asked(EXTRAS[extra]) if not satisfied(one, DEV)] == []


def test_what_only_extras_need_is_not_installed_to_run() -> None:
    heavy = {"dask", "distributed", "jupyter", "perfetto", "pyarrow", "scapy", "sphinx", "tornado", "xarray"}
    assert heavy & {Requirement(line).name for line in RUN} == set()


@pytest.mark.parametrize("file", ["run.txt", "dev.txt"])
def test_no_registry_is_named(file: str) -> None:
    assert not re.search(r"https?:|--(index|extra-index|find-links)", (ROOT / "requirements" / file).read_text())


def test_what_is_asked_for_with_extras_is_pinned_with_them() -> None:
    # Without the extras pip 23 ignores the pin, looks for a later release, finds no hash for it, and stops.
    pinned = {canonicalize_name(pin.name): pin.extras for pin in map(Requirement, DEV)}
    needs = [
        Requirement(line)
        for one in distributions()
        if canonicalize_name(one.name) in pinned
        for line in one.requires or ()
    ]
    used = [one for one in needs if one.extras and canonicalize_name(one.name) in pinned and _applies(one)]
    assert used
    assert [str(one) for one in used if not one.extras <= pinned[canonicalize_name(one.name)]] == []


def _applies(requirement: Requirement) -> bool:
    """Not a dependency of an extra: some of these are pinned by chance."""
    return requirement.marker is None or requirement.marker.evaluate({"extra": ""})
