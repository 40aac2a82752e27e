"""loss_free(scenario, address) -> LossFree: a search for the highest offered load without loss.

RFC 1242, 3.17, and RFC 2544, 26.1, call that throughput. Each trial offers a load for some time, from the start, and
passes if no frame is dropped anywhere, and its senders have offered the load: a process that is too slow, or whose
socket is full, sends late instead of losing anything. The search begins at the limit of the closed form, above which
nothing can pass. If a load does not pass, every higher load is assumed not to.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from netsim.engine import Environment
from netsim.errors import ScenarioError, check_type, plain, show, whole_number
from netsim.measure.offered_loads import check_loads
from netsim.measure.simulation import time_of, too_short
from netsim.scenario import Scenario, StreamRun
from netsim.units import MPPS, PS_PER_S, format_rate, parse

_ANY = f"{10**18} bit/s"  # more than any network carries
_LONGEST = 60 * PS_PER_S  # of a wait for the first frame: RFC 2544 has no longer trials (24)


@dataclass(frozen=True)
class Trial:
    """The load `offered` by each sender (bit/s), the number of frames or datagrams `lost`, and the number of datagrams
    that were due and that no socket had accepted by the end (`unsent`), if their senders had been late with more than
    one throughout its second half."""

    offered: float
    lost: int
    unsent: int = 0

    @property
    def passed(self) -> bool:
        """Whether everything was sent, and nothing lost."""
        return not self.lost and not self.unsent


@dataclass(frozen=True)
class LossFree:
    """The highest `rate` (bit/s) at which a trial passed (0: none did), the lowest rate with a loss, or that senders
    could not send (`lost_at`; None: all trials passed), and the `trials` in order; the `highest` load that was to be
    tried (None: all that is possible, by the closed form)."""

    rate: float
    lost_at: float | None
    trials: tuple[Trial, ...]
    highest: float | None = None

    def __str__(self) -> str:
        if self.lost_at is None:
            why = "the highest possible load" if self.highest is None else "the highest load tried"
            return f"{format_rate(self.rate)} without loss, {why}"
        if any(one.lost for one in self.trials if one.offered == self.lost_at):
            return f"{format_rate(self.rate)} without loss, {format_rate(self.lost_at)} with"
        return f"{format_rate(self.rate)} without loss, {format_rate(self.lost_at)} exceeds what the senders can send"


def loss_free(
    scenario: Scenario,
    addresses: str | Sequence[str],
    *,
    highest: str | float | None = None,
    precision: float = 0.01,
    trial: str | int = "0.2 s",
    seed: int = 1,
) -> LossFree:
    """Search for the highest load without loss. The senders' load is the number at one of the scenario's `addresses`,
    such as "flows.load.offered", or the same number at several. It is found to within `precision`, as a share of the
    first load tried, which is the limit of the closed form, or `highest` if that is lower; more precisely if it is
    below that share. `trial` is the length of a trial; at a load slightly too high queues fill slowly, so short trials
    find higher loads. A load that a sender can't send does not pass: a sender may be late for a while, but not with
    more than one datagram throughout the second half of a trial.

    Raises ScenarioError for a wrong argument, such as a `trial` that ends before anything has arrived;
    ConservationError if something is missing.
    """
    check_type("scenario", scenario, Scenario, "a scenario, such as ns.Flows")
    if scenario.unit == MPPS:
        text = f"{scenario.tool()} offers packets; allowed: a tool that offers bit/s; ns.rfc2544 has trials of packets"
        raise ScenarioError(text, address="scenario")
    names = _names(addresses)
    precision = _share(precision)
    check_loads(scenario, names)
    most, given = _possible(scenario, names), None
    if highest is not None and (asked := _rate(highest)) < most:
        most = given = asked
    time, seed = time_of("trial", trial), whole_number("seed", seed, 0)
    trials: list[Trial] = []
    for offered in _search(most, precision, trials):
        changes = dict.fromkeys(names, f"{offered} bit/s")
        trials.append(_trial(scenario.replace(changes), offered, time, seed))
    passed = [one.offered for one in trials if one.passed]
    failed = [one.offered for one in trials if not one.passed]
    return LossFree(max(passed, default=0.0), min(failed, default=None), tuple(trials), given)


def _names(addresses: str | Sequence[str]) -> list[str]:
    """The addresses as a list. Raises ScenarioError if there is none, or one of them is no text or there twice."""
    check_type("addresses", addresses, Iterable, 'an address, such as "flows.load.offered", or a list of them')
    names = [addresses] if isinstance(addresses, str) else list(addresses)
    if not names:
        raise ScenarioError("[] is not allowed; allowed: at least one address", address="addresses")
    for number, name in enumerate(names):
        check_type("addresses", name, str, 'an address, such as "flows.load.offered"')
        if name in names[:number]:
            raise ScenarioError(f"{show(name)} is there twice; allowed: each address once", address="addresses")
    return names


def _share(precision: float) -> float:
    """The precision, checked. Raises ScenarioError."""
    allowed = "more than 0 and less than 1"
    check_type("precision", precision := plain(precision), (int, float), allowed)
    if not 0 < precision < 1:
        raise ScenarioError(f"{show(precision)} is not allowed; allowed: {allowed}", address="precision")
    return precision


def _rate(highest: str | float) -> float:
    """The highest load to be tried (bit/s). Raises ScenarioError."""
    try:
        return float(parse("bit_rate", highest))
    except ScenarioError as error:
        raise error.at("highest") from None


def _possible(scenario: Scenario, names: Sequence[str]) -> float:
    """What each sender could offer at most (bit/s), according to the closed form: its limit if they try to offer more
    than any network carries. (Without a load, iperf3 would offer its default.)"""
    limit = scenario.replace(dict.fromkeys(names, _ANY)).bounds().limit
    return limit / len(names) / scenario.senders


def _search(most: float, precision: float, trials: Sequence[Trial]) -> Iterator[int]:
    """Loads to try, whole bit/s, each after the last one of `trials`: the highest, and then by halves. As long as none
    passes, the step shrinks with them."""
    low, high, step = 0, int(most), precision * most
    yield high
    if trials[-1].passed:
        return
    while high - low > max(1, step):
        middle = (low + high) // 2
        yield middle
        if not trials[-1].passed:
            high = middle
            step = precision * high if high <= step else step
        else:
            low = middle


def _trial(scenario: Scenario, offered: int, time: int, seed: int) -> Trial:
    """A trial of that time (ps)."""
    run = scenario.build(Environment(seed))
    if not isinstance(run, StreamRun):
        raise ScenarioError(f"{scenario.label} offers no load; allowed: a tool that measures a stream")
    run.start()
    run.env.run(time)
    run.audit()
    found = Trial(offered, sum(run.accounts().drops.values()), run.unsent(time // 2))
    if found.passed and not run.delivered:
        raise too_short("trial", time, _first_delivery(run))
    return found


def _first_delivery(run: StreamRun) -> int:
    """A time (ps) by which something has arrived: the run's time up to now, or as many times twice that as needed."""
    while not run.delivered and run.env.now < _LONGEST:
        run.env.run(2 * run.env.now)
    return run.env.now
