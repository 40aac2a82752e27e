"""What every scenario is in a running simulation: one that continues forever, or a series of messages."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping

from netsim.accounts.accounts import Accounts
from netsim.engine import Environment, ResponseLog


class Run:
    """A scenario in an environment: a StreamRun or a SeriesRun."""

    env: Environment

    @abstractmethod
    def accounts(self) -> Accounts:
        """The accounts up to now."""

    @property
    def frames(self) -> int:
        """Those on all wires up to now. The accounts have that, too: a run that is asked often knows it for less."""
        return sum(self.accounts().frames.values())

    @abstractmethod
    def audit(self) -> None:
        """Check conservation. Raises ConservationError."""

    @abstractmethod
    def waiting_for(self) -> str:
        """What the workload waits for, for the message about a run that stands still."""


class StreamRun(Run):
    """Bytes or transactions are delivered forever, and how many per second is measured
    (netsim.measure.steady_state). An iteration of the tool lasts `duration` (ps). Where something happens to it,
    `moments` says what, by time (ps, rising), and there is no steady state to wait for (netsim.measure.phased)."""

    duration: int
    moments: Mapping[int, str] = {}
    response_log: ResponseLog | None = None  # of each transaction, where only those are delivered
    response_logs: Mapping[str, ResponseLog] = {}  # of those of each kind, as accounts have them, where others are, too

    @property
    @abstractmethod
    def delivered(self) -> int:
        """Bytes (or transactions) of the measured result up to now, as the accounts have them: asked for after each
        event, where they would be too much."""

    def busy(self) -> Mapping[str, int]:
        """ps up to now for which the processors of each host were busy, together. The accounts have that: a run that is
        asked often knows it for less."""
        accounts = self.accounts()
        found = dict.fromkeys((name.host for name in accounts.busy), 0)
        for name, parts in accounts.busy.items():
            found[name.host] += sum(parts.values())
        return found

    def parts(self) -> Mapping[str, int]:
        """The same of each of what is measured by itself, too, by its name: flows of a network."""
        return {}

    @abstractmethod
    def start(self) -> None:
        """Let the workload begin."""


class SeriesRun(Run):
    """Messages go there and back, and the time of that is measured (netsim.measure.series): for each of `sizes` (bytes,
    rising) in up to `trials` trials of `trial_time` (ps). Its unit counts bits."""

    sizes: tuple[int, ...]
    trials: int
    trial_time: int

    @property
    def delivered(self) -> int:
        """Bytes that both ends have read up to now. The accounts have that, too, as above."""
        return self.accounts().delivered

    @abstractmethod
    def round_trip(self, size: int, then: Callable[[], None]) -> None:
        """Send a message of `size` bytes and call `then` when as much has come back."""
