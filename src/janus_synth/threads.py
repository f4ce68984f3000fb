"""How many threads to use: an ``n_jobs`` argument in, a number out."""

from __future__ import annotations

import os

import numpy as np


def worker_count(n_jobs: int | None) -> int:
    """Threads to use: all cores for None or −1.

    Examples
    --------
    >>> worker_count(3)
    3
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if n_jobs is None or n_jobs == -1:
        return cores
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int | np.integer) or n_jobs < 1:
        raise ValueError(f"n_jobs is {n_jobs!r}; give a positive number of threads, or None for all cores.")
    return int(n_jobs)
