"""Texts that look like dates, durations and numbers have a remedy that works as it is printed."""

from __future__ import annotations

import fractions
import re
import unicodedata

import numpy as np
import pandas as pd
import pytest

from janus_synth.alerts.look_alikes import LOOK_ALIKES, NEEDED, remedy_for

HOUR = pd.Timedelta("1h")


def look_alike(texts):
    """The first look-alike of all texts: what they look like and the remedy."""
    for _, what, pattern, remedy in LOOK_ALIKES:
        needed = NEEDED.get(what)
        if all(map(pattern.fullmatch, texts)) and (needed is None or any(map(needed.fullmatch, texts))):
            return what, remedy_for("x", what, remedy, texts)
    return None, None


@pytest.mark.parametrize(
    ("texts", "what", "values"),
    [
        (["1h 30m", "2h 0m"], "durations", [1.5 * HOUR, 2 * HOUR]),
        (["2 days 03:00:00", "1 day 00:30:00"], "durations", [51 * HOUR, 24.5 * HOUR]),
        (["1/2", "3 1/4"], "fractions", [0.5, 3.25]),
        (["2½", "¾"], "fractions", [2.5, 0.75]),
        (["3 x 10^4", "2.5×10^-1"], "numbers", [3e4, 0.25]),
        (["1_200", "34_000"], "numbers with underscores", [1200, 34_000]),
        (["2,5e3", "1E2"], "numbers", [2500.0, 100.0]),
        (["< 0.01", "74.5"], "numbers", [0.01, 74.5]),
        (["<0,01", "74,5"], "numbers", [0.01, 74.5]),
        (["$1,200", "~900"], "numbers", [1200, 900]),
        (["4:30 /km", "5:00 /km"], "minutes and seconds per unit", [HOUR * 4.5 / 60, HOUR * 5 / 60]),
        (["4'30\"/km", "5'00\"/km"], "minutes and seconds per unit", [HOUR * 4.5 / 60, HOUR * 5 / 60]),
        (["2019-08", "2020"], "years, months or days in one column", ["2019-08-01", "2020-01-01"]),
        (["30/08/2019?", "xx/08/2019"], "dates of which some are not certain", ["2019-08-30", None]),
        (["/Date(1567037067000)/"], "milliseconds since 1970", ["2019-08-29 00:04:27"]),
        (["132115106670000000"], "hundreds of nanoseconds since 1601, as Windows counts them", ["2019-08-29 00:04:27"]),
    ],
)  # fmt: skip
def test_the_line_of_python_gives_the_values(texts, what, values):
    found, remedy = look_alike(texts)
    assert found == what
    df = pd.DataFrame({"x": texts})
    exec(remedy, {"df": df, "pd": pd, "fractions": fractions, "unicodedata": unicodedata, "re": re})
    if isinstance(values[0], str):
        assert df["x"].tolist() == [pd.NaT if value is None else pd.Timestamp(value) for value in values]
    elif isinstance(values[0], pd.Timedelta):
        assert df["x"].tolist() == values
    else:
        np.testing.assert_allclose(df["x"].astype(float), values)


@pytest.mark.parametrize("texts", [["red", "green"], ["A-17", "B-204"], ["north", "may"]])
def test_words_and_keys_look_like_nothing(texts):
    assert look_alike(texts) == (None, None)


def test_plain_whole_numbers_are_no_fractions():
    assert look_alike(["1", "12", "7"])[0] != "fractions"


@pytest.mark.parametrize(
    ("texts", "columns"),
    [
        (["29.08.-31.08.2019"], {"x_1": ["29.08."], "x_2": ["31.08.2019"]}),
        (["2019-08-29 - 2019-09-01"], {"x_1": ["2019-08-29"], "x_2": ["2019-09-01"]}),
        (["01/2019 to 03/2019"], {"x_1": ["01/2019"], "x_2": ["03/2019"]}),
        (["Thu 00:04"], {"x_day": ["Thu"], "x_time": ["00:04"]}),
    ],
)
def test_two_things_in_one_text_become_two_columns(texts, columns):
    df = pd.DataFrame({"x": texts})
    exec(look_alike(texts)[1], {"df": df, "pd": pd})
    assert df[list(columns)].to_dict("list") == columns


@pytest.mark.parametrize("texts", [["$46,485", "65k"], ["1.234,50", "1,234.50", "< 3"]])
def test_no_line_is_offered_where_it_would_give_wrong_numbers(texts):
    assert look_alike(texts)[1] == "write them all in one format, for example with pd.to_numeric"
