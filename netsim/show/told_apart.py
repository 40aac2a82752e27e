"""What tells the sweeps of a store apart: the values below their axes that are not the same for all of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from netsim.errors import ScenarioError
from netsim.scenario import Scenario
from netsim.show.differences import Change, changes_within
from netsim.spec.changes import above, is_kept
from netsim.sweeps.settings import RunSettings
from netsim.sweeps.store import Registered
from netsim.sweeps.stored_scenario import unpacked

_MOST = 6  # values told of a sweep


class _Base(NamedTuple):
    """A sweep's scenario, and the settings of its runs."""

    sweep: Registered
    scenario: Scenario
    settings: RunSettings

    def changes(self, other: _Base) -> list[Change]:
        """The differences from another one."""
        return changes_within(self.scenario, other.scenario) + changes_within(self.settings, other.settings)

    def overwrites(self, swept: str, address: str) -> bool:
        """Whether its points replace what is at an address: the `swept` one, or one in it."""
        axes = [axis for axis, _ in self.sweep.about["columns"]]
        return swept in axes and not is_kept(self.scenario, swept, address)


def told_apart(sweeps: Iterable[Registered]) -> dict[str, str]:
    """By the id of a sweep, its values that differ among the sweeps of the same test: "mtu 1000 B, sender p166". There
    are none for a sweep stored without its scenario, as earlier versions did."""
    alike: dict[tuple[str, str], list[_Base]] = {}
    for sweep in sweeps:
        if (base := _base(sweep)) is not None:
            alike.setdefault((type(base.scenario).tool(), sweep.about["label"]), []).append(base)
    return {base.sweep.id: text for bases in alike.values() for base, text in _texts(bases)}


def _base(sweep: Registered) -> _Base | None:
    """None if the scenario is not stored, or can't be read here."""
    try:
        settings = {name: value for name, value in json.loads(sweep.about["settings"]).items() if name != "tool"}
        return _Base(sweep, unpacked(sweep.about["scenario"]), RunSettings.of(**settings))
    except (KeyError, ScenarioError):
        return None


def _texts(bases: list[_Base]) -> Iterator[tuple[_Base, str]]:
    """The values of each, all found as differences from the first."""
    changes = [bases[0].changes(base) for base in bases]
    first = {one.address: one.this for several in changes for one in several}
    for base, several in zip(bases, changes, strict=True):
        texts = [*_values(base, first, {one.address: one.other for one in several})]
        more = [f"and {len(texts) - _MOST} more that differ"] * (len(texts) > _MOST)
        yield base, ", ".join([*texts[:_MOST], *more])


def _values(base: _Base, first: Mapping[str, str], own: Mapping[str, str]) -> Iterator[str]:
    """A sweep's `own` values, or else those of the `first`; but none that its points overwrite, and none inside another
    spec than the first has."""
    for address, value in {**first, **own}.items():
        elsewhere = address not in own and not own.keys().isdisjoint(above(address))
        if not elsewhere and not any(base.overwrites(one, address) for one in (address, *above(address))):
            yield f"{address} {value}"
