"""Captures read by scapy, which is independent of netsim: every header is right, and they show what happened in the
run.

RFC 768, RFC 791, RFC 793, RFC 1323, RFC 2018, RFC 2406; IPX and NetWare's core protocol as in Wireshark.
"""

from __future__ import annotations

import struct
from collections import defaultdict

import pytest
from scapy.layers.inet import IP, TCP, in4_chksum
from scapy.layers.inet import checksum as internet_checksum
from scapy.layers.l2 import Ether
from scapy.utils import RawPcapReader

from netsim.export.headers import Address
from netsim.export.headers_tcp import TcpHeaders
from netsim.stack.tcp import TcpSegment
from netsim.units import MS
from tests.captured import LINUX, TOOLS, captured, chariot, netperf, records
from tests.captured import TCP as TCP_TOOLS
from tests.in_networks import routed, through_a_tunnel, two_routers

LOSSES = netperf().replace("link.bit_error_rate", 4e-6)
WIDE = {
    f"{end}.system.tcp.{name}": "400 KiB"
    for end in ("sender", "receiver")
    for name in ("receive_buffer", "window_clamp")
}


@pytest.fixture(scope="module")
def run_of(tmp_path_factory):
    """The run of a tool, and its capture."""
    folder, there = tmp_path_factory.mktemp("captures"), {}

    def get(tool):
        if tool not in there:
            path = folder / f"{tool}.pcap"
            there[tool] = captured(TOOLS[tool][0], path, TOOLS[tool][1]), path
        return there[tool]

    return get


def packets(path):
    """Each frame, and its IP packet as read by scapy."""
    for data, about in RawPcapReader(str(path)):
        assert about.caplen == about.wirelen == len(data)
        assert data[12:14] == b"\x08\x00"
        yield data, IP(data[14 : 14 + int.from_bytes(data[16:18], "big")])


def segments(path):
    """The TCP segments by direction, in order."""
    found = defaultdict(list)
    for _, packet in packets(path):
        found[packet.src, packet[TCP].sport, packet.dst, packet[TCP].dport].append(packet)
    return found


def number(later, earlier):
    """A sequence number as a distance from one shortly before it."""
    return (later - earlier) % 2**32


# --- IPv4 and its payload --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tool", [*TCP_TOOLS, "UDP_STREAM", "Chariot, IPsec"])
def test_packets_are_whole_and_their_sums_right(run_of, tool):
    for data, packet in packets(run_of(tool)[1]):
        assert internet_checksum(bytes(packet)[:20]) == 0
        assert (packet.version, packet.ihl, packet.ttl) == (4, 5, 64)
        assert len(data) == max(60, 14 + packet.len)
        assert not any(data[14 + packet.len :])  # padding
        assert bool(packet.frag or packet.flags.MF) != packet.flags.DF
        if packet.proto == 6:
            assert in4_chksum(6, packet, bytes(packet)[20:]) == 0


@pytest.mark.parametrize(
    ("test", "wire", "left"),
    [
        (routed(), "far to b", {64 - 1}),
        (routed("bridge"), "far to b", {64}),
        (routed(), "near to gateway", {64}),
        (two_routers(), "l3 to b", {64 - 2}),
        (through_a_tunnel(), "line to west", {64}),  # the enclosing packets begin there
        (through_a_tunnel(), "home to b", {64 - 2}),
    ],
)  # fmt: skip
def test_each_router_takes_one_off_the_time_to_live(test, wire, left, tmp_path):
    """RFC 1812, 5.3.1; the checksums stay right. A bridge changes nothing."""
    path = tmp_path / "behind.pcap"
    captured(test, path, 5 * MS, [f"wire {wire}"])
    found = [packet for _, packet in packets(path)]
    assert len(found) > 20
    assert {packet.ttl for packet in found} == left
    assert {internet_checksum(bytes(packet)[:20]) for packet in found} == {0}


