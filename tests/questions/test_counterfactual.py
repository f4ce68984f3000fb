"""Counterfactuals: exact where nothing changes, right where the truth is known, valid everywhere."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats

from janus_synth import Janus, col, datasets, holds
from janus_synth.errors import DataError, InfeasibleError, LearntGraphWarning, RuleError, SchemaError
from janus_synth.questions.counterfactual import gumbel_max_counterfactual
from sampling.small_models import small_model, small_table


def chain(n: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """x → y → z, a bend and a fan, and the noise that made them."""
    noise = np.random.default_rng(seed).normal(size=(3, n))
    return from_noise(noise), noise


def from_noise(noise: np.ndarray, x: np.ndarray | None = None) -> pd.DataFrame:
    """Rows with this noise, x set if given."""
    x = noise[0] if x is None else x
    y = np.sin(1.5 * x) + 0.5 * x + 0.4 * noise[1]
    return pd.DataFrame({"x": x, "y": y, "z": (1.5 + np.tanh(y)) * np.exp(0.3 * noise[2])})


@cache
def chain_model() -> Janus:
    """A model of the chain, given its true graph."""
    return Janus(structure=[("x", "y"), ("y", "z")], random_state=0).fit(chain(4_000, 0)[0])


@cache
def hiring() -> tuple[pd.DataFrame, Janus]:
    """Applicants, and a model given their true graph and a rule."""
    rows = datasets.hiring(1_500, random_state=0)
    rules = ["experience <= age - 18", "offered_salary is null or offered_salary >= requested_salary - 20_000"]
    return rows, Janus(structure=datasets.hiring_graph(), rules=rules, random_state=0).fit(rows)


def test_known_mechanisms_are_found_again():
    rows, noise = chain(1_000, 1)
    x = np.random.default_rng(2).permutation(rows["x"].to_numpy())
    truth, found = from_noise(noise, x), chain_model().counterfactual(rows, do={"x": x})
    assert (found["x"] == x).all()
    for column in ("y", "z"):
        error = ((found[column] - truth[column]) ** 2).mean() / rows[column].var()
        forgotten = ((truth[column] - rows[column]) ** 2).mean() / rows[column].var()
        assert error < 0.06, column
        assert error < forgotten / 10


def test_counterfactuals_of_all_rows_are_distributed_as_the_world_where_it_is_set():
    """Kolmogorov's test at a level of 1e-4, for a column two steps below."""
    rows, _ = chain(3_000, 3)
    found = chain_model().counterfactual(rows, do={"x": 0.7})
    world = chain_model().do({"x": 0.7}).sample(20_000, random_state=1)
    assert stats.ks_2samp(found["z"], world["z"]).statistic < 0.05


@pytest.mark.parametrize("name", ["sex", "education", "age", "department", "hired"])
def test_rows_that_have_the_values_already_come_back_exactly(name):
    rows, model = hiring()
    rows = rows.sample(200, random_state=1)
    pd.testing.assert_frame_equal(model.counterfactual(rows, do={name: rows[name]}), rows)
    value = rows[name].iloc[0]
    found = model.counterfactual(rows, do={name: value})
    same = rows[name] == value
    pd.testing.assert_frame_equal(found[same], rows[same])
    assert (found[name] == value).all()


@pytest.mark.parametrize("sign", [1, -1])
def test_values_at_the_end_of_the_range_stay_there(sign):
    """The regression exceeds all values seen; a value near the end is no longer carried to the other end."""
    rng = np.random.default_rng([1, 77])
    z, e = rng.normal(size=(2, 4_000))
    x = 0.5 * z + rng.normal(size=4_000)
    rows = pd.DataFrame({"x": x, "z": z, "y": sign * x * np.exp(0.7 * z) + 0.4 * e})
    model = Janus(structure=[("z", "x"), ("x", "y"), ("z", "y")], random_state=0, n_jobs=1).fit(rows, progress=False)
    far = pd.DataFrame({"x": [2.78, 2.5, 2.8], "z": [3.86, 3.86, 4.5], "y": [sign * y for y in (41.4, 37.3, 65.3)]})
    found = sign * model.counterfactual(far, do={"x": "x + 0.8"})["y"]
    assert (found > 15).all()


