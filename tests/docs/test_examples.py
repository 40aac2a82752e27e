"""README and documentation show the examples' actual output."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

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
