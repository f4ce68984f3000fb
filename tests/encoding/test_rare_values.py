"""Rare levels take the level of a similar row; frequent ones stay as they are."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth.encoding.rare_values import _cuts, merge_rare_values
from janus_synth.table import Column, Schema, Table, read_table

LEAST = 5


def geography(n: int = 400, n_rare: int = 12) -> pd.DataFrame:
    """Cities that determine their country, a few of them with one row each."""
    rng = np.random.default_rng(0)
    country = rng.choice(["Italy", "Norway", "Peru"], n)
    city = np.array([f"{place} {rng.integers(3)}" for place in country], dtype=object)
    rare = rng.permutation(n)[:n_rare]
    city[rare] = [f"{country[i]} hamlet {i}" for i in rare]
    return pd.DataFrame({"city": city, "country": country, "noise": rng.choice(list("abcdef"), n)})


def as_frame(table: Table) -> pd.DataFrame:
    return pd.DataFrame(
        {
            c.name: np.array([*c.levels, None], dtype=object)[table[c.name]] if c.is_discrete else table[c.name]
            for c in table.schema
        }
    )


def test_rare_levels_are_gone_and_other_cells_stay():
    frame = geography()
    merged = merge_rare_values(read_table(frame), least=LEAST)
    counts = frame["city"].value_counts()
    assert set(merged.schema["city"].levels) == set(counts[counts >= LEAST].index)
    after = as_frame(merged)
    common = frame["city"].map(counts) >= LEAST
    pd.testing.assert_frame_equal(after[common], frame[common].astype(object), check_dtype=False)
    assert (after[["country", "noise"]] == frame[["country", "noise"]]).all(axis=None)


def test_a_city_stays_in_its_country():
    after = as_frame(merge_rare_values(read_table(geography()), least=LEAST))
    assert (after["city"].str.split().str[0] == after["country"]).all()


def test_rare_cells_of_one_row_come_from_one_donor():
    frame = geography()
    frame.loc[:, "town hall"] = frame["city"] + " hall"
    after = as_frame(merge_rare_values(read_table(frame), least=LEAST))
    assert (after["town hall"] == after["city"] + " hall").all()


def test_the_same_table_gives_the_same_donors():
    one, two = (as_frame(merge_rare_values(read_table(geography()), least=LEAST)) for _ in range(2))
    pd.testing.assert_frame_equal(one, two)


def test_levels_without_rows_are_dropped_too():
    column = pd.Categorical(["a"] * 30, categories=["a", "b"])
    assert merge_rare_values(read_table(pd.DataFrame({"c": column})), least=LEAST).schema["c"].levels == ("a",)


@pytest.mark.parametrize("change", [{"ordered": True}, {"dtype": "Enum"}])
def test_ordered_and_declared_levels_stay(change):
    column = Column("c", "categorical", **{"dtype": "str", "levels": ("a", "b"), **change})
    table = Table.from_columns(Schema((column,), "polars"), {"c": np.array([0] * 30 + [1])})
    assert merge_rare_values(table, least=LEAST) is table


def test_levels_the_user_listed_stay():
    table = read_table(geography())
    assert merge_rare_values(table, least=LEAST, declared=["city"]) is table


def test_missing_cells_stay_missing():
    frame = geography()
    frame.loc[:9, "city"] = None
    merged = merge_rare_values(read_table(frame), least=LEAST)
    assert merged.missing("city").tolist() == frame["city"].isna().tolist()


def test_a_column_of_fewer_rows_than_the_threshold_becomes_missing():
    frame = pd.DataFrame({"c": ["secret", "other"] + [None] * 60, "x": range(62)})
    merged = merge_rare_values(read_table(frame, {"c": {"kind": "categorical"}}), least=LEAST)
    assert merged.missing("c").all()
    assert merged.schema["c"].levels == ()


def test_a_column_of_mostly_rare_levels_is_kept_with_a_warning():
    table = read_table(pd.DataFrame({"c": [f"v{i}" for i in range(60)]}), {"c": {"kind": "categorical"}})
    with pytest.warns(UserWarning, match="most rows of column 'c'"):
        assert merge_rare_values(table, least=LEAST) is table


def test_known_levels_are_never_rare():
    known = Schema((Column("c", "categorical", "str", levels=("a", "b")),))
    table = read_table(pd.DataFrame({"c": ["b"] + ["a"] * 9 + ["new"]}), known)
    assert merge_rare_values(table, least=LEAST, known=known).schema["c"].levels == ("a", "b")


def test_groups_of_a_long_table_are_cut_by_some_of_its_rows():
    cells = np.arange(100_000.0)
    cells[::7] = np.nan
    np.testing.assert_allclose(_cuts(cells), np.arange(1, 16) * 100_000 / 16, atol=200)
    few = np.arange(1_000.0)
    np.testing.assert_array_equal(_cuts(few), np.quantile(few, np.arange(1, 16) / 16))
