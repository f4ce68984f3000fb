"""Executors: all tasks run, results come as they are ready, errors come through."""

from __future__ import annotations

import threading

import pytest

from janus_synth.partitions.executors import DaskExecutor, LocalExecutor, executor_for


def add(shared: int, number: int, n_jobs: int | None) -> tuple[int, int | None]:
    if number < 0:
        raise ValueError(f"bad task {number}")
    return shared + number, n_jobs


@pytest.mark.parametrize("n_tasks", [0, 1, 2, 7])
def test_threads_run_every_task_once(n_tasks):
    results = list(LocalExecutor(2).run(add, 100, [(i,) for i in range(n_tasks)]))
    assert sorted(value for value, _ in results) == [100 + i for i in range(n_tasks)]
    assert {jobs for _, jobs in results} <= {2 if n_tasks < 2 else 1}


def test_no_more_tasks_than_threads_are_under_way():
    under_way, most, lock = 0, 0, threading.Lock()

    def work(shared, number, n_jobs):
        nonlocal under_way, most
        with lock:
            under_way += 1
            most = max(most, under_way)
        threading.Event().wait(0.01)
        with lock:
            under_way -= 1
        return number

    assert sorted(LocalExecutor(2).run(work, None, [(i,) for i in range(9)])) == list(range(9))
    assert most <= 2


def test_an_error_in_a_task_is_raised():
    with pytest.raises(ValueError, match="bad task -1"):
        list(LocalExecutor(2).run(add, 0, [(1,), (-1,), (2,), (3,)]))


def test_a_client_means_dask():
    assert executor_for(None, n_jobs=3) == LocalExecutor(3)
    client = object()
    assert executor_for(client, n_jobs=3) == DaskExecutor(client)
    assert executor_for(None, n_jobs=3).shares_memory
    assert not executor_for(client, n_jobs=3).shares_memory


class Cluster:
    """A client that knows its threads."""

    def __init__(self, *threads: int) -> None:
        self.threads = dict(enumerate(threads))

    def nthreads(self) -> dict[int, int]:
        return self.threads


def test_partitions_are_added_up_on_workers_where_that_leaves_enough_tasks():
    assert LocalExecutor(2).together(1_000) == 1
    assert [DaskExecutor(Cluster(1, 1)).together(n) for n in (0, 8, 16, 24, 10_000)] == [1, 1, 2, 3, 16]
    assert DaskExecutor(Cluster(*[1] * 100)).together(954) == 2  # 477 tasks for a hundred workers
    assert DaskExecutor(Cluster()).together(5) == 1
