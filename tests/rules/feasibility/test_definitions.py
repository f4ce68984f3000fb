from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth import Janus, datasets
from janus_synth.rules.feasibility.definitions import format_duration

HOUR = 3_600_000_000


@pytest.fixture(scope="module")
def bookings():
    """A model of a table with a sum, a start and an end, and a lookup."""
    rng = np.random.default_rng(0)
    n = 600
    start = pd.Timestamp("2024-03-01") + pd.to_timedelta(rng.integers(0, 90 * 24 * 60, n), unit="min")
    minutes = np.clip(rng.exponential(40, n).astype(int), 1, 150)
    minutes[:2] = 1, 150
    city = rng.choice(["Rome", "Oslo", "Milan"], n)
    adults, children = rng.integers(1, 40, n), rng.integers(0, 30, n)
    frame = pd.DataFrame(
        {
            "start": start,
            "end": start + pd.to_timedelta(minutes, unit="min"),
            "city": city,
            "country": pd.Series(city).map({"Rome": "Italy", "Milan": "Italy", "Oslo": "Norway"}),
            "adults": adults,
            "children": children,
            "guests": adults + children,
        }
    )
    return Janus(n_trees=1, random_state=0).fit(frame)


def test_a_gap_is_named_in_units_that_people_read(bookings):
    found = bookings.check("end < start")
    assert str(found) == (
        "'end < start': end is start plus 1m to 2h30m in all training rows. To allow other gaps, fit with links='off'."
    )
    assert found.conflict == ("end < start", "end = start + a learnt gap")


def test_a_lookup_is_named(bookings):
    reason = str(bookings.check("city == 'Rome' and country == 'Norway'"))
    assert "country is determined by city in all training rows. To allow other combinations, fit with" in reason


def test_a_sum_comes_with_the_column_that_is_too_narrow(bookings):
    reason = str(bookings.check("guests < adults"))
    assert "guests is adults + children in all training rows. Column 'children' takes values from 0 to 29." in reason
    assert reason.endswith("Or, to allow other sums, fit with links='off'.")


def test_the_advice_works(bookings):
    frame = bookings.sample(300, random_state=0)
    free = Janus(n_trees=1, random_state=0, links="off").fit(frame)
    for where in ("end < start", "guests < adults", "city == 'Rome' and country == 'Norway'"):
        assert not bookings.check(where)
        assert free.check(where)


def test_no_remedy_names_a_hidden_column(bookings):
    hidden = [name for link in bookings.links_ for name in link.hidden]
    assert hidden
    for where in ("end < start", "end > start + days(2)", "end - start == minutes(200)"):
        reason = str(bookings.check(where))
        assert "in all training rows" in reason
        assert not any(f"'{name}'" in reason for name in hidden)


def test_a_rule_of_the_user_is_blamed_before_a_link():
    frame = datasets.rentals(300, random_state=0)
    model = Janus(n_trees=1, random_state=0, rules="total == casual + registered").fit(frame)
    assert model.check("total < casual").conflict == ("total == casual + registered", "total < casual")


@pytest.mark.parametrize(
    ("microseconds", "text"),
    [
        (0, "0s"),
        (250_000, "0.25s"),
        (59_000_000, "59s"),
        (60_000_000, "1m"),
        (HOUR + 59_999_999, "1h"),
        (-HOUR - 60_000_000, "-1h1m"),
        (49 * HOUR, "2d1h"),
    ],
)
def test_durations_are_written_in_two_units(microseconds, text):
    assert format_duration(microseconds) == text
