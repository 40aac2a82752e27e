"""The error table as text, followed by the reports' claims about their rows and the values that they compute."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence

from experiments import left_out_errors
from experiments.basis import BASES
from experiments.comparison import Compared
from experiments.computed import Computed
from experiments.left_out_errors import Ends, Entry
from experiments.otherwise import unmoved
from experiments.ranking import rankings
from experiments.run import Outcome
from experiments.scale import Scale
from experiments.statement import Judged

LABEL = 28  # characters: "eepro100-dual/eepro100 x 2" and two spaces
LEFT_OUT = 17  # characters of a row's errors when it was left out: "-12.3 to +45.6"
HEADER = (
    f"{'':<{LABEL}}{'measured':>10}{'simulated':>11}{'+/-':>7}{'error':>10}  {'left out':<{LEFT_OUT}}{'CPU':<11}"
    f"{'bottleneck':<34}basis"
)
HOSTS = 5  # up to this many are listed one by one


def table(
    outcomes: Sequence[Outcome],
    compared: Sequence[Compared] = (),
    computed: Sequence[Computed] = (),
    judged: Sequence[Judged] = (),
    left_out: Sequence[Entry] = (),
) -> str:
    """Rows by group, the worst of each group first; then the reports' claims about rows and curves, and the values that
    they compute; then a summary of all errors, those of rows left out of the calibration first."""
    said = [*comparisons(compared), *orders(outcomes), *statements(judged), *closed_forms(computed)]
    claims = ["", *left_out_errors.summary(left_out), "", *summary(outcomes)]
    return "\n".join([*_groups(outcomes, left_out_errors.ends(left_out)), *said, *claims])


def groups(outcomes: Sequence[Outcome]) -> list[tuple[str, list[Outcome]]]:
    """Rows that are listed together (one quantity of a group) with a name: groups in the order of the rows, the worst
    row of each first."""
    found: dict[tuple[str, str, str], list[Outcome]] = {}
    for one in outcomes:
        found.setdefault((f"{one.row.report}: {one.row.group}", one.row.quantity, one.row.unit), []).append(one)
    return [(name, sorted(group, key=lambda one: -abs(one.error))) for (name, *_), group in found.items()]


def _groups(outcomes: Sequence[Outcome], left_out: Ends) -> Iterator[str]:
    for name, group in groups(outcomes):
        yield f"\n{name} ({quantity(group)})"
        yield HEADER
        yield from (_line(one, left_out_errors.text(one.row.id, left_out)) for one in group)


def quantity(group: Sequence[Outcome]) -> str:
    """The quantity and unit of rows that are listed together, and the unit of their errors unless that is per cent."""
    row = group[0].row
    return f"{row.quantity}, {row.unit}" + ("" if row.scale.relative else f"; errors in {row.scale.unit}")


def _line(one: Outcome, left_out: str) -> str:
    row = one.row
    sign = "%" if row.scale.relative else " "
    figures = f"{row.measured:>10.2f}{one.simulated:>11.2f}{one.half_width:>7.2f}{one.error:>+8.2f} {sign}"
    bottleneck = f"{one.bottleneck} ({one.bottleneck_share:.1%})"
    note = f", {one.missed}" if one.missed else ""
    return f"{row.label:<{LABEL}}{figures}  {left_out:<{LEFT_OUT}}{cpu(one):<10} {bottleneck:<34}{one.basis}{note}"


def cpu(one: Outcome) -> str:
    """Busy shares of the hosts in their order (sender, receiver); if there are many, the first and the range of the
    others."""
    shares = [f"{share:.0%}" for share in one.cpu.values()]
    if len(shares) <= HOSTS:
        return " / ".join(shares)
    others = sorted(list(one.cpu.values())[1:])
    return f"{shares[0]} / {100 * others[0]:.0f}-{others[-1]:.0%}"


def by_scale(outcomes: Sequence[Outcome]) -> dict[Scale, list[Outcome]]:
    """Outcomes whose errors are comparable, in the order of the rows."""
    found: dict[Scale, list[Outcome]] = {}
    for one in outcomes:
        found.setdefault(one.row.scale, []).append(one)
    return found


def summary(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """For each scale, errors overall, and of predicted, chosen and fitted rows. Rows computed from others count under
    "overall" only."""
    kinds = by_scale(outcomes)
    if stay := unmoved(outcomes):
        near = sum(one.near for one in stay)
        yield f"{len(stay)} chosen rows would not move with any other choice; {near} of them are within tolerance"
    for scale, rows in kinds.items():
        of = f", {quantities(rows)}" if len(kinds) > 1 else ""
        yield f"{'':<12}{'rows':>5}{'mean':>9}{'mean |e|':>10}{'median |e|':>12}{'max |e|':>10}   in {scale.unit}{of}"
        yield from _errors(rows)


def quantities(outcomes: Sequence[Outcome]) -> str:
    """The measured quantities, each once."""
    return ", ".join(dict.fromkeys(one.row.quantity for one in outcomes))


def _errors(outcomes: Sequence[Outcome]) -> Iterator[str]:
    for name in ("overall", *BASES):
        errors = [one.error for one in outcomes if name == "overall" or (name == one.basis and not one.row.parts)]
        if errors:
            sizes = [abs(error) for error in errors]
            mean, size = statistics.fmean(errors), statistics.fmean(sizes)
            middle, most = statistics.median(sizes), max(sizes)
            yield f"{name:<12}{len(errors):>5}{mean:>+9.2f}{size:>10.2f}{middle:>12.2f}{most:>10.2f}"


def comparisons(compared: Sequence[Compared]) -> Iterator[str]:
    """The reports' comparisons of rows, beside the simulation's; nothing if there are none."""
    if not compared:
        return
    width = max(len(one.comparison.text) for one in compared) + 2
    yield f"\n{'better by, per cent':<{width}}{'printed':>9}{'simulated':>11}{'+/-':>7}{'points':>8}  holds"
    for one in compared:
        printed = "" if one.comparison.printed is None else f"{one.comparison.printed:g}"
        points = "" if one.difference is None else f"{one.difference:+.1f}"
        figures = f"{printed:>9}{one.simulated:>11.1f}{one.half_width:>7.1f}{points:>8}"
        holds = "yes" if one.holds else "no"
        yield f"{one.comparison.text:<{width}}{figures}  {holds}"


def orders(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Rank correlations of rows listed together, and the pairs in the wrong order; nothing if there are none."""
    found = rankings(outcomes)
    if not found:
        return
    width = max(len(one.name) for one in found) + 2
    yield f"\n{'order of rows':<{width}}{'rows':>5}{'rank correlation':>18}  in the wrong order, though 2 % apart"
    for one in found:
        wrong = ", ".join(f"{better.row.label} under {worse.row.label}" for better, worse in one.inverted)
        yield f"{one.name:<{width}}{len(one.outcomes):>5}{one.correlation:>18.2f}  {wrong or 'none'}"


