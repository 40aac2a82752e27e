"""Interrupts on the wrong socket, a softirq that runs out of its budget, an IOMMU that maps each buffer."""

from __future__ import annotations

from collections.abc import Iterator

from netsim.ethernet.frame_sizes import frame_size
from netsim.own_machine.finding import UNKNOWN, Finding, Subject, lasting
from netsim.own_machine.machine_spec import AdapterFound, ImportedMachine
from netsim.own_machine.slot_rate import frames_per_second
from netsim.spec.named_table import by_name
from netsim.units import PS_PER_S

_AWAY = 0.1  # the share of interrupts on other nodes that is worth reporting
_BUFFER, _PAGE = 2048, 4096  # bytes: half a page for each descriptor, as in modern Intel drivers


def interrupt_findings(subject: Subject) -> Iterator[Finding]:
    """Findings about one adapter."""
    adapter = subject.adapter
    total, away = adapter.interrupts, adapter.remote_interrupts
    if not total or not away or away < _AWAY * total:
        return
    what = f"{away / total:.0%} of its interrupts arrive at processors outside its own node, {adapter.node}"
    why = (
        f"{away} of {total} interrupts: descriptors and headers, which it wrote into node {adapter.node}'s cache,"
        " are read over the link between the sockets"
    )
    node = f"node{adapter.node}.processors"
    known = node in subject.machine.nodes.addresses()
    cpus = subject.machine.nodes.get(node) if known else "that node's processors"
    remedy = f"stop irqbalance or give it the node, and write {cpus} to /proc/irq/N/smp_affinity_list of its vectors"
    where, changes = subject.where("remote_interrupts", "node"), subject.changes(remote_interrupts=0)
    yield Finding(subject.part, what, where, why, remedy, changes=changes)


def kernel_findings(machine: ImportedMachine) -> Iterator[Finding]:
    """Findings about Linux as a whole."""
    kernel, sources = machine.kernel, machine.provenance()
    adapters = by_name(machine.adapters, AdapterFound).values()
    fastest = max((frames_per_second(one, frame_size(one.mtu)) for one in adapters), default=0.0)
    if kernel.squeezed:
        budget = sources["kernel.netdev_budget"]
        full = kernel.netdev_budget / fastest if fastest else 0.0
        lasts = f" ({lasting(full)} of full frames at the fastest wire's rate)" if full else ""
        time = lasting(kernel.netdev_budget_time / PS_PER_S)
        yield Finding(
            "kernel", f"softirqs ended {kernel.squeezed} times with frames left (time_squeeze)",
            ", ".join([sources["kernel.squeezed"].source, budget.source or budget.reason]),
            f"one ends after {kernel.netdev_budget} frames{lasts} or after {time}; the rest waits for the next one",
            f"sysctl -w net.core.netdev_budget={2 * kernel.netdev_budget}, or more queues on more processors",
            f"{2 * kernel.netdev_budget} frames per softirq; effect on throughput {UNKNOWN}",
            changes={"kernel.netdev_budget": 2 * kernel.netdev_budget},
        )  # fmt: skip
    if kernel.dropped:
        backlog = sources["kernel.backlog"]
        yield Finding(
            "kernel", f"{kernel.dropped} frames were dropped because a processor's backlog was full",
            ", ".join([sources["kernel.dropped"].source, backlog.source or backlog.reason]),
            f"the backlog, which RPS and virtual devices use, holds {kernel.backlog} frames",
            f"sysctl -w net.core.netdev_max_backlog={4 * kernel.backlog}, or spread RPS over more processors",
            f"room for {4 * kernel.backlog} frames; how many are still dropped is not known",
        )  # fmt: skip
    yield from _mapped(machine, next(one.source for at, one in sources.items() if at.startswith("kernel.options")))


def _mapped(machine: ImportedMachine, where: str) -> Iterator[Finding]:
    """intel_iommu=on without iommu=pt: Linux maps each buffer separately (kernel-parameters.txt)."""
    options = machine.kernel.options
    if not {"intel_iommu=on", "iommu=force"} & {*options} or {"iommu=pt", "iommu.passthrough=1"} & {*options}:
        return
    rings = sum((one.rx_ring or 0) * (one.queues or 1) for one in by_name(machine.adapters, AdapterFound).values())
    pages = -(-rings * _BUFFER // _PAGE)
    yield Finding(
        "kernel", "the IOMMU translates the addresses of every adapter's transfers (no iommu=pt)", where,
        f"the {_BUFFER}-byte buffers of {rings} receive descriptors take {pages} pages of 4 KiB, each with an entry",
        "boot with iommu=pt, unless the IOMMU has to protect memory from devices",
        "not known: no tool shows how many entries the IOMMU caches, or what a miss costs",
    )  # fmt: skip
