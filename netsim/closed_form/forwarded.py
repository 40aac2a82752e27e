"""Frames that a host sends on for others: what they ask of it, and the least time that one takes to pass."""

from __future__ import annotations

from netsim.closed_form.load import Demand, Frames, Load, host_demand, on_the_wire
from netsim.closed_form.passage import Ports
from netsim.ethernet import Frame, Medium
from netsim.stack import ComputerSpec
from netsim.stack.forwarding_costs import ForwardingCosts


def forwarded(host: ComputerSpec, name: str, by: Ports, onto: Medium, frames: Frames) -> Demand:
    """ps of a host's resources for `frames` that come in by the first of these ports, and leave `onto` a wire by the
    other one."""
    into, out = by
    costs, load, pieces = ForwardingCosts(host, out), Load(), on_the_wire(frames)
    for count, frame in pieces:
        load.arrive(count, costs.work(frame.buffer), into, backlog=False)
    taken, sent = ([pieces if port == number else [] for port in range(max(by) + 1)] for number in by)
    return host_demand(host, name, onto, load, sent, taken)


def passing_time(host: ComputerSpec, by: Ports, from_: Medium, frame: Frame) -> int:
    """ps from a frame's last bit on one wire to its first on the next, with the host idle, and called already."""
    into, out = (host.ports()[number] for number in by)
    driver = into.bill_take(host.bill(), frame.buffer).work().total
    sent_on = ForwardingCosts(host, by[1]).work(frame.buffer).total
    store = into.adapter.behind(into.bus, from_, frame, driver)
    return store + driver + sent_on + out.adapter.ahead(out.bus, frame)
