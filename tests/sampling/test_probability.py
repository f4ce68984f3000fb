"""Probabilities of requests, rows filled in and conditional likelihoods, against enumeration."""

from __future__ import annotations

from math import log, sqrt

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from janus_synth import Estimate, Janus, holds
from janus_synth.errors import InfeasibleError
from sampling.small_models import distance, every_row, keys, small_model, small_table
from sampling.test_conditional import EVERY_KIND, with_combinations


@pytest.mark.statistical
def test_intervals_hold_the_truth_as_often_as_they_say():
    model, (all_rows, shares) = small_model("sparse"), every_row("sparse")
    rules = [rule for rule in EVERY_KIND if "fixed" not in rule]
    level, hits, n = 0.9, 0, 200
    for case in range(n):
        rule = f"({rules[case % len(rules)]}) and ({rules[(7 * case + case // len(rules)) % len(rules)]})"
        truth = shares[holds(rule, all_rows, model.schema_)].sum()
        found = model.probability(rule, level=level, random_state=case)
        hits += found.low <= truth <= found.high
    assert hits >= stats.binom.ppf(1e-4, n, level)  # 161 of 200: a true rate of 0.7 is caught


def test_an_impossible_request_has_no_probability():
    assert small_model("sparse").probability("a > 100") == Estimate(0.0, 0.0, 0.0)


def test_what_always_holds_has_probability_one():
    found = small_model("sparse").probability("a >= 0")
    assert found.low <= 1.0 <= found.high == pytest.approx(1.0, abs=1e-5)


def test_under_rules_the_share_is_among_the_rows_that_keep_them():
    schema = {name: {"kind": "numeric"} for name in "abdf"}
    model = Janus(rules="a <= d", schema=schema, structure="chain", random_state=0, on_violation="warn")
    with pytest.warns(UserWarning, match="missing value"):
        model.fit(small_table())
    all_rows, shares = every_row("dense")
    kept = holds("a <= d", all_rows)
    truth = shares[kept & holds("b >= 3", all_rows)].sum() / shares[kept].sum()
    found = model.probability("b >= 3", level=0.999)
    assert found.low <= truth <= found.high
    some = all_rows[kept].head(50)
    expected = np.log(shares[kept][:50] / shares[kept].sum())
    np.testing.assert_allclose(model.log_prob(some), expected, atol=0.02)
    assert (model.log_prob(all_rows[~kept].head(20)) == -np.inf).all()
    np.testing.assert_allclose(
        model.log_prob(some, "b >= 3"),
        np.where(some["b"] >= 3, expected - np.log(truth), -np.inf),
        atol=0.03,
    )


# Filling in


@pytest.mark.statistical
@pytest.mark.parametrize("structure", ["dense", "sparse"])
@pytest.mark.parametrize(
    ("known", "where"),
    [({"a": 2, "f": 5}, None), ({"c": "z", "e": "y"}, None), ({"f": 4, "c": "x"}, "a < d"), ({"e": "z"}, "b == a + d")],
)
def test_fillings_follow_the_enumerated_conditional(known, where, structure):
    n, false_alarm = 4_000, 1e-6
    model, (all_rows, shares) = small_model(structure), every_row(structure)
    given = holds(where, all_rows, model.schema_) if where else np.ones(len(all_rows), bool)
    given = given & all_rows["d"].notna().to_numpy()
    for name, value in known.items():
        given &= (all_rows[name] == value).to_numpy()
    shares = shares * given
    partial = pd.DataFrame({name: [value] * n for name, value in known.items()})
    full = model.complete(partial, where, random_state=1)[list(all_rows)]
    gap, usual = distance(full, all_rows, shares / shares.sum())
    assert gap <= usual + sqrt(log(1 / false_alarm) / (2 * n))


def test_present_cells_further_columns_and_the_index_stay():
    table = small_table(300)
    rng = np.random.default_rng(0)
    partial = table.assign(note="kept").set_index(np.arange(300)[::-1])
    for name in table:
        partial[name] = partial[name].mask(rng.random(300) < 0.3)
    before = partial.copy()
    full = small_model("dense").complete(partial, random_state=2)
    pd.testing.assert_frame_equal(partial, before)
    assert list(full.index) == list(partial.index)
    assert (full["note"] == "kept").all()
    assert not full.isna().any().any()
    for name in table:
        present = partial[name].notna()
        assert (full.loc[present, name] == partial.loc[present, name]).all()
        assert full[name].dtype == table[name].dtype
    pd.testing.assert_frame_equal(full, small_model("dense").complete(partial, random_state=2))


def test_a_row_without_holes_comes_back_as_it_is():
    table = small_table(50).dropna()
    pd.testing.assert_frame_equal(small_model("dense").complete(table), table)


def test_a_null_stays_where_the_rules_leave_nothing_else():
    full = small_model("dense").complete(pd.DataFrame({"a": [0, 3]}), "implies(a == 3, d is null)", random_state=0)
    assert list(full["d"].isna()) == [False, True]


def test_rows_that_no_filling_can_save_are_named():
    partial = pd.DataFrame({"a": [1, 3, 1], "b": [3, 3, 2]})
    with pytest.raises(InfeasibleError, match=r"1 of 3 rows .* row 1"):
        small_model("dense").complete(partial, "a < b", random_state=0)


def test_known_combinations_can_be_filled():
    where = with_combinations("fixed_combinations(a, c)")
    full = small_model("dense").complete(pd.DataFrame({"c": ["x", "y"] * 50}), where, random_state=0)
    assert holds(where, full, small_model("dense").schema_).all()
    assert len(keys(full[list(small_table())]).unique()) > 10


def test_a_time_limit_gives_the_interval_reached_so_far():
    model = small_model("dense")
    for where in ("a > 0", "a == 3 and b == 5 and d is null and f >= 1"):  # counted, and by particles
        full, short = (model.probability(where, max_seconds=seconds) for seconds in (None, 0))
        assert short.low <= full.value <= short.high
        assert short.high - short.low >= full.high - full.low
    with pytest.raises(ValueError, match="max_seconds is -1"):
        model.probability("a > 0", max_seconds=-1)