@pytest.mark.parametrize("tool", ["TCP_STREAM", "UDP_STREAM", "Chariot"])
def test_addresses_say_which_host(run_of, tool):
    """02:00:00:HH:HH:PP and 10.0.x.y; a bond has the address of its first port."""
    for data, packet in packets(run_of(tool)[1]):
        for mac, address in ((data[6:12], packet.src), (data[:6], packet.dst)):
            host = int(address.rpartition(".")[2])
            assert address == f"10.0.0.{host}"
            assert mac == bytes([2, 0, 0, 0, host, 0])


def test_a_server_has_a_subnet_on_each_of_its_ports(tmp_path):
    """10.s.x.y, and frames for it are sent to that port."""
    path = tmp_path / "subnets.pcap"
    server = LINUX.replace("nics", [LINUX.nics[0]] * 2)
    captured(chariot(server=server, clients=[LINUX] * 3, flow="upload"), path, 5 * MS)
    ends = {(packet.src, packet.dst, data[5]) for data, packet in packets(path) if packet.dst.endswith(".1")}
    assert ends == {("10.0.0.2", "10.0.0.1", 0), ("10.1.0.3", "10.1.0.1", 1), ("10.0.0.4", "10.0.0.1", 0)}


# --- UDP -------------------------------------------------------------------------------------------------------------


def test_fragments_make_datagrams(run_of):
    run, path = run_of("UDP_STREAM")
    datagrams = defaultdict(dict)
    for _, packet in packets(path):
        payload = bytes(packet)[20:]
        assert (packet.frag * 8 + len(payload) < 8192 + 8) == packet.flags.MF
        datagrams[packet.id][packet.frag * 8] = payload
    assert list(datagrams) == list(range(run.out.datagrams))
    for fragments in datagrams.values():
        whole = b"".join(fragments[at] for at in sorted(fragments))
        assert len(whole) == struct.unpack(">H", whole[4:6])[0] == 8192 + 8
        assert in4_chksum(17, IP(src="10.0.0.1", dst="10.0.0.2"), whole) == 0
        assert whole[6:8] != b"\0\0"
    assert len(datagrams) * 8192 == run.delivered


# --- TCP -------------------------------------------------------------------------------------------------------------


def data_of(packet):
    return packet.len - 20 - packet[TCP].dataofs * 4


@pytest.mark.parametrize("tool", TCP_TOOLS)
def test_streams_are_what_was_delivered(run_of, tool):
    """Nothing is lost: each segment follows the previous one, and everything sent was read, byte for byte."""
    run, path = run_of(tool)
    ways = segments(path)
    carried = 0
    for (source, port, to, to_port), way in ways.items():
        first = way[0][TCP]
        assert first.flags.S
        sent, back = 1, ways[to, to_port, source, port][0][TCP]
        for packet in way[1:]:
            tcp = packet[TCP]
            assert tcp.flags.A
            assert number(tcp.seq, first.seq) == sent
            sent += data_of(packet)
            assert not tcp.flags.P or data_of(packet)
        heard = max(number(packet[TCP].ack, first.seq) for packet in ways[to, to_port, source, port][1:])
        assert heard == sent or sent == 1
        assert back.flags.S
        carried += sent - 1
    sockets = [one for host in hosts(run) for one in host.handlers.values()]
    assert carried == sum(one.read_bytes for one in sockets) > 0
    assert len(ways) == len(sockets)


def hosts(run):
    return run.computers.values() if hasattr(run, "computers") else (run.sender, run.receiver)


def test_who_opens_a_connection_tells_its_options(run_of):
    (asked, answered), ports = [way[0] for way in segments(run_of("TCP_STREAM")[1]).values()], (49152, 61440)
    assert (asked[TCP].flags, answered[TCP].flags) == ("S", "SA")
    assert (asked[TCP].sport, asked[TCP].dport) == ports
    assert answered[TCP].ack == asked[TCP].seq + 1
    for packet in (asked, answered):
        options = dict(packet[TCP].options)
        assert options["MSS"] == 1460
        assert "SAckOK" in options
        assert "Timestamp" in options
        assert "WScale" not in options


