"""The protocols of a host's operating system."""

from netsim.stack.arrivals import Arrivals
from netsim.stack.bonding import Bond
from netsim.stack.bonding_spec import BondSpec
from netsim.stack.computer import Computer
from netsim.stack.computer_spec import ComputerSpec, NetworkSystemSpec
from netsim.stack.ip_spec import IpSpec
from netsim.stack.ipsec_spec import EspSpec
from netsim.stack.message_protocol_spec import MessageProtocolSpec
from netsim.stack.messages import TcpEndpoint, UdpEndpoint
from netsim.stack.mpi import MpiEndpoint
from netsim.stack.mpi_spec import MpiSpec
from netsim.stack.ncp_costs import NcpCosts
from netsim.stack.ncp_ends import NcpWorkstation
from netsim.stack.ncp_messages import NcpFrame
from netsim.stack.ncp_requests import Agreement, NcpRequest
from netsim.stack.ncp_server import NcpServer
from netsim.stack.ncp_spec import NcpHostSpec, NcpSpec, NcpSystemSpec
from netsim.stack.request_host_spec import RequestHostSpec
from netsim.stack.socket_path_spec import SocketPathSpec
from netsim.stack.socket_spec import SocketSpec
from netsim.stack.stream_host_spec import StreamHostSpec
from netsim.stack.tcp_socket import TcpSocket, connect
from netsim.stack.tcp_spec import TcpSpec
from netsim.stack.udp import UdpReceiver, UdpSender
from netsim.stack.udp_spec import UdpSpec

__all__ = [
    "Agreement",
    "Arrivals",
    "Bond",
    "BondSpec",
    "Computer",
    "ComputerSpec",
    "EspSpec",
    "IpSpec",
    "MessageProtocolSpec",
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
    "RequestHostSpec",
    "SocketPathSpec",
    "SocketSpec",
    "StreamHostSpec",
    "TcpEndpoint",
    "TcpSocket",
    "TcpSpec",
    "UdpEndpoint",
    "UdpReceiver",
    "UdpSender",
    "UdpSpec",
    "connect",
]
