from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth.relations import Sum
from janus_synth.relations.sums import circuits, null_space
from relations.agreement import complete, found, with_nulls


@pytest.fixture
def random():
    return np.random.default_rng(5)


def texts(frame, **options):
    return [str(relation) for relation in found(frame, "sum", **options)]


def test_a_total_is_found_despite_nulls(random):
    frame = pd.DataFrame({"casual": random.poisson(40, 800), "registered": random.poisson(90, 800)})
    frame["total"] = frame.casual + frame.registered
    frame["other"] = random.poisson(100, 800)
    frame = with_nulls(frame, ["total", "casual"], 0.1, random)
    (relation,) = found(frame, "sum")
    assert relation.columns == ("total", "casual", "registered")
    assert relation.detail == Sum("total", (("casual", 1.0), ("registered", 1.0)), 0.0)
    assert relation.rule == "total is null or casual is null or total == casual + registered"
    assert relation.support == len(complete(frame, "total", "casual", "registered"))
    assert relation.example["total"] == relation.example["casual"] + relation.example["registered"]


def test_weights_constants_and_fractions(random):
    n = 300
    frame = pd.DataFrame({"hour": random.integers(0, 24, n), "minute": random.integers(0, 60, n)})
    frame["clock"] = 100 * frame.hour + frame.minute
    frame["celsius"] = random.integers(-200, 400, n) / 10
    frame["fahrenheit"] = (frame.celsius * 9 / 5 + 32).round(2)
    assert texts(frame) == ["clock == 100 * hour + minute", "fahrenheit == 1.8 * celsius + 32"]


def test_decimals_are_equal_within_rounding(random):
    n = 400
    cents = random.integers(0, 10_000, (n, 3))
    frame = pd.DataFrame(cents / 100, columns=["net", "tax", "tip"])
    frame["paid"] = cents.sum(axis=1) / 100
    assert texts(frame) == ["paid == net + tax + tip"]


def test_a_term_that_is_rarely_anything_but_zero(random):
    n = 1_500
    frame = pd.DataFrame({"first": random.integers(400, 2_000, n), "second": random.integers(0, 900, n)})
    frame["attic"] = np.where(random.random(n) < 0.02, random.integers(50, 400, n), 0)
    frame["living"] = frame["first"] + frame.second + frame.attic
    for j in range(30):
        frame[f"other{j}"] = random.integers(0, 2_000, n)
    assert texts(frame) == ["living == first + second + attic"]


def test_a_total_of_eight_parts(random):
    n = 600
    parts = pd.DataFrame({f"part{j}": random.integers(0, 500, n) / 100 for j in range(8)})
    frame = parts.assign(total=parts.sum(axis=1).round(2))
    assert texts(frame) == [f"total == {' + '.join(parts)}"]


def test_single_precision(random):
    frame = pd.DataFrame({"a": random.normal(size=500), "b": random.normal(size=500)}).astype("float32")
    frame["c"] = frame.a + frame.b
    assert frame.c.dtype == "float32"
    assert texts(frame) == ["c == a + b"]


def test_times_and_durations_in_several_units(random):
    n = 500
    start = pd.Timestamp("2024-03-30", tz="Europe/Paris") + pd.to_timedelta(random.integers(0, 10**7, n), unit="s")
    frame = pd.DataFrame({"start": start, "minutes_spent": random.integers(1, 5000, n)})
    frame["end"] = frame.start + pd.to_timedelta(frame.minutes_spent, unit="min")
    frame["wait"] = pd.to_timedelta(random.integers(1, 10**6, n), unit="s")
    frame["seen"] = frame.end + frame.wait
    assert set(texts(frame)) == {"end == start + minutes(minutes_spent)", "seen == end + wait"}
    end = next(r for r in found(frame, "sum") if r.columns[0] == "end")
    assert end.detail.terms == (("start", 1.0), ("minutes_spent", 60.0))


