"""Numbers that are dates or times are told from measurements, by their size, their digits and the column's name."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth.alerts.dates import form_of_digits, other_calendar, unit_of_dates
from janus_synth.table import Column

MOMENTS = pd.date_range("2003-02-01 07:30", "2029-11-20", periods=300)
SINCE_1970 = (MOMENTS - pd.Timestamp("1970-01-01")) // pd.Timedelta("1s")
SERIALS = np.unique((MOMENTS.normalize() - pd.Timestamp("1899-12-30")).days).astype(float)


@pytest.mark.parametrize(("unit", "size"), [("s", 1), ("ms", 10**3), ("us", 10**6), ("ns", 10**9)])
def test_units_since_1970_give_the_moments_back(unit, size):
    numbers = np.asarray(SINCE_1970 * size, float)
    assert unit_of_dates("x", "int64", numbers) == unit
    back = pd.to_datetime(pd.Series(numbers.astype("int64")), unit=unit)
    assert (abs(back - pd.Series(MOMENTS)) <= pd.Timedelta("1s")).all()


@pytest.mark.parametrize("fraction", [0.0, 0.5])
def test_days_of_spreadsheets_are_found_with_and_without_a_time(fraction):
    dtype = "float64" if fraction else "int64"
    assert unit_of_dates("x", dtype, SERIALS + fraction) == "D"


def test_times_with_seconds_are_found_though_they_have_no_zeros_in_front():
    clocks = np.array([float(f"{moment:%H%M%S}") for moment in pd.date_range("2020-01-01", periods=300, freq="271s")])
    assert form_of_digits(np.sort(clocks)) == "%H%M%S"
    assert form_of_digits(np.sort([*clocks, 126_100.0])) is None


@pytest.mark.parametrize(("first", "n_alerts"), [("1397-02-01", 1), ("1250-02-01", 0), ("1950-02-01", 0)])
def test_years_of_other_calendars_are_reported(first, n_alerts):
    days = np.arange(np.datetime64(first, "us"), np.datetime64(first, "us") + np.timedelta64(900, "D"), 10**12)
    column = Column("x", "datetime", "datetime64[us]")
    found = list(other_calendar(column, np.unique(days.astype(float)), np.ones(len(days))))
    assert len(found) == n_alerts


@pytest.mark.parametrize("name", ["price", "salary", "n_miles", "zip"])
def test_a_name_that_says_what_is_measured_settles_it(name):
    assert unit_of_dates(name, "int64", SERIALS) is None


def test_round_sums_are_not_days():
    assert unit_of_dates("x", "int64", np.arange(33_000.0, 44_000.0, 10)) is None


@pytest.mark.parametrize("form", ["%Y%m%d", "%d%m%Y", "%y%m%d"])
def test_digits_of_dates_give_their_format(form):
    numbers = np.unique([float(moment.strftime(form)) for moment in MOMENTS if moment.strftime(form)[0] != "0"])
    assert form_of_digits(numbers) == form


def test_one_impossible_month_is_enough_to_say_no():
    numbers = np.sort([*(float(moment.strftime("%Y%m%d")) for moment in MOMENTS[:40]), 20151301.0])
    assert form_of_digits(numbers) is None


def test_one_impossible_minute_is_enough_to_say_no():
    clocks = np.add.outer(100 * np.arange(6.0, 24.0), np.arange(0, 60, 5)).ravel()
    assert form_of_digits(clocks) == "%H%M"
    assert form_of_digits(np.sort([*clocks, 961.0])) is None
