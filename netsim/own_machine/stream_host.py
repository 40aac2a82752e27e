"""A host for streams, made from a user's own machine: values read are entered as `imported`.

No tool reports costs. They are `assumed`: those of the nearest parts in the catalogue, in cycles of this machine's
clock.
"""

from __future__ import annotations

from collections.abc import Mapping

from netsim import catalog
from netsim.bus import PcieSpec
from netsim.catalog.provenance import Provenance, Sourced
from netsim.errors import ScenarioError
from netsim.machine import QueueDriverSpec
from netsim.own_machine import nearest
from netsim.own_machine.coalescing import moderation_of
from netsim.own_machine.finding import Subject
from netsim.own_machine.machine_spec import AdapterFound, ImportedMachine
from netsim.own_machine.slot_rate import as_pcie, frame_bytes, slot_rate, wire_rate
from netsim.spec import SET_BY_USER
from netsim.spec.tree import values
from netsim.stack import StreamHostSpec
from netsim.units import PS_PER_S

_PCIE = ("generation", "lanes", "max_payload", "max_read", "read_boundary")
_ROOM = 2.0  # times the wire's rate: the minimum for a slot that no tool shows
_FAR = 0.5  # the share of interrupts on other nodes from which softirqs are assumed to run there
_KNOWN = ("standard", "documented")


def stream_host(machine: ImportedMachine, name: str) -> StreamHostSpec:
    """The machine as a host of iperf3, with its adapter of that name. Raises ScenarioError if it can't be simulated."""
    return _Builder(Subject(machine, name)).host()


