"""Years of the Buddhist, Taiwanese and Japanese eras, against dates known from elsewhere."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest

from janus_synth.table.texts import recognise
from janus_synth.table.texts.datetime_format import format_formatted, parse_formatted

KNOWN = [
    ("%d/%m/%Y{be}", "29/02/2567", dt.date(2024, 2, 29)),  # a leap year of one calendar only
    ("%Y/%m/%d{roc}", "112/03/15", dt.date(2023, 3, 15)),
    ("民國%Y年%-m月%-d日{roc}", "民國99年3月5日", dt.date(2010, 3, 5)),
    ("%Y年%-m月%-d日{ja}", "令和1年5月1日", dt.date(2019, 5, 1)),
    ("%Y年%-m月%-d日{ja}", "平成31年4月30日", dt.date(2019, 4, 30)),
    ("%Y年%-m月%-d日{ja}", "平成1年1月8日", dt.date(1989, 1, 8)),
    ("%Y年%-m月%-d日{ja}", "昭和64年1月7日", dt.date(1989, 1, 7)),
    ("%Y.%-m.%-d{jp}", "S1.12.25", dt.date(1926, 12, 25)),
    ("%Y.%-m.%-d{jp}", "T15.12.24", dt.date(1926, 12, 24)),
    ("%Y/%m/%d{jp}", "R05/03/01", dt.date(2023, 3, 1)),
    ("%-d %b %Y{th}", "1 มี.ค. 2566", dt.date(2023, 3, 1)),
]


@pytest.mark.parametrize(("form", "text", "day"), KNOWN)
def test_dates_are_read_and_written(form, text, day):
    ticks = (dt.datetime.combine(day, dt.time()) - dt.datetime(1970, 1, 1)) / dt.timedelta(microseconds=1)
    assert parse_formatted(pa.array([text]), form).to_pylist() == [ticks]
    assert format_formatted(np.array([ticks]), form) == [text]


def test_the_first_year_has_a_name_of_its_own():
    assert parse_formatted(pa.array(["令和元年5月1日"]), "%Y年%-m月%-d日{ja}") == parse_formatted(
        pa.array(["令和1年5月1日"]), "%Y年%-m月%-d日{ja}"
    )


def test_times_follow_dates():
    texts = pa.array([f"{d:02d}/03/2566 10:{d + 20}" for d in range(1, 29)])
    assert recognise(texts).format == "%d/%m/%Y %H:%M{be}"


@pytest.mark.parametrize(
    "texts",
    [
        [f"{y}-0{m}-15" for y in (19, 21, 23) for m in range(1, 10)],  # two digits of a year
        [f"R{a}.{a}.{a}" for a in range(1, 8)],  # too few to be no keys
        [f"108/08/{d}" for d in range(10, 20)],
        [f"11{a}/{a + 10}/4" for a in range(5, 9) for _ in range(9)],  # months above 12
    ],
)
def test_keys_and_short_years_are_no_eras(texts):
    found = recognise(pa.array(texts))
    assert found is None or "{" not in (found.format or "")
