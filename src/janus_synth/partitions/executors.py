"""Run a function on every partition: with threads on this machine, or on the workers of a Dask cluster.

Results come in the order in which they are ready; whoever joins them must not depend on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from janus_synth.errors import require_extra
from janus_synth.threads import worker_count

T = TypeVar("T")
RETRIES = 3
"""How often Dask runs a task again whose worker died."""
TASKS_PER_WORKER = 4
"""Fewest tasks of a worker, so that none waits long for the last one,"""
MOST_PER_TASK = 16
"""and most partitions of a task, of whose counts only the sum is sent; all are counted again if the worker dies."""


class Executor(Protocol):
    """Where partitions are worked on."""

    @property
    def shares_memory(self) -> bool:
        """Whether tasks can write into what they share."""
        ...

    def run(self, function: Callable[..., T], shared: Any, tasks: Sequence[tuple[Any, ...]]) -> Iterator[T]:
        """Results of ``function(shared, *task, n_jobs)`` for all tasks, as they are ready."""
        ...

    def together(self, n_parts: int) -> int:
        """How many of some parts one task should work on, if it adds up their results."""
        ...


@dataclass(frozen=True, slots=True)
class LocalExecutor:
    """Threads of this process: one per task, or all of them within a task if there are fewer tasks than threads."""

    n_jobs: int | None = None

    @property
    def shares_memory(self) -> bool:
        """Threads do."""
        return True

    def run(self, function: Callable[..., T], shared: Any, tasks: Sequence[tuple[Any, ...]]) -> Iterator[T]:
        """Results as they are ready; only as many tasks as threads are under way, so that memory is bounded."""
        workers = worker_count(self.n_jobs)
        if len(tasks) < workers:
            for task in tasks:
                yield function(shared, *task, self.n_jobs)
            return
        remaining = iter(tasks)
        with ThreadPoolExecutor(workers) as pool:
            running: set[Future[T]] = set()
            try:
                for task in remaining:
                    running.add(pool.submit(function, shared, *task, 1))
                    if len(running) == workers:
                        done, running = wait(running, return_when=FIRST_COMPLETED)
                        while done:
                            yield done.pop().result()  # a result that is used lives no longer than its user wants
                while running:
                    yield running.pop().result()
            finally:
                for future in running:
                    future.cancel()

    def together(self, n_parts: int) -> int:
        """One part per task: threads share memory, so that adding up elsewhere saves nothing."""
        return 1


@dataclass(frozen=True, slots=True)
class DaskExecutor:
    """Workers of a Dask cluster; each gets what tasks share once."""

    client: Any

    @property
    def shares_memory(self) -> bool:
        """Processes do not."""
        return False

    def run(self, function: Callable[..., T], shared: Any, tasks: Sequence[tuple[Any, ...]]) -> Iterator[T]:
        """Results as they are ready; a task whose worker dies runs again on another."""
        distributed = require_extra("distributed", "dask", purpose="a Dask cluster")
        sent = self.client.scatter(shared, broadcast=True, hash=False)
        futures = [self.client.submit(function, sent, *task, 1, retries=RETRIES, pure=False) for task in tasks]
        try:
            for future, result in distributed.as_completed(futures, with_results=True):
                future.release()
                yield result
        finally:
            self.client.cancel(futures)

    def together(self, n_parts: int) -> int:
        """As many as leave enough tasks for every thread of the cluster."""
        n_threads = max(1, int(sum(self.client.nthreads().values())))
        return min(MOST_PER_TASK, max(1, n_parts // (TASKS_PER_WORKER * n_threads)))


def executor_for(client: Any, *, n_jobs: int | None) -> Executor:
    """Executor of a Dask client, of a scheduler's address, or of this machine if there is neither.

    Examples
    --------
    >>> executor_for(None, n_jobs=2)
    LocalExecutor(n_jobs=2)
    """
    if client is None:
        return LocalExecutor(n_jobs)
    if isinstance(client, str):
        client = require_extra("distributed", "dask", purpose="a Dask cluster").Client(client)
    return DaskExecutor(client)
