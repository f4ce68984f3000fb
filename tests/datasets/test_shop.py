"""Orders: what is computed from what, dtypes, lattices and shapes of the marginals."""

from decimal import ROUND_HALF_UP, Decimal
from functools import cache

import numpy as np
import pandas as pd

from janus_synth.datasets import orders
from janus_synth.datasets.shop import PRODUCTS

LARGE = 20_000
CENT = Decimal("0.01")


@cache
def lines() -> pd.DataFrame:
    return orders(LARGE, random_state=1)


def exact(column: str) -> list[Decimal]:
    """Values as decimal numbers with two digits; the floats must be the nearest ones."""
    values = [Decimal(f"{value:.2f}") for value in lines()[column]]
    assert [float(value) for value in values] == lines()[column].tolist()
    return values


def test_amounts_taxes_and_totals_are_exact_to_the_cent():
    rows = lines()
    amount, discount, net, tax, total = map(exact, ("amount", "discount", "net", "tax", "total"))
    price, percent = exact("unit_price"), exact("discount_share")
    food = (rows["category"] == "food").tolist()
    for i, quantity in enumerate(rows["quantity"].tolist()):
        assert amount[i] == quantity * price[i]
        assert discount[i] == (amount[i] * percent[i]).quantize(CENT, ROUND_HALF_UP)
        assert net[i] == amount[i] - discount[i]
        assert tax[i] == (net[i] * Decimal("0.07" if food[i] else "0.19")).quantize(CENT, ROUND_HALF_UP)
        assert total[i] == net[i] + tax[i]


def test_products_have_one_name_and_category():
    for place, column in ((1, "name"), (2, "category")):
        known = {product[0]: product[place] for product in PRODUCTS}
        assert (lines()[column] == lines()["product"].map(known)).all()


def test_nothing_is_delivered_before_it_is_shipped_or_shipped_before_it_is_ordered():
    rows = lines()
    shipped, delivered = rows["ship_date"].notna(), rows["delivered_date"].notna()
    assert (rows["ship_date"] >= rows["order_date"])[shipped].all()
    assert (rows["delivered_date"] > rows["ship_date"])[delivered].all()
    assert not (delivered & ~shipped).any()
    assert 0.03 < (~shipped).mean() < (~delivered).mean() < 0.15
    gap = (rows["ship_date"] - rows["order_date"]).dt.days[shipped]
    assert 0.25 < (gap == 0).mean() < 0.4


def test_types_of_orders():
    types = lines().dtypes.astype(str)
    assert set(types[["order_date", "ship_date", "delivered_date"]]) == {"datetime64[us]"}
    assert types["quantity"] == "int64"
    assert set(types[["unit_price", "amount", "discount_share", "discount", "net", "tax", "total"]]) == {"float64"}
    assert lines()["quantity"].skew() > 2
    assert np.isin(lines()["discount_share"], [0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5]).all()
