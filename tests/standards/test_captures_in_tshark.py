"""Captures read by tshark, the text form of Wireshark: nothing is malformed or wrong, and its counts match the run.

A test is skipped if tshark is not installed; it is not a Python package.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import get_args

import pytest

import netsim as ns
from netsim import workload
from netsim.units import MS
from tests.captured import ESP, LINUX, TCP, TOOLS, captured, chariot, netperf
from tests.in_networks import behind_a_switch, routed, through_a_tunnel, tunnel_between_testers

HERE = Path(__file__).parents[2] / "examples"
RR = ns.load(HERE / "tcp-rr-moderation.toml")
EXAMPLES = {
    "TCP_RR": RR,
    "UDP_RR": RR.replace({"test": "UDP_RR", "nodelay": False}),
    "TCP_CRR": RR.replace("test", "TCP_CRR"),
    "TCP_STREAM on a segment": ns.load(HERE / "ne2000-10base2.toml"),
    "NetPIPE, MPI/Pro": ns.load(HERE / "netpipe.toml").replace("mpi", "mpipro-1.5"),
    "ServerBench": ns.load(HERE / "serverbench.toml"),
    "Flows": behind_a_switch(),
}

pytestmark = pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")

CHECKS = [part for name in ("ip", "tcp", "udp") for part in ("-o", f"{name}.check_checksum:TRUE")]
FIELDS = ["_ws.malformed", "_ws.expert.message", *(f"{name}.checksum.status" for name in ("ip", "tcp", "udp"))]
GOOD = "1"
OPENING = {"Connection establish request (SYN)", "Connection establish acknowledge (SYN+ACK)"}
CLOSING = {
    "Connection finish (FIN)",
    *(f"This frame {what} the connection closing" for what in ("initiates", "undergoes")),
}
FULL = "TCP window specified by the receiver is now completely full"
REPORTS = {"Duplicate ACK", "TCP window update", FULL}
AGAIN, FAST, IN_VAIN = (f"This frame is a (suspected) {kind}retransmission" for kind in ("", "fast ", "spurious "))


def tshark(path, *arguments):
    """Its output, as lines."""
    command = ["tshark", "-r", str(path), *CHECKS, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout.splitlines()


def remarks(path):
    """The remarks of tshark on frames, and how often. No frame is malformed, no checksum wrong or unknown."""
    said = Counter()
    for line in tshark(path, "-T", "fields", "-E", "aggregator=;", *(part for name in FIELDS for part in ("-e", name))):
        malformed, messages, *sums = line.split("\t")
        assert not malformed
        assert set("".join(sums)) <= {GOOD, ";"}
        said.update(re.split(r"[:(] ?(?:server|#)", one)[0].strip() for one in messages.split(";") if one)
    return said


@pytest.mark.parametrize("tool", TOOLS)
def test_nothing_is_wrong_with_any_tool(tool, tmp_path):
    """A sender may fill the window it is given: Windows' window of twelve segments is soon full."""
    path = tmp_path / "wire.pcap"
    test, until = TOOLS[tool]
    captured(test, path, until)
    assert set(remarks(path)) - {FULL} == (OPENING if tool in TCP else set())


@pytest.mark.parametrize("name", EXAMPLES)
def test_nothing_is_wrong_from_the_beginning_to_amid_a_run(name, tmp_path):
    path = tmp_path / "wire.pcap"
    ns.trace(EXAMPLES[name], pcap=path, duration="30 ms")
    assert len(tshark(path)) > 20
    said = set(remarks(path)) - {FULL}
    assert said == ({*OPENING} if "UDP" not in name else set()) | (CLOSING if name == "TCP_CRR" else set())


@pytest.mark.parametrize("test", [routed(), through_a_tunnel()])
def test_nothing_is_wrong_behind_routers(test, tmp_path):
    """tshark would take a frame that a router repeats for a retransmission."""
    path = tmp_path / "routed.pcap"
    captured(test, path, 20 * MS)
    assert set(remarks(path)) - {FULL} - REPORTS == OPENING


ENCLOSED = ["-Y", "esp", "-T", "fields", "-e", "ip.len", "-e", "esp.spi", "-e", "esp.sequence", "-e", "ip.src"]


