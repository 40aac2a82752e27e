"""The iperf3 test over an adapter of a user's machine: as run, or one stream that the machine receives.

Nothing is known about the other end. It is assumed to be a machine like this one, without its faults.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from netsim.catalog.provenance import Provenance, Sourced
from netsim.errors import ScenarioError
from netsim.own_machine import nearest
from netsim.own_machine.faults import findings
from netsim.own_machine.finding import Subject
from netsim.own_machine.machine_spec import ImportedMachine, MeasuredFound
from netsim.own_machine.stream_host import stream_host
from netsim.stack import StreamHostSpec
from netsim.stack.stream_costs import HEADERS
from netsim.units import GIB, Exact
from netsim.workload import Iperf3

_CONGESTION = ("cubic", "reno")
_ALIKE = Provenance(kind="assumed", reason="the other end is not known: simulated like this machine, without faults")
_CABLE = Provenance(kind="assumed", reason="the network between the two ends is not known: simulated as one cable")


@dataclass(frozen=True)
class StreamTest:
    """A machine's test: its `scenario`, in which `own` ("sender", "receiver") is this machine, and the `assumed` values
    of the run."""

    scenario: Iperf3
    own: str
    assumed: tuple[str, ...]


def stream_test(machine: ImportedMachine, name: str, other: StreamHostSpec | None = None) -> StreamTest:
    """The test over the adapter of that name, to or from an `other` end (None: `other_end`). Raises ScenarioError for a
    run that can't be simulated."""
    subject = Subject(machine, name)
    measured = subject.adapter.measured
    if measured is not None:
        _check(measured)
    sends = measured is not None and measured.sends
    hosts = [_buffers(stream_host(machine, name), measured), other or other_end(machine, name)]
    sender, receiver = hosts if sends else reversed(hosts)
    test = Iperf3.model_validate({"sender": sender, "receiver": receiver, "link": _link(subject), **_keys(subject)})
    return StreamTest(test, "sender" if sends else "receiver", tuple(_notes(subject, test)))


def other_end(machine: ImportedMachine, name: str) -> StreamHostSpec:
    """The machine without its faults, all of it assumed. Raises ScenarioError."""
    mended: dict[str, object] = {}
    for one in findings(machine):
        mended |= {at: value for at, value in one.changes.items() if at.startswith((f"adapters.{name}.", "kernel."))}
    host = _buffers(stream_host(machine.replace(mended), name), Subject(machine, name).adapter.measured)
    host.remember(host.catalogue_names(), dict.fromkeys(host.provenance(), _ALIKE))
    return host


def _check(measured: MeasuredFound) -> None:
    """Raises ScenarioError for options that no stream of netsim supports."""
    for wrong, what in ((measured.protocol != "TCP", "UDP"), (measured.both_ways, "--bidir"),
                        (measured.paced, "-b or --fq-rate for TCP")):  # fmt: skip
        if wrong:
            raise ScenarioError(f"a run with {what} can't be simulated; allowed: TCP in one direction, at full speed")


def _streams(measured: MeasuredFound | None) -> int:
    """Streams with a separate thread; several of one thread count as one stream."""
    return 1 if measured is None else min(measured.streams, measured.threads or measured.streams)


def _buffers(host: StreamHostSpec, measured: MeasuredFound | None) -> StreamHostSpec:
    """A stream that represents several has the buffers of all."""
    times = measured.streams // _streams(measured) if measured else 1
    if times == 1:
        return host
    sources, more = host.own_provenance(), dict[str, object]()
    for name in ("tcp_rmem", "tcp_wmem"):
        how = Provenance(kind="derived", source=f"{sources[name].source or sources[name].reason}: times {times}")
        more[name] = Sourced(Exact(min(GIB, times * host.get(name))), how)
    return host.replace(more)


def _keys(subject: Subject) -> dict[str, object]:
    """The test's own values, as far as they are known."""
    machine, measured, found = subject.machine, subject.adapter.measured, dict[str, object]()
    sources = machine.provenance()

    def take(to: str, address: str, value: object) -> None:
        found[to] = Sourced(value, sources[address])

    take("mtu", f"{subject.part}.mtu", subject.adapter.mtu)
    congestion, at = machine.kernel.congestion_control, "kernel.congestion_control"
    if measured is not None:
        run = f"{subject.part}.measured"
        if measured.mss is not None and measured.mss + HEADERS < subject.adapter.mtu:
            take("mtu", f"{run}.mss", measured.mss + HEADERS)
        threads = measured.threads is not None and measured.threads < measured.streams
        take("streams", f"{run}.threads" if threads else f"{run}.streams", _streams(measured))
        if measured.block is not None:
            take("length", f"{run}.block", measured.get("block"))
        if measured.duration is not None:
            take("duration", f"{run}.duration", measured.get("duration"))
        congestion, at = (measured.congestion, f"{run}.congestion") if measured.congestion else (congestion, at)
    if congestion in _CONGESTION:
        take("congestion", at, congestion)
    return found


def _link(subject: Subject) -> Mapping[str, object]:
    rate = subject.adapter.get("rate")
    if rate is None:
        raise ScenarioError("the rate of its link is not known: the link is down, or not Ethernet")
    own = {"rate": Sourced(rate, Subject(subject.machine, subject.name).source("rate"))}
    return {"model": nearest.nearest_link(rate, subject.adapter.port), **own, "bit_error_rate": Sourced(0.0, _CABLE)}


def _notes(subject: Subject, test: Iperf3) -> Iterator[str]:
    """Differences from the run, and unknown values, in words."""
    machine, measured = subject.machine, subject.adapter.measured
    yield "processors take as many cycles as those of the catalogue's server, at this machine's clock"
    yield _ALIKE.reason
    yield _CABLE.reason
    if measured is None:
        yield "no run was measured: one stream that this machine receives is simulated"
    elif measured.streams > test.streams:
        yield (f"iperf3 before 3.16 has one thread for its {measured.streams} streams: they are simulated as one "
               "stream, with the buffers of all and one core for softirqs")  # fmt: skip
    congestion = measured.congestion if measured and measured.congestion else machine.kernel.congestion_control
    if congestion not in _CONGESTION:
        yield f"{congestion} is not modelled: {test.control} is simulated instead"
    if not machine.kernel.tcp_timestamps:
        yield "timestamps are off here, but simulated: 12 bytes more per segment"
    offloads = subject.adapter.offloads
    if offloads.generic_segmentation == "on" and offloads.segmentation != "on":
        yield "segmentation in software alone (GSO without TSO) is not simulated"
    if subject.adapter.rx_pause or subject.adapter.tx_pause:
        yield "pause frames are on, but not simulated: frames that would wait at the other end may be lost"
    if offloads.large_receive == "on":
        yield "LRO is simulated as GRO"
