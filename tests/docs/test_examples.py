"""What README and docs show is what the examples print."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
spec = importlib.util.spec_from_file_location("examples", ROOT / "docs" / "examples.py")
assert spec is not None
assert spec.loader is not None
examples = importlib.util.module_from_spec(spec)
spec.loader.exec_module(examples)


@pytest.mark.parametrize("page", examples.pages(), ids=lambda page: page.name)
def test_examples_print_what_the_page_says(page: Path) -> None:
    assert examples.renewed(page) == page.read_text(encoding="utf-8")


def test_every_page_has_been_found() -> None:
    assert {"README.md", "design.md"} <= {page.name for page in examples.pages()}


@pytest.mark.parametrize("page", examples.pages(), ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in examples.re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"
