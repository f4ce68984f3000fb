"""Fitting sources: equal to a fit in memory where all rows are sampled, and close to it otherwise."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth import Janus, datasets
from janus_synth.errors import DataError

ROWS = datasets.hiring(1_200, random_state=0)
PARTS = [ROWS[at : at + 300].reset_index(drop=True) for at in range(0, 1_200, 300)]


def small(**changes) -> Janus:
    return Janus(random_state=0, n_trees=2, **changes)


def test_if_all_rows_are_sampled_the_model_is_that_of_a_fit_in_memory():
    streamed = small().fit(PARTS).sample(500, random_state=1)
    pd.testing.assert_frame_equal(streamed, small().fit(ROWS).sample(500, random_state=1))


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_threads_and_repetition_do_not_change_the_model(n_jobs, tmp_path):
    one = small(n_jobs=n_jobs).fit(PARTS, sample_rows=400)
    two = small(n_jobs=2).fit(PARTS, sample_rows=400)
    assert one.n_rows_ == two.n_rows_ == 1_200
    pd.testing.assert_frame_equal(one.sample(300, random_state=1), two.sample(300, random_state=1))


def test_partitions_that_one_task_adds_up_give_the_same_model(monkeypatch, tmp_path):
    small().fit(PARTS, sample_rows=400).save(tmp_path / "one.janus")
    monkeypatch.setattr("janus_synth.partitions.executors.LocalExecutor.together", lambda executor, n: 3)
    small().fit(PARTS, sample_rows=400).save(tmp_path / "three.janus")
    assert (tmp_path / "one.janus").read_bytes() == (tmp_path / "three.janus").read_bytes()


@pytest.mark.statistical
def test_counts_come_from_all_rows():
    """The share of a level errs by sampling of generated rows only: five standard errors."""
    model = small(structure=[]).fit(PARTS, sample_rows=100)
    share = (model.sample(40_000, random_state=1)["sex"] == "female").mean()
    real = (ROWS["sex"] == "female").mean()
    assert abs(share - real) < 5 * np.sqrt(real * (1 - real) / 40_000)


def test_levels_that_are_in_no_sampled_row_are_known():
    rare = ROWS.assign(city=np.where(np.arange(1_200) % 400 == 3, "Ulm", "Rome"))
    model = small(keep_rare=True).fit([rare[:600], rare[600:]], sample_rows=50)
    assert model.schema_["city"].levels == ("Rome", "Ulm")
    assert 0 < model.probability("city == 'Ulm'").value < 0.02


def test_numbers_that_count_rows_stay_identifiers():
    numbered = ROWS.assign(row=np.arange(1_200))
    model = small().fit([numbered[:600], numbered[600:]], sample_rows=100)
    assert model.schema_["row"].kind == "identifier"


def test_links_that_hold_in_the_sample_only_are_left_out():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.integers(0, 50, 2_000), "b": rng.integers(0, 50, 2_000)})
    table["total"] = table.a + table.b
    parts = [table[:1_000], table[1_000:].assign(total=lambda rows: rows.total + (np.arange(1_000) >= 990))]
    seen = Janus(random_state=1, n_trees=2).fit([table[:1_000], table[1_000:]], sample_rows=100)
    assert [link.column for link in seen.links_] == ["total"]
    assert not Janus(random_state=1, n_trees=2).fit(parts, sample_rows=100).links_


def test_rules_are_judged_over_all_rows():
    late = ROWS.copy()
    late.loc[1_190:, "experience"] = 70
    parts = [late[:600], late[600:]]
    with pytest.warns(UserWarning, match=r"10 of 1,200 rows \(0.83%\) break the rule"):
        model = small(rules="experience <= age - 18").fit(parts, sample_rows=100)
    assert model.n_rows_ == 1_200
    with pytest.warns(UserWarning, match="Learning from the other 1,190 rows"):
        model = small(rules="experience <= age - 18", on_violation="drop").fit(parts, sample_rows=100)
    assert model.n_rows_ == 1_190
    with pytest.raises(DataError, match="frame 1: 10 rows break"):
        small(rules="experience <= age - 18", on_violation="error").fit(parts, sample_rows=100)


def test_partitions_without_rows_are_reported_and_a_source_without_rows_is_an_error():
    with pytest.warns(UserWarning, match="without rows: frame 1"):
        assert small().fit([PARTS[0], PARTS[0].head(0)]).n_rows_ == 300
    with pytest.raises(DataError, match="the source has no rows"):
        small().fit([PARTS[0].head(0)])


def test_rare_levels_of_a_source_are_merged():
    rare = ROWS.assign(city=np.where(np.arange(1_200) % 400 == 3, "Ulm", "Rome"))
    model = small().fit([rare[:600], rare[600:]])
    assert model.schema_["city"].levels == ("Rome",)
    assert model.n_rows_ == 1_200


def test_if_the_limit_of_random_numbers_leaves_too_few_rows_the_source_is_read_again(tmp_path, monkeypatch):
    """As if the rows that the files promise were not there."""
    for number, rows in enumerate(PARTS):
        rows.to_parquet(tmp_path / f"{number}.parquet", index=False)
    expected = small().fit(tmp_path, sample_rows=400).sample(100, random_state=1)
    monkeypatch.setattr("janus_synth.partitions.fit.number_limit", lambda size, n_rows: 0.01)
    pd.testing.assert_frame_equal(small().fit(tmp_path, sample_rows=400).sample(100, random_state=1), expected)
