"""The warning that rules distort what was learnt: where it comes, where it does not, and its distance."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from janus_synth import Janus
from janus_synth.rules import as_rules
from janus_synth.sampling.distortion import _describe_rules, distance
from janus_synth.table import read_table

RULES = ["total == casual + registered"]


def rentals(n: int = 1_500) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    casual, registered = rng.gamma(1.5, 60, n).astype(int), rng.gamma(1.5, 200, n).astype(int)
    return pd.DataFrame({"casual": casual, "registered": registered, "total": casual + registered})


def test_an_equation_that_the_model_does_not_know_is_warned_of():
    with pytest.warns(UserWarning, match="the rules change how the rows look"):
        Janus(rules=RULES, links="off", n_trees=2, random_state=0).fit(rentals())


def test_a_link_leaves_nothing_to_warn_of():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Janus(rules=RULES, n_trees=2, random_state=0).fit(rentals())


def contracts(n: int = 2_000) -> pd.DataFrame:
    """After one month the charges are those of a month; the age has nothing to do with them."""
    rng = np.random.default_rng(2)
    tenure = np.where(rng.random(n) < 0.3, 1, rng.integers(2, 60, n))
    monthly = rng.integers(2_000, 9_000, n) / 100
    total = np.where(tenure == 1, monthly, np.round(tenure * monthly * np.exp(0.05 * rng.normal(size=n)), 2))
    return pd.DataFrame({"age": rng.integers(18, 80, n), "tenure": tenure, "monthly": monthly, "total": total})


GUARDED = ["age >= 20", "tenure > 1 or total == monthly"]


def test_a_rule_under_a_condition_is_named_with_the_column_that_it_moves():
    """No link states it with links off: rows of one month all but vanish. The other rule moves nothing."""
    rows = contracts().query("age >= 20")
    with pytest.warns(UserWarning, match="the rules change how the rows look") as caught:
        Janus(rules=GUARDED, links="off", n_trees=2, random_state=0, schema={"age": {"low": 15}}).fit(rows)
    (message,) = [str(one.message) for one in caught if "change how the rows look" in str(one.message)]
    assert "'tenure'" in message
    assert "'tenure > 1 or total == monthly'" in message
    assert "age >= 20" not in message
    assert "links='auto'" in message  # what to do
    with warnings.catch_warnings():  # and that helps
        warnings.simplefilter("error")
        drawn = Janus(rules=GUARDED, n_trees=2, random_state=0).fit(rows).sample(2_000, random_state=1)
    assert (drawn["tenure"] == 1).mean() == pytest.approx((rows["tenure"] == 1).mean(), abs=0.06)  # 5 standard errors


def test_the_rule_that_moves_a_column_is_named_even_if_fewer_rows_keep_another():
    """A third of free rows keep the one, which is independent of size; two thirds the other, which halves the sizes."""
    rng = np.random.default_rng(3)
    group, size = rng.choice(["a", "b", "c"], 3_000, p=[0.3, 0.3, 0.4]), rng.integers(0, 100, 3_000)
    free = read_table(pd.DataFrame({"group": group, "size": size}))
    model = Janus(n_trees=1, random_state=0).fit(pd.DataFrame({"group": group, "size": size})).model_
    model = replace(model, rules=as_rules(["group == 'a'", "size < 66"]))
    assert "'size < 66'" in _describe_rules(model, free, free, "size")


def test_a_rule_that_the_model_knows_is_not_warned_of():
    rng = np.random.default_rng(5)
    kind = rng.choice(["car", "bike"], 2_000)
    frame = pd.DataFrame({"kind": kind, "wheels": np.where(kind == "car", 4, 2), "x": rng.normal(size=2_000)})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Janus(rules=["implies(kind == 'car', wheels == 4)"], links="off", n_trees=2, random_state=0).fit(frame)


def test_distances_of_numbers_are_kolmogorov_smirnov_distances():
    rng = np.random.default_rng(1)
    for _ in range(20):
        one, other = rng.integers(0, 9, 40).astype(float), rng.integers(0, 12, 30).astype(float)
        assert distance(one, other) == pytest.approx(stats.ks_2samp(one, other).statistic)


def test_distances_of_levels_are_total_variation_distances():
    one, other = np.array([0, 0, 1, -1], np.int32), np.array([0, 1, 1, 2], np.int32)
    assert distance(one, other) == pytest.approx(0.5)
    assert distance(one, one) == 0.0


def test_missing_counts_as_a_value():
    assert distance(np.array([1.0, np.nan]), np.array([1.0, 1.0])) == pytest.approx(0.5)
