"""Pollers: a single one empties the rings of all cards of a host, in turns that begin with interrupts, with ticks, or
all the time.

A card is on the poller's list from the beginning of its turn until its rings are found empty, or its allowance for this
turn is used up. The poller goes round the list: `quota` frames of a card, then those of the next one.

A poller that finds nothing costs no event. The accounts show this as idle time, as the processor has nothing else to
do; a frame that arrives meanwhile waits for the look that finds it.
"""

from __future__ import annotations

from typing import Final

from mypy_extensions import mypyc_attr

from netsim.engine import FOREVER, Environment, Fifo
from netsim.machine.clock import Clock
from netsim.machine.polled import PolledDriver
from netsim.machine.polling_spec import Masked, OnTicks, PollingSpec
from netsim.machine.processor import Here, Processor
from netsim.machine.task import DEFERRED, POLL, PROCESS, Task
from netsim.machine.work import NOTHING, Work

_FIRST_BURST: Final = 5  # frames (sys/kern/kern_poll.c 1.2.2.4, FreeBSD 4: poll_burst)
_SHRINKS_BY: Final = 8  # poll_burst -= poll_burst / 8


@mypyc_attr(allow_interpreted_subclasses=True)
class Poller:
    """The list, and the work for the card that is first on it."""

    def __init__(self, env: Environment, processor: Processor, level: int, quota: int) -> None:
        self._calendar = env.calendar
        self.processor = processor
        self.cards: list[PolledDriver] = []
        self._listed: Fifo[PolledDriver] = Fifo()
        self._quota = self._left = quota  # frames of the first card
        self._task = Task(level, self.next_work, self.worked, name=POLL)

    def interrupt(self, card: PolledDriver) -> None:
        """A card that is not on the list has a reason to interrupt."""
        raise NotImplementedError

    def masked(self, card: PolledDriver) -> None:
        """A card's interrupt is over, and its next ones are held off."""
        raise NotImplementedError

    def enter(self, card: PolledDriver, most: int = FOREVER) -> None:
        """Begin a card's turn, of up to `most` frames."""
        card.allowed = most
        if not card.listed:
            card.listed = True
            card.look()
            self._listed.append(card)

    def next_work(self) -> Work | None:
        """The next work for the first card that has any; None: no card has any."""
        while self._listed or self.over():
            card = self._listed[0]
            work = card.next_work(self._left > 0)
            if work is not None:
                return work
            self._next_card()
            if self.breaks_off():
                return None
        return None

    def _next_card(self) -> None:
        card = self._listed.popleft()
        if self._left > 0 or not card.allowed:
            card.listed = False
        else:
            card.look()
            self._listed.append(card)
        self._left = self._quota

    def worked(self) -> bool:
        """That work is done. More may always follow."""
        if self._listed[0].worked():
            self._left -= 1
            self.took()
        return True

    def took(self) -> None:
        """A frame has been taken from its ring."""

    def breaks_off(self) -> bool:
        """Whether it is the turn of other work now."""
        return False

    def over(self) -> bool:
        """The list is empty; whether cards are put on it again at once."""
        return False


@mypyc_attr(allow_interpreted_subclasses=True)
class MaskedPoller(Poller):
    """Its cards interrupt when their rings are empty. It precedes processes for `budget` frames. It runs where an
    interrupt was taken (`here`), or as any bottom half does."""

    def __init__(self, env: Environment, here: Here, quota: int, budget: int) -> None:
        super().__init__(env, here.processor, DEFERRED, min(quota, budget))
        self._here = here
        self._budget = budget
        self._taken = 0

    def interrupt(self, card: PolledDriver) -> None:
        card.mask()

    def masked(self, card: PolledDriver) -> None:
        self.enter(card)
        self._here.processor.kick(self._task)

    def took(self) -> None:
        self._taken += 1

    def breaks_off(self) -> bool:
        if self._taken < self._budget:
            return False
        self._taken = 0
        processor = self._here.processor
        if not (self._listed and processor.has_below()):
            return False
        processor.put_off(self._task)
        return True


@mypyc_attr(allow_interpreted_subclasses=True)
class SeekingPoller(Poller):
    """Looks for frames without interrupts; a `look` at all cards that finds nothing takes this long (ps)."""

    def __init__(self, env: Environment, processor: Processor, level: int, quota: int, look: int) -> None:
        super().__init__(env, processor, level, quota)
        self._look = max(1, look)
        self._since = 0  # ps: the time since which it has found nothing
        self._found = self.found  # bound once

    def interrupt(self, card: PolledDriver) -> None:
        """The next look at the card finds the frame; if the processor is busy with other work, that is the poller's
        very next look."""
        if self.processor.task is not None:
            self.found(card)
        elif not card.expected:
            card.expected = True
            now = self._calendar.now
            self._calendar.call_at(now + self._look - (now - self._since) % self._look, self._found, card)

    def found(self, card: PolledDriver) -> None:
        """The poller has come to a card that has work."""
        raise NotImplementedError

    def over(self) -> bool:
        self._since = self._calendar.now
        return False


