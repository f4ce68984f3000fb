"""Names of months in many languages lead to the language, and dates come back as they were."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa
import pytest

from janus_synth.table.texts import format_values, recognise
from janus_synth.table.texts.month_names import (
    ENGLISH,
    LANGUAGES,
    WEEKDAYS,
    languages_of,
    scales_of_names,
    split_language,
)


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_language_has_twelve_different_months(code):
    for names in LANGUAGES[code]:
        assert len(names) == len({name.lower() for name in names}) == 12


def test_weeks_have_seven_days():
    assert all(len(line.split()) == len(set(line.split())) == 7 for line in WEEKDAYS)


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_name_of_a_month_tells_its_language(code):
    for name in {*LANGUAGES[code].full, *LANGUAGES[code].short}:
        assert code in languages_of(f"3 {name} 2024")
        assert code in languages_of(f"{name.lower()}-24")


def test_formats_without_a_language_are_english():
    assert split_language("%d %B %Y") == ("%d %B %Y", ENGLISH)
    assert split_language("%d %B %Y{pl}") == ("%d %B %Y", LANGUAGES["pl"])
    assert split_language("%d %B %Y{xx}")[1] is None


@pytest.mark.parametrize("code", ["de", "fr", "es", "it", "pt", "nl", "pl", "ru", "tr", "fi"])
def test_dates_are_read_and_written_in_their_language(code):
    days = pd.date_range("2021-01-03", periods=120, freq="9D")
    texts = [f"{day.day} {LANGUAGES[code].full[day.month - 1]} {day.year}" for day in days]
    form = recognise(pa.array(texts, pa.large_string()))
    assert form.kind == "datetime"
    micros = days.to_numpy("datetime64[us]").astype("int64").astype(float)
    assert list(format_values(micros, "datetime", form.format)) == texts


def test_scales_hold_each_list_once():
    scales = scales_of_names()
    assert len(scales) == len(set(scales))
    assert ("lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche") in scales
