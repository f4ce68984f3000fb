"""How many processor cores this process may use."""

from __future__ import annotations

import os


def n_cores() -> int:
    """Cores that this process may run on, as many threads as JANUS takes by default.

    Examples
    --------
    >>> n_cores() >= 1
    True
    """
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
