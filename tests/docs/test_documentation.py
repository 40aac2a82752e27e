"""The documentation is complete, and its checks find mistakes."""

from __future__ import annotations

import pkgutil
import re
from importlib import util
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest

import netsim as ns
from experiments import reports
from netsim import catalog
from netsim.machine import DriverSpec
from netsim.machine.adapter import InstalledSpec
from netsim.show.keys import keys, open_keys, tables
from netsim.workload import TOOLS
from tests.house.test_import_direction import LAYERS

DOCS = Path(__file__).resolve().parents[2] / "docs"
CLI = [file.read_text(encoding="utf-8") for file in (DOCS.parent / "netsim" / "cli").glob("*.py")]
USE = "{http://www.w3.org/2000/svg}use"
ROOT = DOCS.parent
WRITTEN = [*DOCS.rglob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
PAGE = '<html><body id="here"><a href="{link}">a link</a>{more}</body></html>'


def module(name: str) -> ModuleType:
    """A module of docs/, which is not a package."""
    spec = util.spec_from_file_location(f"docs_{name}", DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    found = util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


links, directives = module("links"), module("directives")


def text(page: str) -> str:
    return (DOCS / page).read_text(encoding="utf-8")


# ---- required contents ----


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: page.name)
def test_every_picture_says_what_it_shows(page: Path) -> None:
    """In words for readers who can't see it; the same in light and dark."""
    written = page.read_text(encoding="utf-8")
    found = re.findall(r"```\{(?:image|figure)\} (\S+)\n((?::.*\n)*)", written)
    words = {path: re.findall(r"^:alt: (.+)", options, re.MULTILINE) for path, options in found}
    words |= {path: [alt] for path, alt in re.findall(r'<img src="([^"]+)" alt="([^"]*)"', written)}
    assert len(words) >= written.count("<img ") + written.count("```{image}")
    for path, alt in words.items():
        assert len("".join(alt)) > 80, path
        assert words.get(path.replace("-light", "-dark"), alt) == alt


@pytest.mark.parametrize("name", sorted({*ns.__all__} - {"__version__"}))
def test_everything_public_is_in_the_reference(name: str) -> None:
    assert re.search(rf":: netsim\.(\w+\.)?{name}\b", text("reference/api.md"))


@pytest.mark.parametrize("tool", TOOLS)
def test_every_tool_has_a_table_of_its_keys(tool: str) -> None:
    assert f'### `tool = "{tool}"`: `ns.{TOOLS[tool].__name__}`' in text("reference/files.md")
    assert f".. fields:: netsim.{TOOLS[tool].__name__}\n" in text("reference/files.md")


@pytest.mark.parametrize("command", ["", *(name for file in CLI for name in re.findall(r'add_parser\("(\w+)"', file))])
def test_every_command_shows_its_help(command: str) -> None:
    assert f"$ netsim {command} --help\n".replace("  ", " ") in text("reference/command-line.md")


def test_every_page_is_in_a_table_of_contents() -> None:
    listed = {line for line in text("index.md").splitlines() if (DOCS / f"{line}.md").is_file()}
    pages = {page.relative_to(DOCS).with_suffix("").as_posix() for page in DOCS.rglob("*.md")}
    assert listed == pages - {"index"}


@pytest.mark.parametrize("ground", ["light", "dark"])
def test_pictures_show_what_readme_prints(ground: str) -> None:
    """The journey is that of the first example; the other picture has every row."""
    shown = re.search(r"```text\n(.*?)\n```", text("../README.md"), re.DOTALL)
    assert shown is not None
    journey, scatter = text(f"pictures/journey-{ground}.svg"), text(f"pictures/scatter-{ground}.svg")
    assert shown[1].split() == "\n".join(re.findall(r"<dc:description>(.*?)</dc", journey, re.DOTALL)).split()
    rows = len(reports.rows(()))
    assert f"<dc:description>{rows} rows: errors by quantity and basis" in scatter
    picture = ElementTree.fromstring(scatter)
    marks = [picture.findall(f".//*[@id='{basis}']//{USE}") for basis in ("predicted", "chosen", "fitted")]
    assert all(marks)
    assert sum(map(len, marks)) == rows


# ---- how netsim is built ----


def test_the_picture_of_the_rooms_is_how_they_rank() -> None:
    """From below: each line from right to left, rooms of one rank with a comma or a bar between them."""
    picture = re.search(r"```text\n(users: .*?)\n```", text("design.md"), re.DOTALL)
    assert picture is not None
    lines = [line.partition(":")[2].split("->") for line in picture[1].splitlines()]
    drawn = [set(re.findall(r"\w+", rank)) for line in reversed(lines) for rank in reversed(line)]
    assert drawn == [set(layer) for layer in LAYERS]


def test_the_table_of_rooms_has_each_once() -> None:
    rows = re.findall(r"^\| (`.*?) \| ", text("design.md"), re.MULTILINE)
    assert sorted(re.findall(r"\w+", " ".join(rows))) == sorted(room for layer in LAYERS for room in layer)


def test_what_pages_name_of_netsim_is_there() -> None:
    """Modules, classes and functions by their dotted names, modules by their files."""
    dotted = {name for page in WRITTEN for name in re.findall(r"\bnetsim(?:\.\w+)+", page.read_text(encoding="utf-8"))}
    files = {name for page in WRITTEN for name in re.findall(r"`((?:\w+/)+\w+\.py)`", page.read_text(encoding="utf-8"))}
    assert {"netsim.calibration.check", "netsim.engine.transactions"} <= dotted
    assert [name for name in sorted(dotted) if not is_there(name)] == []
    assert [name for name in sorted(files) if not any((at / name).is_file() for at in (ROOT, ROOT / "netsim"))] == []


def is_there(name: str) -> bool:
    try:
        pkgutil.resolve_name(name)
    except (ImportError, AttributeError):
        return False
    return True


# ---- which driver runs which card ----


def adapters() -> list[str]:
    """The adapters of the catalogue's page."""
    return re.findall(r"`([\w-]+/[\w.-]+)`", text("reference/catalogue.md").partition("## Which system")[2])


def test_every_card_and_every_driver_is_in_some_adapter() -> None:
    cards, drivers = ({one.split("/")[part] for one in adapters()} for part in (0, 1))
    assert cards == set(catalog.names("nics"))
    assert drivers == set(catalog.names("drivers"))


@pytest.mark.parametrize("adapter", sorted(set(adapters())))
def test_an_adapter_of_the_table_is_one(adapter: str) -> None:
    assert InstalledSpec.model_validate(adapter).driver == DriverSpec.from_name(adapter.split("/")[1])


# ---- tables generated from netsim ----


def test_the_catalogue_counts_every_number() -> None:
    row = directives._model("links", "100base-tx")
    assert row[:2] == ("100base-tx", catalog.notes("links", "100base-tx")["title"])
    assert sum(int(count or 0) for count in row[2:]) == len(catalog.describe("links/100base-tx"))


@pytest.mark.parametrize(
    ("key", "kind", "default"),
    [
        ("test", '"TCP_STREAM" or "UDP_STREAM" or "TCP_RR" or "UDP_RR" or "TCP_CRR"', "required"),
        ("mtu", "an MTU, 68 B to 65535 B", "1500 B"),
        ("link", "LinkSpec: a table, or a name in links", "100base-tx"),
        ("offered", "a bit rate, above 0, up to 1000000000 Gbit/s", "none"),
        ("duration", "a time, above 0, up to 1000000 s", "60 s"),
    ],
)
def test_a_key_is_told_as_it_would_be_written(key: str, kind: str, default: str) -> None:
    assert (key, kind, default) in keys(ns.Netperf)


def test_tables_by_names_are_told_with_what_is_in_them() -> None:
    words = "a table with names of your own, each CableSpec: a table"
    assert ("links", words, "none") in keys(ns.Flows)
    kinds = [next((key.default for key in keys(one) if key.name == "kind"), "") for _, one in tables(ns.Flows)]
    assert kinds == ["", "", "", "", "", "", "stream", "datagrams", "request-response"]
    names = ["hosts", "links", "segments", "tunnels", "outages"]
    assert [name for name, _ in tables(ns.Flows)] == [
        *(f"each of {one}" for one in names), "ipsec", *["each of flows"] * 3,
    ]  # fmt: skip


def test_lists_and_parts_are_told_once_and_of_hosts_what_their_names_leave_open() -> None:
    found = dict(tables(ns.Chariot))
    assert [*found] == ["server, each of clients", "ipsec", "each of outages"]
    assert [one.name for one in open_keys(found["server, each of clients"])] == ["system", "nics", "bond", "forwards"]
    assert [one.name for one in open_keys(found["each of outages"])] == ["at", "until", "host", "port"]


# ---- links ----


@pytest.mark.parametrize(
    "link", ["b.html", "b.html#there", "#here", "picture.svg", "https://example.org/gone", "b.html?q=1"]
)
def test_links_that_lead_somewhere(tmp_path: Path, link: str) -> None:
    site(tmp_path, link)
    assert list(links.broken(tmp_path)) == []


@pytest.mark.parametrize("link", ["c.html", "b.html#nowhere", "#nowhere", "gone.svg", "../outside.html"])
def test_links_that_lead_nowhere(tmp_path: Path, link: str) -> None:
    site(tmp_path, link)
    assert list(links.broken(tmp_path)) == [f"a.html links to {link}, which is not there"]


@pytest.mark.parametrize("tag", ['<img src="{}">', '<script src="{}"></script>', '<link rel="stylesheet" href="{}">'])
def test_nothing_is_loaded_from_elsewhere(tmp_path: Path, tag: str) -> None:
    site(tmp_path, "b.html", tag.format("https://example.org/x"))
    assert list(links.broken(tmp_path)) == ["a.html loads https://example.org/x from elsewhere"]


def test_links_elsewhere_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    site(tmp_path, "https://example.org/gone")
    assert links.main(tmp_path) == 0
    assert capsys.readouterr().out == "2 pages, 1 links elsewhere, which were not followed\n"


def site(folder: Path, link: str, more: str = "") -> None:
    """Two pages and a picture."""
    (folder / "a.html").write_text(PAGE.format(link=link, more=more))
    (folder / "b.html").write_text('<p id="there">')
    (folder / "picture.svg").write_text("<svg/>")
