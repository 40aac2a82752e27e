"""Interrupt moderation that tells how long it has held interrupts back."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from netsim.nic.moderation import Interrupt, Moderation, Moderator

if TYPE_CHECKING:
    from netsim.engine import Environment
    from netsim.watch.watching import Watching


class Moderated:
    """Stands for a policy, whose moderator then tells of the time from the first event to its report: by the interrupt,
    or by the driver's look."""

    def __init__(self, policy: Moderation, track: str) -> None:
        self._policy = policy
        self._track = track

    def moderator(self, env: Environment, interrupt: Interrupt) -> Moderator | None:
        """See NoModeration."""
        moderator = self._policy.moderator(env, interrupt)
        if moderator is not None:
            _Held(cast("Watching", env), moderator, self._track)
        return moderator


class _Held:
    """Stands between a moderator and those who call it."""

    def __init__(self, env: Watching, moderator: Moderator, track: str) -> None:
        self._env = env
        self._track = track
        self._since: int | None = None  # the first event that is not reported (ps)
        self._event, self._clear = moderator.event, moderator.clear
        moderator.event, moderator.clear = self.event, self.clear  # type: ignore[method-assign]

    def event(self) -> None:
        """See Moderator."""
        if self._since is None:
            self._since = self._env._now
        self._event()

    def clear(self) -> None:
        """See Moderator."""
        since, self._since = self._since, None
        if since is not None:
            self._env.spent(self._track, "held back", since, self._env._now)
        self._clear()
