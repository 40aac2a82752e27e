"""A computer with its system's protocols, and the cost of frames on their way to and from its ports."""

from __future__ import annotations

from operator import itemgetter
from typing import ClassVar, Final, Literal, NamedTuple

from netsim import catalog
from netsim.errors import ScenarioError
from netsim.ethernet.frame import FCS
from netsim.ethernet.frame_sizes import frame_size
from netsim.machine import Bill, HostSpec, Port, SystemSpec
from netsim.stack import ip
from netsim.stack.bonding_spec import BondSpec
from netsim.stack.forwarding_spec import ForwardingSpec
from netsim.stack.ip_spec import IpSpec
from netsim.stack.ipsec_spec import EspSpec, IpsecCostsSpec
from netsim.stack.socket_spec import SocketSpec
from netsim.stack.tcp_spec import TcpSpec
from netsim.stack.udp_spec import UdpSpec

_ALIGN: Final = 2  # bytes before an Ethernet header of 14, so that the packet is on a word boundary


class Fragment(NamedTuple):
    """One fragment of a datagram: its bytes of IP payload, the offset of the first of them, and the bytes of its frame,
    with FCS."""

    nbytes: int
    offset: int
    size: int


class NetworkSystemSpec(SystemSpec):
    """An operating system: what its kernel and its protocols cost, and how they behave. Without `ipsec` it cannot
    protect packets; without `forwarding` it forwards nothing."""

    catalogue = "systems"

    socket: SocketSpec
    ip: IpSpec
    udp: UdpSpec
    tcp: TcpSpec
    ipsec: IpsecCostsSpec | None = None
    forwarding: ForwardingSpec | None = None


