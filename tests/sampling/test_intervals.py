"""Quantiles and tails by special functions against scipy.stats."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from janus_synth.sampling.intervals import binomial_tails, fisher_p_value, half_width
from strategies import quick

cells = st.integers(0, 60)


@pytest.mark.parametrize("level", [0.5, 0.95, 0.9998])
@pytest.mark.parametrize("freedom", [1.0, 2.5, 15.0, 1e6, np.inf])
def test_half_widths_are_quantiles_of_student(level, freedom):
    assert half_width(level, freedom) == pytest.approx(stats.t.ppf(0.5 + level / 2, freedom), rel=1e-9)


@quick
@given(st.integers(0, 40), st.integers(0, 400), st.sampled_from([0.0, 1e-6, 0.01, 0.3, 1.0]))
def test_tails_are_those_of_the_binomial(n_successes, more, share):
    n = n_successes + more
    expected = stats.binom.sf(n_successes - 1, n, share), stats.binom.cdf(n_successes, n, share)
    assert binomial_tails(n_successes, n, share) == pytest.approx(expected, rel=1e-8, abs=1e-300)


@quick
@given(st.tuples(st.tuples(cells, cells), st.tuples(cells, cells)))
def test_p_values_are_those_of_fishers_test(counts):
    assert fisher_p_value(counts) == pytest.approx(stats.fisher_exact(counts).pvalue, rel=1e-6)


def test_p_values_of_large_tables_are_those_of_fishers_test():
    counts = [[9_000, 91_000], [9_400, 90_600]]
    assert fisher_p_value(counts) == pytest.approx(stats.fisher_exact(counts).pvalue, rel=1e-6)


def test_a_probability_needs_no_import_of_scipy_stats():
    asks = (
        "import sys; from janus_synth import Janus, datasets; "
        "model = Janus(random_state=0, n_trees=2).fit(datasets.hiring(200, random_state=0)); "
        "model.probability('age >= 60'); sys.exit('scipy.stats' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", asks], check=False).returncode == 0
