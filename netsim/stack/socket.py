"""What sockets have in common: what a process goes through in a system call."""

from __future__ import annotations

from typing import Final


class Entry:
    """What a process goes through before its next work: the way into a system call, if that `begins` with this work,
    and being woken up, if it has `slept`. `asleep` is the same for a process that sleeps first, `awake` for one that
    has been woken up before. Each of the four has a `number`, from 0."""

    __slots__ = ("asleep", "awake", "begins", "number", "slept")

    def __init__(self, *, begins: bool, slept: bool = False) -> None:
        self.begins = begins
        self.slept = slept
        self.number: int = 2 * begins + slept
        self.asleep: Entry = self if slept else Entry(begins=begins, slept=True)
        self.awake: Entry = self  # or what makes this one its `asleep`, which says so next
        self.asleep.awake = self


CALLED: Final = Entry(begins=True)
WITHIN: Final = Entry(begins=False)  # a longer call
