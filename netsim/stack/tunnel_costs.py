"""The frames of a tunnel's packets, and the processor time that they take on its gateways."""

from __future__ import annotations

from collections.abc import Iterable
from operator import itemgetter
from typing import TYPE_CHECKING

from netsim.ethernet.frame_sizes import frame_size
from netsim.machine import Work
from netsim.stack import ip
from netsim.stack.forwarding_costs import forwarded

if TYPE_CHECKING:
    from netsim.stack.computer_spec import ComputerSpec
    from netsim.stack.ipsec_spec import EspSpec


class TunnelCosts:
    """The costs of a gateway at one end of a tunnel, which sends to the other end by the port of this number. Sizes are
    bytes of plain IP packets, unless stated otherwise."""

    def __init__(self, host: ComputerSpec, esp: EspSpec, mtu: int, port: int) -> None:
        ipsec, forwarding = host.system.ipsec, host.system.forwarding
        assert ipsec is not None
        assert forwarding is not None
        self._host, self._esp, self._mtu, self._port = host, esp, mtu, port
        self._ipsec = ipsec
        self._cycles = forwarded(host)

    def frames(self, packet: int) -> list[tuple[int, int, int]]:
        """For each frame: its bytes, its bytes of IP payload, and the number of the first of these. IP fragments
        packets that it has not built itself from the front (Linux 2.2: ip_fragment)."""
        cut = self._host.system.ip.cut(self._esp.packet_size(packet) - ip.HEADER, self._mtu)
        return [(frame_size(ip.HEADER + size), size, at) for size, at in sorted(cut, key=itemgetter(1))]

    def enclose(self, packet: int, sent: Iterable[int]) -> Work:
        """A packet is taken up and enclosed, and frames of `sent` bytes of memory go to the adapter: its own, or others
        that have waited (0: none). The received packet is where the adapter has put it; each fragment is a copy."""
        host = self._host
        bill = host.bill_arrival().cycles("forwarding", self._cycles)
        self._ipsec.bill_sent(bill, self._esp, packet, host.system.kernel, source="memory")
        frames = self.frames(packet)
        if len(frames) > 1:
            for _, size, _ in frames:
                bill.cycles("protocol", host.system.ip.fragment_cycles).copy(size, "cache")
        for buffer in sent:
            host.bill_transmit(bill, buffer, self._port if buffer else None)
        return bill.work()

    def fragment(self) -> Work:
        """A fragment is received, with more to come."""
        return self._host.bill_arrival().cycles("protocol", self._host.system.ip.reassembly_cycles).work()

    def memory(self, size: int, nbytes: int, received_by: int) -> int:
        """The accounted bytes of a fragment received on port `received_by`, in a frame of `size` bytes."""
        host = self._host
        if host.system.socket.counts != "memory":
            return nbytes
        return host.received_memory(host.ports()[received_by], size, self._mtu)

    def open(self, packet: int, total: int, *, whole: bool) -> Work:
        """The enclosing packet, with `total` bytes of IP payload, is complete: it arrived `whole`, or is
        reassembled."""
        bill = self._host.bill_arrival()
        if not whole:
            bill.cycles("protocol", self._host.system.ip.reassembly_cycles).copy(total, "memory")
        return self._ipsec.bill_received(bill, self._esp, packet).work()
