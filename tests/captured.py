"""Runs of all tools with their wires captured, until all work that was begun is finished."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from struct import Struct
from typing import Any, NamedTuple

import netsim as ns
from netsim.export.pcap import WHOLE, Capture
from netsim.scenario import Scenario
from netsim.stack import EspSpec, NcpRequest, NcpWorkstation, TcpSocket
from netsim.units import MS, S
from netsim.watch.watching import Watching
from tests.on_servers import net_bench

LINUX = ns.host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"])
FREESWAN = LINUX.replace("system.ipsec", "freeswan-1.97")
WINDOWS = ns.host("piii-600", system="windows-2000", nics=["pro100s/e100bnt5"])
ESP = "3des-cbc/hmac-sha-1-96"
TUNNEL = EspSpec.from_name(ESP).replace("mode", "tunnel")
WORKSTATIONS = ("3c509/3c509-odi", "at1500/at1500-odi", "ne2000/ne2000-odi")
SIZES = (1, 1448, 4096, 40_000)  # of NetPIPE's messages


def netperf(test: str = "TCP_STREAM", **changes: Any) -> ns.Netperf:
    given = {"sender": LINUX, "receiver": LINUX, **changes}
    return ns.Netperf(test=test, **given)


def udp(**changes: Any) -> ns.Netperf:
    return netperf("UDP_STREAM", message=8192, send_buffer=32768, receive_buffer=32768, **changes)


def chariot(**changes: Any) -> ns.Chariot:
    """A server with a bond of two ports, and two clients."""
    server = ns.host("ml530", system="windows-2000", nics=["pro100s/e100bnt5"] * 2, bond="intel-ans-nt5")
    given = {"server": server, "clients": [WINDOWS, WINDOWS], "switch": "summit48", "flow": "bidirectional", **changes}
    return ns.Chariot(**given)


def perform3() -> ns.Perform3:
    return ns.Perform3(
        server=ns.netware_host("compaq-cp3301", system="netware-3.11", nics=["plx-sonic/plx-sonic-lan"]),
        workstations=[ns.netware_host("ast-premium-5", system="netx-3", nics=[nic]) for nic in WORKSTATIONS],
        file_sizes=(2500,),
    )


TOOLS: dict[str, tuple[Scenario, int]] = {  # and for how long new work is begun (ps)
    "TCP_STREAM": (netperf(), 8 * MS),
    "UDP_STREAM": (udp(), 8 * MS),
    "UDP_STREAM, IPsec": (udp(ipsec=TUNNEL, **dict.fromkeys(("sender", "receiver"), FREESWAN)), 20 * MS),
    "NPtcp": (ns.NetPipe(sender=LINUX, receiver=LINUX, sizes=SIZES), 0),
    "NPmpi": (ns.NetPipe(sender=LINUX, receiver=LINUX, sizes=SIZES, mpi="mpich-1.2.1"), 0),
    "Chariot": (chariot(), 8 * MS),
    "Chariot, IPsec": (chariot(ipsec=ESP), 8 * MS),
    "PERFORM3": (perform3(), 60 * MS),
    "NetBench": (net_bench(), 20 * MS),
}
TCP = ["TCP_STREAM", "NPtcp", "NPmpi", "Chariot"]


def captured(
    test: Scenario,
    path: Path,
    until: int,
    wires: Sequence[str] | None = None,
    snaplen: int = WHOLE,
    watchers: Sequence[Any] = (),
) -> Any:
    """The run, audited, when all work begun before `until` (ps) is finished."""
    with Capture(path, wires, snaplen=snaplen) as capture:
        run: Any = test.build(_Ending(1, [*watchers, capture]))
        if isinstance(test, ns.NetPipe):
            _round_trips(run, test.sizes)
        else:
            run.start()
            run.env.run(until)
            _stop(run)
        run.env.run(run.env.now + S)
    run.audit()
    return run


def _round_trips(run: Any, sizes: Sequence[int]) -> None:
    """One round trip of each size."""
    left = iter(sizes)

    def following() -> None:
        size = next(left, None)
        if size is not None:
            run.round_trip(size, following)

    following()


def _stop(run: Any) -> None:
    """Stops the start of new work; each of Chariot's pairs may begin one more file."""
    run._send = lambda: None  # netperf's
    if hasattr(run, "_writer"):  # of its streams
        run._writer._again = lambda: None
    for pair in getattr(run, "pairs", ()):
        _end_with_confirmation(pair.out)
    for one in getattr(run, "workstations", ()):
        one.asks = False


def _end_with_confirmation(out: TcpSocket) -> None:
    """Makes the current file the last: nothing is sent once the sending end begins to read its confirmation."""
    receive = out.receive

    def confirmation(nbytes: int, then: Callable[[int], None]) -> None:
        out.send = lambda nbytes, then: None
        receive(nbytes, then)

    out.receive = confirmation


class _Ending(Watching):
    """An environment whose workstations can be told to send no more requests."""

    def part(self, kind: type[Any]) -> type[Any]:
        part = super().part(kind)
        return _ending(part) if kind is NcpWorkstation else part


def _ending(part: type[Any]) -> type[Any]:
    class EndingWorkstation(part):
        asks = True

        def ask(self, request: NcpRequest, then: Callable[[], None]) -> None:
            if self.asks:
                super().ask(request, then)

    return EndingWorkstation


class Record(NamedTuple):
    """A record of a file: time (ns), bytes on the wire, and the captured bytes."""

    time: int
    size: int
    data: bytes


def records(path: Path) -> Iterator[Record]:
    """The records of a file, read according to the format's own description (libpcap: pcap-savefile(5))."""
    content = path.read_bytes()
    header = Struct("<IIII")
    at = 24
    while at < len(content):
        seconds, ns, taken, size = header.unpack_from(content, at)
        at += header.size
        yield Record(seconds * 10**9 + ns, size, content[at : at + taken])
        at += taken
    assert at == len(content)