def test_windows_above_64_kib_are_scaled(tmp_path):
    """RFC 1323, 2: all windows except the SYNs' are multiples of the announced scale."""
    path = tmp_path / "wide.pcap"
    run = captured(netperf().replace(WIDE), path, 3 * MS)
    ways, scales = segments(path), {}
    for way, sent in ways.items():
        scales[way] = dict(sent[0][TCP].options)["WScale"]
        assert sent[0][TCP].window == 0xFFFF
    most = run.into.spec.window(0, run.into.mss, run.into.input.shift)
    assert most > 0xFFFF
    receiver = "10.0.0.2", 61440, "10.0.0.1", 49152
    windows = {packet[TCP].window << scales[receiver] for packet in ways[receiver][1:]}
    assert most - max(windows) < 1 << scales[receiver]
    assert all(0 < window <= most for window in windows)


def test_timestamps_are_ticks(run_of):
    """RFC 1323, 3.2, with Linux' clock of 100 Hz; an echoed timestamp has been sent before."""
    ways = list(segments(run_of("NPtcp")[1]).values())
    for sent, back in (ways, ways[::-1]):
        known = {dict(packet[TCP].options)["Timestamp"][0] for packet in back}
        for packet in sent[1:]:
            stamp, echo = dict(packet[TCP].options)["Timestamp"]
            assert echo in known
            assert stamp >= echo - 1


@pytest.fixture(scope="module")
def losses(tmp_path_factory):
    """A run in which frames are lost, and the segments in both directions."""
    path = tmp_path_factory.mktemp("losses") / "losses.pcap"
    return captured(LOSSES, path, 60 * MS), *segments(path).values()


def test_what_is_sent_again_is_counted(losses):
    """Lost frames had left their sender, so the capture contains them, and bytes captured before were sent again."""
    run, there, _ = losses
    first, highest, again = there[0][TCP].seq, 1, 0
    for packet in there[1:]:
        at, length = number(packet[TCP].seq, first), data_of(packet)
        assert at <= highest
        again += length > 0 and at < highest
        highest = max(highest, at + length)
    counts = run.accounts().counts
    assert again == counts["retransmitted segments"] > 5
    assert highest - 1 == run.delivered


def test_what_is_reported_beyond_a_hole_has_been_sent(losses):
    """RFC 2018, 3: blocks are above the acknowledgement, and all their bytes had been sent before."""
    _, there, back = losses
    first, reported = there[0][TCP].seq, 0
    ends = {number(packet[TCP].seq, first) for packet in there}
    ends |= {number(packet[TCP].seq, first) + data_of(packet) for packet in there}
    for packet in back:
        blocks = dict(packet[TCP].options).get("SAck", ())
        assert len(blocks) <= 2 * 3
        for start, end in zip(blocks[::2], blocks[1::2], strict=True):
            start, end = number(start, first), number(end, first)
            assert number(packet[TCP].ack, first) < start < end
            assert {start, end} <= ends
            reported += 1
    assert reported > 20


def test_sequence_numbers_begin_again_at_0(run_of):
    """RFC 793, 3.3: arithmetic is modulo 2^32."""
    run, _ = run_of("TCP_STREAM")
    ends = [Address(bytes([2, 0, 0, 0, n, 0]), bytes([10, 0, 0, n]), n) for n in (1, 2)]
    there, _ = TcpHeaders.both(run.out, run.into, *ends)
    seqs = []
    for seq in (0, 2**32 - 1, 2**32, 2**33 + 5):
        frame = TcpSegment(1518, None, seq, 0, 2**33 - seq, 0, 0, 0)
        tcp = Ether(there.of(frame))[TCP]
        seqs.append(tcp.seq)
        assert in4_chksum(6, Ether(there.of(frame))[IP], there.of(frame)[34:]) == 0
    assert [number(seq, seqs[0]) for seq in seqs] == [0, 2**32 - 1, 0, 5]


