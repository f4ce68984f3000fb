"""Conditional sampling: every row satisfies the conditions, and rows follow the enumerated conditional distribution."""

from __future__ import annotations

from math import log, sqrt

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from janus_synth import Janus, holds, threads
from janus_synth.errors import InfeasibleError
from janus_synth.rules import learn
from janus_synth.sampling import plan_for
from janus_synth.sampling.conditional import rows_from_witness
from janus_synth.sampling.gibbs import gibbs_sweep
from sampling.small_models import distance, every_row, small_model, small_table
from strategies import quick, seeds

EVERY_KIND = [
    "a >= 2",
    "1 <= b < 4",
    "b == 3",
    "b != 3",
    "c != 'x'",
    "c in ['x', 'z']",
    "a not in [0, 3]",
    "d is null",
    "d is not null and d <= 1",
    "a < d",
    "a != d",
    "a + d >= b",
    "b == a + d",
    "f == b + d and c == 'y'",
    "a >= 2 or d is null",
    "not (a >= 2 and c == 'x')",
    "implies(c == 'x', d is not null)",
    "implies(a > 1, b == 3 or d > 2)",
    "c == e",
    "c == e and e == 'z'",
    "a > 2 and f <= 2",
    "a + b + d + f == 7",
    "2 * a - b <= 0 and b >= 4 and c == 'z'",
    "increments(f, 3)",
    "not increments(b, 2)",
    "fixed_combinations(a, c)",
    "not fixed_combinations(a, c)",
]


def with_combinations(rule: str):
    """Learn known combinations from a few rows only, so that the rule excludes some."""
    return learn(rule, small_table().head(12))


@pytest.mark.statistical
@pytest.mark.parametrize("structure", ["dense", "sparse"])
@pytest.mark.parametrize("rule", EVERY_KIND)
def test_rows_follow_the_enumerated_conditional(rule, structure):
    n, false_alarm = 8_000, 1e-6
    model, (all_rows, shares) = small_model(structure), every_row(structure)
    where = with_combinations(rule)
    shares = shares * holds(where, all_rows, model.schema_)
    rows = model.sample(n, where=where, random_state=5)
    assert len(rows) == n
    assert holds(where, rows, model.schema_).all()
    gap, usual = distance(rows, all_rows, shares / shares.sum())
    assert gap <= usual + sqrt(log(1 / false_alarm) / (2 * n))  # McDiarmid: 0.029 above the mean for independent draws


def test_the_enumeration_is_complete():
    for structure in ("dense", "sparse"):
        assert every_row(structure)[1].sum() == pytest.approx(1.0, abs=1e-6)


@pytest.mark.statistical
def test_a_rule_and_a_condition_on_the_same_columns_hold_together():
    model = Janus(rules=["a <= b", "f >= b"], random_state=0, on_violation="drop")
    with pytest.warns(UserWarning, match="break the rule 'f >= b'"):
        model.fit(small_table(2_000))
    rows = model.sample(100_000, where="b >= 2 and a + b <= 5 and f != b", random_state=1)
    assert len(rows) == 100_000
    for rule in ("a <= b", "f >= b", "b >= 2 and a + b <= 5 and f != b"):
        assert holds(rule, rows).all()


# Values


@pytest.fixture(scope="module")
def measured() -> pd.DataFrame:
    """Dependent columns of continuous, decimal, single-precision and time values."""
    rng = np.random.default_rng(0)
    n = 3_000
    x = rng.normal(50, 12, n)
    price = np.round(np.exp(rng.normal(3, 0.6, n)) + 0.2 * x, 2)
    weight = (x / 10 + rng.normal(0, 1, n)).astype(np.float32)
    start = pd.Timestamp("2022-01-01") + pd.to_timedelta(rng.integers(0, 900, n), unit="D")
    end = start + pd.to_timedelta(1 + rng.integers(0, 60, n), unit="D")
    zeros = np.where(rng.random(n) < 0.6, 0.0, rng.exponential(3, n) * x)
    return pd.DataFrame({"x": x, "price": price, "weight": weight, "start": start, "end": end, "extra": zeros})


@pytest.fixture(scope="module")
def measured_model(measured) -> Janus:
    return Janus(random_state=0).fit(measured)


VALUE_RULES = [
    "x < 41.37",
    "40 < x < 40.001",
    "price > 37.5 and price < 37.6",
    "price == 31.07",
    "weight < 4 and weight > 3.99",
    "weight >= x / 10",
    "price + x == 80.25",
    "x == 51.5",
    "end - start > days(40)",
    "start >= '2023-01-01' and end < '2023-01-20'",
    "end == start + days(7)",
    "extra == 0 and price > x",
    "extra > 0 and extra < 1e-3",
    "extra > 3 * x and price <= 0.5 * x",
    "increments(price, 0.25)",
    "implies(x > 50, price > 60) and implies(x <= 50, extra == 0)",
    "x != 50 and price != 20",
    "2 * x - 3 * price + weight <= -20",
]


