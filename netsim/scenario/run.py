"""The common part of all running scenarios: one that continues forever, or a series of messages."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping

from netsim.accounts.accounts import Accounts
from netsim.engine import Environment, FunctionMeter, Meter, ResponseLog


class Run:
    """A scenario in an environment: a StreamRun or a SeriesRun."""

    env: Environment

    @abstractmethod
    def accounts(self) -> Accounts:
        """The accounts up to now."""

    @property
    def frames(self) -> int:
        """Frames on all wires up to now. The accounts have them, too, but this is asked often, and a run can usually
        compute them at a lower cost."""
        return sum(self.accounts().frames.values())

    @abstractmethod
    def audit(self) -> None:
        """Check conservation. Raises ConservationError."""

    @abstractmethod
    def waiting_for(self) -> str:
        """The event that the workload waits for, for the error message about a stalled run."""


class StreamRun(Run):
    """Delivers bytes or transactions forever; their rate per second is measured (netsim.measure.steady_state). An
    iteration of the tool lasts `duration` (ps). If events disturb the run, `moments` names them by time (ps, rising),
    and it reaches no steady state to wait for (netsim.measure.phased)."""

    duration: int
    moments: Mapping[int, str] = {}
    response_log: ResponseLog | None = None  # of each transaction, if it delivers nothing else
    response_logs: Mapping[str, ResponseLog] = {}  # by kind, as in the accounts, if there are others, too
    still = "nothing was delivered, and no frame sent"  # what it means if neither count grows

    @property
    @abstractmethod
    def delivered(self) -> int:
        """Bytes (or transactions) of the measured result up to now, as in the accounts."""

    @property
    def meter(self) -> Meter:
        """`delivered`, to be read after each event. A compiled part that counts the same is faster."""
        return FunctionMeter(lambda: self.delivered)

    def busy(self) -> Mapping[str, int]:
        """ps up to now for which the processors of each host were busy, as a sum for each host. The accounts have
        these, too, but this is asked often, and a run can compute them at a lower cost."""
        accounts = self.accounts()
        found = dict.fromkeys((name.host for name in accounts.busy), 0)
        for name, parts in accounts.busy.items():
            found[name.host] += sum(parts.values())
        return found

    def parts(self) -> Mapping[str, int]:
        """`delivered` of each part that is also measured separately, by name: the flows of a network."""
        return {}

    def unsent(self, since: int) -> int:
        """The number of datagrams that its senders should have sent by now, by the load that they offer, and that no
        socket has accepted: for senders that have always been late by more than one `since` that time (ps)."""
        return 0

    @abstractmethod
    def start(self) -> None:
        """Let the workload begin."""


class SeriesRun(Run):
    """Messages travel to the peer and back, and their round-trip time is measured (netsim.measure.series): for each of
    `sizes` (bytes, rising) in up to `trials` trials of `trial_time` (ps). Its unit counts bits."""

    sizes: tuple[int, ...]
    trials: int
    trial_time: int

    @property
    def delivered(self) -> int:
        """Bytes that both ends have read up to now. The accounts have them, too, as above."""
        return self.accounts().delivered

    @abstractmethod
    def round_trip(self, size: int, then: Callable[[], None]) -> None:
        """Send a message of `size` bytes and call `then` when as many have come back."""
