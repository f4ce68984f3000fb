"""Ranks of the levels of unordered parents against the reference."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from janus_synth.kernels import ordering
from janus_synth.kernels.dtypes import CODE
from reference import ordering as reference
from strategies import quick, seeds


@quick
@given(seeds, st.integers(1, 60), st.integers(1, 8), st.integers(1, 5), st.booleans())
def test_levels_are_ranked_by_their_score(seed, n, n_levels, n_targets, y_ordered):
    rng = np.random.default_rng(seed)
    codes, y = rng.integers(0, n_levels, n), rng.integers(0, n_targets, n)
    rank = ordering.rank_levels(codes.astype(CODE), y.astype(CODE), n_levels, n_targets, int(y_ordered))
    scores = reference.level_scores(codes, y, n_levels, n_targets, y_ordered)
    assert sorted(rank) == list(range(n_levels))
    in_order = scores[np.argsort(rank)]
    finite = in_order[np.isfinite(in_order)]
    assert len(finite) == len(np.unique(codes))
    assert np.isfinite(in_order[: len(finite)]).all()  # levels without rows come last
    assert (np.diff(finite) >= -1e-9).all()


def test_two_classes_rank_levels_by_their_share():
    """Cutting in the order of class shares is optimal for two classes (Breiman et al. 1984, 4.5)."""
    rng = np.random.default_rng(2)
    codes = rng.integers(0, 6, 2_000)
    y = (rng.random(2_000) < rng.random(6)[codes]).astype(CODE)
    rank = ordering.rank_levels(codes.astype(CODE), y, 6, 2, 0)
    by_share = np.argsort([y[codes == level].mean() for level in range(6)])
    order = np.argsort(rank)
    assert order.tolist() in (by_share.tolist(), by_share[::-1].tolist())
