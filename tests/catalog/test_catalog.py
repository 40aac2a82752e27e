"""The catalogue: names, inheritance, provenance, and files that are rejected by name and key."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

import pytest
from pydantic import Field

import netsim
from netsim import catalog
from netsim.catalog import UNSOURCED, Provenance
from netsim.errors import ScenarioError
from netsim.spec import SET_BY_USER, Spec
from netsim.units import Bytes, Count, Frequency, PositiveTime

FILES = {
    "nics/tulip.toml": """
title = "DEC 21140"
about = "A card."
fifo = { value = "2 KiB", kind = "documented", source = "data sheet", confidence = "high" }
clocks = [{ value = 1, kind = "standard" }, 2]
[driver]
ring = { value = 16, kind = "documented", source = "tulip.c" }
copybreak = 100
[moderation]
policy = "gap"
gap = { value = "5 us", kind = "fitted", rows = ["a/b", "a/c"], sd = 0.5 }
""",
    "nics/pnic.toml": """
base = "tulip"
title = "Lite-On PNIC"
fifo = "1 KiB"
[driver]
ring = { value = 32, kind = "assumed", reason = "a guess" }
""",
    "nics/pnic-2.0.toml": """
base = "pnic"
without = ["moderation"]
[driver]
copybreak = 200
[moderation]
policy = "none"
""",
    "nics/typo.toml": 'fifo = 5\ndriver.rng = 3\nclocks = []\nmoderation.policy = "none"\n',
    "nics/wrong.toml": 'base = "tulip"\nfifo = "5 Hz"\n',
    "nics/source.toml": 'base = "tulip"\nfifo = { value = 5, kind = "guessed" }\n',
    "nics/heir.toml": 'base = "wrong"\n',
    "nics/orphan.toml": 'base = "tulp"\n',
    "nics/loop-a.toml": 'base = "loop-b"\n',
    "nics/loop-b.toml": 'base = "loop-a"\n',
    "nics/broken.toml": "fifo = = 5\n",
    "nics/stray.toml": 'base = "buss/tulip"\n',
    "buses/pci-32-33.toml": 'clock = { value = "100/3 MHz", kind = "standard", source = "PCI 2.2" }\n',
    "buses/tulip.toml": "clock = 5\n",
    "hosts/mixed.toml": """
bus = "pci-32-33"
nics = ["3c905b/3c59x", "1000base-sx"]
disks = []
clock = "166 MHz"
third = "100/3 MHz"
fast = true
chip = { size = 5, name = "2xpii-400", rate = "1.5e3 bit/s" }
""",
    "README.md": "no category",
}


class Gap(Spec):
    policy: Literal["gap"] = "gap"
    gap: PositiveTime


class Off(Spec):
    policy: Literal["none"] = "none"


class Driver(Spec):
    ring: Count
    copybreak: Bytes = 0


class Bus(Spec):
    catalogue: ClassVar[str] = "buses"

    clock: Frequency


class Nic(Spec):
    catalogue: ClassVar[str] = "nics"

    fifo: Bytes
    clocks: tuple[Count, ...]
    driver: Driver
    moderation: Annotated[Gap | Off, Field(discriminator="policy")]


class Installed(Nic):
    bus: Bus

    @classmethod
    def from_name(cls, name: str) -> Self:
        card, _, bus = name.partition("@")
        return cls.from_catalog("nics", card, bus=bus)


@pytest.fixture(autouse=True)
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A separate models/ for these tests."""
    for name, content in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content, encoding="utf-8")
    monkeypatch.setattr("netsim.catalog.models.models_path", lambda: tmp_path)
    return tmp_path


def test_categories_and_names() -> None:
    assert catalog.categories() == ["buses", "hosts", "nics"]
    assert catalog.names("buses") == ["pci-32-33", "tulip"]
    assert "pnic-2.0" in catalog.names("nics")


def test_load_is_the_file_as_it_stands_without_its_notes() -> None:
    raw = catalog.load("nics", "tulip")
    assert set(raw) == {"fifo", "clocks", "driver", "moderation"}
    assert raw["driver"]["ring"] == {"value": 16, "kind": "documented", "source": "tulip.c"}
    assert catalog.notes("nics", "tulip") == {"title": "DEC 21140", "about": "A card."}
    assert catalog.notes("nics", "wrong") == {"title": "", "about": ""}


def test_a_file_lies_over_its_base() -> None:
    raw = catalog.load("nics", "pnic-2.0")
    assert raw["fifo"] == "1 KiB"
    assert raw["driver"] == {"ring": {"value": 32, "kind": "assumed", "reason": "a guess"}, "copybreak": 200}
    assert raw["moderation"] == {"policy": "none"}
    assert Nic.from_name("pnic-2.0").moderation == Off()


