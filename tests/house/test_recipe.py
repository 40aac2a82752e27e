"""The conda recipe has the requirements of setup.cfg and pyproject.toml."""

from __future__ import annotations

import tomllib
from configparser import ConfigParser
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
CONDA = {  # other names for the same packages
    "matplotlib-base": "matplotlib", "mypy_extensions": "mypy-extensions", "typing_extensions": "typing-extensions"
}  # fmt: skip
WITHIN = {"python", "pip"}  # implicit in a Python package


@pytest.fixture(scope="module")
def metadata() -> ConfigParser:
    parser = ConfigParser()
    parser.read(ROOT / "setup.cfg")
    return parser


@pytest.fixture(scope="module")
def recipe() -> dict[str, Any]:
    return yaml.safe_load((ROOT / "recipe" / "recipe.yaml").read_text(encoding="utf-8"))


def of_python(lines: list[str]) -> set[tuple[str, str]]:
    """Names and versions."""
    return {(one.name, str(one.specifier)) for one in map(Requirement, lines)}


def of_conda(lines: list[str]) -> set[tuple[str, str]]:
    pairs = (line.partition(" ")[::2] for line in lines)
    return {
        (CONDA.get(name, name), version if version.startswith(">=") else f"=={version}")
        for name, version in pairs
        if name not in WITHIN
    }


def test_it_runs_with_the_same_packages(recipe: dict[str, Any], metadata: ConfigParser) -> None:
    required = metadata["options"]["install_requires"].split("\n")
    assert of_conda(recipe["requirements"]["run"]) == of_python([line for line in required if line])


def test_it_is_built_with_the_same_packages(recipe: dict[str, Any]) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert of_conda(recipe["requirements"]["host"]) == of_python(project["build-system"]["requires"])


def test_it_is_the_same_distribution(recipe: dict[str, Any], metadata: ConfigParser) -> None:
    asked = f"python {metadata['options']['python_requires']}"
    assert asked in recipe["requirements"]["host"]
    assert asked in recipe["requirements"]["run"]
    about = {"name": recipe["package"]["name"], "version": recipe["context"]["version"]}
    assert about == {key: metadata["metadata"][key] for key in about}
    assert f"\nversion: {about['version']}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    scripts = recipe["build"]["python"]["entry_points"]
    assert scripts == metadata["options.entry_points"]["console_scripts"].split("\n")[1:]
    assert recipe["about"]["license"] == metadata["metadata"]["license_expression"]