class ComputerSpec(HostSpec):
    """A computer that can take part in a measurement. Protocols use its ports separately or, with a `bond`, as one
    device. If `ipsec` is not None, it protects all traffic; a test sets it for its hosts. `forwards`: the computer
    forwards frames for others, as a router of "ip" packets or as a "bridge"."""

    catalogue = "hosts"
    kept: ClassVar[tuple[str, ...]] = ("system", "nics", "bond", "forwards")

    system: NetworkSystemSpec
    bond: BondSpec | None = None
    ipsec: EspSpec | None = None
    forwards: Literal["ip", "bridge"] | None = None

    def check(self) -> None:
        super().check()
        self._forwards()
        self._protectable()

    def _forwards(self) -> None:
        """A forwarding computer has a port to forward to, and the cost of forwarding is known."""
        if self.forwards is None:
            return
        if self.system.forwarding is None:
            text = f'"{self.forwards}": the costs of forwarding are not known for this system; allowed: none'
            raise ScenarioError(text, address="forwards")
        if len(self.ports()) < 2:
            raise ScenarioError("a host with one port has nowhere to forward to; allowed: none", address="forwards")

    def _protectable(self) -> None:
        """If IPsec is requested, the system supports it, and no card would have to cut protected packets."""
        if self.ipsec is None:
            return
        if self.system.ipsec is None:
            known = ", ".join(catalog.names(IpsecCostsSpec.catalogue))
            text = f"this system has no IPsec; allowed with ipsec: a table of costs, or add one ({known})"
            raise ScenarioError(text, address="system.ipsec")
        self.system.ipsec.check(self.ipsec)
        for number, nic in enumerate(self.nics):
            if nic.driver.large_send:
                text = f"{nic.driver.large_send} bytes can't be segmented by the card under IPsec; allowed here: 0"
                raise ScenarioError(text, address=f"nics.{number}.driver.large_send")

    def large_send(self, port: int = 0) -> int:
        """Bytes that TCP may hand at once to this port or, with a bond, to any port; 0: no more than a segment."""
        sizes = [one.driver.large_send for one in self.ports()]
        return min(sizes) if self.bond else sizes[port]

    def card_sums(self, port: int = 0) -> bool:
        """Whether the card computes checksums of what protocols send through this port or, with a bond, every card,
        because any may carry a frame."""
        sums = [one.driver.tx_checksum == "nic" for one in self.ports()]
        return all(sums) if self.bond else sums[port]

    def mss(self, mtu: int) -> int:
        """Payload bytes of a full TCP segment."""
        return self.system.tcp.mss(self._largest(mtu))

    def _largest(self, mtu: int) -> int:
        """Bytes of the largest IP packet that becomes one frame."""
        own = self.system.ipsec
        return own.largest(self.ipsec, mtu) if self.ipsec and own else mtu

    def frame_size(self, length: int, blocks: int = 0) -> int:
        """Bytes of the frame, with FCS, of a TCP segment with `length` bytes of payload and `blocks` SACK blocks."""
        return self.framed(self.system.tcp.packet_size(length, blocks))

    def framed(self, packet: int) -> int:
        """Bytes of the frame, with FCS, of an IP packet of `packet` bytes."""
        return frame_size(self.ipsec.packet_size(packet) if self.ipsec else packet)

    def datagram_mtu(self, mtu: int, path_mtu: int) -> int:
        """The size (bytes) to which it cuts datagrams: `path_mtu` if it discovers the path's MTU, otherwise `mtu`."""
        return path_mtu if self.system.udp.finds_path_mtu else mtu

    @property
    def protects_whole(self) -> bool:
        """Whether a datagram is protected before it is cut."""
        own = self.system.ipsec
        return self.ipsec is not None and own is not None and not own.cuts_first

    def fragments(self, payload: int, mtu: int) -> list[Fragment]:
        """The fragments of a datagram, in the order in which they are sent. If it is protected whole, the first
        fragment has the bytes that IPsec adds, and fragments are sent from the front (as IP cuts packets that it has
        not built itself)."""
        if self.ipsec is None or not self.protects_whole:
            cut = self.system.ip.cut(payload, self._largest(mtu))
            return [Fragment(size, at, self.framed(ip.HEADER + size)) for size, at in cut]
        outer = self.ipsec.packet_size(ip.HEADER + payload) - ip.HEADER
        more = outer - payload
        return [
            Fragment(size if at else size - more, at - more if at else 0, frame_size(ip.HEADER + size))
            for size, at in sorted(self.system.ip.cut(outer, mtu), key=itemgetter(1))
        ]

    def check_datagram(self, payload: int, mtu: int) -> None:
        """Check that a datagram with `payload` bytes of IP payload can be protected, if IPsec is on. Raises
        ScenarioError.

        ESP in transport mode is for whole datagrams only (RFC 2406, 3.3.5). KLIPS leaves a fragment's offset in the
        header in front of ESP, so the receiver's IP takes the protected fragments for parts of one packet (Linux 2.2:
        ip_local_deliver), whose authentication then fails."""
        if self.ipsec is None:
            return
        if self.offloads():
            text = 'IPsec by the card is modelled only for TCP; allowed over UDP: none, or driver.ipsec = "host"'
            raise ScenarioError(text, address="ipsec")
        if self.protects_whole and self.ipsec.packet_size(ip.HEADER + payload) > ip.LARGEST:
            text = f"{payload} bytes of IP payload leave no room for IPsec headers in a packet"
            most = self.ipsec.largest(ip.LARGEST) - ip.HEADER
            raise ScenarioError(f"{text}; allowed with this system: up to {most}", address="ipsec")
        most = self._largest(mtu) - ip.HEADER
        if not self.protects_whole and self.ipsec.mode == "transport" and payload > most:
            text = f"{payload} bytes of IP payload are fragmented before they are protected, and no receiver can open"
            text = f'{text} fragments in transport mode; allowed: "tunnel", or up to {most} bytes of IP payload'
            raise ScenarioError(text, address="ipsec.mode")

    def offloads(self, peer: int = 0) -> bool:
        """Whether the cards do IPsec for the peer of this number in addition to all lower numbers: each card for its
        own peers or, with a bond, every card for all peers, because any card may carry a frame."""
        esp, ports = self.ipsec, self.ports()
        if esp is None:
            return False
        if self.bond:
            return all(port.adapter.offloads(*esp.names, peer) for port in ports)
        before, port = divmod(peer, len(ports))
        return ports[port].adapter.offloads(*esp.names, before)

    def bill_transmit(
        self, bill: Bill, size: int, port: int | None, encipher: bool = False, waited: bool = False
    ) -> Bill:
        """Add the processor's costs of sending a frame of `size` bytes. It goes straight to `port`, or waits in a queue
        (None), in which case the driver's time is charged later. `encipher`: the card has to encipher it. Data that
        have `waited` were written before others."""
        if self._filters:
            bill.cycles("protocol", self.system.ip.filter_tx_cycles)
        bill.hand_over()
        if self.bond:
            bill.cycles("aggregation", self.bond.tx_cycles)
        return bill if port is None else self.ports()[port].bill_transmit(bill, size, encipher, waited=waited)

    def bill_arrival(self) -> Bill:
        """A bill that begins with the costs of a received frame between the driver and the protocols."""
        bill, bond = self.bill(), self.bond
        if self._filters:
            bill.cycles("protocol", self.system.ip.filter_rx_cycles)
        if bond is None:
            return bill
        return bill.cycles("aggregation", bond.tx_cycles if bond.rx_cycles is None else bond.rx_cycles)

    @property
    def _filters(self) -> bool:
        """Whether frames pass the firewall: a bridge's do not reach IP."""
        return self.forwards != "bridge"

    def received_memory(self, port: Port, size: int, mtu: int) -> int:
        """Bytes of memory that a frame of `size` bytes, received on `port`, occupies: the driver's buffer, or the one
        that it was copied or moved to, including the offset that aligns the IP header."""
        socket, driver, nbytes = self.system.socket, port.driver, size - FCS
        if driver.copies(nbytes) or port.moves:
            return socket.memory(nbytes + _ALIGN + socket.receive_headroom)
        largest = frame_size(mtu) - FCS
        return driver.rx_buffer(largest) or socket.memory(largest + socket.receive_headroom)

    def answering(self, opener: ComputerSpec) -> ComputerSpec:
        """This computer on connections that `opener` opens: with timestamps if `opener` asks for them, and with scaled
        windows if `opener` asks and both ends can (RFC 1323, 3.2 and 2.2)."""
        asks, own = opener.system.tcp, self.system.tcp
        now = own.scales_with(asks)
        if now.timestamps != asks.timestamps:
            now = now.replace("timestamps", asks.timestamps)
        return self if now == own else self.replace("system.tcp", now)

    def under(self, ipsec: EspSpec | None) -> ComputerSpec:
        """This computer in a test that protects TCP traffic by `ipsec`. Raises ScenarioError if the computer cannot do
        that, or already has a different `ipsec`."""
        if self.ipsec == ipsec:
            return self
        if self.ipsec is not None:
            raise ScenarioError("differs from the test's; allowed: none, or the same", address="ipsec")
        return self.replace("ipsec", ipsec)
