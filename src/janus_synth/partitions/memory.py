"""Give free memory back to the operating system, so that a long run over many partitions stays small."""

from __future__ import annotations

import ctypes
import functools
import sys
from collections.abc import Callable


def release_memory() -> None:
    """Return pages that hold no data: those of Arrow, and on Linux with glibc those of all threads.

    Arrays of many sizes come and go while partitions are counted. After six million rows,
    holes between them were 370 of 870 MB.

    Examples
    --------
    >>> release_memory()
    """
    import pyarrow as pa

    pa.default_memory_pool().release_unused()
    _trim()(0)


@functools.cache
def _trim() -> Callable[[int], object]:
    if sys.platform != "linux":
        return lambda pad: None
    trim: Callable[[int], object] = getattr(ctypes.CDLL(None), "malloc_trim", lambda pad: None)
    return trim
