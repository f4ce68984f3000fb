"""The order of places against NumPy's stable sort."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from janus_synth.kernels.dtypes import INDEX
from janus_synth.kernels.sorting import argsort
from strategies import quick, seeds


@quick
@given(seeds, st.integers(0, 200), st.sampled_from([1, 3, 1000]))
def test_argsort_is_the_stable_order(seed, n, n_values):
    key = np.random.default_rng(seed).integers(0, n_values, n).astype(float)
    key[key == n_values - 1] = np.inf
    order, spare = np.empty(n, INDEX), np.empty(n, INDEX)
    argsort(key, order, spare)
    np.testing.assert_array_equal(order, np.argsort(key, kind="stable"))
