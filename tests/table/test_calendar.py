"""Parts of the calendar are compared with pandas, whose time zones and calendars share no code with ours."""

import numpy as np
import pandas as pd
import pytest

from janus_synth.table.calendar import LIMITS, as_ranges, calendar_intervals, calendar_part, in_ranges, other_ranges

ZONES = (None, "UTC", "Europe/Paris", "Asia/Kolkata", "America/New_York", "Australia/Lord_Howe")
OF_PANDAS = {"weekday": "day_of_week"}


def moments(seed, n=3000):
    return np.random.default_rng(seed).integers(-2_000_000_000_000_000, 4_000_000_000_000_000, n)


def by_pandas(microseconds, part, zone):
    stamps = pd.DatetimeIndex(microseconds.astype("datetime64[us]"))
    if zone is not None:
        stamps = stamps.tz_localize("UTC").tz_convert(zone)
    return np.asarray(getattr(stamps, OF_PANDAS.get(part, part)))


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("part", LIMITS)
def test_parts_are_those_of_pandas(part, zone):
    times = moments(1)
    assert (calendar_part(times.astype(float), part, zone) == by_pandas(times, part, zone)).all()


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("part", LIMITS)
def test_intervals_hold_exactly_the_moments_whose_part_is_in_the_ranges(part, zone):
    rng = np.random.default_rng(3)
    low, high = (1980, 2050) if part == "year" else LIMITS[part]
    ranges = as_ranges(rng.integers(low, high + 1, 3).tolist(), part)
    times = moments(2)
    found = calendar_intervals(part, ranges, float(times.min()), float(times.max()), zone)
    edges = np.concatenate([found[:, 0], found[:, 1]])[:: max(1, len(found) // 500)].astype(np.int64)
    near = np.concatenate([times, edges, edges - 1, edges + 1])
    near = near[(near >= times.min()) & (near <= times.max())]
    inside = np.append(found[:, 0], np.inf)[np.searchsorted(found[:, 1], near)] <= near
    assert (inside == np.isin(by_pandas(near, part, zone), numbers_of(ranges))).all()
    assert (found[1:, 0] > found[:-1, 1] + 1).all(), "intervals touch"


def numbers_of(ranges):
    return [number for first, last in ranges for number in range(first, last + 1)]


def test_an_hour_that_comes_twice_is_two_hours_long_and_one_that_is_skipped_is_absent():
    day = pd.Timestamp("2024-10-27", tz="Europe/Paris").value / 1000
    twice = calendar_intervals("hour", ((2, 2),), day, day + 25 * 3.6e9 - 1, "Europe/Paris")
    assert (twice[:, 1] - twice[:, 0] + 1).tolist() == [2 * 3.6e9]
    day = pd.Timestamp("2024-03-31", tz="Europe/Paris").value / 1000
    assert not len(calendar_intervals("hour", ((2, 2),), day, day + 23 * 3.6e9 - 1, "Europe/Paris"))


@pytest.mark.parametrize("part", LIMITS)
def test_other_ranges_are_the_complement(part):
    low, high = LIMITS[part]
    numbers = np.arange(max(low, 0), min(high, 2100) + 1)
    ranges = as_ranges(numbers[::3].tolist(), part)
    assert (in_ranges(numbers, ranges) ^ in_ranges(numbers, other_ranges(ranges, part))).all()


def test_nothing_is_found_in_no_ranges_and_in_an_empty_time():
    assert calendar_intervals("month", (), 0.0, 1e15).shape == (0, 2)
    assert calendar_intervals("month", ((1, 12),), 1.0, 0.0).shape == (0, 2)
    with pytest.raises(ValueError, match="no part 'age'"):
        calendar_part(np.zeros(1), "age")
