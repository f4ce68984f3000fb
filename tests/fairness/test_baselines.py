"""Baseline worlds that ignore protected columns, against learnt conditionals averaged by hand."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from fairness.small_tables import (
    ABOVE,
    LOAN_GRAPH,
    averaged,
    cells,
    conditional,
    kind_model,
    kinds,
    loan_model,
    loans,
    stage_model,
)
from janus_synth import Janus, holds
from janus_synth.fairness.baselines import ignore_protected, remove_dependence
from janus_synth.model import Model
from janus_synth.rules import as_rules
from janus_synth.sampling import plan_for, probability, sample_conditional, sample_rows
from janus_synth.table import write_table


def drawn(world: Model, n: int, where: str | None = None, seed: int = 3) -> pd.DataFrame:
    """Rows of a world, with its independent copies of protected columns."""
    if where is None and not world.all_rules:
        columns = sample_rows(world, n, seed=seed)
    else:
        columns = sample_conditional(plan_for(world, as_rules(where)), n, seed=seed)
    return write_table(columns, rng=np.random.default_rng(0))


def independent_copies(world: Model, of: Model) -> tuple[str, ...]:
    """Columns that a baseline world has beyond those of its model."""
    return world.codec.names[len(of.codec.names) :]


@cache
def blind_loans() -> Model:
    """The loan model with approvals that ignore sex."""
    return ignore_protected(loan_model().model_, ["approved"], ["sex"])


def independent(rows: pd.DataFrame, one: str, other: str) -> float:
    """The p value of Pearson's chi-square test."""
    return float(stats.chi2_contingency(pd.crosstab(rows[one].astype(str), rows[other].astype(str))).pvalue)


def test_the_trees_split_on_the_independent_copy_as_on_the_protected_column():
    world, model = blind_loans(), loan_model().model_
    (stand_in,) = independent_copies(world, model)
    rows = cells(**{stand_in: ["female", "male"]})
    learnt = conditional(model, "approved", rows.assign(sex=rows[stand_in]).drop(columns=stand_in))
    np.testing.assert_array_equal(conditional(world, "approved", rows), learnt)
    spread = learnt[rows[stand_in] == "male"] - learnt[rows[stand_in] == "female"]
    assert np.abs(spread).max() > 0.05  # there is something to ignore


def test_a_column_that_ignores_sex_follows_the_conditional_averaged_over_sex():
    world = blind_loans()
    (stand_in,) = independent_copies(world, loan_model().model_)
    bag = world.bag(stand_in)
    share = dict(zip(world.schema[stand_in].levels, bag.shares[0], strict=False))
    assert len(bag.parents) == 0
    for level, part in loans()["sex"].value_counts(normalize=True).items():
        assert share[level] == pytest.approx(part, abs=1e-3)
    rows = cells()
    seen = sum(share[a] * conditional(world, "approved", rows.assign(**{stand_in: a})) for a in ABOVE["sex"])
    np.testing.assert_allclose(seen, averaged("approved", rows), atol=1e-3)
    np.testing.assert_array_equal(seen[rows["sex"] == "male"], seen[rows["sex"] == "female"])


@pytest.mark.statistical
def test_rows_where_approval_ignores_sex_follow_the_averaged_conditional():
    """Chi-square over 36 cells at a level of 1e-5; detects a gap of 0.03 in all of them."""
    rows = drawn(blind_loans(), 60_000)
    known, truth = cells(), averaged("approved", cells())[:, 1]
    found = (
        rows.groupby(list(ABOVE))["approved"].agg(["sum", "size"]).reindex(pd.MultiIndex.from_frame(known[[*ABOVE]]))
    )
    z = (found["sum"] - found["size"] * truth) / np.sqrt(found["size"] * truth * (1 - truth))
    assert stats.chi2.sf((z**2).sum(), len(z)) > 1e-5