def test_a_base_may_be_of_another_category(models: Path) -> None:
    """If only a part of it is needed. The base's own base is of its own category."""
    heir = 'base = "nics/pnic-2.0"\nwithout = ["driver", "clocks", "moderation"]\nclock = 7\n'
    (models / "buses/pnic.toml").write_text(heir)
    assert catalog.load("buses", "pnic") == {"fifo": "1 KiB", "clock": 7}


def test_what_is_loaded_may_be_changed() -> None:
    catalog.load("nics", "tulip")["driver"]["ring"]["value"] = 99
    catalog.load("nics", "tulip")["clocks"].clear()
    assert Nic.from_name("tulip").driver.ring == 16
    assert Nic.from_name("tulip").clocks == (1, 2)


def test_what_is_read_may_be_changed() -> None:
    data, sources = catalog.read("nics", "tulip")
    data["driver"]["ring"] = 99
    data["clocks"].clear()
    sources.clear()
    assert Nic.from_name("tulip").driver.ring == 16
    assert Nic.from_name("tulip").clocks == (1, 2)
    assert Nic.from_name("tulip").provenance()["driver.ring"].source == "tulip.c"


def test_a_changed_file_is_read_again(models: Path) -> None:
    assert Bus.from_name("pci-32-33").clock == 33_333_333
    file = models / "buses/pci-32-33.toml"
    file.write_text('clock = "66 MHz"')
    assert Bus.from_name("pci-32-33").clock == 66_000_000
    file.unlink()
    with pytest.raises(ScenarioError, match=r'^nothing in buses is called "pci-32-33"; allowed: tulip$'):
        Bus.from_name("pci-32-33")


def test_a_changed_base_is_read_again(models: Path) -> None:
    assert Nic.from_name("pnic").moderation == Gap(gap="5 us")
    file = models / "nics/tulip.toml"
    file.write_text(file.read_text().replace('"5 us"', '"50 us"'))
    assert Nic.from_name("pnic").moderation == Gap(gap="50 us")


def test_an_overlay_holds_for_heirs_and_no_longer_than_it_is_in_force() -> None:
    found = [Nic.from_name("pnic").moderation]
    for gap in ("6 us", "7 us"):
        with catalog.overlay({("nics", "tulip"): {"moderation.gap": gap}}):
            found += [Nic.from_name("pnic").moderation, Nic.from_name("pnic").moderation]
    found.append(Nic.from_name("pnic").moderation)
    assert found == [Gap(gap=f"{gap} us") for gap in (5, 6, 6, 7, 7, 5)]


@pytest.mark.parametrize("file", ["nics/tulip", "pnic", ("nics", "tulip")])
def test_an_overlay_takes_a_file_as_text_too(file: Any) -> None:
    with catalog.overlay({file: {"moderation.gap": "6 us"}}):
        assert Nic.from_name("pnic").moderation == Gap(gap="6 us")


def test_an_overlay_names_a_file_in_two_ways() -> None:
    both: Any = {"nics/tulip": {"moderation.gap": "6 us"}, ("nics", "tulip"): {"fifo": "1 KiB"}}
    with catalog.overlay(both):
        assert (Nic.from_name("pnic").moderation, Nic.from_name("tulip").fifo) == (Gap(gap="6 us"), 1024)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"nics/tulp": {}}, 'nothing in nics is called "tulp" (did you mean "tulip"?)'),
        ({"nic/tulip": {}}, 'nothing is called "nic/tulip" (did you mean "nics/tulip"?)'),
        ({("nics", "tulp"): {}}, 'nothing in nics is called "tulp" (did you mean "tulip"?)'),
        ({("nic", "tulip"): {}}, 'no category of models is called "nic" (did you mean "nics"?)'),
        ({("nics",): {}}, '["nics"] is not a file of models; allowed: such as {"drivers/3c59x": {"rx_cycles": 5000}}'),
        ({"nics/tulip": 5}, "nics/tulip: 5 is not allowed; allowed: a table of addresses and values, as in "),
        (["nics/tulip"], 'values: ["nics/tulip"] is not allowed; allowed: a table such as {"drivers/3c59x": '),
    ],
)
def test_an_overlay_of_no_file_is_refused(values: Any, message: str) -> None:
    with pytest.raises(ScenarioError) as told, catalog.overlay(values):
        pass
    assert str(told.value).startswith(message)


def test_provenance_reaches_the_spec() -> None:
    spec = Nic.from_name("pnic")
    documented = Provenance(kind="documented", source="tulip.c")
    assert spec.provenance() == {
        "fifo": UNSOURCED,
        "clocks.0": Provenance(kind="standard"),
        "clocks.1": UNSOURCED,
        "driver.ring": Provenance(kind="assumed", reason="a guess"),
        "driver.copybreak": UNSOURCED,
        "moderation.policy": UNSOURCED,
        "moderation.gap": Provenance(kind="fitted", rows=("a/b", "a/c"), sd=0.5),
    }
    assert Nic.from_name("tulip").provenance()["driver.ring"] == documented
    assert spec.replace("driver.ring", 5).provenance() == spec.provenance() | {"driver.ring": SET_BY_USER}
    assert Nic.from_toml(spec.to_toml()) == spec


