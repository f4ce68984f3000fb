"""Codes that few rows share are learnt as groups; other columns stay as they are."""

from __future__ import annotations

import numpy as np
import pandas as pd

from janus_synth.encoding.code_groups import generalise_codes
from janus_synth.table import read_table


def rare_codes(n: int = 400, seed: int = 0) -> list[str]:
    rng = np.random.default_rng(seed)
    return [f"{rng.choice(['02', '90'])}{rng.integers(1000):03d}" for _ in range(n)]


def levels_of(frame: pd.DataFrame, least: int = 5, **schema):
    return generalise_codes(read_table(frame, schema), least=least).schema


def test_rare_codes_are_grouped_and_rows_keep_their_prefix():
    frame = pd.DataFrame({"zip": rare_codes()})
    table = generalise_codes(read_table(frame), least=5)
    column = table.schema["zip"]
    assert column.generalised
    assert not set(frame["zip"][frame["zip"].map(frame["zip"].value_counts()) < 5]) & set(column.levels)
    for code, at in zip(frame["zip"], table["zip"].tolist(), strict=True):
        assert code.startswith(column.levels[at].partition("{")[0])
    counts = np.bincount(table["zip"])
    assert (counts >= 5).all()


def test_codes_of_many_rows_and_other_columns_stay():
    frame = pd.DataFrame({"zip": ["02138", "90210"] * 100, "note": [f"word{i % 60}" for i in range(200)]})
    table = read_table(frame)
    same = generalise_codes(table, least=5)
    assert same.schema == table.schema


def test_a_user_can_refuse_or_ask_for_groups():
    frame = pd.DataFrame({"zip": rare_codes(), "lot": [code[::-1] for code in rare_codes(seed=1)]})
    wishes = {"zip": {"kind": "categorical", "generalised": False}, "lot": {"kind": "categorical"}}
    schema = levels_of(frame, **wishes)
    assert set(schema["zip"].levels) == set(frame["zip"])
    assert schema["lot"].generalised  # nearly all of them are rare
    half = pd.DataFrame({"lot": ["A1", "B2"] * 150 + [f"C{i:02d}" for i in range(20)]})
    assert not levels_of(half)["lot"].generalised
    assert levels_of(half, lot={"kind": "categorical", "generalised": True})["lot"].levels == (
        "A1",
        "B2",
        "C0{9:1}",
        "C1{9:1}",
    )


def test_further_rows_join_the_groups_and_new_codes_make_new_ones():
    first = generalise_codes(read_table(pd.DataFrame({"zip": rare_codes()})), least=5)
    later = read_table(pd.DataFrame({"zip": ["02138", *(f"7700{i}" for i in range(6)), "55555"]}), first.schema)
    grown = generalise_codes(later, least=5, known=first.schema).schema["zip"].levels
    n = len(first.schema["zip"].levels)
    assert grown[:n] == first.schema["zip"].levels
    assert set(grown[n:]) == {"7700{9:1}", "55555"}
