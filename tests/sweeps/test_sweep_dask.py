"""A sweep on a dask cluster of separate worker processes, one of which is killed while it works."""

import os
import signal
import threading
import time

import pytest

import netsim as ns
from netsim.sweeps import Store, results
from tests.killed_sweep import SHORT, scenario

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def cluster():
    options = {"dashboard_address": None, "processes": True, "threads_per_worker": 1, "silence_logs": 50}
    with distributed.LocalCluster(n_workers=2, **options) as started:
        yield started


def test_a_worker_that_is_killed_loses_nothing(cluster, tmp_path):
    axes = {"mtu": range(1000, 1060)}
    with distributed.Client(cluster) as client:
        workers = {*client.run(os.getpid).values()}
        assert os.getpid() not in workers
        assert len(workers) == 2
        store = Store(tmp_path / "a.db")
        killed, over = [], threading.Event()

        def kill():
            while not (killed or over.is_set()):
                if results(tmp_path / "a.db").shape[0] >= 3:
                    os.kill(min(workers), signal.SIGKILL)
                    killed.append(min(workers))
                time.sleep(0.01)

        thread = threading.Thread(target=kill)
        thread.start()
        try:
            sweep = ns.sweep(scenario(), axes, store=store, executor=client.get_executor(), jobs=4, **SHORT)
        finally:
            over.set()
            thread.join()
    assert killed
    assert (sweep.status().done, sweep.status().failed) == (60, 0)
    assert sweep.to_frame().equals(ns.sweep(scenario(), axes, **SHORT).to_frame())
