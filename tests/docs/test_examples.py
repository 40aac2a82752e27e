"""README and documentation show the examples' actual output."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest

import netsim as ns

ROOT = Path(__file__).resolve().parents[2]
spec = importlib.util.spec_from_file_location("examples", ROOT / "docs" / "examples.py")
assert spec is not None
assert spec.loader is not None
examples = importlib.util.module_from_spec(spec)
spec.loader.exec_module(examples)

WITH_LINKS = [*examples.pages(), ROOT / "CONTRIBUTING.md"]


def named(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", examples.pages(), ids=named)
def test_examples_print_what_the_page_says(page: Path) -> None:
    assert examples.renewed(page) == page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("wired", "wires"),
    [
        ({}, {"wire to receiver", "wire to sender"}),
        ({"segment": "100base-tx-hub"}, {"wire segment"}),
        (
            {"switch": "summit48"},
            {f"wire {way}" for host in ("sender", "receiver") for way in (f"{host} to switch", f"switch to {host}")},
        ),
    ],
)
def test_the_workload_of_ones_own_has_bounds_like_any_other(wired: dict[str, str], wires: set[str]) -> None:
    page = (ROOT / "docs" / "guides" / "own-workload.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    for kind, source, _ in examples.BLOCK.findall(page)[:2]:
        assert kind == "python"
        exec(compile(source, "own-workload.md", "exec", dont_inherit=True), names)
    pc = ns.host("piii-600", system="linux-2.2.16", nics="3c905b/3c59x")
    test = names["Queries"](pc, pc, **wired)
    bounds = test.bounds()
    assert set(bounds.to_frame().index) == wires
    assert sum(len(one.resources) for one in bounds.alike()) == len(wires)
    assert all(wire in text for text in (str(bounds), bounds._repr_html_()) for wire in wires)
    grid = ns.bounds(test, {"reply": [100, 1000]})
    assert grid.limit.tolist() == [test.replace("reply", reply).bounds().limit for reply in (100, 1000)]
    assert set(ns.sensitivity(test, {"reply": (100, 1000)}, n=16).total) == {"reply"}


def test_every_page_has_been_found() -> None:
    assert {"README.md", "docs/design.md", "docs/concepts/bounds.md"} <= {named(page) for page in examples.pages()}


@pytest.mark.parametrize("page", WITH_LINKS, ids=named)
def test_links_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text) + re.findall(r'(?:src|srcset)="([^":]+)"', text)
    for target in links:
        file = (page.parent / target).resolve()
        if file.parent == ROOT / "docs" / "notebooks":  # made when the documentation is built
            file = ROOT / "notebooks" / file.name
        assert file.exists(), f"{named(page)} links to {target}"


def test_an_example_that_prints_something_else_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    file = "```toml\n# a/own.toml\nx = 1\n```\n"
    page.write_text(f"{file}\n```python\nprint(open('a/own.toml').read())\n```\n\n```text\n2\n```\n")
    assert "```text\n# a/own.toml\nx = 1\n" in examples.renewed(page)
    page.write_text("```console\n$ netsim run gone.toml\nfine\n```\n")
    assert "netsim: gone.toml can't be read" in examples.renewed(page)
