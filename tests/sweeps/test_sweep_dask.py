"""A sweep on a dask cluster of separate worker processes; one of them is killed while it works."""

import os
import signal
import threading
import time
from concurrent.futures import Executor, Future

import pytest

import netsim as ns
from netsim.sweeps import Store, results
from netsim.sweeps.dask_cluster import DaskCluster
from tests.killed_sweep import SHORT, scenario


@pytest.fixture(scope="module")
def distributed():
    """Imported only by the worker that runs these tests, not by all that collect them."""
    return pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def cluster(distributed):
    options = {"dashboard_address": None, "processes": True, "threads_per_worker": 1, "silence_logs": 50}
    with distributed.LocalCluster(n_workers=2, **options) as started:
        yield started


def test_a_worker_that_is_killed_loses_nothing(distributed, cluster, tmp_path):
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
    assert sweep.failures["error"].to_list() == []
    assert sweep.status().done == 60
    assert sweep.to_frame().equals(ns.sweep(scenario(), axes, **SHORT).to_frame())


def test_it_says_when_there_are_no_workers(distributed, monkeypatch):
    """Once, and once more when workers are back."""
    monkeypatch.setattr("netsim.sweeps.dask_cluster.LOOK", 0.02)
    options = {"dashboard_address": ":0", "processes": False, "threads_per_worker": 3, "silence_logs": 50}
    said = []

    def wait_for(number):
        end = time.monotonic() + 20
        while len(said) < number:
            assert time.monotonic() < end
            time.sleep(0.01)

    with distributed.LocalCluster(n_workers=1, **options) as small:
        found = DaskCluster(small.scheduler_address, said.append)
        try:
            assert found.jobs == 6
            small.scale(0)
            wait_for(1)
            small.scale(1)
            wait_for(2)
        finally:
            found.close()
    assert "has no workers; start some: dask worker" in said[0]
    assert said[1].endswith("workers are back")


def test_a_scheduler_that_does_not_answer_is_left_all_the_same(distributed, monkeypatch):
    def close(timeout):
        raise TimeoutError(f"timed out after {timeout} s.")

    with distributed.LocalCluster(n_workers=1, dashboard_address=":0", processes=False, silence_logs=50) as small:
        found = DaskCluster(small.scheduler_address, print)
        with monkeypatch.context() as patch:
            patch.setattr(found._client, "close", close)
            found.close()
        found.close()


class _Leaving(Executor):
    """The first instance cancels all its tasks, like a lost scheduler."""

    made = 0

    def __init__(self):
        type(self).made += 1
        self.first = self.made == 1

    def submit(self, function, /, *arguments, **named):
        future = Future()
        if self.first:
            future.cancel()
            future.set_running_or_notify_cancel()
        else:
            future.set_result(function(*arguments, **named))
        return future


def test_what_a_scheduler_took_with_it_is_done_again():
    sweep = ns.sweep(scenario(), {"mtu": [900, 1000, 1100]}, executor=_Leaving, jobs=2, **SHORT)
    assert (sweep.status().done, sweep.status().failed, _Leaving.made) == (3, 0, 2)
    assert sweep.to_frame().equals(ns.sweep(scenario(), {"mtu": [900, 1000, 1100]}, **SHORT).to_frame())