@pytest.mark.parametrize("rule", VALUE_RULES)
def test_emitted_values_obey_to_the_last_digit(rule, measured_model, measured):
    """A rule that one row in 200 breaks is caught in 99 % of cases."""
    rows = measured_model.sample(1_000, where=rule, random_state=2)
    assert len(rows) == 1_000
    assert holds(rule, rows).all()
    assert list(rows.dtypes) == list(measured.dtypes)
    if "increments" not in rule:
        assert np.allclose(rows["price"] * 100, np.rint(rows["price"] * 100))  # still cents


@pytest.mark.statistical
@pytest.mark.parametrize(
    "rule", ["x < 45 and extra > 0", "price > x", "weight >= x / 10 and start < '2022-12-01'", "end - start > days(50)"]
)
def test_values_follow_rejection_from_the_same_model(rule, measured_model):
    n, false_alarm = 4_000, 1e-6
    free = measured_model.sample(150_000, random_state=3)
    kept = free[holds(rule, free)]
    rows = measured_model.sample(n, where=rule, random_state=4)
    margin = sqrt(log(2 * 12 / false_alarm) / 2) * (1 / sqrt(n) + 1 / sqrt(len(kept)))  # DKW for both, six columns
    for name in rows:
        ours, theirs = (
            np.sort(rows[name].astype("int64" if rows[name].dtype.kind == "M" else float)),
            np.sort(kept[name].astype("int64" if kept[name].dtype.kind == "M" else float)),
        )
        points = np.concatenate([ours, theirs])
        gap = np.searchsorted(ours, points, "right") / len(ours) - np.searchsorted(theirs, points, "right") / len(
            theirs
        )
        assert np.abs(gap).max() <= margin, name


# One seed, one table


def test_threads_and_batches_do_not_change_the_rows(monkeypatch):
    model = small_model("dense")
    whole = model.sample(9_000, where="a < d", random_state=7)
    pieces = list(model.sample_batches(9_000, where="a < d", batch_rows=4_096, random_state=7))
    assert [len(piece) for piece in pieces] == [4_096, 4_096, 808]
    pd.testing.assert_frame_equal(pd.concat(pieces, ignore_index=True), whole)
    alone = small_model("dense", n_jobs=1).sample(9_000, where="a < d", random_state=7)
    pd.testing.assert_frame_equal(alone, whole)
    monkeypatch.setattr(threads, "CELLS_PER_THREAD", 1)  # blocks are then drawn one by one
    pd.testing.assert_frame_equal(model.sample(9_000, where="a < d", random_state=7), whole)
    assert not whole.equals(model.sample(9_000, where="a < d", random_state=8))


@pytest.mark.parametrize("n", [0, 1, 3])
def test_small_requests_return_exactly_n_rows(n):
    assert len(small_model("sparse").sample(n, where="b == a + d", random_state=0)) == n


def test_several_conditions_are_joined():
    rows = small_model("sparse").sample(500, where=["a >= 2", "c == 'x'"], random_state=0)
    assert (rows["a"] >= 2).all()
    assert (rows["c"] == "x").all()


# Rare requests, long chains and impossible requests


def test_a_request_of_one_in_a_hundred_million_is_met():
    rng = np.random.default_rng(1)
    base = rng.normal(size=4_000)
    frame = pd.DataFrame({f"x{i}": 0.6 * base + rng.normal(size=4_000) for i in range(6)})
    model = Janus(random_state=0).fit(frame)
    where = " and ".join(f"x{i} > {np.quantile(frame[f'x{i}'], 0.985)}" for i in (0, 2, 4)) + " and x1 < -2 and x3 < -2"
    assert model.probability(where).value < 1e-7
    rows = model.sample(1_000, where=where, random_state=0)
    assert holds(where, rows).all()
    assert len(rows) == 1_000
    assert len(rows.drop_duplicates()) > 900


