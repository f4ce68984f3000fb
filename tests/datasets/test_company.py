"""The hiring table: its dtypes, ranges, rules, missing values and interventions."""

from functools import cache

import numpy as np
import pandas as pd
import pytest

from janus_synth.datasets import HIRING_RULES, hiring, hiring_graph
from janus_synth.datasets.equations import LEVELS, SNAPSHOT
from janus_synth.errors import UnknownColumnError

LARGE = 20_000


@cache
def large() -> pd.DataFrame:
    return hiring(LARGE, 1)


def test_the_same_seed_gives_the_same_table_and_another_seed_another():
    pd.testing.assert_frame_equal(hiring(200, 3), hiring(200, np.random.default_rng(3)))
    assert not hiring(200, 3).drop(columns="applicant_id").equals(hiring(200, 4).drop(columns="applicant_id"))


def test_a_generator_moves_on_between_calls():
    rng = np.random.default_rng(0)
    assert not hiring(50, rng)["commute_km"].equals(hiring(50, rng)["commute_km"])


@pytest.mark.parametrize("n", [0, 1, 2])
def test_small_tables_have_the_dtypes_of_large_ones(n):
    rows = hiring(n)
    assert len(rows) == n
    pd.testing.assert_series_equal(rows.dtypes, large().dtypes)


def test_a_negative_number_of_rows_raises_an_error():
    with pytest.raises(ValueError, match="n=-1"):
        hiring(-1)


def test_columns_have_the_promised_types():
    types = large().dtypes.astype(str).drop(["applicant_id", "sex", "department"]).to_dict()
    assert types == {
        "age": "int64",
        "education": "category",
        "experience": "int64",
        "commute_km": "float64",
        "remote": "boolean",
        "test_score": "float64",
        "requested_salary": "int64",
        "hired": "bool",
        "offered_salary": "Int64",
        "bonus": "float64",
        "start_date": "datetime64[us]",
        "end_date": "datetime64[us]",
    }
    assert large()["education"].cat.ordered
    assert tuple(large()["education"].cat.categories) == LEVELS["education"]


def test_values_stay_on_their_lattices_and_in_their_ranges():
    rows = large()
    assert rows["applicant_id"].is_unique
    assert rows["age"].between(18, 67).all()
    assert (rows["experience"] >= 0).all()
    assert rows["test_score"].dropna().between(0, 100).all()
    assert (rows["requested_salary"] % 500 == 0).all()
    assert (rows["offered_salary"].dropna() % 100 == 0).all()
    assert (rows["end_date"].dropna() <= SNAPSHOT).all()
    assert (rows["start_date"] == rows["start_date"].dt.normalize()).all()
    assert (rows["start_date"].dt.day_of_week < 5).mean() > 0.95
    assert 0.6 < (rows["bonus"] == 0).mean() < 0.9
    assert set(rows["sex"]) == set(LEVELS["sex"])
    assert set(rows["department"]) == set(LEVELS["department"])


@pytest.mark.statistical
@pytest.mark.parametrize("rule", HIRING_RULES, ids=lambda rule: rule.text)
def test_rules_hold_in_the_stated_share_of_complete_rows(rule):
    rows = large().dropna(subset=[name for name in large().columns if name in rule.text])
    share = rows.eval(rule.text).mean()
    if rule.share == 1.0:
        assert share == 1.0
    else:  # 13,700 rows: standard error 0.0035, so a false alarm is a 5-sigma event
        assert share == pytest.approx(rule.share, abs=0.02)


def test_nulls_appear_where_they_are_meant_to():
    rows = large()
    nulls = rows.isna().mean()
    assert set(nulls[nulls > 0].index) == {"remote", "test_score", "offered_salary", "end_date"}
    assert nulls["remote"] == pytest.approx(0.04, abs=0.01)
    assert nulls["test_score"] == pytest.approx(0.08, abs=0.01)
    assert (rows["offered_salary"].isna() == ~rows["hired"]).all()
    assert rows.loc[~rows["hired"], "end_date"].isna().all()
    assert 0.3 < rows.loc[rows["hired"], "end_date"].isna().mean() < 0.7


def test_the_graph_names_every_column_but_the_key_and_lists_parents_first():
    graph = hiring_graph()
    assert list(graph) == list(large().columns.drop("applicant_id"))
    seen: set[str] = set()
    for column, parents in graph.items():
        assert seen.issuperset(parents)
        seen.add(column)


@pytest.mark.parametrize(
    ("column", "value"),
    [("age", 30), ("sex", "male"), ("education", "phd"), ("department", "legal"), ("remote", True),
     ("test_score", 50.0), ("hired", True), ("start_date", "2020-01-06")],
)  # fmt: skip
def test_an_intervention_changes_only_its_descendants(column, value):
    graph = hiring_graph()
    descendants = {column}
    for name, parents in graph.items():
        if descendants.intersection(parents):
            descendants.add(name)
    before, after = hiring(500, 5), hiring(500, 5, do={column: value})
    assert {name for name in before if not before[name].equals(after[name])} == descendants
    pd.testing.assert_series_equal(before.dtypes, after.dtypes)


def test_an_unknown_column_or_level_raises_an_error_with_the_known_ones():
    with pytest.raises(UnknownColumnError, match="'age'"):
        hiring(1, do={"agee": 30})
    with pytest.raises(ValueError, match="school, bachelor, master, phd"):
        hiring(1, do={"education": "diploma"})
