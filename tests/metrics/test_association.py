from itertools import product

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import mutual_info_score, normalized_mutual_info_score

from janus_synth.metrics import association as module
from janus_synth.metrics import (
    association_error,
    association_matrix,
    association_norm,
    mutual_information_error,
    theils_u_error,
)
from janus_synth.metrics.association import binned, normalised_information
from janus_synth.metrics.rows import align


def entropy_given(x, y):
    """H(x | y) by its definition, slowly."""
    total = 0.0
    for level in set(y):
        part = [a for a, b in zip(x, y, strict=True) if b == level]
        for value in set(part):
            p = part.count(value) / len(part)
            total -= len(part) / len(x) * p * np.log(p)
    return total


def plain_theils_u(x, y):
    whole = entropy_given(x, ["all"] * len(x))
    return (whole - entropy_given(x, y)) / whole


def plain_correlation_ratio(levels, numbers):
    numbers = np.array(numbers)
    groups = [numbers[[a == level for a in levels]] for level in set(levels)]
    between = sum(len(g) * (g.mean() - numbers.mean()) ** 2 for g in groups)
    return np.sqrt(between / ((numbers - numbers.mean()) ** 2).sum())


def plain_association(frame, first, second):
    both = frame[[first, second]].dropna()
    a, b = both[first].tolist(), both[second].tolist()
    texts = [isinstance(a[0], str), isinstance(b[0], str)]
    if all(texts):
        return plain_theils_u(a, b)
    if any(texts):
        return plain_correlation_ratio(*((a, b) if texts[0] else (b, a)))
    return np.corrcoef(a, b)[0, 1]


@pytest.fixture
def frame(rng):
    n = 80
    x = rng.normal(size=n)
    table = pd.DataFrame(
        {
            "x": x,
            "c": rng.choice(list("abc"), n),
            "y": -0.5 * x + rng.normal(size=n),
            "d": np.where(x > 0, "high", "low"),
        }
    )
    return table.mask(rng.random((n, 4)) < 0.1)


def test_associations_are_those_of_the_plain_definitions(frame):
    names, matrix = association_matrix(frame)
    assert names == ("x", "c", "y", "d")
    for (i, first), (j, second) in product(enumerate(names), repeat=2):
        if i != j:
            assert matrix[i, j] == pytest.approx(plain_association(frame, first, second), abs=1e-9)
    np.testing.assert_array_equal(np.diag(matrix), 1.0)


def test_large_contingency_tables_are_counted_alike(frame, monkeypatch):
    before = association_matrix(frame)[1]
    monkeypatch.setattr(module, "DENSE_CELLS", 0)
    np.testing.assert_allclose(association_matrix(frame)[1], before)


def test_theils_u_knows_its_direction():
    frame = pd.DataFrame({"city": list("aabbcc") * 5, "land": list("xxxxyy") * 5})
    matrix = association_matrix(frame)[1]
    assert matrix[1, 0] == pytest.approx(1.0)  # the city tells the land
    assert matrix[0, 1] < 0.7  # the land does not tell the city


def test_constant_and_empty_columns_are_associated_with_nothing():
    frame = pd.DataFrame(
        {
            "x": [1.5, 2.5, 3.5, 1.0],
            "still": [1.5] * 4,
            "none": [np.nan] * 4,
            "one": ["a"] * 4,
            "c": list("aabb"),
        }
    )
    names, matrix = association_matrix(frame)
    for name in ("still", "none", "one"):
        i = names.index(name)
        assert np.delete(matrix[i], i).tolist() == [0.0] * 4


def test_huge_and_tiny_numbers_keep_their_correlation(rng):
    x = rng.normal(size=50)
    frame = pd.DataFrame({"big": x * 1e200, "small": x * 1e-200, "far": x + 1e6})
    np.testing.assert_allclose(association_matrix(frame)[1], 1.0, atol=1e-6)