@pytest.mark.parametrize("n_columns", [16, pytest.param(40, marks=pytest.mark.slow)])
def test_weights_stay_finite_along_a_chain_of_many_columns(n_columns):
    """The last column is two standard deviations above its mean; weights of all columns in between are multiplied."""
    rng = np.random.default_rng(2)
    walk = np.cumsum(rng.normal(size=(800, n_columns)), axis=1)
    frame = pd.DataFrame(walk, columns=[f"x{i}" for i in range(n_columns)])
    n_bins = "auto" if n_columns > 16 else 32
    model = Janus(structure="chain", n_trees=2, n_bins=n_bins, random_state=0).fit(frame)
    last, above = n_columns - 1, 2 * np.sqrt(n_columns)
    where = f"x{last} > {above} and x0 < 0 and x{n_columns // 2} < x{n_columns // 4}"
    rows = model.sample(300, where=where, random_state=0)
    assert holds(where, rows).all()
    assert np.isfinite(model.log_prob(rows)).all()


def test_an_impossible_request_raises_before_a_row_is_drawn():
    model = small_model("sparse")
    with pytest.raises(InfeasibleError) as caught:
        model.sample(10, where="a > 2 and a < 1")
    assert caught.value.conflict
    with pytest.raises(InfeasibleError, match="'a'"):
        model.sample(10, where="a > 200")


@pytest.mark.statistical
def test_rows_that_start_from_a_witness_mix_into_the_conditional():
    n, false_alarm = 4_000, 1e-6
    rng = np.random.default_rng(0)
    a = rng.integers(0, 4, 1_000)
    frame = pd.DataFrame({"a": a, "b": (a + rng.integers(0, 5, 1_000)) % 6})
    model = Janus(schema={name: {"kind": "numeric"} for name in frame}, random_state=0).fit(frame)
    all_rows = pd.DataFrame([(i, j) for i in range(4) for j in range(6)], columns=["a", "b"])
    plan = plan_for(model.model_, "a + b >= 4")
    rows = rows_from_witness(plan.request, plan.witness, n, rng)
    for _ in range(20):
        gibbs_sweep(plan.request, rows, rng)
    truth = np.exp(model.log_prob(all_rows)) * holds("a + b >= 4", all_rows)
    truth = truth / truth.sum()
    places = [plan.request.columns.index(name) for name in ("a", "b")]
    seen = np.bincount((rows.values[places[0]] * 6 + rows.values[places[1]]).astype(int), minlength=24) / n
    usual = 0.5 * np.sqrt(2 * truth * (1 - truth) / np.pi / n).sum()
    assert 0.5 * np.abs(seen - truth).sum() <= usual + sqrt(log(1 / false_alarm) / (2 * n))


literals = st.sampled_from(
    ["a >= 2", "b < 3", "c == 'x'", "c != 'y'", "d is null", "d > 1", "a < d", "a + b == 4", "f >= b + 1", "e == c",
     "b != 2", "d is not null", "f in [0, 4, 5]", "2 * a >= f", "increments(f, 2)"]
)  # fmt: skip
rule_texts = st.recursive(
    literals,
    lambda parts: st.one_of(
        st.tuples(parts, parts).map(lambda pair: f"({pair[0]}) and ({pair[1]})"),
        st.tuples(parts, parts).map(lambda pair: f"({pair[0]}) or ({pair[1]})"),
        st.tuples(parts, parts).map(lambda pair: f"implies({pair[0]}, {pair[1]})"),
        parts.map(lambda part: f"not ({part})"),
    ),
    max_leaves=4,
)


@quick
@given(st.lists(rule_texts, min_size=1, max_size=3), st.sampled_from(["dense", "sparse"]), seeds)
def test_random_rules_are_kept_or_refused(rules, structure, seed):
    model, (all_rows, shares) = small_model(structure), every_row(structure)
    possible = np.ones(len(all_rows), bool)
    for rule in rules:
        possible &= holds(rule, all_rows, model.schema_)
    if not (possible & (shares > 0)).any():
        with pytest.raises(InfeasibleError):
            model.sample(50, where=rules, random_state=seed)
        return
    rows = model.sample(50, where=rules, random_state=seed)
    assert len(rows) == 50
    for rule in rules:
        assert holds(rule, rows, model.schema_).all()


def test_columns_of_a_branch_that_was_dropped_still_have_values():
    """Only one branch is possible, and it has no condition on the other branch's column."""
    model = small_model("dense")
    where = "(a == 0 and b == 0 and f == 3) or (a > 2 and a < 1 and d == 2)"
    rows = model.sample(400, where=where, random_state=0)
    assert holds(where, rows, model.schema_).all()
    assert rows["d"].isna().mean() < 0.9


def test_a_branch_whose_particles_all_have_weight_zero_is_ignored():
    model = small_model("sparse")
    where = "(a == 0 and b == 0 and f == 3) or (a == 3 and b == 0 and c == 'x' and d == 0 and e == 'z' and f == 8)"
    rows = model.sample(400, where=where, random_state=0)
    assert holds(where, rows, model.schema_).all()
