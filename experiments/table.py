"""The error table as text."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence

from experiments.run import Outcome

LABEL = 28  # characters: "eepro100-dual/eepro100 x 2" and two spaces
HEADER = f"{'':<{LABEL}}{'measured':>10}{'simulated':>11}{'+/-':>7}{'error':>10}  {'CPU':<11}{'bottleneck':<34}basis"


def table(outcomes: Sequence[Outcome]) -> str:
    """Rows by group, the worst of each group first; then how good they are together."""
    return "\n".join([*_groups(outcomes), "", *summary(outcomes)])


def groups(outcomes: Sequence[Outcome]) -> dict[str, list[Outcome]]:
    """What is listed together, in the order of the rows, the worst first within."""
    found: dict[str, list[Outcome]] = {}
    for one in outcomes:
        found.setdefault(f"{one.row.report}: {one.row.group}", []).append(one)
    return {name: sorted(group, key=lambda one: -abs(one.error_percent)) for name, group in found.items()}


def _groups(outcomes: Sequence[Outcome]) -> Iterator[str]:
    for name, group in groups(outcomes).items():
        yield f"\n{name} ({group[0].row.quantity}, {group[0].row.unit})"
        yield HEADER
        yield from map(_line, group)


def _line(one: Outcome) -> str:
    row = one.row
    figures = f"{row.measured:>10.2f}{one.simulated:>11.2f}{one.half_width:>7.2f}{one.error_percent:>+8.2f} %"
    bottleneck = f"{one.bottleneck} ({one.bottleneck_share:.1%})"
    note = "" if one.converged else ", not converged"
    return f"{row.label:<{LABEL}}{figures}  {cpu(one):<11}{bottleneck:<34}{one.basis}{note}"


def cpu(one: Outcome) -> str:
    """Busy shares of the hosts in their order (sender, receiver)."""
    return " / ".join(f"{share:.0%}" for share in one.cpu.values())


def summary(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Errors overall, of what was predicted and of what was fitted."""
    yield f"{'':<12}{'rows':>5}{'mean':>9}{'mean |e|':>10}{'median |e|':>12}{'max |e|':>10}   in per cent"
    for name in ("overall", "predicted", "fitted"):
        errors = [one.error_percent for one in outcomes if name in ("overall", one.basis)]
        if errors:
            sizes = [abs(error) for error in errors]
            mean, size = statistics.fmean(errors), statistics.fmean(sizes)
            middle, most = statistics.median(sizes), max(sizes)
            yield f"{name:<12}{len(errors):>5}{mean:>+9.2f}{size:>10.2f}{middle:>12.2f}{most:>10.2f}"


def parameters(counts: dict[str, int], rows: int) -> Iterator[str]:
    """What the rows rest on."""
    fitted = counts["fitted"]
    yield f"parameters   {', '.join(f'{number} {kind}' for kind, number in counts.items())}"
    per = f"one per {rows / fitted:.1f} measured values" if fitted else "none"
    yield f"fitted       {fitted} ({per})"
