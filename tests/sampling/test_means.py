"""Means as users write them."""

from __future__ import annotations

import numpy as np
import pytest

from janus_synth.errors import UnknownColumnError
from janus_synth.sampling.means import WantedMean, read_means, stack_excess, stack_present
from janus_synth.table import read_table
from sampling.small_models import small_model, small_table


@pytest.fixture(scope="module")
def model():
    return small_model("dense").model_


def test_means_are_read_with_and_without_a_tolerance(model):
    assert read_means({"a": 2, "d": (1.5, 0.1)}, model) == (WantedMean("a", 2.0, None), WantedMean("d", 1.5, 0.1))
    assert read_means(None, model) == ()


@pytest.mark.parametrize(
    ("means", "error", "words"),
    [
        ({"q": 2}, UnknownColumnError, "'q'"),
        ({"c": 2}, ValueError, "categorical, so it has no mean"),
        ({"a": "2"}, ValueError, "give a number"),
        ({"a": float("nan")}, ValueError, "give a number"),
        ({"a": (2, 0)}, ValueError, "tolerance above 0"),
        ([2], ValueError, "give a mapping"),
    ],
)
def test_what_is_no_mean_is_named(means, error, words, model):
    with pytest.raises(error, match=words):
        read_means(means, model)


def test_nulls_do_not_count(model):
    table = read_table(small_table(), model.schema)
    means = read_means({"d": 1.5}, model)
    excess, present = stack_excess(means, table)[0], stack_present(means, table)[0]
    cells = small_table()["d"]
    np.testing.assert_array_equal(present, cells.notna())
    assert excess.sum() / present.sum() == pytest.approx(cells.mean() - 1.5)
