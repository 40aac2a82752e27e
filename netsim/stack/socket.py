"""What sockets have in common: a process's entry into system calls."""

from __future__ import annotations

from typing import Final


class Entry:
    """The steps before a process's next work: the way into a system call if one `begins` with this work, and waking up
    if the process has `slept`. `asleep` is the same entry for a process that sleeps first, `awake` for one that has
    already woken up. Each of the four entries has a `number`, from 0."""

    __slots__ = ("asleep", "awake", "begins", "number", "slept")

    def __init__(self, *, begins: bool, slept: bool = False) -> None:
        self.begins = begins
        self.slept = slept
        self.number: int = 2 * begins + slept
        self.asleep: Entry = self if slept else Entry(begins=begins, slept=True)
        self.awake: Entry = self  # or the entry whose `asleep` this is, set below
        self.asleep.awake = self


CALLED: Final = Entry(begins=True)
WITHIN: Final = Entry(begins=False)  # within a longer call