def test_other_columns_are_as_they_were_learnt():
    world, model = ignore_protected(loan_model().model_, ["approved"], ["sex"]), loan_model().model_
    (stand_in,) = independent_copies(world, model)
    rows = cells(**{stand_in: ["female", "male"]})
    for column in ("sex", "race", "region", "school", "amount"):
        learnt = conditional(model, column, rows.drop(columns=stand_in))
        np.testing.assert_array_equal(conditional(world, column, rows), learnt)
    assert world.dag.parents["school"] == model.dag.parents["school"]
    assert "sex" not in world.dag.ancestors("amount") - world.dag.ancestors("school")


def test_each_column_has_its_own_independent_copies():
    model = loan_model().model_
    world = ignore_protected(model, ["school", "approved"], ["sex", "race"])
    names = independent_copies(world, model)
    assert set(names) == {
        "independent copy of sex for school",
        "independent copy of sex for approved",
        "independent copy of race for approved",
    }
    assert all(world.dag.parents[name] == () for name in names)
    assert "sex" not in world.dag.ancestors("approved")
    assert (
        independent_copies(ignore_protected(model, ["region", "amount"], ["sex"]), model) == ()
    )  # they do not depend on sex
    assert independent_copies(model, loan_model().model_) == ()


def test_an_independent_copy_gets_an_unused_name():
    table = loans(1_500)
    table["independent copy of sex for approved"] = np.where(np.arange(len(table)) % 3, "a", "b")
    model = Janus(structure=LOAN_GRAPH, random_state=0).fit(table).model_
    world = ignore_protected(model, ["approved"], ["sex"])
    assert independent_copies(world, model) == ("independent copy of sex for approved'",)
    assert set(drawn(world, 50)["independent copy of sex for approved"]) == {"a", "b"}


def test_the_model_itself_stays_as_it_was():
    model = Janus(structure=LOAN_GRAPH, random_state=0).fit(loans(1_500))
    before = model.sample(200, where="approved", random_state=1)
    world = remove_dependence(model.model_, ["sex", "race"])
    drawn(world, 200, "approved")
    pd.testing.assert_frame_equal(model.sample(200, where="approved", random_state=1), before)


@pytest.mark.statistical
@pytest.mark.parametrize("protected", [["sex"], ["race"], ["sex", "race"]])
def test_in_a_neutral_world_nothing_depends_on_the_protected_columns(protected):
    """Chi-square at a level of 1e-5 for each other column, 5e-5 in all."""
    world = remove_dependence(loan_model().model_, protected)
    rows = drawn(world, 40_000)
    for name in protected:
        for other in loans(9).columns.drop(name):
            assert independent(rows, name, other) > 1e-5, (name, other)
        assert world.dag.descendants(name) == frozenset()
        share = loans()[name].value_counts(normalize=True)
        assert (rows[name].value_counts(normalize=True) - share).abs().max() < 0.02
    learnt = drawn(loan_model().model_, 40_000)
    assert independent(learnt, "sex", "approved") < 1e-12  # the test has power
    assert independent(rows, "school", "approved") < 1e-12  # other dependences remain


@pytest.mark.statistical
def test_in_a_neutral_world_protected_columns_do_not_depend_on_their_causes():
    """Rank correlation of 20,000 independent pairs within 4.5 standard errors: false-alarm rate 1 in 1.5e5 each."""
    world = remove_dependence(kind_model().model_, ["grade"])
    rows = drawn(world, 20_000)
    place = rows["grade"].cat.codes
    for other in ("age", "passed", "pay"):
        assert abs(stats.spearmanr(place, rows[other]).statistic) < 4.5 / np.sqrt(len(rows)), other
    apart = kind_model().do({"grade": ["A", "B", "C", "D"]}).sample(20_000, random_state=5)
    here, there = (stats.spearmanr(some["age"], some["pay"]).statistic for some in (rows, apart))
    assert here > 0.1  # pay still depends on age, as where grades are set at random
    assert abs(here - there) < 4.5 * np.sqrt(2 / len(rows))
    assert stats.ks_2samp(rows["pay"], apart["pay"]).pvalue > 1e-5


