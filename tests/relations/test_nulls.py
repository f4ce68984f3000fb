from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth.relations import Nulls
from relations.agreement import found


@pytest.fixture
def random():
    return np.random.default_rng(13)


def people(random, n=800):
    return pd.DataFrame(
        {
            "status": random.choice(["open", "shut", "void"], n),
            "hired": random.random(n) < 0.4,
            "pay": random.normal(50, 9, n).round(1),
            "start": pd.Timestamp("2020-01-01") + pd.to_timedelta(random.integers(0, 1000, n), unit="D"),
            "city": random.choice(["Rome", "Oslo"], n),
            "visits": random.poisson(1, n),
        }
    )


def test_columns_that_are_null_together(random):
    frame = people(random)
    frame.loc[random.random(800) < 0.2, ["pay", "start", "city"]] = None
    (relation,) = found(frame, "nulls")
    assert relation.detail == Nulls(("pay", "start", "city"))
    assert relation.support == 800
    assert str(relation) == "pay, start and city are null together"
    assert relation.example == {"pay": None, "start": None, "city": None}


def test_null_exactly_where_a_level_is(random):
    frame = people(random)
    frame.loc[frame.status != "open", "pay"] = None
    (relation,) = found(frame, "nulls")
    assert relation.detail == Nulls(("pay",), "status", ("shut", "void"))
    assert relation.rule == (
        "implies(status in ['shut', 'void'], pay is null) and implies(pay is null, status in ['shut', 'void'])"
    )


def test_null_exactly_where_a_number_is_zero_or_a_boolean_is_false(random):
    frame = people(random)
    frame.loc[~frame.hired, ["pay", "start"]] = None
    frame.loc[frame.visits == 0, "city"] = None
    details = {relation.detail for relation in found(frame, "nulls")}
    assert details == {Nulls(("pay", "start"), "hired", (False,)), Nulls(("city",), "visits", (0,))}


def test_null_where_another_column_is_null_or_has_a_level(random):
    frame = people(random)
    frame["status"] = frame.status.where(random.random(800) > 0.1, None)
    frame.loc[frame.status.isna() | (frame.status == "void"), "city"] = None
    (relation,) = found(frame, "nulls")
    assert relation.detail == Nulls(("city",), "status", (None, "void"))


def test_null_at_least_where_a_level_is(random):
    frame = people(random)
    frame.loc[(frame.status == "void") | (random.random(800) < 0.3), "pay"] = None
    (relation,) = found(frame, "nulls")
    assert relation.detail == Nulls(("pay",), "status", ("void",), exactly=False)
    assert relation.support == (frame.status == "void").sum()
    assert relation.rule == "implies(status == 'void', pay is null)"


def test_one_present_cell_is_enough_to_reject(random):
    frame = people(random, 20_000)
    frame.loc[frame.status == "void", "pay"] = None
    frame.loc[frame.index[frame.status == "void"][3], "pay"] = 1.0
    assert found(frame, "nulls", max_rows=400) == []


def test_independent_nulls_are_nothing():
    for seed in range(40):
        random = np.random.default_rng(seed)
        frame = people(random, int(random.choice([30, 100, 500])))
        frame = frame.mask(random.random(frame.shape) < random.choice([0.02, 0.3, 0.8]))
        assert found(frame, "nulls") == []


def test_a_few_nulls_exactly_at_one_of_many_values():
    """Eleven of 3,000 customers are new; the number of months has seventy values."""
    rng = np.random.default_rng(0)
    months = rng.integers(1, 71, 3_000)
    months[:11] = 0
    frame = pd.DataFrame(
        {"months": months, "total": rng.integers(0, 9_999, 3_000).astype(float), "x": rng.normal(size=3_000)}
    )
    frame.loc[frame.months == 0, "total"] = np.nan
    (relation,) = found(frame, "nulls")
    assert str(relation) == "total is null exactly where months == 0"
    frame.loc[20, "total"] = np.nan
    assert found(frame, "nulls") == []


def test_a_chain_of_nulls_is_listed_step_by_step():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {name: rng.integers(0, 999, 2_000).astype(float) for name in ("asked", "began", "b2", "ended")}
    )
    stage = rng.integers(0, 10, 2_000)
    for name, least in (("asked", 2), ("began", 4), ("b2", 4), ("ended", 7)):
        frame.loc[stage < least, name] = np.nan
    assert sorted(str(relation) for relation in found(frame, "nulls")) == [
        "began and b2 are null together",
        "began and b2 are null where asked is null",
        "ended is null where began is null",
    ]
