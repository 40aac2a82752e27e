"""Whether enough frames were lost to bit errors to know what losses cost: an interval says nothing about losses that
have not happened yet, nor about timeouts after them."""

from __future__ import annotations

from netsim.accounts import Accounts
from netsim.ethernet.link import BIT_ERRORS
from netsim.units import MS

_TIMEOUTS = ("retransmission timeouts", "TCP timeouts")  # in the accounts of tools that have them
_MANY = 10  # events: with fewer, their cost is hardly known
_TIMEOUT = 200 * MS  # what a retransmission timeout costs at least (Linux: TCP_RTO_MIN)
_HIDDEN = 1 / 4  # of the half-width: a 99 % interval still covers 97 % if it is this far off
_DATA = 0.5  # the least share of data among frames; acknowledgements are short, so bit errors mostly spare them


def losses_known(accounts: Accounts, expected: float, share: float) -> bool:
    """Whether `accounts`, of the measured part of all iterations, have enough losses for the interval of a mean, whose
    half-width is this `share` of it, or as many as are `expected` in whole tests.

    A retransmission is lost as often as any other frame, and only a timeout repairs that. If such timeouts would cost
    a notable part of the half-width, enough of them are needed, too.
    """
    lost = sum(count for place, count in accounts.drops.items() if place.what == BIT_ERRORS)
    if lost < min(_MANY, int(expected)):
        return False
    timeouts = [accounts.counts[name] for name in _TIMEOUTS if name in accounts.counts]
    return not timeouts or sum(timeouts) >= _MANY or _share_of_timeouts(accounts, lost) <= _HIDDEN * share


def _share_of_timeouts(accounts: Accounts, lost: int) -> float:
    """The share of the time that TCP waits for timeouts, if each lost retransmission causes one."""
    again = lost / (_DATA * max(1, sum(accounts.frames.values())))
    return lost * again * _TIMEOUT / accounts.elapsed