def test_the_error_is_the_mean_difference_off_the_diagonal(frame, rng):
    other = frame.sample(frac=1, replace=True, random_state=5)
    gap = np.abs(association_matrix(frame)[1] - association_matrix(other)[1])
    assert association_error(frame, other) == pytest.approx(gap.sum() / 12)
    assert association_error(frame, frame) == 0.0


def test_errors_do_not_depend_on_row_or_column_order(frame):
    other = frame.sample(frac=1, replace=True, random_state=5)
    shuffled = other.sample(frac=1, random_state=1)[["d", "y", "c", "x"]]
    for score in (association_error, mutual_information_error):
        assert score(frame, other) == pytest.approx(score(frame, shuffled), abs=1e-9)


def test_information_is_that_of_scikit_learn(frame):
    (rows,) = align(table=frame)
    codes = binned(rows, rows, n_bins=5)
    matrix = normalised_information(codes)
    for i, j in product(range(4), repeat=2):
        if i != j:
            expected = normalized_mutual_info_score(codes[:, i], codes[:, j])
            assert matrix[i, j] == pytest.approx(expected, abs=1e-9)


def test_the_information_before_normalisation_is_that_of_scikit_learn(rng):
    codes = rng.integers(0, 4, (60, 2))
    first, second = codes.T
    mean_entropy = (mutual_info_score(first, first) + mutual_info_score(second, second)) / 2
    information = normalised_information(codes)[0, 1] * mean_entropy
    assert information == pytest.approx(mutual_info_score(first, second), abs=1e-9)


def test_bins_are_those_of_the_real_table():
    real = pd.DataFrame({"x": np.arange(100) + 0.5, "c": ["a"] * 50 + ["b"] * 30 + ["c"] * 20})
    other = pd.DataFrame({"x": [-9.0, np.nan, 20.0, 20.5, 999.0], "c": ["a", None, "c", "new", "b"]})
    left, right = align(real=real, synthetic=other)
    codes = binned(right, left, n_bins=4)
    assert codes[:, 0].tolist() == [1, 0, 1, 1, 4]
    assert codes[:, 1].tolist() == [1, 0, 3, 4, 2]
    assert binned(left, left, n_bins=4)[:, 0].tolist() == [1] * 25 + [2] * 25 + [3] * 25 + [4] * 25
    assert binned(right, left, n_bins=2)[:, 1].tolist() == [1, 0, 2, 2, 2]


def test_a_lost_dependence_is_seen(rng):
    x = rng.normal(size=1000)
    real = pd.DataFrame({"x": x, "y": x + 0.1 * rng.normal(size=1000)})
    broken = real.assign(y=rng.permutation(real.y))
    assert mutual_information_error(real, broken) > 0.3
    assert association_error(real, broken) > 0.8


def test_a_single_column_has_no_pairs():
    frame = pd.DataFrame({"x": [1.5, 2.5, 3.5]})
    assert np.isnan(association_error(frame, frame))
    assert np.isnan(mutual_information_error(frame, frame))


def test_the_norm_adds_up_all_pairs(draw):
    real, made = draw(200), draw(200, shift=1.0)
    gap = association_matrix(real)[1] - association_matrix(made)[1]
    assert association_norm(real, made) == pytest.approx(np.sqrt((gap**2).sum()))
    assert association_norm(real, real) == 0.0


def test_theils_u_of_levels_is_that_of_its_definition(rng):
    def table():
        a = rng.choice(list("xyz"), 80)
        return pd.DataFrame({"a": a, "b": np.where(rng.random(80) < 0.7, a, "x"), "c": rng.choice(list("uv"), 80)})

    real, made = table(), table()
    pairs = [(i, j) for i, j in product("abc", repeat=2) if i != j]
    gaps = [
        abs(plain_theils_u(list(real[i]), list(real[j])) - plain_theils_u(list(made[i]), list(made[j])))
        for i, j in pairs
    ]
    assert theils_u_error(real, made) == pytest.approx(np.mean(gaps))
