"""Labels for a gap: variances against enumeration, choices against all choices, planted worlds."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from janus_synth import Janus, datasets
from janus_synth.errors import DataError, RuleError, UnknownColumnError
from janus_synth.fairness import Bias, plant
from janus_synth.model import read_rows
from janus_synth.questions.suggestion import GapCells, choose_for_gap, gap_cells
from janus_synth.rules import bind

FEATURES = ["age", "sex", "education", "experience", "department", "test_score"]
EDGES = [(name, "hired") for name in FEATURES]
GAP = {"for_": "gap", "protected": "sex", "privileged": "male", "outcome": "hired"}


@pytest.fixture(scope="module")
def rows():
    return datasets.hiring(700, random_state=0)[[*FEATURES, "hired"]]


@pytest.fixture(scope="module")
def model(rows):
    return Janus(structure=EDGES, n_trees=3, random_state=0, n_jobs=1).fit(rows[:300])


def cells_of(model, frame, rule="sex == 'male'", outcome="hired"):
    return gap_cells(model.model_, read_rows(model.model_, frame), bind(rule, model.model_.schema), outcome)


# Variances


@pytest.mark.parametrize(("rate", "evidence"), [(0.2, 3.0), (0.5, 10.0), (0.9, 25.5)])
def test_the_expected_variance_after_labels_is_that_of_the_beta_binomial(rate, evidence):
    cells = GapCells(np.zeros((1, 1), np.int64), np.array([0.5]), np.array([rate]), np.array([evidence]))
    a, b = rate * evidence, (1 - rate) * evidence
    for k in range(5):
        positive = np.arange(k + 1)
        chance = stats.betabinom.pmf(positive, k, a, b) if k else np.ones(1)
        expected = chance @ stats.beta.var(a + positive, b + k - positive)
        assert cells.variance(np.array([float(k)])) == pytest.approx(0.25 * expected)


def test_the_gap_is_the_difference_of_mean_predictions(model, rows):
    frame = rows[300:]
    chance = model.predict_proba(frame, "hired")["True"].to_numpy()
    male = (frame["sex"] == "male").to_numpy()
    assert cells_of(model, frame).gap == pytest.approx(chance[male].mean() - chance[~male].mean(), abs=1e-6)


def test_the_variance_is_that_of_gaps_with_rates_from_their_posteriors(model, rows):
    cells = cells_of(model, rows[300:])
    rng = np.random.default_rng(0)
    rates = rng.beta(cells.rate * cells.evidence, (1 - cells.rate) * cells.evidence, (20_000, len(cells.rate)))
    leaf = np.arange(len(cells.weight)) // 2
    first = np.searchsorted(leaf, [model.model_.bag("hired").splits.leaf_of_node.max() + 1])  # all leaves have cells
    assert first == len(leaf)
    tree = np.searchsorted(_first_leaf(model), leaf, side="right") - 1
    gaps = np.array([(rates * cells.weight)[:, tree == t].sum(axis=1) for t in range(3)])
    assert cells.variance() == pytest.approx(gaps.var(axis=1).mean(), rel=0.05)


def _first_leaf(model):
    splits = model.model_.bag("hired").splits
    ends = [*splits.roots[1:], len(splits.left)]
    return [
        splits.leaf_of_node[a:b][splits.leaf_of_node[a:b] >= 0].min() for a, b in zip(splits.roots, ends, strict=True)
    ]


def test_every_training_row_is_evidence_for_one_group(model, rows):
    cells = cells_of(model, rows[300:])
    strength = model.model_.bag("hired").leaves.prior_strength
    by_leaf = (cells.evidence - strength).reshape(-1, 2).sum(axis=1)
    assert by_leaf == pytest.approx(model.model_.bag("hired").leaves.n_rows)


def test_a_group_that_was_labelled_more_often_has_more_evidence(rows):
    """Of 100 labelled rows 80 are of men; in the pool they are half."""
    men, women = (rows[rows["sex"] == sex] for sex in ("male", "female"))
    labelled = pd.concat([men[:80], women[:20]])
    pool = pd.concat([men[100:200], women[100:200]])
    blind = Janus(structure=[("test_score", "hired")], n_trees=1, random_state=0).fit(labelled)
    evidence = cells_of(blind, pool).evidence.reshape(-1, 2).sum(axis=0)
    assert evidence[1] / evidence[0] == pytest.approx(4, rel=0.25)


def test_a_range_of_numbers_can_be_privileged(model, rows):
    cells = cells_of(model, rows[300:], "age <= 40")
    assert cells.weight[1::2].sum() == pytest.approx(3)
    assert cells.weight[::2].sum() == pytest.approx(-3)


# Choices


def small_cells(seed, n_trees=1, n_rows=7):
    rng = np.random.default_rng(seed)
    cell = np.column_stack([4 * t + rng.integers(4, size=n_rows) for t in range(n_trees)])
    size = 4 * n_trees
    return GapCells(cell, rng.normal(size=size), rng.uniform(0.1, 0.9, size), rng.uniform(1, 9, size))


def variance_with(cells, chosen):
    labels = np.zeros(len(cells.weight))
    for row in chosen:
        labels[cells.cell[row]] += 1
    return cells.variance(labels)


@pytest.mark.parametrize("seed", range(8))
def test_with_one_tree_no_other_rows_would_do_better(seed):
    cells = small_cells(seed)
    best = min(variance_with(cells, rows) for rows in combinations(range(7), 3))
    assert variance_with(cells, choose_for_gap(cells, 3)) == pytest.approx(best)


@pytest.mark.parametrize("seed", range(8))
def test_with_several_trees_the_choice_is_greedy_and_reaches_its_guarantee(seed):
    cells = small_cells(seed, n_trees=3)
    chosen = choose_for_gap(cells, 3)
    for k in range(3):
        others = [row for row in range(7) if row not in chosen[:k]]
        best = min(variance_with(cells, [*chosen[:k], row]) for row in others)
        assert variance_with(cells, chosen[: k + 1]) == pytest.approx(best)
    gain = cells.variance() - variance_with(cells, chosen)
    most = cells.variance() - min(variance_with(cells, rows) for rows in combinations(range(7), 3))
    assert gain >= (1 - 1 / np.e) * most


def test_no_row_is_chosen_twice(model, rows):
    chosen = choose_for_gap(cells_of(model, rows[300:320]), 50)
    assert sorted(chosen) == list(range(20))


# The method


def test_rows_come_back_unchanged_without_their_labels_or_with(model, rows):
    pool = rows[300:]
    chosen = model.suggest(pool, 12, **GAP)
    assert len(chosen) == 12
    pd.testing.assert_frame_equal(chosen, pool.loc[chosen.index])
    assert model.suggest(pool.drop(columns="hired"), 12, **GAP).index.equals(chosen.index)


def test_trees_without_splits_lead_to_as_many_rows_of_each_group(rows):
    """The pool has three times as many men; the rates of both groups are equally well known."""
    pool = pd.concat([rows[rows["sex"] == "male"][:210], rows[rows["sex"] == "female"][:70]])
    alone = Janus(structure=[], n_trees=1, random_state=0).fit(pd.concat([pool[:20], pool[-20:]]))
    chosen = alone.suggest(pool, 40, **GAP)
    assert 19 <= (chosen["sex"] == "male").sum() <= 21


def test_a_condition_on_levels_is_an_outcome():
    rows = datasets.hiring(300, random_state=0)
    edges = [("age", "education"), ("sex", "education")]
    model = Janus(structure=edges, n_trees=2, random_state=0).fit(rows[:200])
    found = model.suggest(rows[200:], 5, **{**GAP, "outcome": "education in ['master', 'phd']"})
    assert len(found) == 5


def test_labelled_rows_belong_to_the_groups_but_are_not_chosen(model, rows):
    pool = rows[300:].reset_index(drop=True)
    labels = pool["hired"].astype("boolean")
    left = model.suggest(pool.assign(hired=labels.where(pool.index >= 250)), 400, **GAP)
    assert sorted(left.index) == list(range(250))
    of_men = labels.where(pool["sex"] == "male")  # no man is left to choose, but the gap needs them
    assert (model.suggest(pool.assign(hired=of_men), 5, **GAP)["sex"] == "female").all()
    assert len(model.suggest(pool.assign(hired=labels.where(pool.index < 0)), 400, **GAP)) == 400


def test_rows_of_no_group_are_not_chosen(model, rows):
    pool = rows[300:].reset_index(drop=True)
    pool.loc[:200, "sex"] = None
    assert model.suggest(pool, 60, **GAP).index.min() > 200


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"for_": "gaps"}, ValueError, "for_ is"),
        ({"for_": None}, ValueError, "for_ is"),
        ({"outcome": None}, ValueError, "needs protected="),
        ({"target": "hired"}, ValueError, "no target"),
        ({"protected": "sexx"}, UnknownColumnError, "Did you mean 'sex'"),
        ({"protected": "hired", "privileged": True}, RuleError, "both protected and the outcome"),
        ({"privileged": "other"}, RuleError, "no level 'other'"),
        ({"protected": "age", "privileged": (0, 200)}, DataError, "holds in every row"),
        ({"protected": "age", "privileged": (150, 200)}, DataError, "holds in no row"),
        ({"outcome": "test_score"}, RuleError, "test_score"),
        ({"outcome": "test_score > 50"}, RuleError, "no condition on one column of levels"),
    ],
    ids=str,
)
def test_a_bad_argument_is_named(model, rows, changes, error, message):
    with pytest.raises(error, match=message):
        model.suggest(rows[300:], 3, **{**GAP, **changes})


# Planted worlds


@pytest.mark.statistical
def test_labels_for_a_gap_tell_it_better_than_random_labels():
    """Bias against the 13 % of applicants above 50. After 80 more labels in each of five worlds, the mean squared
    error of the share of favourable labels is smaller. Errors are those of rates within groups and thirds of the test
    score, so that the estimator shares nothing with the trees. A choice that is no better is caught half the time by
    the errors, and always by the number of labels in the smaller group."""
    source = datasets.hiring(1_500, random_state=0)[[*FEATURES, "hired"]]
    base = Janus(structure=EDGES, n_trees=2, random_state=0, n_jobs=1).fit(source)
    bias = Bias("age", (18, 50), "hired", True, 0.4)
    squared = {"gap": [], "random": []}
    for seed in range(5):
        pool = plant(base, bias, n=1_200, effect_units=0, random_state=seed, progress=False).to_frame()
        pool = pool[[*FEATURES, "hired"]].reset_index(drop=True)
        first = np.random.default_rng(seed).permutation(len(pool))
        model = Janus(structure=EDGES, n_trees=3, random_state=0, n_jobs=1).fit(pool.loc[first[:80]])
        rest = pool.loc[first[80:]]
        asked = model.suggest(rest, 80, for_="gap", protected="age", privileged=(18, 50), outcome="hired").index
        assert (pool.loc[asked, "age"] > 50).mean() > 0.4
        for how, chosen in (("gap", asked), ("random", rest.index[:80])):
            labelled = [*first[:80], *chosen]
            squared[how].append((stratified_gap(pool, labelled) - stratified_gap(pool, pool.index)) ** 2)
    assert np.mean(squared["gap"]) < np.mean(squared["random"])


def stratified_gap(pool, labelled):
    """Gap between ages up to 50 and above, from rates of labelled rows within thirds of the test score."""
    third = pd.qcut(pool["test_score"].fillna(pool["test_score"].median()), 3, labels=False)
    rates = {}
    for young in (True, False):
        group = (pool["age"] <= 50) == young
        known = pool.loc[labelled][group.loc[labelled]]
        rate = known["hired"].groupby(third.loc[known.index]).mean().reindex(range(3)).fillna(known["hired"].mean())
        rates[young] = rate.loc[third[group]].mean()
    return rates[True] - rates[False]
