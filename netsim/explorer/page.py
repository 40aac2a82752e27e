"""The page: a state, its simulations, and its settings, as HTML in parts that change separately."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from netsim.errors import ScenarioError
from netsim.explorer import allowed, frames, numbers, runs, steps
from netsim.explorer.case import Case
from netsim.explorer.runs import PageJob, Runs
from netsim.explorer.state import State
from netsim.results.result import Result
from netsim.scenario import Scenario
from netsim.show import palette
from netsim.show.comparison import Comparison

PARTS = ("bar", "answer", "choices", "numbers", "allowed", "simulation", "way", "frames", "text")
PRECISIONS = {"0.05": "5 %", "0.02": "2 %", "0.01": "1 %", "0.002": "0.2 %"}
_WORKS = ("copy", "protocol", "driver", "interrupt", "checksum", "wake-up", "system call")  # each has a colour


class Page:
    """The content that a browser shows of one scenario, and the actions of its buttons."""

    def __init__(self, scenario: Scenario) -> None:
        self.state = State(scenario)
        self.runs = Runs()
        self.words = self.part = ""
        self.precision, self.seed = "0.01", "1"
        self.found: dict[str, Any] = {}  # results and pictures, or errors, by the keys of their jobs
        self._actions: Mapping[str, Callable[[str, str], None]] = {
            "choose": self.state.choose,
            "set": self.state.set,
            "move": self.state.move,
            "more": lambda address, _: self.state.more(address),
            "fewer": lambda address, _: self.state.fewer(address),
            "as-now": lambda address, _: self.state.as_now(address),
            "keep": lambda *_: self.state.keep(),
            "back": lambda *_: self.state.back(),
            "undo": lambda *_: self.state.undo(),
            "search": self._search,
            "settings": self._settings,
            "simulate": lambda *_: self._simulate(),
            "draw": lambda *_: self.runs.start([self._drawing()]),
            "cancel": lambda *_: self.runs.cancel(),
            "look": lambda *_: None,
        }

    def do(self, action: str, address: str = "", value: str = "") -> str:
        """Perform the action of a button or a field; returns a line about anything that could not be done, or "".
        Raises ScenarioError for an unknown action."""
        if action not in self._actions:
            raise ScenarioError(f'this page has no action "{action}"')
        problem = ""
        try:
            self._actions[action](address, value)
        except ScenarioError as error:
            problem = " ".join(str(error).split())
        self.found |= self.runs.look()
        return problem

    def close(self) -> None:
        """End the simulating process."""
        self.runs.close()

    # ---- settings besides the scenario ----

    def _search(self, address: str, value: str) -> None:
        if address == "part":
            self.part = value
        else:
            self.words = value

    def _settings(self, address: str, value: str) -> None:
        if address == "precision" and value in PRECISIONS:
            self.precision = value
        elif address == "seed" and value.strip().isdecimal() and len(value.strip()) < 10:
            self.seed = value.strip()
        else:
            raise ScenarioError("not allowed; allowed: a whole number, 0 or more", address=address)

    def _simulate(self) -> None:
        cases = {self._key(one): one for one in (self.state.now, self.state.what_if)}
        names = {self._key(self.state.now): "now", self._key(self.state.what_if): "what if"}
        given = float(self.precision), int(self.seed)
        self.runs.start([
            PageJob(key, f"simulating {names[key]}", runs.simulated, (case.scenario, *given))
            for key, case in cases.items() if not isinstance(self.found.get(key), Result)
        ])  # fmt: skip

    def _drawing(self) -> PageJob:
        case = self.state.what_if
        return PageJob(f"frames {case.key}", "drawing three frames", frames.drawn, (case.scenario,))

    def _key(self, case: Case) -> str:
        return f"{case.key} {self.precision} {self.seed}"

    def _result(self, case: Case) -> Result | None:
        found = self.found.get(self._key(case))
        return found if isinstance(found, Result) else None

    # ---- display ----

    def parts(self) -> dict[str, str]:
        """Each part as HTML, by its name."""
        seen = self._seen()
        return {part: render(f"{part}.html", **seen) for part in PARTS}

    def whole(self) -> str:
        """The page."""
        return render("page.html", parts=self.parts(), said=self.said(), title=self.state.scenario.label)

    def said(self) -> str:
        """The announcement of a change, for screen readers."""
        bounds = self.state.what_if.bounds
        rate = f"{allowed.number(bounds.unit.of(bounds.limit))} {bounds.unit.name}"
        count = len(self.state.refused)
        wrong = f"; {count} value{'s' * (count > 1)} can't be used" if count else ""
        return f"At most {rate}, limited by {bounds.bottleneck}{wrong}"

    def _seen(self) -> dict[str, Any]:
        state = self.state
        now, what_if = (self._result(case) for case in (state.now, state.what_if))
        groups = state.groups
        chosen = {address for group in groups for choice in group.choices for address in choice.addresses}
        wrong = state.refused.keys() - chosen
        rows, count = numbers.found(state.what_if, state.now, self.words, self.part, wrong, chosen)
        failed = [self.found.get(self._key(case)) for case in (state.what_if, state.now)]
        return {
            "state": state, "groups": groups, "changes": state.changes,
            "same": state.now == state.what_if,
            "number": allowed.number,
            "share": allowed.share,
            "rows": rows, "count": count, "steps_of_sliders": numbers.STEPS,
            "words": self.words, "part": self.part, "all_parts": numbers.parts(state.scenario),
            "allowed": allowed.side_by_side(state.now.bounds, state.what_if.bounds),
            "now": now, "what_if": what_if,
            "error": next((one for one in failed if isinstance(one, Exception)), None),
            "comparison": _compared(now, what_if), "measured": allowed.measured,
            "runs": self.runs, "precisions": PRECISIONS, "precision": self.precision, "seed": self.seed,
            "way": self._way(what_if, state.what_if), "before": self._shares(now, state.now),
            "colour": _colour,
            "frames": self.found.get(self._drawing().key),
            "toml": state.what_if.toml, "python": state.what_if.python,
        }  # fmt: skip

    def _way(self, result: Result | None, case: Case) -> list[steps.Step]:
        return steps.of_bounds(case.bounds) if result is None else steps.of_result(result, case.bounds)

    def _shares(self, result: Result | None, case: Case) -> dict[str, float]:
        """How busy each resource is now, if that differs."""
        same_source = (result is None) == (self._result(self.state.what_if) is None)
        if self.state.now == self.state.what_if or not same_source:
            return {}
        return {one.name: one.share for one in self._way(result, case)}


def _compared(now: Result | None, what_if: Result | None) -> Comparison | None:
    """The comparison of both results, if both exist and count the same unit."""
    if now is None or what_if is None or now is what_if or now.scenario.unit.each != what_if.scenario.unit.each:
        return None
    return replace(now.compare(what_if), names=("now", "what if"))


def _colour(work: str) -> int:
    """The number of the page's colour for a processor's work, the same everywhere; rare kinds share the last one."""
    return (_WORKS.index(work) if work in _WORKS else len(_WORKS)) + 1


def style() -> str:
    """The style sheet, in light and dark."""
    return render("page.css", light=palette.LIGHT, dark=palette.DARK)


def render(template: str, **values: Any) -> str:
    """A template of this package."""
    return str(_environment().get_template(template).render(**values))


@lru_cache(maxsize=1)
def _environment() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("netsim.explorer"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