def test_of_several_equations_the_shortest_are_listed_and_none_twice(random):
    n = 500
    frame = pd.DataFrame(random.integers(0, 1000, (n, 4)), columns=list("abcd"))
    frame["ab"] = frame.a + frame.b
    frame["cd"] = frame.c + frame.d
    frame["all"] = frame.ab + frame.cd
    frame["copy"] = frame.ab
    assert set(texts(frame)) == {"copy == ab", "ab == a + b", "cd == c + d", "all == ab + cd"} or set(texts(frame)) == {
        "copy == ab",
        "copy == a + b",
        "cd == c + d",
        "all == ab + cd",
    }
    assert len(texts(frame)) == 4


def test_columns_that_are_never_complete_together(random):
    """Two forms of one table: either the first three or the last three columns are filled in."""
    n = 600
    frame = pd.DataFrame(random.integers(0, 500, (n, 4)).astype(float), columns=["a", "b", "x", "y"])
    frame["ab"], frame["xy"] = frame.a + frame.b, frame.x - frame.y
    first = random.random(n) < 0.5
    frame.loc[first, ["x", "y", "xy"]] = np.nan
    frame.loc[~first, ["a", "b", "ab"]] = np.nan
    assert set(texts(frame)) == {"ab == a + b", "x == y + xy"}


def test_booleans_may_be_terms(random):
    frame = pd.DataFrame({"base": random.integers(10, 99, 300), "express": random.random(300) < 0.4})
    frame["price"] = frame.base + 15 * frame.express
    assert texts(frame) == ["price == base + 15 * express"]


def test_one_broken_row_of_many_is_enough_to_reject(random):
    frame = pd.DataFrame(random.integers(0, 99, (30_000, 2)), columns=["a", "b"])
    frame["c"] = frame.a + frame.b
    frame.loc[17, "c"] += 1
    assert texts(frame, max_rows=500) == []


def test_a_rounded_sum_says_so(random):
    frame = pd.DataFrame({"x": random.integers(100, 500, 2000) / 10, "y": random.integers(1, 40, 2000) / 10})
    frame["index"] = (frame.x / 80 + frame.y * 2 / 21).round(12)
    (relation,) = found(frame, "sum")
    assert str(relation) == "index == x / 80 + 2 * y / 21, rounded to 12 decimals"
    assert relation.detail.decimals == 12


def test_one_hot_groups(random):
    color = random.choice(["red", "green", "blue", "grey"], 400)
    frame = pd.get_dummies(pd.Series(color)).astype({"red": int, "green": int})
    frame["x"] = random.integers(0, 2, 400)
    (relation,) = found(frame, "one-hot")
    assert relation.rule == "one_hot(blue, green, grey, red)"
    assert (frame[list(relation.columns)].sum(axis=1) == 1).sum() == relation.support == 400
    assert found(frame, "sum") == []


@pytest.mark.parametrize("n", [5, 12, 30])
def test_few_rows_of_small_numbers_are_no_sum(n):
    for seed in range(40):
        rows = np.random.default_rng(seed).integers(0, 3, (n, 6))
        assert texts(pd.DataFrame(rows, columns=list("abcdef"))) == []


def test_the_null_space_is_spanned_by_short_circuits():
    random = np.random.default_rng(0)
    rows = random.normal(size=(200, 5))
    rows[:, 3], rows[:, 4] = rows[:, 0] + rows[:, 1], rows[:, 1] - rows[:, 2]
    space = null_space(rows - rows.mean(axis=0), 1e-9)
    assert len(space) == 2
    np.testing.assert_allclose(rows @ space.T - (rows @ space.T)[:1], 0, atol=1e-12)
    supports = [set(np.flatnonzero(circuit)) for circuit in circuits(space, 1e-7, random)]
    assert {0, 1, 3} in supports
    assert {1, 2, 4} in supports
    assert not any(one < other for one in supports for other in supports)