def test_only_descendants_change():
    rows, model = hiring()
    found = model.counterfactual(rows, do={"education": "phd"})
    below = model.dag_.descendants("education")
    for column in rows:
        if column not in below and column != "education":
            pd.testing.assert_series_equal(found[column], rows[column])
    assert any((found[column] != rows[column]).sum() > 100 for column in below if column in rows)


def test_values_are_valid_and_types_stay():
    rows, model = hiring()
    found = model.counterfactual(rows, do={"age": 60, "education": "school"})
    assert found.dtypes.to_dict() == rows.dtypes.to_dict()
    for column in ("department", "sex", "remote"):
        assert set(found[column].dropna()) <= set(rows[column].dropna())
    for column in ("requested_salary", "test_score"):
        assert found[column].between(rows[column].min(), rows[column].max()).sum() == found[column].notna().sum()
    assert set(np.round(found["requested_salary"] % 500, 6)) == {0.0}  # a lattice


def test_rules_are_kept_by_rows_that_kept_them():
    rows, model = hiring()
    held = {str(rule): holds(str(rule), rows) for rule in model.rules_}
    found = model.counterfactual(rows, do={"age": (20, 24)})
    for rule, before in held.items():
        assert holds(rule, found)[before].all(), rule
    free = model.counterfactual(rows, do={"age": (20, 24)}, keep_rules=False)
    broken = ~holds("experience <= age - 18", free)
    assert broken.any()
    also = model.counterfactual(rows, do={"age": 22}, where="experience <= 3")
    assert holds("experience <= 3", also)[holds("experience <= 3", rows)].all()


def test_rows_that_cannot_keep_a_rule_are_named():
    rows, model = hiring()
    experienced = rows[rows["experience"] > 12]
    with pytest.raises(
        InfeasibleError, match=r"cannot satisfy 'experience <= age - 18' in that world.*keep_rules=False"
    ):
        model.counterfactual(experienced, do={"age": 25, "experience": experienced["experience"]})


def test_one_seed_one_answer_and_several_draws():
    rows, model = hiring()
    rows = rows.head(300)
    one = model.counterfactual(rows, do={"education": "master"}, random_state=5)
    pd.testing.assert_frame_equal(one, model.counterfactual(rows, do={"education": "master"}, random_state=5))
    many = model.counterfactual(rows, do={"education": "master"}, random_state=5, n_draws=3)
    assert len(many) == 3
    assert not many[1]["hired"].equals(many[0]["hired"]) or not many[1]["test_score"].equals(many[0]["test_score"])


def test_answers_do_not_depend_on_threads():
    rows, _ = chain(9_000, 4)
    model = chain_model()
    one, two = (Janus(structure=[("x", "y"), ("y", "z")], random_state=0, n_jobs=jobs) for jobs in (1, 2))
    for other in (one, two):
        other.model_ = model.model_
        other._reset()
    pd.testing.assert_frame_equal(*(other.counterfactual(rows, do={"x": 0.1}) for other in (one, two)))


def test_interventions_may_be_given_in_many_forms():
    rows, model = hiring()
    rows = rows.head(50)
    older = model.counterfactual(rows, do={"age": "age + 5"})
    assert (older["age"] == rows["age"] + 5).all()
    assert (model.counterfactual(rows, do={"age": col("age") + 5})["age"] == older["age"]).all()
    inside = model.counterfactual(rows, do={"age": (30, 40)})["age"]
    assert inside.between(30, 40).all()
    stays = rows["age"].between(30, 40)
    assert (inside[stays] == rows["age"][stays]).all()
    listed = model.counterfactual(rows, do={"education": ["phd", "master"]})["education"]
    assert set(listed) <= {"phd", "master"}
    pd.testing.assert_frame_equal(
        model.counterfactual(rows, do={"remote": None}).drop(columns=rows.columns.difference(["remote"])),
        rows[["remote"]].assign(remote=pd.array([None] * 50, rows["remote"].dtype)),
    )


