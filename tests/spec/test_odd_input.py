"""Depth, encodings, names, wrong types and long lists: one clear line each."""

from __future__ import annotations

import codecs
import math
import os
from pathlib import Path
from typing import Any

import pytest

import netsim as ns
from netsim.cli import main
from netsim.cli.results import _plain
from netsim.errors import ScenarioError, show
from netsim.units import parse

P166 = Path(__file__).parents[2] / "examples" / "p166.toml"
TEXT = P166.read_text()
ODD: list[Any] = [None, b"x", [], {}, -1.5, math.nan, object(), 1j, (), "\0", "x" * 300]


def line(error: pytest.ExceptionInfo[ScenarioError]) -> str:
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 1000
    return str(error.value)


@pytest.mark.parametrize("text", [
    "x = " + "[" * 900 + "]" * 900,
    "x = " + "{ a = " * 5000 + "1" + " }" * 5000,
    TEXT + "\n[sender.memory" + ".memory" * 400 + "]\na = 1\n",
])  # fmt: skip
def test_nesting(text: str, tmp_path: Path) -> None:
    (tmp_path / "deep.toml").write_text(text)
    with pytest.raises(ScenarioError, match="nested too deeply") as error:
        ns.load(tmp_path / "deep.toml")
    assert line(error).endswith("deep.toml)")
    circular: dict[str, Any] = {}
    circular["memory"] = circular
    with pytest.raises(ScenarioError, match="nested too deeply"):
        ns.Netperf("TCP_STREAM", circular, circular)


def test_encodings(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_bytes(codecs.BOM_UTF8 + TEXT.encode())
    assert ns.load(path) == ns.load(P166)
    for encoding, said in (("utf-16", "UTF-16"), ("utf-32", "UTF-32"), ("latin-1", "line 1 is not UTF-8")):
        path.write_bytes(("# \u00e9\n" + TEXT).encode(encoding))
        with pytest.raises(ScenarioError, match=said) as error:
            ns.load(path)
        assert "allowed: UTF-8" in line(error)


def test_a_file_that_is_replaced_is_read_again(tmp_path: Path) -> None:
    path, other = tmp_path / "a.toml", tmp_path / "b.toml"
    path.write_text(TEXT)
    before = ns.load(path)
    other.write_text(TEXT.replace("100base-tx", "10base-t"))
    os.utime(other, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns))
    other.replace(path)
    assert ns.load(path) != before


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: type(odd).__name__)
def test_wrong_types(odd: Any, tmp_path: Path) -> None:
    test = ns.load(P166)
    calls = [
        lambda: ns.simulate(test, precision=odd), lambda: ns.simulate(odd), lambda: ns.bounds(odd, {"mtu": [1500]}),
        lambda: ns.load(odd), lambda: ns.host(odd, system="linux-2.2.16"), lambda: test.get(odd),
        lambda: ns.trace(test, pcap=tmp_path / "a.pcap", wires=odd) if odd not in (None, [], ()) else ns.load(odd),
        lambda: ns.sensitivity(odd, {"mtu": (1000, 1500)}), lambda: ns.Netperf.from_toml(odd),
        lambda: ns.Result.from_json(odd), lambda: ns.add_models(odd if odd != "\0" else "no\0folder"),
    ]  # fmt: skip
    for call in calls:
        with pytest.raises(ns.ScenarioError) as error:
            call()
        assert line(error)


def test_precision_is_a_number() -> None:
    for odd in ("0.1", None, True):
        with pytest.raises(ScenarioError, match=r"^precision: .* is not allowed; allowed: a share, 0 to below 1$"):
            ns.simulate(ns.load(P166), precision=odd)  # type: ignore[arg-type]


def test_long_lists_and_large_files(tmp_path: Path) -> None:
    test = ns.load(P166)
    with pytest.raises(ScenarioError, match=r"^sender\.nics: 700000 are too many; allowed: up to 1000$"):
        test.replace("sender.nics", ["3c905b/3c59x"] * 700_000)
    (tmp_path / "a.toml").write_text("k = 1\n" * 200_000)
    with pytest.raises(ScenarioError, match="bytes are too many for a scenario"):
        ns.load(tmp_path / "a.toml")


def test_many_unknown_keys_are_counted_once() -> None:
    data = {f"k{number}": 1 for number in range(20_000)}
    with pytest.raises(ScenarioError, match=r"^k0: no such key; .* \(and 19999 more wrong\)$"):
        ns.Netperf(**data)


def test_what_is_missing_says_what_is_allowed(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(TEXT.replace('test = "TCP_STREAM"', ""))
    with pytest.raises(ScenarioError, match=r"^test: missing; allowed: TCP_STREAM, UDP_STREAM"):
        ns.load(tmp_path / "a.toml")


@pytest.mark.parametrize(("address", "meant"), [("sender.cpu", "sender.processors"), ("sender.ram", "sender.memory")])
def test_other_words(address: str, meant: str) -> None:
    with pytest.raises(ScenarioError, match=f'did you mean "{meant}"'):
        ns.load(P166).replace(address, 1)


def test_minutes_and_hours() -> None:
    assert parse("time", "2 min") == parse("time", "120 s")
    assert parse("time", "1.5 h") == parse("time", "5400 s")


def test_escape_sequences_are_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "nics").mkdir()
    (tmp_path / ".git").mkdir()
    title = 'title = "\\u001b]0;title\\u0007 \\u009b31m \\u202e"'
    (tmp_path / "nics" / "evil.toml").write_text(f'base = "3c905b"\n{title}\n')
    monkeypatch.setenv("NETSIM_MODELS", str(tmp_path))
    for command in (["show", "evil"], ["list", "nics"]):
        assert main(command) == 0
        printed = capsys.readouterr().out
        assert "\\x1b]0;title\\x07 \\x9b31m \\u202e" in printed
        assert printed.replace("\n", "").isprintable()


def test_no_cell_is_a_formula() -> None:
    assert [_plain(one) for one in ("=1+1", "@a", "plain", -1.5, None)] == ["'=1+1", "'@a", "plain", -1.5, None]


class Unshown:
    def __repr__(self) -> str:
        raise RuntimeError


def test_what_cannot_be_shown_is_told_by_its_type() -> None:
    assert show(Unshown()) == "a Unshown"