def statements(judged: Sequence[Judged]) -> Iterator[str]:
    """The reports' statements about curves, beside the simulation's findings; nothing if there are none."""
    if not judged:
        return
    width = max(len(one.statement.text) for one in judged) + 2
    print_width = max(len(one.statement.printed) for one in judged) + 2
    yield f"\n{'along the curves':<{width}}{'printed':<{print_width}}holds  simulated"
    for one in judged:
        holds = "yes" if one.holds else "no"
        yield f"{one.statement.text:<{width}}{one.statement.printed:<{print_width}}{holds:<7}{one.found}"


def closed_forms(computed: Sequence[Computed]) -> Iterator[str]:
    """Values that reports compute, beside those that netsim computes without simulation; nothing if there are none."""
    if not computed:
        return
    width = max(len(one.text) for one in computed) + 2
    yield f"\n{'computed, not simulated':<{width}}{'printed':>9}{'computed':>11}"
    for one in computed:
        printed = "" if one.printed is None else f"{one.printed:g}"
        yield f"{one.text:<{width}}{printed:>9}{one.value:>11.1f}  {one.unit}"


def parameters(counts: dict[str, int], measured: int) -> Iterator[str]:
    """The numbers that this many measured values rest on."""
    fitted = counts["fitted"]
    yield f"parameters   {', '.join(f'{number} {kind}' for kind, number in counts.items())}"
    per = f"one per {measured / fitted:.1f} measured values" if fitted else "none"
    yield f"fitted       {fitted} ({per})"