@mypyc_attr(allow_interpreted_subclasses=True)
class ConstantPoller(SeekingPoller):
    """A kernel thread, in turn with processes."""

    def __init__(self, env: Environment, processor: Processor, quota: int, look: int) -> None:
        super().__init__(env, processor, PROCESS, quota, look)

    def found(self, card: PolledDriver) -> None:
        card.expected = False
        self.enter(card)
        self.processor.kick(self._task)


@mypyc_attr(allow_interpreted_subclasses=True)
class TickPoller(SeekingPoller):
    """Has a turn at each tick, which should take at most `share` ps, and with `idle` also turns in the idle loop.

    A turn consists of rounds, until they add up to the burst: in each round the poller looks at every card, and takes
    up to `quota` frames of it (kern_poll.c 1.2.2.4, FreeBSD 4: netisr_poll, and netisr_pollmore, which calls for
    another round while residual_burst > 0). So it also frees, in each round, what the cards have sent since the last
    one. Every round goes through the cards in the order of their ports, as netisr_poll calls handlers in the order in
    which they were registered. No card gains by that, because a round is never cut short: a tick that comes in the
    middle of a round of the idle loop adds its first round to that one.

    A turn ends early if no card has anything for another round. FreeBSD's remaining rounds take a few microseconds, and
    would find what arrives meanwhile.
    """

    def __init__(
        self, env: Environment, processor: Processor, quota: int, burst: int, share: int, idle: bool, clock: Clock,
        look: int,
    ) -> None:
        super().__init__(env, processor, DEFERRED, quota, look)
        self._most = burst
        self.burst = min(_FIRST_BURST, burst)
        self._residual = 0  # frames of each card in later rounds of this turn
        self._share = share
        self._idles = idle
        self._idle = Task(PROCESS, self._idle_work, self._idle_worked, name=POLL)
        self._working = False  # in the idle loop, on a work for which a tick would have to wait
        self._ticks = 0  # not handled yet
        self._began = 0
        clock.ticked = self.tick

    def tick(self) -> None:
        """The clock has ticked."""
        if not self.cards:
            return
        self._ticks += 1
        if self._ticks == 1 and not self._working:
            self._begin_turn()

    def _begin_turn(self) -> None:
        self._began, self._residual = self._calendar.now, self.burst
        self._begin_round()
        self.processor.kick(self._task)

    def _begin_round(self) -> None:
        most = min(self._quota, self._residual)
        self._residual -= most
        for card in self.cards:
            rest = card.allowed if card.listed else 0  # of the round that the tick has interrupted
            self.enter(card, rest + most)

    def over(self) -> bool:
        """A round is over, of a turn or in the idle loop."""
        super().over()
        return self._next_round() if self._ticks else self._begin_idle_round()

    def _next_round(self) -> bool:
        """Begin the next round of this turn, or the next turn if this one took longer than a tick."""
        if self._residual and self._any_has_more():
            self._begin_round()
            return True
        self._adapt()
        if self._ticks:
            self._begin_turn()
            return True
        if self._idles and self._any_has_more():
            self.processor.kick(self._idle)
        return False

    def _any_has_more(self) -> bool:
        return any(card.has_more for card in self.cards)

    def _adapt(self) -> None:
        """A tick has been handled: set the burst of the next one, whose turn begins at once if it is due already."""
        if self._calendar.now - self._began > self._share:
            self.burst = max(1, self.burst - 1)
        elif self.burst < self._most:
            self.burst += 1
        self._ticks -= 1
        if self._ticks:
            self.burst = max(1, self.burst - self.burst // _SHRINKS_BY)

    # --- in the idle loop --------------------------------------------------------------------------------------------

    def found(self, card: PolledDriver) -> None:
        card.expected = False
        if self._idles:
            self.processor.kick(self._idle)

    def _idle_work(self) -> Work | None:
        if self._task.ready:
            return None
        if self.processor.processes_wait():
            return NOTHING  # but queue behind them
        work = self.next_work()
        self._working = work is not None
        return work

    def _begin_idle_round(self) -> bool:
        """Begin a round without the cards that have nothing; whether any card has something."""
        for card in self.cards:
            if card.has_more:
                self.enter(card, self._quota)
        return bool(self._listed)

    def _idle_worked(self) -> bool:
        if not self._working:
            return True
        self._working = False
        self.worked()
        if self._ticks:
            self._begin_turn()
            return False
        return True


def poller(
    polling: PollingSpec, env: Environment, here: Here, clock: Clock | None, look: int
) -> Poller:
    """The poller of this policy, on the processor that is deciding at the moment; a `look` at all cards that finds
    nothing takes this long (ps)."""
    if isinstance(polling, Masked):
        return env.part(MaskedPoller)(env, here, polling.quota, polling.budget)
    processor = here.processor
    if isinstance(polling, OnTicks):
        assert clock is not None
        share = round((1 - polling.user_share) * clock.interval)
        limits = polling.quota, polling.burst, share
        return env.part(TickPoller)(env, processor, *limits, polling.idle, clock, look)
    return env.part(ConstantPoller)(env, processor, polling.quota, look)