def test_gateways_enclose_what_passes_through_them(tmp_path):
    """On the line everything is ESP, numbered from 1 in each direction; tshark reassembles fragments."""
    path = tmp_path / "line.pcap"
    test = tunnel_between_testers(1472)
    captured(test, path, 20 * MS, ["wire line to west"])
    assert not remarks(path)
    frames = tshark(path, "-T", "fields", "-e", "ip.len", "-e", "ip.flags.df", "-e", "ip.frag_offset")
    assert set(frames[::2]) == {"1500\t0\t0"} or set(frames[::2]) == {"1500\tFalse\t0"}
    assert {one.split("\t")[0] for one in frames[1::2]} == {"72"}
    whole = [line.split("\t") for line in tshark(path, *ENCLOSED)]
    assert [int(line[2]) for line in whole] == list(range(1, len(frames) // 2 + 1))
    assert len({line[1] for line in whole}) == 1


def test_on_the_inside_nothing_is_enclosed(tmp_path):
    path = tmp_path / "both.pcap"
    run = captured(through_a_tunnel(), path, 20 * MS, [
        f"wire {name}" for name in ("inside to east", "home to west", "line to east", "line to west")])  # fmt: skip
    assert not {*remarks(path)} - OPENING - REPORTS
    whole = [line.split("\t") for line in tshark(path, *ENCLOSED)]
    numbers = Counter(line[1] for line in whole)
    assert len(numbers) == 2
    gateways = [run.computers[name].forwarders for name in ("east", "west")]
    enclosed = [one.packets for own in gateways for one in own.values() if hasattr(one, "packets")]
    assert sorted(numbers.values()) == pytest.approx(sorted(enclosed), abs=2)
    assert tshark(path, "-Y", "tcp.len == 1391")  # 1443 bytes, as reported by KLIPS


def test_what_is_protected_whole_is_cut_behind_that(tmp_path):
    path = tmp_path / "whole.pcap"
    pc = LINUX.replace({"system.ipsec": "freeswan-1.97", "system.ipsec.cuts_first": False})
    run = captured(netperf("UDP_STREAM", sender=pc, receiver=pc, ipsec=ESP, message=4000), path, 10 * MS)
    assert not remarks(path)
    assert len(tshark(path, *ENCLOSED)) == run.out.datagrams


def test_no_tool_is_left_out():
    """Except for Saturation, whose frames carry nothing but their length, for Dma, which has no frames, for Pktgen,
    Packets and Iperf3, which have no individual frames, and for Requests, whose protocols are only costs."""
    seen = [*EXAMPLES.values(), *(test for test, _ in TOOLS.values())]
    left_out = {ns.Saturation, ns.Dma, ns.Pktgen, ns.Packets, ns.Requests, ns.Iperf3}
    assert {type(test) for test in seen} == {*workload.TOOLS.values()} - left_out
    tests = get_args(ns.Netperf.model_fields["test"].annotation)
    assert {one.test for one in seen if isinstance(one, ns.Netperf)} == {*tests}


def test_what_comes_in_out_of_order_was_sent_in_order(tmp_path):
    """Frames alternate over the ports of a bond and of the switch's trunk: the receiver's acknowledgements show it, and
    so do the segments that its sender assumes lost."""
    path = tmp_path / "wire.pcap"
    server = LINUX.replace({"bond": "linux-2.2.17", "nics": [LINUX.nics[0]] * 2})
    test = chariot(server=server, clients=[LINUX] * 3, flow="upload").replace("switch.trunk", "round-robin")
    run = captured(test, path, 20 * MS)
    said, counts = remarks(path), run.accounts().counts
    assert counts["segments out of order"] > 0
    assert said["Duplicate ACK"] > 0
    assert said[AGAIN] == counts["retransmitted segments"]
    assert set(said) - REPORTS - {AGAIN, FAST, IN_VAIN} == OPENING


def test_throughput(tmp_path):
    """Counted in frames and in payload."""
    path = tmp_path / "wire.pcap"
    run = captured(netperf(), path, 8 * MS)
    text = "\n".join(tshark(path, "-q", "-z", "io,stat,0,SUM(tcp.len)tcp.len,COUNT(tcp.len)tcp.len", "-z", "conv,tcp"))
    carried, frames = re.search(r"<> *\S+ *\| *(\d+) *\| *(\d+)", text).groups()
    assert int(carried) == run.delivered
    assert int(frames) == sum(run.accounts().frames.values()) + 3
    back, _, _, there = re.search(r"<-> \S+ +(\d+) (\d+ \w+) +((\d+)) ", text).groups()
    counts = run.accounts().counts
    assert (int(there), int(back)) == (counts["segments sent"] + 2, counts["acknowledgements sent"] + 1)


def test_retransmissions_are_those_of_the_run(tmp_path):
    """For both, a segment that begins below all bytes seen before was sent again: the capture is of what leaves the
    senders, so it has all of them. They differ in which ones are fast: for tshark those that immediately follow two
    duplicates, for the run the first segment of each recovery. For tshark any acknowledgement with the same number is a
    duplicate, including one that is lost, or one whose blocks report something new to the sender."""
    path = tmp_path / "wire.pcap"
    run = captured(netperf().replace("link.bit_error_rate", 2e-6), path, 500 * MS)
    said, counts = remarks(path), run.accounts().counts
    assert said[AGAIN] == counts["retransmitted segments"] > 20
    assert 0 < counts["fast retransmits"] <= said[FAST] <= said[AGAIN]
    assert said["Duplicate ACK"] >= counts["duplicate acknowledgements"]
    assert set(said) <= OPENING | REPORTS | {AGAIN, FAST, IN_VAIN}


def test_losses_under_ipsec_are_not_to_be_seen(tmp_path):
    """Each packet has its own number, whether sent again or not."""
    path = tmp_path / "wire.pcap"
    run = captured(chariot(ipsec=ESP).replace("link.bit_error_rate", 1e-6), path, 60 * MS)
    assert run.accounts().counts["retransmitted segments"] > 0
    assert not remarks(path)
