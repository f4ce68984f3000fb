"""Groups of two columns: their shares are those that pandas counts."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth.plots.marginals import column_pairs
from janus_synth.report.groups import MOST_GROUPS, UNIT, group_column, joint_shares

RNG = np.random.default_rng(0)


def frame(n: int) -> pd.DataFrame:
    number = RNG.normal(size=n).round(3)
    return pd.DataFrame(
        {
            "number": np.where(RNG.random(n) < 0.1, np.nan, number),
            "level": RNG.choice(list("abcdefghij"), n, p=np.arange(1, 11) / 55),
            "flag": RNG.random(n) < 0.3,
            "empty": np.full(n, np.nan),
        }
    )


REAL, SYNTHETIC = frame(500), frame(700)
PAIRS = {pair.column.name: pair for pair in column_pairs(REAL, SYNTHETIC, list(REAL))}


def test_ranges_hold_about_as_many_real_rows_each_and_missing_rows_are_apart():
    groups = group_column(PAIRS["number"])
    assert groups.labels[-1] == "missing"
    assert groups.labels[0].startswith("< ")
    assert groups.labels[-2].startswith("≥ ")
    counts = np.bincount(groups.of_rows[0])
    assert counts[-1] == REAL["number"].isna().sum()
    assert counts[:-1].max() - counts[:-1].min() <= 5
    cut = float(groups.labels[-2].removeprefix("≥ "))
    assert counts[-2] == (REAL["number"] >= cut).sum()


def test_frequent_levels_are_on_their_own_and_the_others_together():
    groups = group_column(PAIRS["level"])
    assert groups.labels == ("f", "g", "h", "i", "j", "5 others")
    assert len(groups.labels) == MOST_GROUPS
    assert np.bincount(groups.of_rows[1]).tolist() == [
        *((SYNTHETIC["level"] == level).sum() for level in "fghij"),
        SYNTHETIC["level"].isin(list("abcde")).sum(),
    ]


def test_joint_shares_are_counts_of_both_tables():
    shares = joint_shares(group_column(PAIRS["flag"]), group_column(PAIRS["level"]))
    for frame, found in zip((REAL, SYNTHETIC), shares, strict=True):
        level = frame["level"].where(frame["level"].isin(list("fghij")), "others")
        expected = pd.crosstab(frame["flag"], level, normalize=True).to_numpy().ravel()
        assert np.array(found) / UNIT == pytest.approx(expected, abs=0.5 / UNIT)


def test_an_empty_column_is_one_group():
    assert group_column(PAIRS["empty"]).labels == ("missing",)