# --- IPsec -----------------------------------------------------------------------------------------------------------


def test_associations_number_their_packets(run_of):
    """RFC 2406, 2.1 and 2.2: one in each direction of a connection, from 1 on; everything else is unreadable."""
    run, path = run_of("Chariot, IPsec")
    numbers = defaultdict(list)
    for _, packet in packets(path):
        assert packet.proto == 50
        payload = bytes(packet)[20:]
        association, sequence = struct.unpack(">II", payload[:8])
        assert not any(payload[8:])
        assert (len(payload) - 8 - 8 - 12) % 8 == 0  # whole blocks between the vector and the check value
        numbers[association, packet.src, packet.dst].append(sequence)
    assert len(numbers) == 2 * len(run.pairs)
    assert all(found == list(range(1, len(found) + 1)) for found in numbers.values())
    counts = run.accounts().counts
    assert sum(map(len, numbers.values())) == counts["segments sent"] + counts["acknowledgements sent"]


# --- IPX and the core protocol ---------------------------------------------------------------------------------------


def ncp(data, behind=14):
    """The length in a frame's IPX header, its addresses, and its payload."""
    checksum, length, hops, kind = struct.unpack_from(">HHBB", data, behind)
    assert (checksum, hops, kind) == (0xFFFF, 0, 17)
    target, source = data[behind + 6 : behind + 18], data[behind + 18 : behind + 30]
    assert (target[4:10], source[4:10]) == (data[:6], data[6:12])
    assert target[:4] == source[:4] != bytes(4)
    assert sorted((target[10:], source[10:])) == [b"\x04\x51", b"\x40\x03"]
    assert len(data) == max(60, behind + length) or behind == 17
    return length, source, target, data[behind + 30 : behind + length]


def test_requests_have_replies(run_of):
    run, path = run_of("PERFORM3")
    asked, delivered = {}, 0
    for record in records(path):
        assert record.data[12:14] == b"\x81\x37"
        length, source, target, message = ncp(record.data)
        kind, sequence, connection = struct.unpack_from(">HBB", message)
        if kind == 0x2222:
            assert length == 30 + 7 + 13  # ncpfs in Linux 2.2.16, ncp_read_kernel
            asked[source] = sequence, connection
        else:
            assert kind == 0x3333
            assert asked.pop(target) == (sequence, connection)
            delivered += length - 30 - 10
    assert not asked
    assert delivered == run.delivered > 0


def test_bursts_are_whole(run_of):
    """Reads and writes: the bytes of each burst are contiguous from frame to frame, and together they are all bytes
    moved."""
    run, path = run_of("NetBench")
    moved, expected = 0, {}
    for record in records(path):
        assert record.data[14:17] == b"\xe0\xe0\x03"
        length, source, _, message = ncp(record.data, 17)
        assert struct.unpack_from(">H", record.data, 12)[0] == 3 + length
        if message[:2] != b"\x77\x77":
            continue
        fields = struct.unpack_from(">HBBIIIIHHIIHH", message)
        flags, burst, total, offset, nbytes = fields[1], fields[7], fields[9], fields[10], fields[11]
        assert offset == expected.pop((source, burst), 0)
        assert len(message) == 36 + nbytes
        assert (flags == 0x10) == (offset + nbytes == total)
        if flags != 0x10:
            expected[source, burst] = offset + nbytes
        asks = source[10:] == b"\x40\x03"
        moved += nbytes - (0 if offset else 24 if asks else 8)
    assert not expected
    assert moved == run.delivered > 0


def test_a_server_has_a_network_on_each_of_its_ports(run_of):
    ends = {ncp(record.data, 17)[1:3] for record in records(run_of("NetBench")[1])}
    servers = {source[:10] for source, _ in ends if source[10:] == b"\x04\x51"}
    assert servers == {bytes([0, 0, 0, n + 1, 2, 0, 0, 0, 1, n]) for n in range(4)}
