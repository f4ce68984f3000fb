"""Nulls of personal columns are learnt: where other columns and one another say so, values are missing."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth import Janus
from janus_synth.table import read_table
from janus_synth.table.nulls import null_masks, read_null_columns, with_null_columns, without_null_columns

SETTINGS = {"random_state": 0, "n_trees": 2, "n_jobs": 1}


@pytest.fixture(scope="module")
def people():
    """E-mail and telephone are null together, and in the shop only."""
    rng = np.random.default_rng(0)
    n = 1000
    names = ["".join(rng.choice(list("bdfglmnrst"), 6)) for _ in range(n)]
    branch = rng.choice(["web", "shop"], n)
    gone = (branch == "shop") & (rng.random(n) < 0.6)
    return pd.DataFrame(
        {
            "email": [None if g else f"{name}@firm.example" for g, name in zip(gone, names, strict=True)],
            "phone": [None if g else f"+49 30 {rng.integers(10**6, 10**7)}" for g in gone],
            "fax": [None if x < 0.2 else f"+49 30 {rng.integers(10**6, 10**7)}" for x in rng.random(n)],
            "branch": branch,
            "age": rng.integers(18, 80, n),
        }
    )


@pytest.mark.parametrize("structure", ["auto", "chain", "forest", [("age", "branch")]], ids=str)
def test_nulls_follow_other_columns_and_one_another(people, structure):
    model = Janus(**SETTINGS, structure=structure).fit(people)
    rows = model.sample(4_000, random_state=1)
    gone = rows[["email", "phone", "fax"]].isna()
    assert (gone["email"] != gone["phone"]).mean() < 0.01
    assert gone["email"][rows["branch"] == "web"].mean() < 0.01
    assert abs(gone["email"][rows["branch"] == "shop"].mean() - 0.6) < 0.06
    assert abs(gone["fax"][gone["email"]].mean() - gone["fax"][~gone["email"]].mean()) < 0.06
    assert rows.columns.tolist() == people.columns.tolist()
    assert model.schema_.names == tuple(people.columns)


def test_a_hidden_column_changes_nothing_about_the_others(people):
    model = Janus(**SETTINGS).fit(people)
    assert all(child.endswith(" is missing") for parent, child in model.dag_.edges if parent.endswith(" is missing"))
    np.testing.assert_array_equal(model.log_prob(people[["branch", "age"]]), model.log_prob(people))


def test_files_updates_and_completed_rows_keep_nulls(people, tmp_path):
    model = Janus(**SETTINGS).fit(people)
    model.save(tmp_path / "model.janus")
    loaded = Janus.load(tmp_path / "model.janus")
    pd.testing.assert_frame_equal(loaded.sample(50, random_state=1), model.sample(50, random_state=1))
    holes = people.assign(age=people["age"].where(people.index % 2 == 0).astype("Int64")).head(40)
    completed = loaded.complete(holes, random_state=0)
    assert completed["age"].notna().all()
    assert completed["email"].isna().equals(holes["email"].isna())
    rows = loaded.update(people.assign(branch="web", email=None), forget=True).sample(500, random_state=1)
    assert rows["email"].isna().all()
    loaded.update(people[["branch", "age"]])  # a table without people


def test_columns_with_hardly_any_nulls_have_no_hidden_column(people):
    frame = people.assign(fax=people["fax"].fillna("+49 30 1234567"))
    frame.loc[0, "fax"] = None
    table = with_null_columns(read_table(frame), frame, least=5)
    assert [c.nulls_of for c in table.schema if c.nulls_of] == ["email", "phone"]
    assert without_null_columns(table).schema == read_table(frame).schema


def test_a_name_that_is_taken_is_not_used(people):
    frame = people.assign(**{"email is missing": 1.5})
    table = with_null_columns(read_table(frame), frame)
    assert table["email is missing?"].tolist() == frame["email"].isna().astype(int).tolist()


def test_absent_columns_are_unknown(people):
    table = with_null_columns(read_table(people), people)
    rows = people.drop(columns="email").head(3)
    plain = read_table(rows, read_table(people).schema)
    known = null_masks(read_null_columns(plain, rows, table.schema, table.schema.names))
    assert known["email"].tolist() == [-1, -1, -1]
    assert known["phone"].tolist() == rows["phone"].isna().astype(int).tolist()