def test_other_frames_indices_and_columns_pass_through():
    rows, model = hiring()
    some = rows.head(20).assign(note="kept").set_index(np.arange(20) + 7)
    found = model.counterfactual(some, do={"education": "phd"})
    assert found.index.equals(some.index)
    assert (found["note"] == "kept").all()
    table = small_table(30, seed=9)
    polars = small_model("sparse").counterfactual(pl.from_pandas(table), do={"a": 2})
    assert polars["a"].to_list() == [2] * 30
    model = Janus(random_state=0).fit(pl.from_pandas(table))
    with pytest.warns(LearntGraphWarning, match=r"structure=.*trust_graph=True"):
        model.counterfactual(pl.from_pandas(table), do={"c": "x"})
    again = model.counterfactual(pl.from_pandas(table), do={"c": "x"})  # warned once
    assert isinstance(again, pl.DataFrame)
    arrow = pl.from_pandas(table).to_arrow()
    vouched = Janus(random_state=0, trust_graph=True).fit(arrow)
    assert vouched.counterfactual(arrow, do={"c": "x"})["c"].to_pylist() == ["x"] * 30


def test_nulls_come_and_go_with_their_probability():
    rng = np.random.default_rng(0)
    t = rng.random(4_000) < 0.5
    y = np.where(rng.random(4_000) < np.where(t, 0.6, 0.2), np.nan, t + rng.normal(size=4_000))
    table = pd.DataFrame({"t": t, "y": y})
    model = Janus(structure=[("t", "y")], random_state=0).fit(table)
    found = model.counterfactual(table, do={"t": True})
    moved = ~table["t"]
    assert found["y"][moved].isna().mean() == pytest.approx(0.6, abs=0.06)
    assert found["y"][moved & table["y"].isna()].isna().all()  # null became likelier: it stays
    back = model.counterfactual(table, do={"t": False})
    null = table["t"] & table["y"].isna()
    assert back["y"][null].isna().mean() == pytest.approx(0.2 / 0.6, abs=0.06)


@pytest.mark.statistical
def test_gumbel_twins_follow_the_new_distribution_and_are_faithful_to_the_old():
    """Over rows that follow p, twins follow q; frequencies within 5 standard errors of a million draws."""
    rng, n = np.random.default_rng(1), 1_000_000
    p, q = np.array([0.5, 0.3, 0.2, 0.0]), np.array([0.2, 0.3, 0.4, 0.1])
    own = rng.choice(4, n, p=p).astype(np.uint16)
    twin = gumbel_max_counterfactual(np.tile(p, (n, 1)), np.tile(q, (n, 1)), own, rng)
    share = np.bincount(twin, minlength=4) / n
    assert (np.abs(share - q) < 5 * np.sqrt(q * (1 - q) / n)).all()
    assert (twin[own == 2] == 2).mean() > 0.6  # it became likelier, though not against the new code
    same = gumbel_max_counterfactual(np.tile(p, (n, 1)), np.tile(p, (n, 1)), own, rng)
    assert (same == own).all()


def test_a_category_that_became_relatively_likelier_than_all_others_does_not_change():
    rng, n = np.random.default_rng(2), 10_000
    p, q = np.array([0.5, 0.3, 0.2]), np.array([0.25, 0.15, 0.6])
    twin = gumbel_max_counterfactual(np.tile(p, (n, 1)), np.tile(q, (n, 1)), np.full(n, 2, np.uint16), rng)
    assert (twin == 2).all()


@pytest.mark.parametrize(
    ("do", "kind", "says"),
    [
        ({"education": "none"}, RuleError, "no level 'none'"),
        ({"education": np.array(["phd"] * 3)}, DataError, "3 values, but there are 20 rows"),
        ({"education": np.array(["dr"] * 20)}, SchemaError, "no level 'dr'"),
        ({"age": "young"}, Exception, "no column 'young'"),
        ({"age": "education + 1"}, RuleError, "categorical"),
        ({"education": col("age") + 1}, RuleError, "only numbers and times"),
        ({}, RuleError, "do takes a mapping"),
    ],
)
def test_invalid_interventions_raise(do, kind, says):
    rows, model = hiring()
    with pytest.raises(kind, match=says):
        model.counterfactual(rows.head(20), do=do)


def test_all_columns_must_be_there():
    rows, model = hiring()
    with pytest.raises(DataError, match="required but missing: 'age'"):
        model.counterfactual(rows.drop(columns="age"), do={"education": "phd"})


