"""A number of rows in, a pandas table of a shop's order lines out, drawn from a known structural model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from janus_synth.arrays import LongInts
from janus_synth.datasets.columns import (
    Dates,
    Rule,
    amounts,
    days_after,
    generator,
    pick,
    share_of,
    text,
    to_lattice,
    without,
)

if TYPE_CHECKING:
    import pandas as pd

FIRST_ORDER = np.datetime64("2024-01-01")
N_ORDER_DAYS = 366
LAST_ORDER_DAY = 365
PRODUCTS = (  # code, name, category, share, price in cents
    ("B-100", "notebook", "paper", 14, 349),
    ("B-110", "sketchbook", "paper", 6, 899),
    ("B-120", "printer paper", "paper", 12, 579),
    ("B-130", "calendar", "paper", 3, 1_295),
    ("P-200", "ballpoint pen", "pens", 15, 129),
    ("P-210", "fountain pen", "pens", 3, 3_490),
    ("P-220", "marker set", "pens", 7, 1_149),
    ("D-300", "desk lamp", "furniture", 4, 4_599),
    ("D-310", "office chair", "furniture", 2.5, 18_900),
    ("D-320", "standing desk", "furniture", 1, 42_900),
    ("E-400", "usb cable", "electronics", 9, 799),
    ("E-410", "keyboard", "electronics", 5, 5_999),
    ("E-420", "monitor", "electronics", 2.5, 22_900),
    ("F-500", "coffee", "food", 9, 1_249),
    ("F-510", "tea", "food", 5, 465),
    ("F-520", "chocolate", "food", 2, 289),
)
FOOD_FROM = 13
DISCOUNTS = np.array([0, 5, 10, 15, 20, 30, 50])  # percent

ORDERS_RULES: tuple[Rule, ...] = (
    Rule("amount - discount == net", 1.0),
    Rule("net + tax == total", 1.0),
    Rule("fixed_combinations(product, name, category)", 1.0),
    Rule("ship_date is null or ship_date >= order_date", 1.0),
    Rule("delivered_date is null or delivered_date > ship_date", 1.0),
    Rule("discount_share == 0", 0.62),
    Rule("quantity == 1", 0.29),
)
"""Rules of the orders table, each with the share of rows that satisfy it."""


def orders(n: int = 10_000, *, random_state: int | np.random.Generator = 0) -> pd.DataFrame:
    """Draw order lines of a fictitious stationer in 2024, as of the end of that year.

    Prices of a product change over the year; large quantities get discounts.

    What is computed from what:

    - ``amount`` is ``quantity`` times ``unit_price``, to the cent
    - ``discount`` is ``discount_share`` of ``amount``, rounded half up to the cent
    - ``amount - discount == net``
    - ``tax`` is 7 % of ``net`` for food and 19 % for all else, rounded half up to the cent
    - ``net + tax == total``
    - ``fixed_combinations(product, name, category)``
    - ``ship_date is null or ship_date >= order_date``
    - ``delivered_date is null or delivered_date > ship_date``: nothing is delivered that was not shipped

    Parameters
    ----------
    n : int
        Number of rows.
    random_state : int or numpy.random.Generator
        The same seed gives the same table.

    Returns
    -------
    pandas.DataFrame
        ``order_date``, ``product``, ``name``, ``category``, ``quantity``, ``unit_price``, ``amount``,
        ``discount_share``, ``discount``, ``net``, ``tax``, ``total``, ``ship_date`` and ``delivered_date``.

    Examples
    --------
    >>> rows = orders(1_000)
    >>> bool(rows.loc[rows["ship_date"].isna(), "delivered_date"].isna().all())
    True
    """
    import pandas as pd

    rng = generator(n, random_state)
    codes, names, categories, weights, prices = (list(part) for part in zip(*PRODUCTS, strict=True))
    product = pick(rng, weights, n)
    day = np.floor(N_ORDER_DAYS * rng.beta(1.25, 1.0, n)).astype(np.int64)
    price = _prices(rng, np.array(prices)[product], day)
    quantity = _quantities(rng, price)
    percent = DISCOUNTS[_discount_places(rng, quantity)]
    amount = quantity * price
    discount = share_of(amount, percent)
    tax = share_of(amount - discount, np.where(product >= FOOD_FROM, 7, 19))
    shipped, delivered = _shipments(rng, day, product)
    return pd.DataFrame(
        {
            "order_date": days_after(FIRST_ORDER, day),
            "product": text(codes, product),
            "name": text(names, product),
            "category": text(categories, product),
            "quantity": quantity,
            "unit_price": amounts(price),
            "amount": amounts(amount),
            "discount_share": percent / 100,
            "discount": amounts(discount),
            "net": amounts(amount - discount),
            "tax": amounts(tax),
            "total": amounts(amount - discount + tax),
            "ship_date": shipped,
            "delivered_date": delivered,
        }
    )


def _prices(rng: np.random.Generator, listed: LongInts, day: LongInts) -> LongInts:
    """Cents: the list price, after July 5 % more; one in six lines has a price of its own that ends in 5 or 9."""
    current = np.where(day >= 182, share_of(listed, 105), listed)
    special = to_lattice(current * np.exp(0.12 * rng.standard_normal(len(day))), 10) - np.where(
        rng.random(len(day)) < 0.5, 5, 1
    )
    return np.where(rng.random(len(day)) < 1 / 6, np.maximum(special, 49), current)


def _quantities(rng: np.random.Generator, price: LongInts) -> LongInts:
    """Many of what is cheap; half of the large orders are in tens."""
    mean = 5.5 * (price / 500) ** -0.45
    quantity = rng.negative_binomial(0.6, 0.6 / (0.6 + mean)) + 1
    in_tens = (quantity > 10) & (rng.random(len(price)) < 0.5)
    return np.where(in_tens, to_lattice(quantity.astype(float), 10), quantity).astype(np.int64)


def _discount_places(rng: np.random.Generator, quantity: LongInts) -> LongInts:
    """Places in `DISCOUNTS`: from ten pieces on most lines have a discount."""
    few, many = np.array([71, 12, 9, 2, 4, 1.5, 0.5]), np.array([22, 12, 34, 14, 12, 5, 1])
    return pick(rng, np.where(quantity[:, None] >= 10, many, few), len(quantity))


def _shipments(rng: np.random.Generator, day: LongInts, product: LongInts) -> tuple[Dates, Dates]:
    """Days of shipping, a third on the day of the order, and of delivery; null if later than the last day or lost."""
    wait = np.where(rng.random(len(day)) < 0.33, 0, rng.negative_binomial(1.5, 0.35, len(day)) + 1)
    shipped = day + wait + np.where((product >= 7) & (product <= 9), rng.poisson(4.0, len(day)), 0)  # furniture
    delivered = shipped + 1 + rng.negative_binomial(2.0, 0.5, len(day))
    open_order = (shipped > LAST_ORDER_DAY) | (rng.random(len(day)) < 0.05)
    under_way = open_order | (delivered > LAST_ORDER_DAY) | (rng.random(len(day)) < 0.02)
    dates = [days_after(FIRST_ORDER, shipped), days_after(FIRST_ORDER, delivered)]
    return without(dates[0], null=open_order), without(dates[1], null=under_way)