def test_describe_and_unsourced() -> None:
    assert catalog.describe("nics/tulip")[:2] == [
        ("fifo", "2 KiB", Provenance(kind="documented", source="data sheet", confidence="high")),
        ("clocks.0", "1", Provenance(kind="standard")),
    ]
    assert [address for address, _, _ in catalog.describe("pnic")] == list(Nic.from_name("pnic").addresses())
    assert catalog.unsourced("nics", "tulip") == ["clocks.1", "driver.copybreak"]
    assert catalog.unsourced("buses", "pci-32-33") == []
    assert catalog.unsourced("hosts", "mixed") == ["clock", "third", "fast", "chip.size", "chip.rate"]


def test_names_of_several_files_in_one() -> None:
    spec = Installed.from_name("tulip@pci-32-33")
    assert spec.bus.clock == 33_333_333
    assert spec.provenance()["bus.clock"] == Provenance(kind="standard", source="PCI 2.2")
    assert spec.provenance()["fifo"].source == "data sheet"


def test_more_fields_lie_over_the_file() -> None:
    spec = Nic.from_catalog("nics", "tulip", fifo=5, driver=Driver(ring=1))
    assert (spec.fifo, spec.driver.ring) == (5, 1)
    assert spec.provenance()["fifo"] == SET_BY_USER
    with pytest.raises(ScenarioError, match=r'^fifo: "x" is not a size; allowed: [^(]*$'):
        Nic.from_catalog("nics", "tulip", fifo="x")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("typo", 'driver.rng: no such key (did you mean "ring"?) (in {models}/nics/typo.toml)'),
        ("wrong", 'fifo: "5 Hz" is not a size; allowed: a whole number, or a number with B, KiB, MiB, GiB '
         "(in {models}/nics/wrong.toml)"),
        ("heir", 'fifo: "5 Hz" is not a size; allowed: a whole number, or a number with B, KiB, MiB, GiB '
         "(in {models}/nics/wrong.toml)"),
        ("source", 'fifo.kind: "guessed" is not allowed; allowed: standard, documented, derived, fitted, assumed, '
         "imported (in {models}/nics/source.toml)"),
        ("orphan", 'base: nothing in nics is called "tulp" (did you mean "tulip"?) (in {models}/nics/orphan.toml)'),
        ("stray", 'base: no category of models is called "buss" (did you mean "buses"?) (in {models}/nics/stray.toml)'),
        ("loop-a", 'base: "loop-a" is based on itself (in {models}/nics/loop-b.toml)'),
        ("broken", "not valid TOML: Invalid value (at line 1, column 8) (in {models}/nics/broken.toml)"),
        ("tulpi", 'nothing in nics is called "tulpi" (did you mean "tulip"?)'),
        ("../nics/tulip", 'nothing in nics is called "../nics/tulip"; allowed: broken, heir'),
    ],
)  # fmt: skip
def test_a_rejected_file_is_named_with_the_key(models: Path, name: str, message: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        Nic.from_name(name)
    assert str(caught.value).startswith(message.format(models=models))
    assert "\n" not in str(caught.value)


def test_a_rejected_file_within_a_scenario_keeps_its_own_name(models: Path) -> None:
    class Host(Spec):
        nics: tuple[Nic, ...]

    with pytest.raises(ScenarioError) as caught:
        Host.from_toml('nics = ["tulip", "wrong"]')
    assert (caught.value.address, caught.value.file) == ("nics.1.fifo", str(models / "nics/wrong.toml"))


def test_unknown_categories_and_names() -> None:
    with pytest.raises(ScenarioError, match=r'^no category of models is called "nic" \(did you mean "nics"\?\)$'):
        catalog.names("nic")
    with pytest.raises(ScenarioError, match=r'^nothing is called "pnik" \(did you mean "pnic"\?\)$'):
        catalog.describe("pnik")
    with pytest.raises(ScenarioError, match=r'^"tulip" is ambiguous; allowed: buses/tulip, nics/tulip$'):
        catalog.describe("tulip")
    with pytest.raises(ScenarioError, match=r'^nothing in nics is called "tulpi" \(did you mean "tulip"\?\)$'):
        catalog.describe("nics/tulpi")


def test_without_a_models_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("netsim.catalog.models.models_path", lambda: tmp_path / "nowhere")
    assert catalog.categories() == []
    with pytest.raises(ScenarioError, match=r'^no category of models is called "nics"; allowed: nothing$'):
        catalog.names("nics")


def test_the_folder_is_found_from_anywhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    package = Path(netsim.__file__ or "").resolve().parent
    assert catalog.models_path() in (package / "models", package.parent / "models")


# ---- the user's own folders ----


@pytest.fixture
def own(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's folder, not registered yet."""
    monkeypatch.setenv(catalog.MODELS, "")
    folder = tmp_path_factory.mktemp("own")
    (folder / "nics").mkdir()
    (folder / "nics" / "mine.toml").write_text('base = "tulip"\ntitle = "My card"\nfifo = "3 KiB"\n')
    return folder


def test_own_models_stand_beside_the_others(own: Path) -> None:
    assert "mine" not in catalog.names("nics")
    catalog.add_models(own)
    assert {"mine", "tulip"} <= set(catalog.names("nics"))
    assert catalog.path("nics", "mine") == own / "nics" / "mine.toml"
    card = Nic.from_name("mine")
    assert (card.fifo, card.driver.ring) == (3 * 1024, 16)
    assert catalog.file_of("nics", "mine", "fifo").parent == own / "nics"
    assert catalog.file_of("nics", "mine", "driver.ring") == catalog.path("nics", "tulip")
    assert catalog.categories() == ["buses", "hosts", "nics"]


def test_a_folder_added_twice_counts_once_and_several_add_up(own: Path, tmp_path_factory) -> None:
    other = tmp_path_factory.mktemp("other")
    for folder in (own, str(own), other, own):
        catalog.add_models(folder)
    assert catalog.own_folders() == (own.resolve(), other.resolve())


def test_processes_started_later_know_them_too(own: Path) -> None:
    catalog.add_models(own)
    code = "from netsim import catalog; print(catalog.path('nics', 'mine'))"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == str(own.resolve() / "nics" / "mine.toml")


def test_a_name_that_is_taken_is_refused(own: Path, models: Path) -> None:
    (own / "nics" / "tulip.toml").write_text('base = "pnic"\n')
    catalog.add_models(own)
    with pytest.raises(ScenarioError, match=r"several files define nics/tulip: .*; allowed: one") as wrong:
        Nic.from_name("tulip")
    assert str(models) in str(wrong.value)
    assert str(own) in str(wrong.value)
    assert catalog.names("nics").count("tulip") == 1


def test_a_wrong_folder_of_models_stops_nothing_that_needs_none(tmp_path: Path) -> None:
    """The error of a command is one line, and importing netsim reads no model."""
    environment = {**os.environ, "NETSIM_MODELS": str(tmp_path / "nowhere")}
    command = [sys.executable, "-m", "netsim"]
    assert subprocess.run([*command, "--version"], env=environment, capture_output=True, check=False).returncode == 0
    listed = subprocess.run([*command, "list", "hosts"], env=environment, capture_output=True, text=True, check=False)
    assert listed.returncode == 2
    assert listed.stderr.startswith("netsim: NETSIM_MODELS: ")
    assert listed.stderr.count("\n") == 1


def test_a_folder_is_found_from_where_it_is_named(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = own.parent / "elsewhere" / own.name
    other.mkdir(parents=True)
    for folder in (own, other):
        monkeypatch.chdir(folder.parent)
        catalog.add_models(own.name)
    assert catalog.own_folders() == (own, other)


def test_folders_that_are_none_or_laid_out_otherwise_are_refused(own: Path) -> None:
    with pytest.raises(ScenarioError, match=r"^folder: .*nowhere. is not a folder"):
        catalog.add_models(own / "nowhere")
    with pytest.raises(ScenarioError, match=rf"^folder: .* has a '{os.pathsep}', which separates folders"):
        catalog.add_models(f"{own}{os.pathsep}{own}")
    (own / "nic").mkdir()
    with pytest.raises(ScenarioError, match=r'"nic" in .* is not a category of models \(did you mean "nics"\?\)'):
        catalog.add_models(own)
    assert catalog.own_folders() == ()


@pytest.mark.parametrize(
    ("about", "message"),
    [
        ({"confidence": "huge"}, 'rx_fifo.confidence: "huge" is not allowed; allowed: low, medium, high'),
        ({"range": ["a", "b"]}, 'rx_fifo.range: "a" is not allowed; allowed: a number, with its unit if the value has'),
        ({"range": ["3 KiB", "1 KiB"]}, 'rx_fifo.range: ["3 KiB", "1 KiB"] is not allowed; allowed: the lowest value,'),
    ],
)
def test_a_mistake_in_a_source_is_refused(about: dict[str, object], message: str) -> None:
    with pytest.raises(ScenarioError) as error:
        catalog.split({"rx_fifo": {"value": "2 KiB", "kind": "assumed"} | about})
    assert str(error.value).startswith(message)
