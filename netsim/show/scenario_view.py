"""A scenario for human readers: its machines side by side, the parts between them, and how the tool measures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from netsim.machine import HostSpec
from netsim.show import host_view, spec_view
from netsim.show.html import render
from netsim.spec import NONE, Spec
from netsim.spec.named_table import NamedTable

if TYPE_CHECKING:
    from netsim.scenario import Scenario

_STOPPING = ("min_iterations", "max_iterations", "confidence", "interval")


def html(scenario: Scenario) -> str:
    """A column for each machine (one for like machines), the wire, the tool, and all values in a folded section."""
    machines = dict(_machines(scenario))
    parts = {name: _column(spec) for name, spec in machines.items()}
    kinds = list(dict.fromkeys(kind for column in parts.values() for kind in column))
    table = [(kind, [column.get(kind, ()) for column in parts.values()]) for kind in kinds]
    return render(
        "scenario.html",
        title=_title(scenario),
        machines=list(machines),
        table=[(kind, cells) for kind, cells in table if any(cells)],
        settings=list(_between(scenario)) + list(_settings(scenario)),
        leaves=spec_view.leaves(scenario),
        digest=scenario.hash12,
    )


def text(scenario: Scenario) -> str:
    """The tool and its settings, a line for each machine (one for like machines), and the parts between them."""
    machines: dict[str, str] = {}
    for name, spec in _machines(scenario):
        said = _machine(spec)
        machines[said] = f"{machines[said]}, {name}" if said in machines else name
    lines = [(_title(scenario), dict(_settings(scenario))["settings"])]
    lines += [(names, said) for said, names in machines.items()]
    for name, said in list(_between(scenario))[:1]:
        others = [f"{other} {more}" for other, more in list(_between(scenario))[1:]]
        lines.append((name, "; ".join([said, *others])))
    width = max(len(name) for name, _ in lines)
    return "\n".join(f"{name:<{width}}   {said}".rstrip() for name, said in lines)


def _machine(spec: HostSpec) -> str:
    """Its name, its system, its adapters and disks, and its changed values."""
    parts = host_view.parts(spec)
    name = spec_view.title(spec) or ", ".join(parts["processors"])
    said = [name, *parts["system"], *parts["adapters"], *parts.get("disks", ()), *parts[spec_view.SET]]
    return "; ".join(said)


def _title(scenario: Scenario) -> str:
    """The tool, and the label of its result if that differs."""
    tool, label = type(scenario).__name__, scenario.label
    return label if tool.casefold() in label.casefold() else f"{tool} {label}"


def _column(spec: HostSpec) -> dict[str, Any]:
    return {"machine": [spec_view.title(spec) or "of its own"], **host_view.parts(spec)}


def _fields(scenario: Scenario) -> Iterator[tuple[str, Any]]:
    """The scenario's own fields, and the named entries of its tables."""
    for name in type(scenario).model_fields:
        value = getattr(scenario, name)
        if isinstance(value, NamedTable):
            yield from ((f"{name}.{one}", getattr(value, one)) for one in type(value).model_fields)
        else:
            yield name, value


def _machines(scenario: Scenario) -> Iterator[tuple[str, HostSpec]]:
    """By their addresses, consecutive like machines only once: "clients.0 to 3"."""
    for name, value in _fields(scenario):
        if isinstance(value, HostSpec):
            yield name, value
        elif isinstance(value, tuple) and value and isinstance(value[0], HostSpec):
            starts = [n for n, one in enumerate(value) if n == 0 or one != value[n - 1]]
            for start, end in zip(starts, [*starts[1:], len(value)], strict=True):
                yield f"{name}.{start}" + (f" to {end - 1}" if end - start > 1 else ""), value[start]


def _between(scenario: Scenario) -> Iterator[tuple[str, str]]:
    """Parts that have a spec and are not machines: the wire, a switch, a mix of requests."""
    for name, value in _fields(scenario):
        if _is_part(value):
            changes = spec_view.set_here(value) if value.catalogue_name else []
            yield name, "; ".join([spec_view.described(value), *changes])
        elif isinstance(value, tuple):
            yield from ((f"{name}.{n}", spec_view.described(one)) for n, one in enumerate(value) if _is_part(one))


def _is_part(value: object) -> bool:
    return isinstance(value, Spec) and not isinstance(value, HostSpec)


def _settings(scenario: Scenario) -> Iterator[tuple[str, str]]:
    """The tool's own values other than none, and when it stops."""
    own = [leaf for leaf in spec_view.leaves(scenario) if "." not in leaf.address and leaf.address not in _STOPPING]
    yield "settings", ", ".join(f"{leaf.address} {leaf.value}" for leaf in own if leaf.value != NONE)
    (fewest, most), confidence = scenario.iterations, f"{100 * scenario.confidence:g} %"
    until = f" to {most}, until the {confidence} interval is no wider than {100 * scenario.interval:g} %"
    yield "iterations", f"{fewest}{until if most > fewest else f', interval of {confidence}'}"
