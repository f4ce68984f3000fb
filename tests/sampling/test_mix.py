"""Mixes: shares exact to one row, means within tolerance, and rows distributed as the enumerated model's, tilted."""

from __future__ import annotations

from math import log, sqrt

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import brentq

from janus_synth import Janus, holds
from janus_synth.errors import InfeasibleError, RuleError
from sampling.small_models import distance, every_row, small_model, small_table

N, FALSE_ALARM = 8_000, 1e-6
SLACK = sqrt(log(1 / FALSE_ALARM) / (2 * N))
"""McDiarmid: independent rows are farther than this above the mean distance once in a million; 0.029."""


def raked(shares: np.ndarray, margins: list[tuple[np.ndarray, float]]) -> np.ndarray:
    """The enumerated rows' probabilities, scaled until each mask has its share."""
    shares = shares / shares.sum()
    for _ in range(500):
        for mask, share in margins:
            inside = shares[mask].sum()
            shares = np.where(mask, shares * share / inside, shares * (1 - share) / (1 - inside))
    return shares


def enumerated(structure, where=None):
    model, (rows, shares) = small_model(structure), every_row(structure)
    return model, rows, shares * holds(where, rows, model.schema_) if where else shares


REQUESTS = [
    ({"c": {"x": 0.7}}, None),
    ({"c": {"x": 0.7}}, "a + d >= b"),
    ({"c": {"x": 0.7}, "b": {"< 2": 0.05}}, None),
    ({"c": {"x": 0.7}, "d": {None: 0.5}, "f": {">= 6": 0.6}}, "a <= 2"),
    ({"a == 3 and f <= 4": 0.4}, None),  # one row in 50
    ({"a == 3 and f <= 4": 0.4, "e": {"z": 0.1}}, "b != 4"),
]


@pytest.mark.statistical
@pytest.mark.parametrize("structure", ["dense", "sparse"])
@pytest.mark.parametrize(("shares", "where"), REQUESTS)
def test_rows_follow_the_raked_enumeration(shares, where, structure):
    model, rows, probability = enumerated(structure, where)
    margins = []
    for column, wanted in shares.items():
        if not isinstance(wanted, dict):
            margins.append((holds(column, rows, model.schema_), wanted))
            continue
        for value, share in wanted.items():
            if value is None:
                mask = rows[column].isna().to_numpy()
            elif isinstance(value, str) and value[0] in "<>":
                mask = holds(f"{column} {value}", rows, model.schema_)
            else:
                mask = (rows[column] == value).to_numpy()
            margins.append((mask, share))
    drawn = model.sample(N, shares=shares, where=where, random_state=4)
    gap, usual = distance(drawn, rows, raked(probability, margins))
    assert gap <= usual + SLACK
    assert where is None or holds(where, drawn, model.schema_).all()


@pytest.mark.statistical
@pytest.mark.parametrize(("shares", "where"), [(None, None), ({"c": {"x": 0.6}}, "b >= 1")])
def test_rows_with_a_mean_follow_the_tilted_enumeration(shares, where):
    model, rows, probability = enumerated("dense", where)
    mask = (rows["c"] == "x").to_numpy()

    def tilted(slope):
        found = probability * np.exp(slope * rows["a"].to_numpy())
        return raked(found, [(mask, 0.6)]) if shares else found / found.sum()

    slope = brentq(lambda s: tilted(s) @ rows["a"] - 2.2, -9, 9)
    drawn = model.sample(N, shares=shares, where=where, means={"a": (2.2, 0.01)}, random_state=4)
    assert abs(drawn["a"].mean() - 2.2) <= 0.01
    gap, usual = distance(drawn, rows, tilted(slope))
    assert gap <= usual + SLACK


@pytest.mark.parametrize("n", [0, 1, 7, 1_000])
def test_shares_are_exact_to_one_row(n):
    shares = {"c": {"x": 0.31, "y": 0.23}, "e": {"z": 0.4}, "b": {"< 2": 0.5}}
    rows = small_model("dense").sample(n, shares=shares, random_state=1)
    assert len(rows) == n
    for mask, share in [
        (rows["c"] == "x", 0.31),
        (rows["c"] == "y", 0.23),
        (rows["c"] == "z", 0.46),
        (rows["e"] == "z", 0.4),
        (rows["b"] < 2, 0.5),
    ]:
        assert abs(mask.sum() - share * n) < 1


def test_joint_shares_and_a_frame_of_them_mean_the_same():
    model, joint = small_model("dense"), {("c", "e"): {("x", "z"): 0.25, ("y", "x"): 0.5}}
    frame = pd.DataFrame({"c": ["x", "y"], "e": ["z", "x"], "share": [0.25, 0.5]})
    rows = model.sample(400, shares=joint, random_state=1)
    assert ((rows["c"] == "x") & (rows["e"] == "z")).sum() == 100
    assert ((rows["c"] == "y") & (rows["e"] == "x")).sum() == 200
    pd.testing.assert_frame_equal(rows, model.sample(400, shares=frame, random_state=1))


