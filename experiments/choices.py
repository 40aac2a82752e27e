"""Questions that people ask of a model and measured rows can answer: which card, which host, which system? Rows that
differ in nothing else are alternatives; comparing the best measured with the best simulated one tests the answer."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from experiments.digits import unit
from experiments.run import Outcome

TIE = 2.0  # per cent: alternatives whose measured values are closer than that count as equally good
LESS_IS_BETTER = ("latency",)
NO_CHOICE = ("CPU", "quotient")  # less work done costs less, too; a quotient is a comparison of its own
# A question, and the columns of a case in which its alternatives differ (all of them or some).
QUESTIONS = {
    "Which card in this host?": (("nic", "driver"), ("nic",), ("server_nic",), ("client_nic",)),
    "Which driver for this card?": (("driver",),),
    "Which hosts for this card?": (("sender", "receiver"),),
    "Which system on this server?": (("os",),),
    "How many ports?": (("ports",),),
    "Aggregated adapters or separate ones?": (("aggregated",),),
    "IPsec by the host or the card?": (("ipsec",),),
    "Which size of frames?": (("frame_bytes",),),
    "Which message library?": (("transport",),),
}
_WORDS = {
    ("aggregated", "True"): "aggregated", ("aggregated", "False"): "separate", ("ipsec", "none"): "no IPsec",
    ("ipsec", "host"): "IPsec by the host", ("ipsec", "offload"): "IPsec by the card",
}  # fmt: skip


@dataclass(frozen=True)
class Choice:
    """`outcomes` of alternatives by name, best measured first; `case` describes what they share."""

    case: str
    quantity: str
    outcomes: Mapping[str, Outcome]

    @property
    def measured(self) -> str:
        """The alternative with the best measured value."""
        return next(iter(self.outcomes))

    @property
    def simulated(self) -> str:
        """The alternative with the best simulated value."""
        return _sorted(self.outcomes, lambda one: one.simulated)[0]

    @property
    def good(self) -> bool:
        """Whether the simulation picks the best one, or one that measured equally good."""
        return self.cost <= TIE

    @property
    def cost(self) -> float:
        """The cost of following the simulation: how many per cent worse its choice measured than the best."""
        best, chosen = (self.outcomes[name].row.measured for name in (self.measured, self.simulated))
        return 100 * (chosen / best - 1 if _less(self.outcomes.values()) else 1 - chosen / best)

    def relative(self, name: str) -> tuple[float, float]:
        """An alternative as a share of the best measured, as measured and as simulated."""
        best, one = self.outcomes[self.measured].row.measured, self.outcomes[name]
        return one.row.measured / best, one.simulated / best

    @property
    def most(self) -> float:
        """The largest of these shares."""
        return max(max(self.relative(name)) for name in self.outcomes)


@dataclass(frozen=True)
class Question:
    """All choices of a kind."""

    text: str
    choices: Sequence[Choice]

    @property
    def good(self) -> int:
        """How many are answered well."""
        return sum(one.good for one in self.choices)

    @property
    def median(self) -> float:
        """Median cost."""
        return statistics.median(one.cost for one in self.choices)

    @property
    def worst(self) -> Choice:
        """The choice with the highest cost."""
        return max(self.choices, key=lambda one: one.cost)


def questions(outcomes: Sequence[Outcome]) -> list[Question]:
    """The questions that these rows can answer."""
    found = []
    for text, every in QUESTIONS.items():
        choices = [one for columns in every for one in _choices(outcomes, columns)]
        if choices:
            found.append(Question(text, choices))
    return found


def _choices(outcomes: Sequence[Outcome], columns: Sequence[str]) -> Iterator[Choice]:
    """Groups of rows that have all of the columns and differ only in these."""
    groups: dict[tuple[object, ...], list[Outcome]] = {}
    for one in outcomes:
        row = one.row
        apart = columns == ("nic",) and "driver" in row.case  # a card comes with its driver
        if set(columns) <= set(row.case) and not apart and row.quantity not in NO_CHOICE:
            rest = tuple(item for item in row.case.items() if item[0] not in columns)
            groups.setdefault((row.report, row.table, row.quantity, rest), []).append(one)
    for rows in groups.values():
        named = {_alternative(one, columns): one for one in rows}
        if len({one.row.measured for one in rows}) > 1:
            ordered = {name: named[name] for name in _sorted(named, lambda one: one.row.measured)}
            yield Choice(_case(rows[0], columns), f"{rows[0].row.quantity}, {unit(rows[0].row.unit)}", ordered)


def _sorted(outcomes: Mapping[str, Outcome], value: Callable[[Outcome], float]) -> list[str]:
    """Names, best first."""
    return sorted(outcomes, key=lambda name: value(outcomes[name]), reverse=not _less(outcomes.values()))


def _less(outcomes: Iterable[Outcome]) -> bool:
    return next(iter(outcomes)).row.quantity in LESS_IS_BETTER


def _alternative(one: Outcome, columns: Sequence[str]) -> str:
    if columns[0].endswith("_nic"):
        return one.row.label
    return _told({name: one.row.case[name] for name in columns})


def _case(one: Outcome, columns: Sequence[str]) -> str:
    """What the alternatives share, in words."""
    rest = {name: value for name, value in one.row.case.items() if name not in columns}
    return f"{one.row.report}: {_told(rest) if rest else one.row.group}"


def _told(case: Mapping[str, str | int]) -> str:
    """Columns in words: "sender to receiver", and a card with its driver."""
    left = dict(case)
    words = []
    if {"sender", "receiver"} <= set(left):
        words.append(f"{left.pop('sender')} to {left.pop('receiver')}")
    if {"nic", "driver"} <= set(left):
        words.append(f"{left.pop('nic')}/{left.pop('driver')}")
    return ", ".join([*words, *(_word(name, value) for name, value in left.items())])


def _word(name: str, value: str | int) -> str:
    if name == "ports":
        return "1 port" if value == 1 else f"{value} ports"
    return f"{value} bytes" if name == "frame_bytes" else _WORDS.get((name, str(value)), str(value))
