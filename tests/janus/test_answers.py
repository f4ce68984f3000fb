"""Methods that answer without giving rows: their arguments, impossible events, and trees to read."""

from __future__ import annotations

import numpy as np
import pytest

from janus_synth.errors import UnknownColumnError
from model.tables import fitted, mixed


@pytest.mark.parametrize("level", [0.2, 1.0, "high", None, float("nan")], ids=repr)
def test_a_bad_level_is_named(level):
    with pytest.raises(ValueError, match="level is"):
        fitted(mixed(30)).probability("units >= 0", level=level)


def test_an_impossible_event_has_probability_zero_without_an_error():
    model = fitted(mixed(100))
    assert not model.check("units > 5 and units < 5")
    assert tuple(model.probability("units > 5 and units < 5")) == (0.0, 0.0, 0.0)


def test_a_likelihood_under_a_condition_is_the_likelihood_over_the_probability():
    rows = mixed(300)
    model = fitted(rows)
    few = (rows["units"] <= 3).to_numpy(bool, na_value=False)
    free, given = model.log_prob(rows), model.log_prob(rows, "units <= 3")
    known = few & np.isfinite(free)  # rare levels are merged, and their rows have likelihood zero
    assert 50 < known.sum() < len(rows)
    share = model.probability("units <= 3", random_state=0)
    np.testing.assert_allclose(free[known] - given[known], np.log(share.value), atol=1e-9)
    assert np.isneginf(given[~few]).all()


def test_a_tree_of_no_column_is_an_error_with_a_suggestion():
    with pytest.raises(UnknownColumnError, match="units"):
        fitted(mixed(30)).explain("unit")