@pytest.mark.statistical
@pytest.mark.parametrize("shift", [0.4, None], ids=["shifted", "set to 0"])
def test_numbers_of_two_values_flip_as_often_as_in_the_true_model(shift):
    """y = 1[a + b + logistic noise > 0] as integers: flips within 1.5 points of the truth, three standard errors.

    Ranks along the regression flip 20 % of the rows where a is set to 0, and the truth flips 15 %.
    """
    rng = np.random.default_rng(9)
    a, b, noise = rng.normal(size=4_000), rng.normal(size=4_000), rng.logistic(size=4_000)
    new = a + shift if shift is not None else np.zeros(4_000)
    before, after = ((value + b + noise > 0).astype(int) for value in (a, new))
    rows = pd.DataFrame({"a": a, "b": b, "y": before})
    model = Janus(structure=[("a", "y"), ("b", "y")], random_state=0).fit(rows)
    twins = model.counterfactual(rows, do={"a": pd.Series(new)}, random_state=0)
    flips = (twins["y"] != before).mean()
    assert flips == pytest.approx((after != before).mean(), abs=0.015)
    assert twins["y"].dtype == rows["y"].dtype


@pytest.mark.statistical
def test_draws_of_a_binary_outcome_follow_its_beta_posterior():
    """Of rows with a = 0 and y = 0, the share that flips under a = 1 is (θ₁ − θ₀) / (1 − θ₀), θ from Beta posteriors.

    One tree that separates the two arms; 200 draws: mean and standard deviation against 100,000 of the exact posterior.
    """
    rng = np.random.default_rng(0)
    n = 400
    a = np.repeat([0, 1], n // 2)
    y = (rng.random(n) < np.where(a == 1, 0.7, 0.2)).astype(int)
    rows = pd.DataFrame({"a": a.astype(bool), "y": y.astype(bool)})
    model = Janus(structure=[("a", "y")], n_trees=1, random_state=0).fit(rows)
    leaves = model.model_.bag("y").leaves
    root = (np.array([(y == 0).sum(), y.sum()]) + leaves.prior_strength / 2) / (n + leaves.prior_strength)
    asked = pd.DataFrame({"a": [False] * 4_000, "y": [False] * 4_000})
    draws = model.counterfactual(asked, do={"a": True}, n_draws=200, random_state=1)
    found = np.array([one["y"].mean() for one in draws])
    theta = []
    for arm in (0, 1):
        counts = np.array([((a == arm) & (y == level)).sum() for level in (0, 1)])
        alpha = counts + leaves.prior_strength * root
        theta.append(rng.beta(alpha[1], alpha[0], 100_000))
    exact = np.maximum((theta[1] - theta[0]) / (1 - theta[0]), 0)
    assert found.mean() == pytest.approx(exact.mean(), abs=5 * exact.std() / np.sqrt(200))
    assert found.std() == pytest.approx(np.hypot(exact.std(), np.sqrt(0.25 / 4_000)), rel=5 / np.sqrt(2 * 200))


@pytest.mark.statistical
def test_draws_along_a_line_have_the_variance_of_the_bayesian_linear_model():
    """y = x + noise: a row moved by d gains d · slope, whose exact standard deviation is d σ / √Sxx.

    Splines know less than a line, and one tree of the bag less than all of them: between one and three times that.
    """
    rng = np.random.default_rng(2)
    n = 1_500
    x = rng.normal(size=n)
    rows = pd.DataFrame({"x": x, "y": x + 0.5 * rng.normal(size=n)})
    model = Janus(structure=[("x", "y")], random_state=0).fit(rows)
    asked = pd.DataFrame({"x": np.full(200, -0.5), "y": -0.5 + 0.3 * rng.normal(size=200)})
    draws = np.array([one["y"] for one in model.counterfactual(asked, do={"x": 0.5}, n_draws=60, random_state=3)])
    gain = draws.mean(axis=1) + 0.5 - (asked["y"].mean() + 0.5)
    exact = 0.5 / np.sqrt((x**2).sum())
    assert gain.mean() == pytest.approx(1.0, abs=0.1)
    assert exact * (1 - 5 / np.sqrt(120)) < gain.std() < 3 * exact
