"""A run as files for external tools: `netsim.trace`, and a summary of the files that it has written."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from netsim.errors import ScenarioError, check_type, path_of
from netsim.export.pcap import CAPTURE, Capture
from netsim.export.perfetto_trace import TRACE, perfetto_trace
from netsim.export.whole_file import check_place
from netsim.scenario import Scenario
from netsim.units import format_time
from netsim.watch.driving import look_at, window
from netsim.watch.watcher import Watcher


@dataclass(frozen=True)
class Traced:
    """The files of a run from `since` until `until` (ps): `frames` frames and `spans` spans in the file `perfetto`, the
    frames on wires in `pcap` (None: not requested). Frames under way at either end count."""

    label: str
    since: int
    until: int
    perfetto: Path | None = None
    pcap: Path | None = None
    frames: int = 0
    spans: int = 0

    def __str__(self) -> str:
        lines = [f"{self.label} from {format_time(self.since)} for {format_time(self.until - self.since)}"]
        if self.perfetto is not None:
            what = f"{self.frames} frames, {self.spans} spans"
            lines.append(f"{self.perfetto}: {what}; open it at https://ui.perfetto.dev")
        if self.pcap is not None:
            lines.append(f"{self.pcap}: {self.pcap.stat().st_size} bytes; open it with Wireshark or tshark")
        return "\n".join(lines)


def trace(
    scenario: Scenario,
    *,
    perfetto: str | Path | None = None,
    pcap: str | Path | None = None,
    wires: Sequence[str] | None = None,
    start: str | int = "0 s",
    duration: str | int = "20 ms",
    seed: int = 1,
    force: bool = False,
) -> Traced:
    """Write the events of the first iteration of `scenario` from `start` on, for `duration` (texts with a unit, or
    numbers of ps).

    The file `perfetto` gets the timeline of resources and frames, for the Perfetto UI. The file `pcap` gets the frames
    on `wires`, which are named as in the accounts (None: all frames that hosts send; netsim.export.pcap.Capture).

    Files appear complete or not at all. They replace earlier traces and captures of netsim, but other files or devices
    only with `force`. Memory does not grow with their size. Raises ScenarioError for a wrong argument,
    ConservationError if something is missing.
    """
    since, until = window(scenario, start, duration, seed)
    files = _checked(perfetto, pcap, wires, force)
    with ExitStack() as stack:
        watchers: list[Watcher] = []
        timeline = stack.enter_context(perfetto_trace(files["perfetto"], force=force)) if "perfetto" in files else None
        if timeline is not None:
            watchers.append(timeline)
        if "pcap" in files:
            watchers.append(stack.enter_context(Capture(files["pcap"], wires, since=since, force=force)))
        look_at(scenario, watchers, since, until, seed)
    counts = {} if timeline is None else {"frames": timeline.frames, "spans": timeline.spans}
    return Traced(scenario.label, since, until, files.get("perfetto"), files.get("pcap"), **counts)


def _checked(
    perfetto: str | Path | None, pcap: str | Path | None, wires: Sequence[str] | None, force: bool
) -> dict[str, Path]:
    """The requested files. Raises ScenarioError if they can't be written."""
    asked = {"perfetto": perfetto, "pcap": pcap}
    files = {name: path_of(name, path) for name, path in asked.items() if path is not None}
    check_type("wires", wires, (list, tuple, type(None)), "a list of names")
    if not files:
        raise ScenarioError("no file to write to; allowed: perfetto, pcap, or both")
    if wires is not None and pcap is None:
        raise ScenarioError("only a capture has wires", address="wires")
    for name, path in files.items():
        check_place(path, name, {"perfetto": TRACE, "pcap": CAPTURE}[name], force=force)
    if len({path.resolve() for path in files.values()}) < len(files):
        raise ScenarioError(f'"{pcap}" is the file for perfetto; allowed: another one', address="pcap")
    return files
