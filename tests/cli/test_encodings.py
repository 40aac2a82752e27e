"""Every command prints on a terminal with only ASCII, or Windows' cp1252, whatever characters names and titles have."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from netsim import catalog
from netsim.cli import main
from netsim.cli.shown import encodable
from tests.machines import MACHINES

SHORT = ["--precision", "0.5", "--limit", "2 ms", "--warm-up", "100 us"]
SCENARIO = """\
tool = "netperf"
test = "TCP_STREAM"
sender = { model = "příklad", system = "linux-2.2.16", nics = "3c905b/3c59x" }
receiver = { model = "p166", system = "linux-2.2.16", nics = "3c905b/3c59x" }

[sweep]
precision = 0.5
limit = "5 ms"
warm_up = "50 us"
sample = "50 us"

[sweep.grid]
sender = ["příklad", "p166"]
"""
LINES: dict[str, list[list[str]]] = {
    "list": [["hosts"], ["nics"], []],
    "show": [["hosts/příklad"], ["nics/3c905b"]],
    "run": [["ž.toml", *SHORT], ["ž.toml", *SHORT, "--json"]],
    "compare": [["ž.toml", "ů.toml", *SHORT]],
    "bounds": [["ž.toml"]],
    "explore": [["--port", "-1", "ž.toml"]],
    "sweep": [["ž.toml", "--store", "ř.db", "--jobs", "1"]],
    "results": [["ř.db"], ["ř.db", "--csv", "č.csv"]],
    "trace": [["ž.toml", "--for", "1 ms", "--pcap", "ň.pcap"]],
    "import": [["--script"], [str(MACHINES / "board-arm")]],
    "advise": [[str(MACHINES / "board-arm")]],
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """With a catalogue whose host has all kinds of characters in its name, title and reasons."""
    models = tmp_path / "models"
    (models / "hosts").mkdir(parents=True)
    text = (catalog.models_path() / "hosts" / "piii-600.toml").read_text(encoding="utf-8")
    assert 'title = "' in text
    text = text.replace('title = "', 'title = "Žluťoučký ± 5 µs → ☃ \U0001f600 ', 1)
    (models / "hosts" / "příklad.toml").write_text(text, encoding="utf-8")
    for name in ("ž.toml", "ů.toml"):
        (tmp_path / name).write_text(SCENARIO, encoding="utf-8")
    monkeypatch.setenv("NETSIM_MODELS", str(models))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_all_commands_are_here(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    assert {*LINES} == {*re.findall(r"^    (\w+) ", capsys.readouterr().out, re.MULTILINE)}


@pytest.mark.parametrize(
    ("text", "encoding", "expected"),
    [
        ("± 5 µs → ☃", "ascii", r"+/- 5 us -> \u2603"),
        ("± 5 µs → ☃", "cp1252", r"± 5 µs -> \u2603"),
        ("± 5 μs → ☃", "utf-8", "± 5 μs → ☃"),
        ("a\udcffb", "utf-8", r"a\udcffb"),  # a file name that is not UTF-8
        ("\U0001f600ň", "latin-1", r"\U0001f600\u0148"),
    ],
)
def test_a_sign_that_an_encoding_has_not_is_a_plain_one_or_its_number(text: str, encoding: str, expected: str) -> None:
    assert encodable(text, encoding) == expected


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_no_sign_is_too_much(folder: Path, encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also in error messages: the usual exit code, and no error from the stream, as strict as Windows' and C's."""
    said = b""
    for command, lines in LINES.items():
        for words in lines:
            out, err = (io.TextIOWrapper(io.BytesIO(), encoding=encoding, write_through=True) for _ in range(2))
            monkeypatch.setattr(sys, "stdout", out)
            monkeypatch.setattr(sys, "stderr", err)
            code = main([command, *words])
            assert code == (2 if command == "explore" else 0), (command, words, err.buffer.getvalue())  # type: ignore[attr-defined]
            said += out.buffer.getvalue()  # type: ignore[attr-defined]
    monkeypatch.undo()
    assert rb"\u2603" in said
    assert ("± 5 µs" if encoding == "cp1252" else "+/- 5 us").encode(encoding) in said
