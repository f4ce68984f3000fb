"""Computed columns in every sampler, against models whose rows are all listed."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth import holds
from janus_synth.sampling import plan_for
from sampling.linked_models import CASES, every_row, fit_p_value, fitted_case, keys

every_case = pytest.mark.parametrize("name", CASES)
REQUESTS = [
    pytest.param(name, where, rare, id=f"{name}: {where}")
    for name, case in CASES.items()
    for rare, texts in ((False, case().common), (True, case().rare))
    for where in texts
]
every_request = pytest.mark.parametrize(("name", "where", "rare"), REQUESTS)


def listed(name: str, where: str | None = None) -> pd.DataFrame:
    rows = every_row(name)
    return rows if where is None else rows[holds(where, rows.drop(columns="p"), fitted_case(name).schema_)]


# Rows and probabilities


@pytest.mark.statistical
@every_case
def test_unconditional_rows_follow_the_listed_probabilities(name):
    rows = fitted_case(name).sample(8_000, random_state=1)
    assert fit_p_value(rows, every_row(name)) > 1e-6  # seven tests: a false alarm in 7 of a million runs


@pytest.mark.statistical
@every_request
def test_rows_under_conditions_follow_the_listed_conditional(name, where, rare):
    model, truth = fitted_case(name), listed(name, where)
    assert plan_for(model.model_, where).by_rejection == (truth["p"].sum() > 0.0101)
    assert not rare or truth["p"].sum() < 0.012
    rows = model.sample(3_000, where=where, random_state=2)
    assert holds(where, rows, model.schema_).all()
    assert fit_p_value(rows, truth) > 1e-6  # 44 tests: a false alarm in 44 of a million runs


@pytest.mark.statistical
@every_request
def test_probabilities_are_those_of_the_listed_rows(name, where, rare):
    found = fitted_case(name).probability(where, level=0.9999, random_state=1)
    truth = listed(name, where)["p"].sum()
    assert found.low <= truth <= found.high  # 44 intervals: a false alarm in 5 of 1,000 runs
    assert found.value == pytest.approx(truth, rel=0.05)


@every_case
def test_every_row_keeps_its_link(name):
    case, model = CASES[name](), fitted_case(name)
    rows = model.sample(2_000, random_state=5)
    assert set(keys(rows)) <= set(keys(every_row(name)[list(case.frame)]))


@every_case
def test_threads_and_batches_give_the_same_rows(name):
    model, where = fitted_case(name), CASES[name]().common[0]
    for condition in (None, where):
        rows = model.sample(9_000, where=condition, random_state=3)
        batches = list(model.sample_batches(9_000, where=condition, random_state=3, batch_rows=4_096))
        pd.testing.assert_frame_equal(pd.concat(batches, ignore_index=True), rows)
        jobs = model.n_jobs
        try:
            model.n_jobs = 2
            pd.testing.assert_frame_equal(model.sample(9_000, where=condition, random_state=3), rows)
        finally:
            model.n_jobs = jobs


@every_case
def test_the_greedy_method_keeps_links_and_conditions_on_learnt_columns(name):
    """It repairs nothing: a condition on a computed column, a rule of several columns for it, may be broken."""
    model = fitted_case(name)
    rows = model.sample(300, where="y == 'r'", method="greedy", random_state=0)
    assert (rows["y"] == "r").all()
    assert set(keys(rows)) <= set(keys(listed(name, "y == 'r'").drop(columns="p")))


# Likelihood


@every_case
def test_log_probabilities_are_those_of_the_listed_rows(name):
    rows = every_row(name)
    found = np.exp(fitted_case(name).log_prob(rows.drop(columns="p")))
    np.testing.assert_allclose(found, rows["p"], rtol=1e-4, atol=1e-9)
    assert found.sum() == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("sum", {"t": 5}),
        ("lookup", {"area": "Z"}),
        ("product", {"t": 6}),
        ("factor", {"tax": 7.0}),
        ("pair", {"tariff": 4.0}),
    ],
)
def test_a_row_that_contradicts_its_link_has_probability_zero(name, change):
    rows = every_row(name).drop(columns="p")
    broken = rows.assign(**change)
    contradicts = broken[next(iter(change))] != rows[next(iter(change))]
    assert contradicts.any()
    assert np.isneginf(fitted_case(name).log_prob(broken)[contradicts]).all()


# Imputation

PATTERNS = [
    pytest.param(name, list(hidden), id=f"{name}: {' and '.join(hidden)}")
    for name, patterns in {
        "sum": [("t",), ("b",), ("a",), ("b", "t"), ("a", "b"), ("a", "b", "t"), ("t", "y")],
        "lookup": [("area",), ("zone",), ("zone", "area"), ("zone", "y")],
        "copy": [("b",), ("a",), ("a", "b"), ("b", "y")],
        "gap": [("end",), ("start",), ("start", "end"), ("end", "y")],
        "product": [("t",), ("a",), ("b",), ("a", "b"), ("a", "y"), ("a", "b", "t")],
        "factor": [("tax",), ("net",), ("net", "tax"), ("net", "y")],
        "pair": [("tariff",), ("zone",), ("hour",), ("zone", "hour"), ("zone", "y")],
    }.items()
    for hidden in patterns
]


@pytest.mark.statistical
@pytest.mark.parametrize("nulls", ["absent", "fill"])
@pytest.mark.parametrize(("name", "hidden"), PATTERNS)
def test_missing_cells_are_drawn_given_the_present_ones(name, hidden, nulls):
    """A likely row without nulls loses some columns; completions are compared with the listed conditional."""
    model, rows = fitted_case(name), every_row(name).dropna()
    possible = rows if nulls == "fill" else every_row(name)
    columns = [column for column in rows if column != "p"]
    known = [column for column in columns if column not in hidden]
    rng = np.random.default_rng(len(name) + len(hidden))
    chosen = rng.choice(len(rows), 2, replace=False, p=rows["p"] / rows["p"].sum())
    partial = rows.iloc[np.repeat(chosen, 1_500)][known].reset_index(drop=True)
    completed = model.complete(partial, nulls=nulls, random_state=int(chosen[0]))
    for row, drawn in zip(chosen, (completed[:1_500], completed[1_500:]), strict=True):
        given = rows.iloc[row]
        truth = possible[(possible[known] == given[known]).all(axis=1)]
        # 136 tests, p-values above 1e-6: a false alarm in 136 of a million runs.
        assert fit_p_value(drawn[columns], truth) > 1e-6, given.to_dict()
