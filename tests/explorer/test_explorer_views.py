"""The drawings: both closed forms on one axis, a frame's path in order, three frames."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import netsim as ns
from netsim.errors import ScenarioError
from netsim.explorer import allowed, frames, ready, steps
from netsim.explorer.page import PARTS, Page
from netsim.workload import TOOLS

NOW = ready.first()
WAY = [
    "sender processors", "sender bus", "sender nic 0 transmitter", "wire to receiver", "receiver bus",
    "receiver processors", "wire to sender", "receiver nic 0 transmitter",
]  # fmt: skip


def example(name: str) -> ns.Scenario:
    return ns.load(ready.examples_path() / f"{name}.toml")


def test_both_stand_on_one_logarithmic_axis() -> None:
    now = NOW.replace("receiver.processors.clock", "100 MHz")
    other = NOW.replace("receiver.processors.clock", "200 MHz")
    found = allowed.side_by_side(now.bounds(), other.bounds())
    (row,) = [row for row in found.rows if row.name == "receiver processors"]
    assert row.now is not None
    assert row.what_if is not None
    assert row.what_if.rate == pytest.approx(2 * row.now.rate, rel=0.3)
    assert row.now.limits
    assert not row.what_if.limits
    assert row.now.place < row.what_if.place
    assert row.difference.startswith("+")
    places = [place for _, place in found.ticks]
    assert places == sorted(places)
    assert [row.what_if.rate for row in found.rows if row.what_if] == sorted(
        row.what_if.rate for row in found.rows if row.what_if
    )


def test_what_is_there_only_once_has_one_side() -> None:
    found = allowed.side_by_side(NOW.bounds(), NOW.replace("segment", "100base-tx-hub").bounds())
    sides = {row.name: (row.now is not None, row.what_if is not None) for row in found.rows}
    assert sides["wire to receiver"] == (True, False)
    assert sides["wire segment"] == (False, True)


def test_a_way_leads_from_process_to_process() -> None:
    found = steps.of_bounds(NOW.bounds())
    assert sorted(one.name for one in found) == sorted(WAY)
    assert [one.name for one in found][:6] == WAY[:6]
    assert [one.share for one in found if one.limits] == [1.0]


def test_a_way_through_a_simulation_is_the_result() -> None:
    result = ns.simulate(NOW, precision=0.2, limit="50 ms")
    found = steps.of_result(result, NOW.bounds())
    assert [one.name.replace("processor 0", "processors") for one in found][:6] == WAY[:6]
    for one in found:
        assert one.share == pytest.approx(result.utilisation[one.name])  # type: ignore[index]
        if one.parts:
            assert sum(part for _, part in one.parts) <= one.share + 1e-9


def test_three_large_frames_are_drawn_in_the_colours_of_the_page() -> None:
    told: list[float] = []
    found = frames.drawn(NOW, told.append)
    assert found.words.count("1518 bytes") == 3
    for picture in (found.wide, found.narrow):
        assert picture.startswith("<svg")
        assert 'role="img"' in picture
        assert "var(--series-3)" in picture
        assert "#0" not in picture
    assert told == [0.5]


@pytest.mark.parametrize(("name", "message"), [
    ("requests", "no frame goes from host to host"), ("pcie-slot", "dma computes many frames at once"),
])  # fmt: skip
def test_a_test_without_frames_says_so(name: str, message: str) -> None:
    with pytest.raises(ScenarioError, match=message):
        frames.drawn(example(name), lambda _: None)


@pytest.mark.parametrize("tool", TOOLS)
def test_every_tool_has_a_page(tool: str) -> None:
    page = Page(NOW)
    assert page.do("choose", "tool", tool) == ""
    made = page.parts()
    assert [*made] == [*PARTS]
    assert f'tool = "{tool}"'.replace('"', "&#34;") in made["text"]
    assert page.said().startswith("At most ")


def test_what_a_user_writes_is_never_markup() -> None:
    page = Page(NOW)
    page.do("set", "mtu", '"><script>alert(1)</script>')
    page.do("search", "words", "</input><script>")
    assert "<script>" not in "".join(page.parts().values())


def test_a_page_reads_and_writes_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A catalogue name is not a file name."""
    (tmp_path / "own.toml").write_text('rate = "1 Mbit/s"\n')
    monkeypatch.chdir(tmp_path)
    page = Page(NOW)
    for name in ("own", "./own", str(tmp_path / "own"), "../../../etc/passwd"):
        page.do("choose", "link", name)
        assert "nothing in links is called" in page.state.refused["link"].problem
    assert [one.name for one in tmp_path.iterdir()] == ["own.toml"]


ODD = ["", "none", "0", "-1", "1e400", "nan", "9" * 5000, "é☃", "\x00", "1/3", "10 us", "host", "x.y", " 5 "]


@pytest.mark.parametrize("name", ["p166", "netbench", "pcie-slot"])
def test_whatever_is_written_anywhere_there_is_a_page(name: str) -> None:
    """And it shows a scenario that has bounds."""
    page, draw = Page(example(name)), random.Random(name)
    for _ in range(12):
        address = draw.choice([*page.state.what_if.leaves, "", "nics..0", "tool"])
        page.do(draw.choice(["set", "choose", "move", "more", "fewer", "as-now", "undo"]), address, draw.choice(ODD))
        assert page.said().startswith("At most ")
    assert [*page.parts()] == [*PARTS]
    assert page.state.what_if.bounds == page.state.scenario.bounds()
