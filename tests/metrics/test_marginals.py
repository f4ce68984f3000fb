import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from janus_synth.metrics import marginal_errors, minority_preservation, rare_level_preservation
from janus_synth.metrics.marginals import ks_distance, total_variation, wasserstein_distance

values = st.lists(st.integers(-20, 20) | st.floats(-1e6, 1e6).map(lambda x: round(x, 3)), min_size=1, max_size=40).map(
    lambda cells: np.array(cells, dtype=np.float64)
)


@given(values, values)
def test_ks_is_that_of_scipy(a, b):
    with np.errstate(all="ignore"):  # the p-value, unused, has none for tiny samples
        expected = stats.ks_2samp(a, b, method="asymp").statistic
    assert ks_distance(a, b) == pytest.approx(expected, abs=1e-12)


@given(values, values)
def test_wasserstein_is_that_of_scipy_in_real_standard_deviations(a, b):
    scale = a.std() if a.min() < a.max() else np.concatenate([a, b]).std()
    expected = stats.wasserstein_distance(a, b) / scale if scale > 0 else 0.0
    assert wasserstein_distance(a, b) == pytest.approx(expected, rel=1e-6, abs=1e-9)


@given(
    st.lists(st.integers(-1, 4), min_size=1, max_size=40),
    st.lists(st.integers(-1, 4), min_size=1, max_size=40),
)
def test_total_variation_is_the_largest_difference_over_all_sets(a, b):
    a, b = np.array(a), np.array(b)
    excess = [np.mean(a == level) - np.mean(b == level) for level in range(-1, 5)]
    assert total_variation(a, b, n_levels=5) == pytest.approx(sum(max(e, 0.0) for e in excess))


def test_missing_values_count_in_ks():
    x = np.array([1.0, 2.0, 3.0, 4.0])
    assert ks_distance(x, np.array([1.0, 2.0, np.nan, np.nan])) == 0.5
    assert ks_distance(x, np.array([np.nan, np.nan, 3.0, 4.0])) == 0.5
    assert ks_distance(x, np.full(4, np.nan)) == 1.0
    assert ks_distance(np.full(4, np.nan), np.full(2, np.nan)) == 0.0


def test_a_constant_column_has_a_finite_distance():
    assert wasserstein_distance(np.ones(5), np.ones(9)) == 0.0
    assert wasserstein_distance(np.ones(5), np.full(5, 3.0)) == pytest.approx(2.0)


@pytest.mark.parametrize("unit", [1e-300, 1e300])
def test_the_distance_does_not_depend_on_the_unit(unit):
    real, synthetic = np.array([0.0, 1.0, 2.0]), np.array([0.5, 1.0, 4.0])
    expected = wasserstein_distance(real, synthetic)
    assert wasserstein_distance(real * unit, synthetic * unit) == pytest.approx(expected)


def test_an_empty_column_has_no_wasserstein_distance():
    assert np.isnan(wasserstein_distance(np.full(3, np.nan), np.ones(3)))


def test_errors_come_by_column_and_as_means(draw):
    errors = marginal_errors(draw(200), draw(200, shift=2.0))
    assert set(errors.ks) == set(errors.wasserstein) == {"x", "count", "seen"}
    assert set(errors.total_variation) == {"size", "flag", "label"}
    assert errors.means["ks"] == pytest.approx(np.mean(list(errors.ks.values())))
    assert errors.ks["x"] > 0.5 > errors.ks["seen"]


def test_row_and_column_order_do_not_matter(draw):
    real, synthetic = draw(150), draw(170)
    shuffled = synthetic.sample(frac=1, random_state=1)[synthetic.columns[::-1]]
    before, after = (marginal_errors(real, other).means for other in (synthetic, shuffled))
    assert before == pytest.approx(after, abs=1e-12)


@pytest.mark.parametrize(
    ("share", "expected"),
    [(0.2, 1.0), (0.1, 0.5), (0.3, 0.5), (0.0, 0.0), (0.4, 0.0), (0.9, 0.0), (0.19, 0.95)],
)
def test_minority_preservation_is_one_minus_the_relative_error(share, expected):
    def table(p):
        n = round(p * 100)
        return pd.DataFrame({"y": ["yes"] * n + ["no"] * (100 - n)})

    assert minority_preservation(table(0.2), table(share), "y") == pytest.approx(expected)


def test_a_number_with_two_values_is_a_class():
    real = pd.DataFrame({"y": [0] * 8 + [1] * 2})
    assert minority_preservation(real, pd.DataFrame({"y": [0] * 9 + [1]}), "y") == pytest.approx(0.5)


def test_rows_without_a_class_do_not_count():
    real = pd.DataFrame({"y": ["no"] * 8 + ["yes"] * 2 + [None] * 10})
    assert minority_preservation(real, pd.DataFrame({"y": ["no"] * 8 + ["yes"] * 2}), "y") == 1.0


def test_a_continuous_or_constant_target_has_no_minority():
    numbers = pd.DataFrame({"y": np.linspace(0, 1, 20)})
    constant = pd.DataFrame({"y": ["a"] * 20})
    assert np.isnan(minority_preservation(numbers, numbers, "y"))
    assert np.isnan(minority_preservation(constant, constant, "y"))


def test_levels_below_the_least_share_are_passed_over():
    real = pd.DataFrame({"c": ["a"] * 500 + ["b"] * 499 + ["c"]})
    synthetic = pd.DataFrame({"c": ["a"] * 501 + ["b"] * 499})
    assert rare_level_preservation(real, synthetic) == pytest.approx(1.0, abs=0.01)
    assert rare_level_preservation(real, synthetic, least_share=0.0) == 0.0
