"""The closed form of ServerBench's server storage: what records need that fit in no cache.

Each client's records are anywhere in its own data segment, so those that caches hold of it are a share of its records.
But a client whose segment is in memory is faster than the others, uses its pages more often, and so may keep them
there. Throughput is highest if caches hold as many whole segments as fit: these clients need no disk, and all others
miss every time. No division of the caches allows more.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from netsim.accounts import Resource
from netsim.accounts.resource import CLIENTS, DISK_CONTROLLER, DISKS, SCSI_CHANNEL
from netsim.closed_form.load import Demand
from netsim.closed_form.records import Records, StorageNeeds
from netsim.topology.hubs import SERVER

if TYPE_CHECKING:
    from netsim.workload.serverbench.tool import ServerBench

_STEPS = 20  # of a bisection: a millionth of the range is enough


def with_storage(test: ServerBench, demand: Mapping[Resource, float], alone: float) -> Demand:
    """The `demand` per transaction, with that of the server's storage; a lone client with all its records in memory
    takes the time `alone` (ps) at least."""
    wait = _needs(test, 1.0).wait
    whole, part = divmod(_held(test), 1)
    near = whole / alone + part / (alone + (1 - part) * wait)  # transactions per ps without a miss
    rest = test.clients - whole - 1
    clients = near if rest < 0 else whole / alone + 1 / (alone + (1 - part) * wait) + rest / (alone + wait)
    storage = test.server.storage
    assert storage is not None
    names = {"disk": [Resource(SERVER, DISKS)], "controller": [Resource(SERVER, DISK_CONTROLLER)]}
    names["channel"] = [Resource(SERVER, SCSI_CHANNEL, one) for one in range(storage.controller.channels)]
    found = {one: _least(test, kind, near) if rest >= 0 else 0.0 for kind, ones in names.items() for one in ones}
    everyone = Resource("", CLIENTS)
    return {**demand, everyone: max(demand[everyone], 1 / clients), **found}


def _held(test: ServerBench) -> float:
    """The number of data segments of which caches hold all records."""
    storage, files, size = test.server.storage, test.server.system.files, test.server.memory.size
    assert storage is not None
    assert files is not None
    assert size is not None
    there = files.room(size, min(test.clients, test.most_threads)) + storage.controller.cache
    if test.data_segment % files.cache.page:
        there += 2 * files.cache.page * test.clients  # pages that two segments share may arrive for another client
    reached = [_records(test, kind.record).reached for kind in test.mix.kinds.values() if kind.records]
    return min(test.clients, there / min(reached, default=1))


def _records(test: ServerBench, size: int) -> Records:
    storage, files = test.server.storage, test.server.system.files
    assert storage is not None
    assert files is not None
    return Records(storage, files.cache, test.clients, test.data_segment, size)


def _needs(test: ServerBench, share: float) -> StorageNeeds:
    """The needs of a transaction, if a `share` of records is in no cache."""
    needs = StorageNeeds()
    for often, kind in zip(test.mix.shares.values(), test.mix.kinds.values(), strict=True):
        if kind.records:
            records = _records(test, kind.record)
            one = records.written(share) if kind is test.mix.random_write else records.read(share)
            needs = needs.plus(one, often * kind.records)
    return needs


def _least(test: ServerBench, part: str, near: float) -> float:
    """The least time (ps) of a part of the storage per transaction, if `near` transactions per ps may find their
    records in a cache.

    At a rate X, at least a share 1 - near / X of them does not. So if X is above any rate 1 / t, a transaction takes at
    least what the part needs for a share 1 - near t. The search looks for the t that equals this time.
    """

    def needed(share: float) -> float:
        return float(getattr(_needs(test, share), part))

    if not needed(1.0):
        return 0.0
    most = 1 / (1 / needed(1.0) + near)  # what it would be if needs grew in proportion to the share
    least = min(most, needed(1 - near * most))
    for _ in range(_STEPS):
        middle = (least + most) / 2
        least, most = (least, middle) if needed(1 - near * middle) < middle else (middle, most)
    return least
