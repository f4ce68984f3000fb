"""How many threads to use: an ``n_jobs`` argument in, a number out."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np

CELLS_PER_THREAD = 65_536
"""Cells that are worth a thread: drawing them takes 2 to 4 ms, and threads that share less wait for one another."""

_Given = TypeVar("_Given")
_Found = TypeVar("_Found")


def worker_count(n_jobs: int | None, *, n_cells: float = math.inf) -> int:
    """Threads to use: all cores for None or −1, and no more than a number of drawn cells is worth.

    Examples
    --------
    >>> worker_count(3), worker_count(3, n_cells=1000)
    (3, 1)
    """
    return int(max(1, min(_wanted_threads(n_jobs), n_cells // CELLS_PER_THREAD)))


def _wanted_threads(n_jobs: int | None) -> int:
    """Threads that a caller asks for."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if n_jobs is None or n_jobs == -1:
        return cores
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int | np.integer) or n_jobs < 1:
        raise ValueError(f"n_jobs is {n_jobs!r}; give a positive number of threads, or None for all cores.")
    return int(n_jobs)


def map_in_threads(work: Callable[[_Given], _Found], given: Iterable[_Given], *, workers: int) -> Iterator[_Found]:
    """Results of a function in order, computed in threads, or in this one where one worker is enough.

    Examples
    --------
    >>> list(map_in_threads(abs, [-1, 2], workers=2))
    [1, 2]
    """
    if workers == 1:
        yield from map(work, given)
        return
    with ThreadPoolExecutor(workers) as pool:
        yield from pool.map(work, given)


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit linear algebra to one thread per caller, for the whole process: in a ``with`` block, or as a decorator.

    Its own threads would wait for the cores that our threads work on (measured beside another busy process: a hundred
    times as long), and the last digits of sums depend on their number. Enter it from one thread only.
    """
    with _thread_pools(len(sys.modules)).limit(limits=1, user_api="blas"):
        yield


@lru_cache(maxsize=1)
def _thread_pools(n_modules: int) -> Any:
    """Thread pools of the libraries that are loaded, looked up again when more modules have been imported."""
    from threadpoolctl import ThreadpoolController  # comes with scikit-learn

    return ThreadpoolController()


def one_thread() -> AbstractContextManager[Any]:
    """Limit a learner to one thread: reproducible sums, and no contention on a busy machine.

    Measured on 13,000 rows and two cores, two threads gain a fifth; beside another busy process they took a
    hundred times as long.
    """
    from threadpoolctl import threadpool_limits  # comes with scikit-learn

    limits: AbstractContextManager[Any] = threadpool_limits(limits=1)
    return limits
