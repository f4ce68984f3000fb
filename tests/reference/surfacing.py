"""Reference for the kernel that evaluates surfaces: one row and one effect at a time."""

from __future__ import annotations

import numpy as np

from janus_synth.kernels.dtypes import UNKNOWN


def on_surface(surface, parents, row, skipped=None):
    """Mean and log spread of one row: the constant and all effects of known codes, without those of one parent."""
    total = np.array(surface.constant, float)
    if surface.single.shape[1] == 0:
        return total
    known = {j: int(row[parent]) for j, parent in enumerate(parents) if j != skipped and row[parent] != UNKNOWN}
    for j, code in known.items():
        total += surface.single[:, j, code]
    for q, (a, b) in enumerate(surface.pairs):
        if a in known and b in known and max(known[a], known[b]) < surface.joint.shape[2]:
            total += surface.joint[:, q, known[a], known[b]]
    return total
