"""Flights: what is computed from what, dtypes, nulls and shapes of the marginals."""

from functools import cache

import pandas as pd

from janus_synth.datasets import flights
from janus_synth.datasets.airline import AIRPORTS, CARRIERS, ORIGINS

LARGE = 20_000


@cache
def large() -> pd.DataFrame:
    return flights(LARGE, random_state=1)


def test_departures_are_schedules_plus_delays():
    rows = large()[~large()["cancelled"]]
    gap = (rows["departure"] - rows["scheduled"]).dt.total_seconds() / 60
    assert (gap == rows["delay"].astype(float)).all()


def test_numbers_of_the_time_of_day_are_hours_and_minutes():
    rows = large()
    for time, number in (("scheduled", "scheduled_hhmm"), ("departure", "departure_hhmm")):
        read = rows[time].dt.strftime("%H%M").dropna().astype(int)
        assert (rows[number].dropna() == read).all()
    assert (rows["departure_hhmm"].dropna() < 300).any()  # past midnight


def test_cancelled_flights_have_nulls_in_all_that_never_happened_and_others_have_none():
    rows = large()
    for column in rows.columns:
        never = column in ("departure", "departure_hhmm", "delay", "air_time")
        assert (rows[column].isna() == (rows["cancelled"] & never)).all(), column


def test_carriers_and_routes_are_lookups():
    rows = large()
    assert (rows["carrier_name"] == rows["carrier"].map({code: name for code, name, *_ in CARRIERS})).all()
    assert rows.groupby(["origin", "destination"])["distance"].nunique().eq(1).all()
    assert set(rows["origin"]) == set(list(AIRPORTS)[:ORIGINS])
    assert not (rows["origin"] == rows["destination"]).any()


def test_types_of_flights():
    types = large().dtypes.astype(str)
    assert set(types[["scheduled", "departure"]]) == {"datetime64[us]"}
    assert set(types[["departure_hhmm", "delay", "air_time"]]) == {"Int64"}
    assert set(types[["scheduled_hhmm", "distance"]]) == {"int64"}
    assert types["cancelled"] == "bool"


def test_delays_have_a_heavy_tail_and_grow_over_the_day():
    rows = large()
    delay = rows["delay"].astype("float64")
    assert delay.skew() > 5
    assert delay.median() < 0 < delay.mean()
    hour = rows["scheduled"].dt.hour
    assert delay[hour >= 17].mean() > 1.8 * delay[hour <= 8].mean()
    assert (rows["scheduled"].dt.minute % 5 == 0).mean() > 0.8
    assert rows["air_time"].astype("float64").corr(rows["distance"]) > 0.95