class _Builder:
    """Values by the host's addresses, each with its source in this machine's description."""

    def __init__(self, subject: Subject) -> None:
        self._machine, self._adapter, self._part = subject.machine, subject.adapter, subject.part
        self._sources = subject.machine.provenance()
        self._found: dict[str, object] = {}

    def host(self) -> StreamHostSpec:
        """Raises ScenarioError."""
        rate = _full_duplex_rate(self._adapter)
        card, driver, own = nearest.nearest_adapter(self._adapter.driver, rate)
        costs = nearest.stream_driver()
        base = StreamHostSpec.model_validate({
            "server": nearest.nearest_server(self._machine.processors.clock),
            "pcie": self._pcie(), "adapter": card, "driver": {"model": driver, "stream": costs.stream},
            "kernel": nearest.nearest_kernel(self._adapter.version),
        })  # fmt: skip
        self._server(base.server.cores // base.memory.nodes)
        self._kernel()
        self._card(base.driver)
        self._end()
        host = base.replace(self._found)
        names = host.catalogue_names() | {"driver.stream": costs.catalogue_name}
        host.remember(host.catalogue_names(), self._assumed(host, names, own))
        return host

    # --- values -------------------------------------------------------------------------------------------------------

    def _take(self, to: str, address: str) -> None:
        """A value as read, if it is known."""
        if (value := self._machine.get(address)) is not None:
            self._found[to] = Sourced(value, self._sources[address])

    def _derive(self, to: str, value: object, how: str, *addresses: str) -> None:
        each = [self._sources[one] for one in addresses]
        where = f"{', '.join(dict.fromkeys(one.source or one.reason for one in each))}: {how}"
        read = all(one.kind == "imported" or one == SET_BY_USER for one in each)
        source = Provenance(kind="derived", source=where) if read else Provenance(kind="assumed", reason=where)
        self._found[to] = Sourced(value, source)

    def _server(self, fallback: int) -> None:
        """`fallback` is the number of a node's cores if this machine's is not known."""
        machine = self._machine
        self._take("server.clock", "processors.clock")
        self._take("server.cache.size", "processors.cache")
        nodes = max(1, len(values(machine.nodes)))
        cores = max(1, machine.processors.count // machine.processors.threads_per_core)
        addresses = ("processors.count", "processors.threads_per_core")
        if nodes > 1 and self._far:
            self._derive("server.memory.nodes", nodes, "softirqs on another node", f"{self._part}.remote_interrupts")
            self._derive("server.cores", cores, "cores of all nodes", *addresses)
        else:
            own = max(1, cores // nodes) if self._counted else fallback
            self._derive("server.memory.nodes", 1, "softirqs and processes on one node", "processors.count")
            self._derive("server.cores", own, "cores of a node", *addresses)

    @property
    def _counted(self) -> bool:
        """Whether the number of processors is known."""
        source = self._sources["processors.count"]
        return source.kind == "imported" or source == SET_BY_USER

    @property
    def _far(self) -> bool:
        total, away = self._adapter.interrupts, self._adapter.remote_interrupts
        return bool(total and away and away >= _FAR * total)

    def _kernel(self) -> None:
        kernel = self._machine.kernel
        self._take("kernel.hz", "kernel.hz")
        self._take("kernel.budget", "kernel.netdev_budget")
        jiffies = max(1, -(-kernel.netdev_budget_time * kernel.hz // PS_PER_S))
        self._derive("kernel.jiffies", jiffies, "rounded up", "kernel.netdev_budget_time", "kernel.hz")

    def _pcie(self) -> PcieSpec:
        """The link; if no tool shows it, one that is not a bottleneck. Raises ScenarioError."""
        link = self._adapter.pcie
        if link is None:
            return self._roomy()
        pcie = as_pcie(link)
        if pcie is None:
            text = f"netsim does not model PCI Express generation {link.generation} x{link.lanes}"
            raise ScenarioError(text)
        for name in _PCIE:
            self._take(f"pcie.{name}", f"{self._part}.pcie.{name}")
        return pcie

    def _roomy(self) -> PcieSpec:
        """The slowest of the catalogue's links that carry much more than the wire, or else the fastest of all."""
        frame, wire = frame_bytes(self._adapter), wire_rate(self._adapter)
        every = sorted(map(PcieSpec.from_name, catalog.names("pcie")), key=lambda one: slot_rate(one, frame))
        return next((one for one in every if slot_rate(one, frame) >= _ROOM * wire), every[-1])

    def _card(self, driver: QueueDriverSpec) -> None:
        for to, name in {"adapter.rate": "rate", "adapter.queues": "queues", "driver.queues": "queues",
                         "driver.rx_ring": "rx_ring", "driver.tx_ring": "tx_ring",
                         "driver.stream.sent_interval": "tx_usecs"}.items():  # fmt: skip
            if getattr(self._adapter, name):
                self._take(to, f"{self._part}.{name}")
        if (policy := moderation_of(self._adapter, driver)) is not None:
            where = {name: self._sources[f"{self._part}.{name}"] for name in ("adaptive_rx", "rx_usecs", "rx_frames")}
            known = next((one for one in where.values() if one.kind == "imported"), where["rx_usecs"])
            self._found["driver.moderation"] = {key: Sourced(value, known) for key, value in policy.items()}

    def _end(self) -> None:
        """Offloads, affinity and buffers."""
        offloads, measured = self._adapter.offloads, self._adapter.measured
        for to, name in {"tso": "segmentation", "gro": "generic_receive"}.items():
            address = f"{self._part}.offloads.{name}"
            self._found[to] = Sourced(offloads.get(name) == "on", self._sources[address])
        arfs = offloads.flow_steering == "on" and self._machine.kernel.flow_entries > 0
        single = self._counted and self._machine.processors.count == 1
        where = (f"{self._part}.offloads.flow_steering", "kernel.flow_entries")
        self._derive("arfs", arfs or single, "one processor" if single else "ntuple filters and flow entries", *where)
        for to, name in {"tcp_rmem": "receive_buffer", "tcp_wmem": "send_buffer"}.items():
            fixed = measured is not None and measured.get(name) is not None
            self._take(to, f"{self._part}.measured.{name}" if fixed else f"kernel.{to}_max")

    # --- the rest -----------------------------------------------------------------------------------------------------

    def _assumed(self, host: StreamHostSpec, names: Mapping[str, str], own: bool) -> Mapping[str, Provenance]:
        """Sources of the values that this machine doesn't report: the catalogue parts that represent its own were
        measured elsewhere, or read from another machine. `own`: the driver is that of this machine."""
        right = ["kernel.", "pcie."]  # sources of these values are valid here, too
        if own:
            right += [f"driver.{name}" for name in values(host.driver) if name != "stream"]
        found = {}
        for address, source in host.provenance().items():
            taken = any(address == one or address.startswith(f"{one}.") for one in self._found)
            if not taken and not (source.kind in _KNOWN and address.startswith(tuple(right))):
                found[address] = Provenance(kind="assumed", reason=_reason(names, address), range=source.range)
        return found


def _full_duplex_rate(adapter: AdapterFound) -> int:
    """The rate of a link that can be simulated. Raises ScenarioError."""
    if not adapter.rate:
        raise ScenarioError("the rate of its link is not known: the link is down, or not Ethernet")
    if adapter.duplex == "half":
        raise ScenarioError("its link is half duplex, over which no stream can be simulated; allowed: full duplex")
    return adapter.rate


def _reason(names: Mapping[str, str], address: str) -> str:
    """The title of the innermost named part that contains the value."""
    above = [at for at in names if at and address.startswith(f"{at}.")]
    if not above:
        return "no tool shows it"
    category, _, name = names[max(above, key=len)].partition("/")
    return f"as {catalog.notes(category, name)['title']}, the closest in the catalogue"
