"""Formulas against pandas and decimal arithmetic: calendar parts, bands, lookups, sums, products."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from janus_synth.coordinates.formulas import (
    PARTS,
    Band,
    CalendarPart,
    Lookup,
    Product,
    Sum,
    calendar_part,
    round_to,
)
from janus_synth.errors import SchemaError
from janus_synth.rules import BoundRule, judge
from janus_synth.table import Column, Schema, Table
from strategies import quick, seeds

ZONES = [None, "UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Apia", "Australia/Lord_Howe"]


def with_nulls(rng: np.random.Generator, values: np.ndarray, share: float = 0.2) -> np.ndarray:
    return np.where(rng.random(len(values)) < share, np.nan, values)


# Calendar


def part_by_pandas(micros: np.ndarray, part: str, zone: str | None) -> np.ndarray:
    local = pd.DatetimeIndex(pd.to_datetime(micros, unit="us", utc=True))
    local = local.tz_localize(None) if zone is None else local.tz_convert(zone).tz_localize(None)
    match part:
        case "hhmm":
            return np.array([int(stamp.strftime("%H%M")) for stamp in local])
        case "date":
            return local.normalize().as_unit("us").asi8
        case "time":
            return local.as_unit("us").asi8 - local.normalize().as_unit("us").asi8
        case "weekday":
            return local.day_of_week.to_numpy()
    return getattr(local, part).to_numpy()


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("part", PARTS)
def test_calendar_parts_are_those_of_pandas(part, zone):
    rng = np.random.default_rng(1)
    span = pd.to_datetime(["1890-01-01", "2105-12-31"]).as_unit("us").asi8
    micros = rng.integers(*span, 2_000)
    found = calendar_part(micros, part, zone)
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, part_by_pandas(micros, part, zone))


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize(
    ("zone", "changes"),
    [
        ("Europe/Berlin", ["2024-03-31 01:00", "2024-10-27 01:00"]),
        ("America/New_York", ["2024-03-10 07:00", "2024-11-03 06:00"]),
        ("Australia/Lord_Howe", ["2024-04-06 15:00", "2024-10-05 15:30"]),
        ("Pacific/Apia", ["2011-12-30 10:00"]),
    ],
)
def test_calendar_parts_follow_the_clock_where_it_is_changed(part, zone, changes):
    around = pd.timedelta_range("-3h", "3h", freq="7min").as_unit("us").asi8
    for change in changes:
        micros = pd.DatetimeIndex([change]).as_unit("us").asi8 + around
        np.testing.assert_array_equal(calendar_part(micros, part, zone), part_by_pandas(micros, part, zone))


def test_the_last_microsecond_of_a_year_belongs_to_it():
    micros = pd.to_datetime(["1969-12-31 23:59:59.999999", "2023-12-31 23:59:59.999999"]).as_unit("us").asi8
    assert calendar_part(micros, "year").tolist() == [1969, 2023]
    assert calendar_part(micros, "hhmm").tolist() == [2359, 2359]
    assert calendar_part(micros, "quarter").tolist() == [4, 4]


def test_a_missing_timestamp_has_no_parts():
    for part in PARTS:
        found = CalendarPart("at", part, "Europe/Berlin").evaluate({"at": np.array([np.nan, 0.0])})
        assert np.isnan(found).tolist() == [True, False]


def test_a_column_may_write_parts_in_its_own_way():
    at = pd.date_range("2024-01-01", periods=14, freq="D")  # a Monday
    sunday_first = CalendarPart("at", "weekday", None, tuple(map(float, range(7))), (1.0, 2, 3, 4, 5, 6, 0))
    found = sunday_first.evaluate({"at": at.as_unit("us").asi8.astype(float)})
    assert found.tolist() == ((at.day_of_week + 1) % 7).tolist()


def test_an_unknown_part_is_refused():
    with pytest.raises(SchemaError, match="no part of a timestamp"):
        CalendarPart("at", "century")


# Bands


@quick
@given(seeds)
def test_bands_are_those_of_pandas_cut(seed):
    rng = np.random.default_rng(seed)
    edges = np.unique(rng.integers(-5, 6, rng.integers(1, 5))).astype(float)
    labels = rng.permutation(len(edges) + 1).astype(float)
    number = with_nulls(rng, np.append(rng.normal(0, 4, 50), edges))
    cut = pd.cut(pd.Series(number), [-np.inf, *edges, np.inf], right=False, labels=False)
    expected = cut.map(dict(enumerate(labels))).to_numpy(float)
    np.testing.assert_array_equal(Band("x", tuple(edges), tuple(labels)).evaluate({"x": number}), expected)


# Lookups


@quick
@given(seeds)
def test_lookups_are_those_of_pandas(seed):
    rng = np.random.default_rng(seed)
    known = np.sort(rng.choice(20, rng.integers(1, 8), replace=False)).astype(float)
    values = [None if rng.random() < 0.2 else float(rng.integers(0, 5)) for _ in known]
    missing = [None, 3.0][rng.integers(2)]
    keys = with_nulls(rng, rng.choice(known, 40))
    table = pd.Series([np.nan if value is None else value for value in values], index=known)
    expected = pd.Series(keys).map(table).where(~np.isnan(keys), np.nan if missing is None else missing)
    found = Lookup("k", tuple(known), tuple(values), missing).evaluate({"k": keys})
    np.testing.assert_array_equal(found, expected.to_numpy(float))


def test_an_unknown_number_takes_the_value_of_the_nearest_known_key():
    known, values = (1.0, 4.0, 10.0), (5.0, 6.0, 7.0)
    keys = np.array([-100.0, 2.4, 2.6, 6.9, 7.1, 1e9])
    expected = [values[int(np.argmin([abs(key - k) for k in known]))] for key in keys]
    assert Lookup("k", known, values).evaluate({"k": keys}).tolist() == expected


def test_new_keys_extend_a_lookup_and_known_ones_stay():
    lookup = Lookup("k", (1.0, 3.0), (5.0, None), 2.0)
    more = lookup.extended(np.array([3.0, 2.0, 0.0, np.nan]), np.array([9.0, np.nan, 8.0, 4.0]))
    assert more == Lookup("k", (0.0, 1.0, 2.0, 3.0), (8.0, 5.0, None, None), 2.0)
    assert lookup.known == (1.0, 3.0)


# Sums, products


@quick
@given(st.lists(st.tuples(st.integers(-(10**6), 10**6), st.integers(-(10**6), 10**6)), min_size=1), st.integers(0, 4))
def test_sums_of_decimals_are_exact_to_the_last_decimal(cents, decimals):
    scale = Decimal(10) ** -decimals
    a, b = (np.array([float(pair[i] * scale) for pair in cents]) for i in (0, 1))
    found = Sum((("a", 1.0), ("b", -1.0)), 0.0, decimals).evaluate({"a": a, "b": b})
    assert found.tolist() == [float((one - other) * scale) for one, other in cents]
    assert not np.signbit(found[found == 0]).any()


def test_sums_are_missing_where_a_term_is():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({name: with_nulls(rng, rng.normal(size=50)) for name in "abc"})
    found = Sum((("a", 2.0), ("b", 1.0), ("c", -0.5)), 4.0).evaluate({name: frame[name].to_numpy() for name in frame})
    expected = 2 * frame["a"] + frame["b"] - 0.5 * frame["c"] + 4
    np.testing.assert_allclose(found, expected, rtol=1e-14)
    assert np.isnan(found).any()


@quick
@given(seeds)
def test_products_are_rounded_to_their_decimals(seed):
    rng = np.random.default_rng(seed)
    price, quantity = rng.integers(0, 10**5, 40), rng.integers(0, 100, 40)
    values = {"p": with_nulls(rng, price / 100), "q": with_nulls(rng, quantity.astype(float))}
    found = Product("p", "q", decimals=2).evaluate(values)
    null = np.isnan(values["p"]) | np.isnan(values["q"])
    assert (np.isnan(found) == null).all()
    expected = [float(Fraction(int(p) * int(q), 100)) for p, q in zip(price[~null], quantity[~null], strict=True)]
    assert found[~null].tolist() == expected


def test_ratios_are_missing_where_the_denominator_is_zero():
    values = {"a": np.array([1.0, 0.0, -3.0, np.nan, 2.0]), "b": np.array([0.0, 0.0, 2.0, 1.0, np.nan])}
    found = Product("a", "b", power=-1, decimals=3).evaluate(values)
    frame = pd.DataFrame(values)
    expected = (frame["a"] / frame["b"]).replace([np.inf, -np.inf], np.nan).round(3)
    np.testing.assert_array_equal(found, expected)


def test_nothing_is_rounded_without_decimals():
    assert round_to(np.array([0.123456789]), None)[0] == 0.123456789
    assert round_to(np.array([-0.001]), 2).tolist() == [0.0]
    assert not np.signbit(round_to(np.array([-0.001]), 2)[0])


@quick
@given(seeds)
def test_a_product_with_a_sum_and_a_constant_is_a_sum_of_products(seed):
    rng = np.random.default_rng(seed)
    values = {name: np.where(rng.random(40) < 0.1, np.nan, rng.integers(1, 90, 40) / 4) for name in "abc"}
    formula = Product("a", "b", -2, factor=12.5, plus=("c",))
    expected = 12.5 * (values["a"] + values["c"]) / values["b"] ** 2
    np.testing.assert_allclose(formula.evaluate(values), expected, rtol=1e-12)
    assert str(formula) == "12.5 * (a + c) / b ** 2"
    rule = formula.rule_without_nulls("t")
    columns = tuple(Column(name, "numeric", "float64", nullable=True) for name in "abct")
    present = ~np.isnan(expected)
    cells = {name: column[present] for name, column in {**values, "t": formula.evaluate(values)}.items()}
    assert judge(BoundRule(rule, rule), Table(Schema(columns), cells, int(present.sum()))).all()