def test_balanced_columns_keep_to_levels_that_the_conditions_allow():
    rows = small_model("dense").sample(300, balance=["c", "d"], where="d is null or d < 2", random_state=1)
    assert rows["c"].value_counts().tolist() == [100, 100, 100]
    assert rows["d"].value_counts().to_dict() == {0.0: 150, 1.0: 150}
    both = small_model("dense").sample(360, balance=("c", "e"), random_state=1)
    assert set(both.groupby(["c", "e"]).size()) == {40}


def test_one_seed_gives_one_table_with_any_number_of_threads():
    model = Janus(random_state=0).fit(small_table())
    asked = {"shares": {"c": {"x": 0.5}}, "means": {"f": 4}, "unique": ["a", "b", "c", "d", "e", "f"]}
    tables = [
        model.set_params(n_jobs=jobs).sample(120, **asked, random_state=seed) for jobs, seed in [(1, 5), (2, 5), (2, 6)]
    ]
    pd.testing.assert_frame_equal(tables[0], tables[1])
    assert not tables[0].equals(tables[2])


@pytest.mark.statistical
def test_rows_of_a_category_do_not_come_in_blocks():
    """In random order the longest run of 600 rows with even chances is about 9; 25 has a probability of 1e-5."""
    rows = small_model("dense").sample(600, shares={"c": {"x": 0.5}}, random_state=2)
    is_x = (rows["c"] == "x").to_numpy()
    changes = np.flatnonzero(np.diff(is_x))
    assert np.diff(np.concatenate([[-1], changes, [599]])).max() < 25


def test_levels_that_no_row_can_have_are_named():
    with pytest.raises(InfeasibleError, match="'c == 'x''.*c"):
        small_model("dense").sample(100, shares={"c": {"x": 0.3}}, where="c != 'x'", random_state=0)
    with pytest.raises(InfeasibleError, match="a >= 3"):
        small_model("dense").sample(100, shares={"a": {">= 3": 0.3}, "e": {"z": 0.5}}, where="a < 2", random_state=0)


def test_margins_that_exclude_one_another_are_an_error():
    with pytest.raises(InfeasibleError, match="cannot be had together"):
        small_model("dense").sample(100, shares=[{"c": {"x": 0.7}}, {"c": {"y": 0.6}}], random_state=0)


def test_overlapping_categories_are_an_error():
    with pytest.raises(RuleError, match="a row can meet both"):
        small_model("dense").sample(100, shares={"b": {"< 3": 0.3, "< 4": 0.3}}, random_state=0)


def test_a_mean_out_of_reach_is_an_error_and_a_far_one_a_warning():
    with pytest.raises(InfeasibleError, match="a mean of 5 .* is out of reach for 'a'"):
        small_model("dense").sample(100, means={"a": 5}, random_state=0)
    with pytest.warns(UserWarning, match="candidates are worth"):
        rows = small_model("dense", keep_rare=True).sample(5_000, means={"f": (9.3, 0.02)}, random_state=0)
    assert rows["f"].mean() == pytest.approx(9.3, abs=0.02)


def test_the_report_counts_what_the_rows_have():
    rows, mix = small_model("dense").sample(
        200, shares={"c": {"x": 0.3}}, means={"f": 4}, with_mix=True, random_state=1
    )
    assert mix.shares[0].n_rows == (rows["c"] == "x").sum() == 60
    assert mix.means[0].reached == pytest.approx(rows["f"].mean())
    assert mix.n_drawn >= 200
    assert mix.effective > 200


def test_means_of_columns_with_nulls_leave_nulls_out():
    rows = small_model("dense").sample(2_000, means={"d": (2.0, 0.01)}, random_state=1)
    assert rows["d"].mean() == pytest.approx(2.0, abs=0.01)
    assert rows["d"].isna().any()


def test_a_mean_is_met_although_candidates_use_up_the_keys():
    """20 rows of 40 keys leave few candidates to choose from, and most of them are met more than once."""
    rng = np.random.default_rng(0)
    place = rng.integers(0, 40, 800)
    table = pd.DataFrame({"k": [f"k{i:02}" for i in place], "a": place // 8, "e": rng.choice(["x", "y"], 800)})
    model = Janus(schema={"k": {"kind": "categorical"}, "a": {"kind": "numeric"}}, random_state=0).fit(table)
    asked = {"unique": ["k"], "shares": {"e": {"x": 0.3}}, "means": {"a": (1.6, 0.05)}}
    rows = model.sample(20, **asked, random_state=0)
    assert not rows.duplicated(["k"]).any()
    assert (rows["e"] == "x").sum() == 6
    assert rows["a"].mean() == pytest.approx(1.6, abs=0.05)


@pytest.mark.parametrize("n", [1, 3])
def test_few_rows_have_candidates_enough_for_a_tight_mean(n):
    rows = small_model("dense").sample(n, means={"f": (4.0, 0.01)}, random_state=1)
    assert rows["f"].mean() == 4.0


def test_rules_of_the_model_hold_in_every_mix():
    model = Janus(rules=["a <= b"], random_state=0).fit(small_table())
    rows = model.sample(500, shares={"c": {"z": 0.8}, "a": {3: 0.5}}, means={"f": 5}, random_state=0)
    assert (rows["a"] <= rows["b"]).all()
    assert (rows["c"] == "z").sum() == 400
    assert (rows["a"] == 3).sum() == 250
