"""Whether a window of a closed test holds enough transactions to be its steady state.

A closed test begins with all clients at their first transaction. Those that are quick end at once, and until slow ones
end, too, the window has only the quick ones. Little's law tells: with n transactions under way, and C that ended in a
time T, the mean response time is n T / C. The window is long enough if T is many such times; and if the transactions
that ended took about as long on average, since otherwise others that take longer, or shorter, are still under way.
"""

from __future__ import annotations

from netsim.accounts import Accounts

_MANY = 10  # response times, so the two means differ by a tenth if all transactions take the same time
_APART = 0.2  # a share by which they may differ: neither is known better from so few response times


def turned_over(window: Accounts) -> bool:
    """Whether the window is long enough."""
    ended, stayed = sum(window.ended.values()), sum(window.stays.values())
    if ended * window.elapsed < _MANY * window.under_way:
        return False
    return abs(stayed - window.under_way) <= _APART * window.under_way
