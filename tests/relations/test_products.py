from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth.relations import Product, Ratio
from relations.agreement import complete, found, with_nulls


@pytest.fixture
def random():
    return np.random.default_rng(10)


@pytest.fixture
def orders(random):
    frame = pd.DataFrame({"price": random.lognormal(3, 1, 800).round(2), "quantity": random.integers(1, 30, 800)})
    frame["weight"] = random.normal(20, 3, 800).round(1)
    return frame


def test_an_amount_despite_nulls(orders, random):
    orders["amount"] = (orders.price * orders.quantity).round(2)
    orders = with_nulls(orders, ["amount", "price"], 0.1, random)
    (relation,) = found(orders)
    assert relation.detail == Product("amount", ("price", "quantity"), 2)
    assert str(relation) == "amount == price * quantity"
    assert relation.rule == ""
    rows = complete(orders, "amount", "price", "quantity")
    assert relation.support == len(rows)
    assert (rows.amount - rows.price * rows.quantity).abs().max() < 0.005


def test_a_product_that_is_rounded_and_one_that_is_not(orders):
    orders["load"] = (orders.weight * orders.quantity).round(0)
    orders["cost"] = orders.price * orders.weight * np.pi
    orders["rate"] = orders.cost / orders.weight
    texts = {str(relation) for relation in found(orders)}
    assert "load == quantity * weight, rounded to 0 decimals" in texts
    assert "cost == weight * rate" in texts


@pytest.mark.parametrize("factor", [1.0, 100.0])
def test_ratios_and_percentages(random, factor):
    frame = pd.DataFrame({"part": random.integers(0, 500, 600), "whole": random.integers(500, 900, 600)})
    frame.loc[:5, "whole"] = 0
    frame["share"] = (factor * frame.part / frame.whole.where(frame.whole > 0)).round(3)
    (relation,) = found(frame, "ratio")
    assert relation.detail == Ratio("share", "part", "whole", 3, factor)
    assert relation.support == 594


def test_single_precision(random):
    frame = pd.DataFrame(random.normal(size=(400, 2)), columns=["a", "b"]).astype("float32")
    frame["c"] = frame.a * frame.b
    assert [relation.detail for relation in found(frame)] == [Product("c", ("a", "b"), None)]


def test_one_broken_row_is_enough_to_reject(random):
    frame = pd.DataFrame(random.integers(1, 99, (20_000, 2)), columns=["a", "b"])
    frame["c"] = frame.a * frame.b
    frame.loc[11, "c"] += 1
    assert found(frame, "product", max_rows=500) == []


def test_zeros_are_no_products():
    for seed in range(30):
        random = np.random.default_rng(seed)
        cells = random.integers(0, 4, (100, 4)) * (random.random((100, 4)) < 0.05)
        assert found(pd.DataFrame(cells, columns=list("abcd")), "product") == []