@pytest.mark.statistical
@pytest.mark.parametrize("grade", ["D", "B"])
def test_a_number_that_ignores_a_protected_number_follows_the_averaged_conditional(grade):
    """Kolmogorov's test at a level of 1e-5 against rows where age is drawn from its marginal, whatever the grade."""
    world = ignore_protected(kind_model().model_, ["pay"], ["age"])
    assert len(independent_copies(world, kind_model().model_)) == 1
    rows = drawn(world, 40_000)
    rows = rows[rows["grade"] == grade]
    apart = kind_model().do({"age": (0, 100), "grade": grade}).sample(20_000, random_state=5)
    assert stats.ks_2samp(rows["pay"], apart["pay"]).pvalue > 1e-5
    assert abs(stats.spearmanr(rows["age"], rows["pay"]).statistic) < 4.5 / np.sqrt(len(rows))
    learnt = drawn(kind_model().model_, 40_000)
    learnt = learnt[learnt["grade"] == grade]
    assert stats.spearmanr(learnt["age"], learnt["pay"]).statistic > 0.1  # there was something to ignore


@pytest.mark.statistical
@pytest.mark.parametrize("where", ["approved and region == 'south'", "amount == 'large' and sex == 'female'"])
@pytest.mark.parametrize("kind", ["blind", "neutral"])
def test_conditional_rows_of_a_baseline_world_match_its_filtered_rows(kind, where):
    """Chi-square of school and race between conditional and filtered unconditional rows, at a level of 1e-5."""
    world = blind_loans() if kind == "blind" else remove_dependence(loan_model().model_, ["sex"])
    given, free = drawn(world, 15_000, where), drawn(world, 150_000, seed=8)
    assert holds(where, given).all()
    free = free[holds(where, free)]
    for name in ("school", "race", *independent_copies(world, loan_model().model_)):
        counts = pd.concat([given[name].value_counts(), free[name].value_counts()], axis=1)
        assert stats.chi2_contingency(counts).pvalue > 1e-5, name


def test_probabilities_in_a_baseline_world_are_sums_over_its_cells():
    rows = cells()
    model = loan_model().model_
    weight = np.ones(len(rows))
    for column in ABOVE:
        share = conditional(model, column, rows)
        codes = rows[column].map({level: i for i, level in enumerate(model.schema[column].levels)})
        weight = weight * share[np.arange(len(rows)), codes]
    assert weight.sum() == pytest.approx(1.0, abs=1e-6)
    chosen = (rows["sex"] == "female") & (rows["region"] == "south")
    truth = (weight * averaged("approved", rows)[:, 1])[chosen].sum()
    where = "sex == 'female' and region == 'south' and approved"
    found = probability(plan_for(blind_loans(), as_rules(where)), level=0.999, seed=0)
    assert found.value == pytest.approx(truth, abs=2e-3)


@pytest.mark.parametrize("make", [ignore_protected, remove_dependence])
def test_rules_hold_in_baseline_worlds(make):
    model = stage_model().model_
    world = (
        ignore_protected(model, ["screened", "hired"], ["sex"])
        if make is ignore_protected
        else remove_dependence(model, ["sex"])
    )
    assert world.all_rules == model.all_rules
    rows = drawn(world, 2_000, "skill >= 3 and sex == 'female'")
    for rule in (*map(str, model.all_rules), "skill >= 3 and sex == 'female'"):
        assert holds(rule, rows).all(), rule
    assert rows["hired"].any()


def test_independent_copies_of_columns_with_nulls_have_nulls():
    world = ignore_protected(kind_model().model_, ["passed"], ["member"])
    (stand_in,) = independent_copies(world, kind_model().model_)
    rows = drawn(world, 10_000)
    assert rows[stand_in].dtype == rows["member"].dtype
    assert rows[stand_in].isna().mean() == pytest.approx(kinds()["member"].isna().mean(), abs=0.02)
