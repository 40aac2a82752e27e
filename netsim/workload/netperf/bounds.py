"""The closed form of UDP_STREAM: per datagram, the least time of every resource."""

from __future__ import annotations

from dataclasses import replace
from itertools import cycle
from typing import TYPE_CHECKING

from netsim.accounts import Resource
from netsim.accounts.bounds import Bounds
from netsim.accounts.resource import OFFERED
from netsim.closed_form.load import Demand, Frames, Load, carry
from netsim.closed_form.outline import frame
from netsim.closed_form.passage import Passage
from netsim.closed_form.stream import pair_bounds
from netsim.stack import udp
from netsim.stack.socket import CALLED, WITHIN
from netsim.stack.udp_costs import UdpCosts
from netsim.units import PS_PER_S

if TYPE_CHECKING:
    from netsim.workload.netperf.tool import Netperf


def udp_bounds(test: Netperf) -> Bounds:
    """Per datagram."""
    sender, receiver = test.ends
    sending, taking = UdpCosts(sender), UdpCosts(receiver, peer=sender)
    total = test.message_size + udp.HEADER
    fragments = sender.fragments(total, test.mtu)
    ways, _ = test.shares
    sends, takes = Load(), Load()
    out: list[Frames] = [[] for _ in range(test.cables)]
    # Over as many datagrams as ports, round robin sends every fragment through each port.
    for index, ((share, port), one) in enumerate(zip(cycle(ways), fragments * len(ways), strict=False)):
        first, last = index % len(fragments) == 0, index % len(fragments) == len(fragments) - 1
        sent, nbytes = sending.write(one, total, port, CALLED if first else WITHIN), one.nbytes
        fragment = Passage(
            frame(one.size),
            (sent,),
            (taking.completion(nbytes, total, port) if last else taking.fragment(nbytes, port),),
            (taking.read(test.message_size, taking.place(nbytes, total, port), CALLED),) if last else (),
            (sent.outside,) if sent.outside is not None else (),
        )
        carry(sends, takes, share, fragment, port)
        out[port].append((share, fragment.frame))
    resources = pair_bounds(test, test.message_size, sends, takes, out, [[]] * test.cables)
    return replace(resources, demand={**resources.demand, **_offered(test)})


def _offered(test: Netperf) -> Demand:
    return {Resource("", OFFERED): test.message_size * 8 * PS_PER_S / test.offered} if test.offered else {}
