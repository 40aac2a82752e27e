"""However a file is truncated or corrupted, the rest is used, the file is named, and nothing raises."""

from __future__ import annotations

import contextlib
import re
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from netsim.errors import ScenarioError
from netsim.own_machine import ImportedMachine, import_machine
from netsim.own_machine.advice import bounds_of
from netsim.own_machine.faults import findings
from netsim.own_machine.machine_file import machine_toml
from netsim.own_machine.stream_host import stream_host
from netsim.own_machine.stream_test import stream_test
from netsim.show import machine_view
from netsim.spec.tree import values
from tests.machines import MACHINES, NAMES, copied

FILES = [(name, file.name) for name in NAMES for file in sorted((MACHINES / name).iterdir())]


def _checked(folder: Path) -> None:
    """The result is a machine that can be shown, judged, written and read back."""
    found = import_machine(folder)
    machine = found.machine
    assert ImportedMachine.from_toml(machine_toml(machine)) == machine
    assert all(one.lowest > 0 for one in bounds_of(machine))
    assert all(one.where and one.why and one.remedy for one in findings(machine))
    "\n".join(machine_view.import_lines(found, [])).encode()
    for name in values(machine.adapters):
        with contextlib.suppress(ScenarioError):
            stream_host(machine, name)  # built, or refused in one line
    for one in found.unread:
        assert one.line <= len((folder / one.file).read_bytes().split(b"\n")) if one.line else True


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(FILES), st.data())
def test_a_file_cut_anywhere(file: tuple[str, str], data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = copied(file[0], Path(folder)) / file[1]
        content = place.read_bytes()
        first, last = sorted(data.draw(st.tuples(*[st.integers(0, len(content))] * 2)))
        place.write_bytes(content[first:last])
        _checked(place.parent)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(FILES), st.data())
def test_other_bytes_anywhere(file: tuple[str, str], data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = copied(file[0], Path(folder)) / file[1]
        content = place.read_bytes()
        at = data.draw(st.integers(0, len(content)))
        likely = st.text("0123456789-:.x\n\"{}[]", max_size=20).map(str.encode)
        put = data.draw(st.one_of(st.binary(max_size=20), likely))
        place.write_bytes(content[:at] + put + content[at + len(put) :])
        _checked(place.parent)


@settings(max_examples=15, deadline=None)
@given(st.data())
def test_any_run_is_a_test_or_one_line(data: st.DataObject) -> None:
    """A run of iperf3 with other numbers."""
    name = "server-mlx5"
    with tempfile.TemporaryDirectory() as folder:
        place = copied(name, Path(folder))
        (file,) = place.glob("iperf3-*.json")
        numbers = [*re.finditer(r"(?<=:\t)[\d.]+", file.read_text())]
        at = data.draw(st.sampled_from(numbers))
        put = data.draw(st.one_of(st.integers(-1, 2**70), st.floats(allow_nan=False, allow_infinity=False)))
        file.write_text(f"{at.string[: at.start()]}{put}{at.string[at.end() :]}")
        with contextlib.suppress(ScenarioError):
            stream_test(import_machine(place).machine, "enp129s0np0")


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(FILES), st.sampled_from(["utf-16", "utf-32", "cp037"]))
def test_a_wrong_encoding_is_named(file: tuple[str, str], encoding: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = copied(file[0], Path(folder)) / file[1]
        place.write_bytes(place.read_text(encoding="utf-8").encode(encoding, errors="replace"))
        _checked(place.parent)
        assert file[1] in {one.file for one in import_machine(place.parent).unread}
