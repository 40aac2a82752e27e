"""The protocols of a host's operating system."""

from netsim.stack.bonding import Bond, BondSpec
from netsim.stack.computer import Computer, ComputerSpec, NetworkSystemSpec
from netsim.stack.ip import IpSpec
from netsim.stack.ipsec import EspSpec
from netsim.stack.messages import TcpEndpoint
from netsim.stack.mpi import MpiEndpoint, MpiSpec
from netsim.stack.ncp import NcpCosts, NcpHostSpec, NcpSpec, NcpSystemSpec
from netsim.stack.ncp_ends import NcpWorkstation
from netsim.stack.ncp_messages import Agreement, NcpFrame, NcpRequest
from netsim.stack.ncp_server import NcpServer
from netsim.stack.socket import SocketSpec
from netsim.stack.tcp import TcpSpec
from netsim.stack.tcp_socket import TcpSocket, connect
from netsim.stack.udp import UdpReceiver, UdpSender, UdpSpec

__all__ = [
    "Agreement",
    "Bond",
    "BondSpec",
    "Computer",
    "ComputerSpec",
    "EspSpec",
    "IpSpec",
    "MpiEndpoint",
    "MpiSpec",
    "NcpCosts",
    "NcpFrame",
    "NcpHostSpec",
    "NcpRequest",
    "NcpServer",
    "NcpSpec",
    "NcpSystemSpec",
    "NcpWorkstation",
    "NetworkSystemSpec",
    "SocketSpec",
    "TcpEndpoint",
    "TcpSocket",
    "TcpSpec",
    "UdpReceiver",
    "UdpSender",
    "UdpSpec",
    "connect",
]
