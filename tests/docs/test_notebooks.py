"""The committed notebooks: run from top to bottom, with their outputs, and without traces of the machine.
`make notebooks` runs them."""

import json
import re
from html import unescape
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
# Paths on a particular machine, times, and addresses that differ each time.
MACHINE = re.compile(r"/(?:home|root|Users|work|tmp|usr|opt|var)/|[A-Z]:\\\\|0x[0-9a-f]{8,}|Wall time|CPU times")
LARGEST = 1_000_000  # bytes


@pytest.fixture(scope="module", params=NOTEBOOKS, ids=lambda path: path.stem)
def notebook(request):
    return json.loads(request.param.read_text(encoding="utf-8")) | {"path": request.param}


def code(notebook):
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def outputs(notebook):
    return [output for cell in code(notebook) for output in cell["outputs"]]


def test_there_are_notebooks():
    assert [path.name[:2] for path in NOTEBOOKS][:4] == ["01", "02", "03", "04"]


def test_it_begins_with_a_heading(notebook):
    first = notebook["cells"][0]
    assert first["cell_type"] == "markdown"
    assert re.match(r"# \S", "".join(first["source"]))


def test_it_was_run_from_top_to_bottom(notebook):
    assert [cell["execution_count"] for cell in code(notebook)] == list(range(1, len(code(notebook)) + 1))


def test_it_has_outputs_and_no_errors(notebook):
    kinds = [output["output_type"] for output in outputs(notebook)]
    assert len(kinds) >= 3
    assert "error" not in kinds
    assert not [output for output in outputs(notebook) if output.get("name") == "stderr"]
    assert pictures(notebook)


def test_it_is_the_same_on_every_machine(notebook):
    """No paths, addresses or times; no ids of widgets, which notebooks/renew.py leaves out."""
    texts = [text for output in outputs(notebook) for text in _texts(output)]
    assert not [text for text in texts if MACHINE.search(text)]
    assert not [output for output in outputs(notebook) if any("widget" in kind for kind in output.get("data", {}))]
    assert {*notebook["metadata"]} <= {"kernelspec", "language_info"}
    assert notebook["metadata"]["kernelspec"]["name"] == "python3"
    assert not any(cell["metadata"].get("execution") for cell in notebook["cells"])


def _texts(output):
    """Its texts, without pictures' data."""
    shown = output.get("data", {}).values()
    texts = ["".join(text) for text in (output.get("text", ""), *shown) if isinstance(text, str | list)]
    return [re.sub(r"base64,[\w+/=]+", "", text) for text in texts]


def pictures(notebook):
    """The img elements in the outputs."""
    shown = "".join("".join(output.get("data", {}).get("text/html", "")) for output in outputs(notebook))
    return re.findall(r"<img [^>]*>", shown)


def test_every_picture_says_what_it_shows(notebook):
    """None is shown without a description (netsim.show.described), and no two share one."""
    assert not [kind for output in outputs(notebook) for kind in output.get("data", {}) if kind.startswith("image/")]
    words = [re.findall(r' alt="([^"]*)"', one) for one in pictures(notebook)]
    assert all(len(one) == 1 and len(one[0]) > 40 for one in words), words
    assert len({one for (one,) in words}) == len(words)


def test_the_words_reach_a_page(notebook):
    """As nbconvert writes it."""
    exporters = pytest.importorskip("nbconvert.exporters", reason="needs jupyter")
    nbformat = pytest.importorskip("nbformat", reason="needs jupyter")
    if notebook["path"].name[:2] not in ("01", "12"):  # a drawing by matplotlib, and one from the page
        pytest.skip("one of each kind is enough")
    text, _ = exporters.HTMLExporter().from_notebook_node(nbformat.read(notebook["path"], as_version=4))
    written = {unescape(alt) for alt in re.findall(r'<img[^>]* alt="([^"]*)"', text)}
    assert {unescape(re.findall(r' alt="([^"]*)"', one)[0]) for one in pictures(notebook)} <= written
    assert "No description has been provided" not in text


def test_it_needs_no_network(notebook):
    source = "".join(line for cell in code(notebook) for line in cell["source"])
    assert not re.search(r"https?://|^\s*(import|from) (urllib|requests)|^\s*[!%]", source, re.MULTILINE)


def test_links_lead_to_files(notebook):
    words = "".join(line for cell in notebook["cells"] if cell["cell_type"] == "markdown" for line in cell["source"])
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", words):
        assert (FOLDER / target).exists(), target


def test_it_is_not_large(notebook):
    assert notebook["path"].stat().st_size < LARGEST
