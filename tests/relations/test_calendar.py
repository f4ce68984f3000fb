from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth.relations import CalendarPart
from relations.agreement import found, with_nulls


def stamps(n=1200, zone=None):
    random = np.random.default_rng(2)
    start = pd.Timestamp("2021-01-01") + pd.to_timedelta(random.integers(0, 9 * 10**7, n), unit="s")
    return pd.DataFrame({"when": start.tz_localize("UTC").tz_convert(zone) if zone else start})


def parts(frame):
    return {relation.detail for relation in found(frame, "calendar")}


@pytest.mark.parametrize("zone", [None, "UTC", "America/New_York", "Asia/Kolkata"])
def test_numbers_of_all_parts_in_the_time_zone_of_the_column(zone):
    frame = stamps(zone=zone)
    names = ["year", "quarter", "month", "day", "weekday", "hour", "minute"]
    for name in names:
        frame[f"the_{name}"] = getattr(frame.when.dt, name.replace("weekday", "day_of_week"))
    assert parts(frame) == {CalendarPart(f"the_{name}", "when", name) for name in names}


@pytest.mark.parametrize("own", [None, "UTC"])
@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Kolkata"])
def test_parts_on_the_clock_of_another_place(own, zone):
    frame = stamps(zone=own)
    local = (frame.when if own else frame.when.dt.tz_localize("UTC")).dt.tz_convert(zone)
    frame["hour"], frame["day"], frame["month"] = local.dt.hour, local.dt.day, local.dt.month
    frame["utc_hour"] = frame.when.dt.hour
    there = {CalendarPart(name, "when", name, zone=zone) for name in ("hour", "day", "month")}
    assert parts(frame) == {CalendarPart("utc_hour", "when", "hour"), *there}
    (text,) = (str(relation) for relation in found(frame, "calendar") if relation.columns[0] == "day")
    assert text == f"day is the day of when in {zone}"
    frame.loc[5, "hour"] = (frame.loc[5, "hour"] + 1) % 24
    assert parts(frame) == {CalendarPart("utc_hour", "when", "hour")}


@pytest.mark.parametrize(
    ("numbers", "detail"),
    [
        (lambda when: when.dt.day_of_week + 1, CalendarPart("x", "when", "weekday", 1)),
        (lambda when: (when.dt.day_of_week + 1) % 7, CalendarPart("x", "when", "weekday", 0, sunday_first=True)),
        (lambda when: (when.dt.day_of_week + 1) % 7 + 1, CalendarPart("x", "when", "weekday", 1, sunday_first=True)),
        (lambda when: when.dt.hour + 1, CalendarPart("x", "when", "hour", 1)),
        (lambda when: when.dt.month.astype(str).astype("category"), CalendarPart("x", "when", "month")),
    ],
)
def test_ways_to_count(numbers, detail):
    frame = stamps()
    frame["x"] = numbers(frame.when)
    assert parts(frame) == {detail}


@pytest.mark.parametrize(
    ("names", "part"),
    [
        (lambda when: when.dt.day_name(), "weekday"),
        (lambda when: when.dt.strftime("%a"), "weekday"),
        (lambda when: when.dt.month_name().str.lower(), "month"),
        (lambda when: when.dt.strftime("%b"), "month"),
    ],
)
def test_names(names, part):
    frame = stamps()
    frame["x"] = names(frame.when)
    (relation,) = found(frame, "calendar")
    assert relation.detail.part == part
    number = frame.when.dt.day_of_week if part == "weekday" else frame.when.dt.month
    assert dict(relation.detail.names) == dict(zip(frame.x, number, strict=True))
    assert relation.rule == ""


def test_dates_and_nulls():
    frame = stamps()
    frame["day"] = frame.when.dt.normalize()
    frame["hour"] = frame.when.dt.hour.astype("Int64")
    frame = with_nulls(frame, ["when", "hour"], 0.1, np.random.default_rng(0))
    assert parts(frame) == {CalendarPart("day", "when", "date"), CalendarPart("hour", "when", "hour")}
    hour = next(r for r in found(frame, "calendar") if r.columns[0] == "hour")
    assert hour.support == len(frame[["when", "hour"]].dropna())


def test_one_broken_row_is_enough_to_reject():
    frame = stamps(20_000)
    frame["hour"] = frame.when.dt.hour
    frame.loc[3, "hour"] = (frame.hour[3] + 1) % 24
    from janus_synth import discover

    assert discover(frame, max_rows=500).of_kind("calendar") == ()


def test_small_numbers_are_no_calendar():
    for seed in range(30):
        random = np.random.default_rng(seed)
        frame = stamps(60)
        frame["x"], frame["y"] = random.integers(0, 2, 60), random.integers(1, 5, 60)
        assert parts(frame) == set()
