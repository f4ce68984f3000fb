"""Rentals and trips: what is computed from what, dtypes, lattices and shapes of the marginals."""

from functools import cache

import numpy as np
import pandas as pd

from janus_synth.datasets import rentals, trips
from janus_synth.datasets.city import FIRST_RIDE, HOLIDAYS, WEATHER, ZONES

LARGE = 20_000


@cache
def hours() -> pd.DataFrame:
    return rentals(LARGE, random_state=1)


@cache
def rides() -> pd.DataFrame:
    return trips(LARGE, random_state=1)


def test_calendar_columns_are_functions_of_the_date():
    rows, date = hours(), hours()["date"].dt
    assert (rows["month"] == date.month).all()
    assert (rows["weekday"] == date.day_of_week).all()
    holiday = [(month, day) in HOLIDAYS for month, day in zip(date.month, date.day, strict=True)]
    assert (rows["working_day"] == ((date.day_of_week < 5) & ~np.array(holiday))).all()
    season = {12: "winter", 1: "winter", 2: "winter", 3: "spring", 4: "spring", 5: "spring"}
    season |= {6: "summer", 7: "summer", 8: "summer", 9: "autumn", 10: "autumn", 11: "autumn"}
    assert (rows["season"] == rows["month"].map(season)).all()
    assert (rows["date"] == date.normalize()).all()


def test_types_of_rentals():
    types = hours().dtypes.astype(str).drop(["season", "weather"]).to_dict()
    whole = dict.fromkeys(("hour", "weekday", "month", "casual", "registered", "total"), "int64")
    assert types == {"date": "datetime64[us]", "working_day": "bool", "temperature": "float64", **whole}


def test_rentals_have_a_heavy_tail_and_follow_the_commuters():
    rows = hours()
    assert set(rows["weather"]) == set(WEATHER)
    assert (rows["temperature"] * 2 % 1 == 0).all()
    assert rows["total"].mean() > 1.5 * rows["total"].median()
    mean = rows.groupby(["working_day", "hour"])["registered"].mean()
    assert mean[True, 8] > 2 * mean[True, 11]
    assert mean[False, 8] < mean[False, 14]
    years = rows.groupby(rows["date"].dt.year)["total"].mean()
    assert years[2024] > 1.15 * years[2023]
    assert rows.groupby("weather")["total"].mean().loc[list(WEATHER)].is_monotonic_decreasing


def test_totals_of_trips_are_sums_to_the_cent():
    rows = rides()
    parts = sum((100 * rows[name]).round().astype(int) for name in ("fare", "tip", "tolls"))
    assert ((100 * rows["total"]).round().astype(int) == parts).all()
    for name in ("fare", "tip", "tolls", "total"):
        assert (rows[name] == rows[name].round(2)).all()
    assert (rows["fare"] % 0.5 == 0).all()


def test_zones_lie_in_their_boroughs():
    borough = {name: where for name, where, *_ in ZONES}
    for end in ("pickup", "dropoff"):
        assert (rides()[f"{end}_borough"] == rides()[f"{end}_zone"].map(borough)).all()
        assert set(rides()[f"{end}_zone"]) == set(borough)


def test_types_of_trips():
    types = rides().dtypes.astype(str)
    assert types[["pickup", "dropoff", "passengers"]].tolist() == ["datetime64[us]", "datetime64[us]", "Int64"]
    assert set(types[["distance", "fare", "tip", "tolls", "total"]]) == {"float64"}
    nulls = rides().isna().mean()
    assert set(nulls[nulls > 0].index) == {"passengers"}
    assert 0.03 < nulls["passengers"] < 0.05


def test_durations_depend_on_distance_and_hour():
    rows = rides()
    minutes = (rows["dropoff"] - rows["pickup"]).dt.total_seconds() / 60
    assert (minutes >= 0).all()
    assert (minutes == 0).any()
    assert 8 < minutes.median() < 25
    assert minutes.corr(rows["distance"], method="spearman") > 0.8
    pace = (minutes / rows["distance"]).groupby(rows["pickup"].dt.hour).median()
    assert pace[17] > 1.3 * pace[3]
    assert (rows["pickup"] >= FIRST_RIDE).all()
    assert rows["pickup"].dt.hour.value_counts()[19] > 4 * rows["pickup"].dt.hour.value_counts()[4]
