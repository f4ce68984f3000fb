"""Spikes that a computed column would lose: found against a plain count, explained ones left out."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth import Janus, datasets
from janus_synth.coordinates import Link, Sum
from janus_synth.coordinates.spikes import lost_spikes, spikes
from janus_synth.table import read_table


def trial(n: int = 3_000, seed: int = 0) -> pd.DataFrame:
    """People enter over five years and leave after an event, or on the last day of the study."""
    rng = np.random.default_rng(seed)
    entered = pd.Timestamp("2015-01-01") + pd.to_timedelta(rng.integers(0, 1_800, n), unit="D")
    last = pd.Timestamp("2021-12-31")
    event = entered + pd.to_timedelta(np.ceil(1_500 * rng.weibull(1.2, n)), unit="D")
    left = np.minimum(event.to_numpy(), last.to_datetime64())
    return pd.DataFrame(
        {"entered": entered, "left": left, "days": (left - entered.to_numpy()) // np.timedelta64(1, "D")}
    )


def test_a_spike_is_counted():
    frame = trial()
    share = (frame["left"] == frame["left"].max()).mean()
    assert 0.2 < share < 0.6
    link = Link("left", Sum((("entered", 1.0), ("days", 86_400e6)), decimals=0))
    assert lost_spikes(read_table(frame), link) == pytest.approx(share)
    difference = Link("days", Sum((("left", 1 / 86_400e6), ("entered", -1 / 86_400e6)), decimals=0))
    assert lost_spikes(read_table(frame), difference) == 0


def test_zeros_of_zeros_come_back_by_themselves():
    rng = np.random.default_rng(0)
    parts = np.where(rng.random((2, 500)) < 0.6, 0, rng.integers(1, 900, (2, 500)))
    table = read_table(pd.DataFrame({"a": parts[0], "b": parts[1], "t": parts.sum(axis=0)}))
    assert [value for value, _ in spikes(table["t"])] == [0.0]
    assert lost_spikes(table, Link("t", Sum((("a", 1.0), ("b", 1.0)), decimals=0))) == 0


def test_smooth_columns_and_columns_of_few_values_have_no_spikes():
    rng = np.random.default_rng(0)
    assert spikes(rng.normal(size=2_000).round(1)) == []
    assert spikes(rng.poisson(1, 2_000).astype(float)) == []


def test_the_last_day_of_a_study_is_kept():
    frame = trial()
    for order in (list(frame), ["days", "left", "entered"]):
        for rules in ((), "left == entered + days(days)"):
            model = Janus(rules=rules, random_state=0).fit(frame[order])
            assert "left" not in [link.column for link in model.links_]
            rows = model.sample(3_000, random_state=1)
            last = frame["left"].max()
            share = (frame["left"] == last).mean()
            margin = 4.9 * np.sqrt(2 * share * (1 - share) / 3_000)  # a false alarm in 10^6; the share was 0.03
            assert (rows["left"] == last).mean() == pytest.approx(share, abs=margin)
            assert (rows["left"] - rows["entered"] == pd.to_timedelta(rows["days"], unit="D")).all()


def test_round_amounts_are_no_spikes():
    """Fares are multiples of half a dollar, and totals often round; a total is still the sum of its parts."""
    links = Janus(random_state=0, n_trees=1).fit(datasets.trips(4_000, random_state=0)).links_
    assert "total = fare + tip + tolls" in [str(link) for link in links]


def test_a_gap_is_not_worth_a_spike():
    assert Janus(random_state=0).fit(trial()[["entered", "left"]]).links_ == ()
