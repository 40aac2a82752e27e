"""`netsim trace`: one file, or one line with the reason why not."""

import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.utils import RawPcapReader

from netsim.cli import main
from tests import traces
from tests.watched import EXAMPLES

TCP = str(EXAMPLES / "p166.toml")


def _trace(*arguments):
    return main(["trace", *map(str, arguments)])


def test_trace(tmp_path, capsys):
    path = tmp_path / "run.pftrace"
    assert _trace(TCP, "--perfetto", path, "--from", "1 ms", "--for", "2 ms", "--seed", 3, "--set", "mtu=576") == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first == "TCP_STREAM from 1 ms for 2 ms"
    tracks = traces.read(path)
    spans = sum(len(track.slices) for track in tracks.values())
    frames = sum(one.depth == 0 for track in tracks.values() if track.group == "frames" for one in track.slices)
    assert second == f"{path}: {frames} frames, {spans} spans; open it at https://ui.perfetto.dev"
    assert [one for one in tracks["wire to receiver"].slices if 1_000_000 <= one.start < one.end <= 3_000_000]
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(("arguments", "said"), [
    (["--for", "0 s"], 'netsim: --for: "0 s" is out of range for a time; allowed: above 0'),
    (["--for", "2 weeks"], "netsim: --for: "),
    (["--from", "1"], 'netsim: --from: "1" needs a unit'),
    (["--seed", "-1"], "netsim: --seed: -1 is not allowed"),
    (["--perfetto", "/no/such/folder/run"], 'netsim: --perfetto: no folder "/no/such/folder"'),
    (["--pcap", "/no/such/folder/run"], 'netsim: --pcap: no folder "/no/such/folder"'),
    (["--wire", "wire to receiver"], "netsim: --wire: only a capture has wires"),
    (["--pcap", "{}/run"], 'netsim: --pcap: "{}/run" is the file for perfetto'),
    (["--pcap", "{}/wires", "--wire", "wire to reciever"],
     'netsim: --wire: no wire is called "wire to reciever" (did you mean "wire to receiver"?)'),
    (["--set", "mtuu=576"], 'netsim: mtuu: no such address (did you mean "mtu"?)'),
])  # fmt: skip
def test_wrong(tmp_path, capsys, arguments, said):
    assert _trace(TCP, "--perfetto", tmp_path / "run", *(one.format(tmp_path) for one in arguments)) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(said.format(tmp_path))
    assert printed.err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_nothing_to_write(capsys):
    assert _trace(TCP) == 2
    assert capsys.readouterr().err == "netsim: no file to write to; allowed: --perfetto, --pcap, or both\n"


UNWATCHED = "dma", "pktgen", "packets", "iperf3"
WITHOUT_HOSTS = (*UNWATCHED, "requests", "saturation")
_NAMES = {"dma": "pcie-slot", "pktgen": "pktgen-rings", "iperf3": "iperf3-100g"}


@pytest.mark.parametrize("tool", WITHOUT_HOSTS)
def test_a_tool_without_headers_has_no_capture(tmp_path, capsys, tool):
    path = EXAMPLES / f"{_NAMES.get(tool, tool)}.toml"
    assert _trace(path, "--pcap", tmp_path / "e.pcap", "--for", "1 ms") == 2
    error = capsys.readouterr().err
    assert error.startswith("netsim: tool: this tool simulates no headers of frames; allowed for a capture: netperf, ")
    assert tool not in error
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("tool", WITHOUT_HOSTS)
def test_a_tool_without_parts_to_watch_has_no_timeline(tmp_path, capsys, tool):
    path = EXAMPLES / f"{_NAMES.get(tool, tool)}.toml"
    code = _trace(path, "--perfetto", tmp_path / "e.trace", "--for", "1 ms")
    told = capsys.readouterr()
    if tool in UNWATCHED:
        assert code == 2
        assert told.err.startswith(f"netsim: tool: {tool} computes many frames at once, so there are none to watch; ")
        assert not list(tmp_path.iterdir())
    else:
        assert code == 0
        assert " 0 spans" not in told.out


def test_help_says_which_tools_can_be_traced(capsys):
    with pytest.raises(SystemExit):
        _trace("--help")
    told = " ".join(capsys.readouterr().out.split())
    assert f"not for {', '.join(UNWATCHED[:-1])} and {UNWATCHED[-1]}" in told
    assert f"not for {', '.join(UNWATCHED)}, requests and saturation" in told


def test_a_testers_frames_are_captured(tmp_path, capsys):
    """From one end to the other, each once: none is the router's own."""
    path = tmp_path / "router.pcap"
    assert _trace(EXAMPLES / "router.toml", "--pcap", path, "--for", "5 ms") == 0
    records = [data for data, _ in RawPcapReader(str(path))]
    packets = [Ether(data) for data in records]
    assert len(packets) > 100
    assert {(one[IP].src, one[IP].dst) for one in packets} == {("10.0.0.2", "10.0.0.3")}
    assert {one[UDP].len for one in packets} == {8 + 18}
    assert {one[IP].ttl for one in packets} == {64}
    assert len(set(records)) == len(records)


def test_capture(tmp_path, capsys):
    path, pcap = tmp_path / "run.pftrace", tmp_path / "run.pcap"
    wire = ["--pcap", pcap, "--wire", "wire to receiver"]
    assert _trace(TCP, "--perfetto", path, *wire, "--for", "2 ms") == 0
    told = capsys.readouterr().out.splitlines()[2]
    assert told == f"{pcap}: {pcap.stat().st_size} bytes; open it with Wireshark or tshark"
    frames = [one for one in traces.read(path)["wire to receiver"].slices if one.name == "frame"]
    sizes = [record.wirelen for _, record in RawPcapReader(str(pcap))]
    assert sizes.count(1514) == sum(one.end - one.start == (8 + 1518) * 80 and one.end < 2_000_000 for one in frames)


def test_capture_from_later_on(tmp_path):
    """It is part of the whole: connections do not start anew."""
    whole, later = tmp_path / "whole.pcap", tmp_path / "later.pcap"
    assert _trace(TCP, "--pcap", whole, "--for", "8 ms") == 0
    assert _trace(TCP, "--pcap", later, "--from", "3 ms", "--for", "5 ms") == 0
    records = [list(RawPcapReader(str(path))) for path in (whole, later)]
    behind = [(data, meta) for data, meta in records[0] if meta.usec >= 3_000_000]  # ns: the file says so
    assert 0 < len(records[1]) < len(records[0])
    assert records[1] == behind


def test_interrupted(tmp_path, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("netsim.workload.netperf.run.TcpStream.audit", interrupt)  # only the end is not written yet
    assert _trace(TCP, "--perfetto", tmp_path / "run", "--for", "1 ms") == 130
    assert not list(tmp_path.iterdir())
