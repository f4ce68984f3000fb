"""Pairs that follow step by step, compared with powers of the adjacency matrix."""

from __future__ import annotations

import numpy as np
from hypothesis import given

from janus_synth.relations.chains import closure
from strategies import quick, seeds


@quick
@given(seeds)
def test_a_pair_follows_where_a_path_leads(seed):
    edges = np.random.default_rng(seed).random((6, 6)) < 0.2
    np.fill_diagonal(edges, False)
    reached = edges.copy()
    for _ in range(6):
        reached |= (reached.astype(int) @ edges.astype(int)) > 0
    np.fill_diagonal(reached, False)
    pairs = {(int(i), int(j)) for i, j in np.argwhere(edges)}
    assert closure(pairs) == {(int(i), int(j)) for i, j in np.argwhere(reached)}
