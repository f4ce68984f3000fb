"""Free memory goes back to the operating system."""

from __future__ import annotations

import sys

import numpy as np
import psutil
import pytest

from janus_synth.partitions.memory import release_memory


@pytest.mark.skipif(sys.platform != "linux", reason="only glibc can be told")
def test_holes_between_arrays_are_returned():
    """Half of 200 MB is freed in holes of 64 KiB; at least half of the holes leave the process."""
    arrays = [np.ones(8_192) for _ in range(3_200)]
    full = psutil.Process().memory_info().rss
    arrays[::2] = [None] * 1_600
    release_memory()
    assert psutil.Process().memory_info().rss < full - 50 * 2**20
    assert all(array.sum() == 8_192 for array in arrays[1::2])
