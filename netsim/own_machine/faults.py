"""The faults of a machine, limiting ones first."""

from __future__ import annotations

from netsim.own_machine.finding import Finding, Subject
from netsim.own_machine.host_findings import interrupt_findings, kernel_findings
from netsim.own_machine.link_findings import link_findings
from netsim.own_machine.machine_spec import AdapterFound, ImportedMachine
from netsim.own_machine.ring_findings import ring_findings
from netsim.own_machine.slot_findings import slot_findings
from netsim.spec.named_table import by_name


def findings(machine: ImportedMachine) -> list[Finding]:
    """All faults; those that keep an adapter below its wire's rate come first."""
    found: list[Finding] = []
    for name in by_name(machine.adapters, AdapterFound):
        subject = Subject(machine, name)
        for about in (link_findings, slot_findings, ring_findings, interrupt_findings):
            found += about(subject)
    found += kernel_findings(machine)
    return sorted(found, key=lambda one: not one.limits)
