"""Datetimes agree with Python's own, as text and as objects, in every time zone."""

import datetime as dt
import zoneinfo

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from janus_synth.errors import SchemaError
from janus_synth.table.datetimes import (
    EPOCH,
    MICROSECOND,
    clock_numbers,
    format_datetime,
    format_datetimes,
    infer_datetime_format,
    minutes_of_day,
    parse_datetimes,
    physical_bound,
    to_microseconds,
    zone_info,
    zone_of,
)
from strategies import quick

DATETIMES = st.datetimes(dt.datetime(1685, 1, 1), dt.datetime(2255, 1, 1))
"""Microseconds that are exact as floats: below 2**53."""


@quick
@given(DATETIMES)
def test_text_and_objects_are_the_same_microseconds(value):
    expected = (value - EPOCH) // MICROSECOND
    assert parse_datetimes([value.isoformat()])[0] == expected
    assert to_microseconds(value) == to_microseconds(value.isoformat(sep=" ")) == expected
    assert to_microseconds(np.datetime64(value)) == expected


@quick
@given(DATETIMES)
def test_the_shortest_text_reads_back_exactly(value):
    microseconds = (value - EPOCH) // MICROSECOND
    assert parse_datetimes([format_datetime(microseconds)])[0] == microseconds
    assert parse_datetimes([format_datetime(microseconds, utc=True)])[0] == microseconds


@quick
@given(DATETIMES, st.sampled_from(["Europe/Paris", "America/New_York", "Asia/Kolkata", "+05:30", "UTC"]))
def test_values_without_a_time_zone_are_in_the_zone_given(value, zone):
    aware = value.replace(tzinfo=zone_info(zone))
    utc = aware.astimezone(dt.UTC).replace(tzinfo=None)
    assert to_microseconds(value, zone) == to_microseconds(value.isoformat(), zone) == (utc - EPOCH) // MICROSECOND
    assert to_microseconds(aware) == to_microseconds(value, zone)


@pytest.mark.parametrize("text", ["2024-13-01", "2024-02-30", "today", "2024", "2024-01-01T25:00", ""])
def test_text_that_is_not_a_datetime_is_named(text):
    with pytest.raises(ValueError, match="^" + text + "$"):
        parse_datetimes(["2024-01-01", text])


def test_the_most_detailed_format_wins_and_rounds_what_it_cannot_hold():
    texts = ["2024-01-31", "2024-01-31 08:30", "2024-01-31 08:30:15Z"]
    assert infer_datetime_format(texts) == "%Y-%m-%d %H:%M:%SZ"
    almost = np.array([86_400e6 - 1])
    assert format_datetimes(almost, "%Y-%m-%d %H:%M") == ["1970-01-02 00:00"]
    assert format_datetimes(almost, None) == ["1970-01-01T23:59:59.999999"]


def test_time_zones_are_found_in_dtypes_and_rebuilt():
    assert zone_of("datetime64[ns, Asia/Tokyo]") == "Asia/Tokyo"
    assert zone_of("datetime64[ns]") is None
    assert zone_info("-03:30").utcoffset(None) == -dt.timedelta(hours=3, minutes=30)
    assert zone_info("Asia/Tokyo") == zoneinfo.ZoneInfo("Asia/Tokyo")


def test_bounds_of_any_type_are_physical():
    assert physical_bound("x", "numeric", "timedelta64[us]", dt.timedelta(seconds=2)) == 2e6
    assert physical_bound("x", "numeric", "timedelta64[us]", np.timedelta64(2, "s")) == 2e6
    assert physical_bound("x", "datetime", "datetime64[us]", dt.date(1970, 1, 2)) == 86_400e6
    assert physical_bound("x", "numeric", "int64", 5) == 5
    with pytest.raises(SchemaError, match="column 'x': 'soon' is not a datetime"):
        physical_bound("x", "datetime", "datetime64[us]", "soon")


def test_numbers_and_minutes_are_inverse():
    minutes = np.arange(1_440.0)
    assert (minutes_of_day(clock_numbers(minutes)) == minutes).all()
    assert (clock_numbers(minutes + 1_440) == clock_numbers(minutes - 1_440)).all()
