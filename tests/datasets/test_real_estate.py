"""Houses: what is computed from what, dtypes, lattices and shapes of the marginals."""

from functools import cache

import pandas as pd

from janus_synth.datasets import houses
from janus_synth.datasets.real_estate import PLACES

LARGE = 20_000


@cache
def homes() -> pd.DataFrame:
    return houses(LARGE, random_state=1)


def test_living_area_is_a_sum_and_the_city_that_of_the_zip():
    rows = homes()
    assert (rows["living"] - rows["above"] == rows["basement"]).all()
    assert (rows["city"] == rows["zip"].map({code: city for code, city, *_ in PLACES})).all()
    assert ((rows["renovated"] == 0) | (rows["renovated"] >= rows["year_built"])).all()


def test_types_and_lattices_of_houses():
    rows = homes()
    types = rows.dtypes.astype(str).drop(["zip", "city"]).to_dict()
    assert types.pop("sale_date") == "datetime64[us]"
    assert types.pop("bathrooms") == types.pop("floors") == "float64"
    assert set(types.values()) == {"int64"}
    assert (rows[["above", "basement"]] % 10 == 0).all(axis=None)
    assert (rows["bathrooms"] * 4 % 1 == 0).all()
    assert not rows.isna().any(axis=None)


def test_prices_are_round_skewed_and_follow_area_and_place():
    rows = homes()
    assert (rows["price"] % 50 == 0).all()
    assert 0.3 < (rows["price"] % 5_000 == 0).mean() < 0.8
    assert rows["price"].skew() > 1.5
    assert rows["lot"].skew() > 5
    assert rows["price"].corr(rows["living"], method="spearman") > 0.6
    by_zip = (rows["price"] / rows["living"]).groupby(rows["zip"]).median()
    assert by_zip["98039"] > 2 * by_zip["98031"]
    assert (rows["sale_date"].dt.day_of_week < 5).mean() > 0.95
