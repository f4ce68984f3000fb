"""Subscribers and the ledger: what is computed from what, dtypes, lattices and shapes of the marginals."""

from functools import cache

import numpy as np
import pandas as pd

from janus_synth.datasets import ledger, subscribers

LARGE = 20_000


@cache
def customers() -> pd.DataFrame:
    return subscribers(LARGE, random_state=1)


@cache
def accounts() -> pd.DataFrame:
    return ledger(LARGE, random_state=1)


def test_totals_follow_tenure_and_monthly_charge():
    rows = customers()
    assert (rows["total"].isna() == (rows["tenure"] == 0)).all()
    assert (rows["total"].isna()).sum() > 50
    first = rows[rows["tenure"] == 1]
    assert (first["total"] == first["monthly"]).all()
    later = rows[rows["tenure"] > 1]
    ratio = later["total"] / (later["tenure"] * later["monthly"])
    assert ratio.between(0.8, 1.25).all()
    assert 0.02 < ratio.std() < 0.05


def test_without_a_service_there_is_no_part_of_it():
    rows = customers()
    for name in ("security", "backup", "support", "streaming"):
        assert ((rows[name] == "No internet service") == (rows["internet"] == "No")).all()
        assert set(rows[name]) == {"Yes", "No", "No internet service"}
    assert ((rows["lines"] == "No phone service") == ~rows["phone"]).all()
    assert rows.loc[~rows["phone"], "internet"].eq("DSL").all()


def test_types_and_lattices_of_subscribers():
    rows = customers()
    types = rows.dtypes.astype(str)
    assert set(types[["senior", "partner", "phone", "churn"]]) == {"bool"}
    assert types[["tenure", "monthly", "total"]].tolist() == ["int64", "float64", "float64"]
    assert rows["tenure"].between(0, 72).all()
    for name in ("monthly", "total"):
        cents = 100 * rows[name].dropna()
        assert (cents.round() % 5 == 0).all()
        assert (cents - cents.round()).abs().max() < 1e-6


def test_long_contracts_keep_customers():
    rows = customers()
    order = ["month-to-month", "one year", "two years"]
    assert rows.groupby("contract")["tenure"].median()[order].is_monotonic_increasing
    assert rows.groupby("contract")["churn"].mean()[order].is_monotonic_decreasing
    assert 0.15 < rows["churn"].mean() < 0.35


def test_payments_are_all_a_part_or_nothing_of_the_bill_before():
    rows = accounts()
    for k in range(1, 6):
        payment, bill = rows[f"payment_{k}"], rows[f"bill_{k + 1}"]
        assert payment.between(0, bill).all()
        assert 0.13 < ((payment == bill) & (payment > 0)).mean() < 0.17
        assert 0.13 < (payment == 0).mean() < 0.17
    assert (rows["payment_6"] >= 0).all()


def test_types_and_lattices_of_the_ledger():
    rows = accounts()
    assert set(rows.dtypes.astype(str).drop(["education", "default"])) == {"int64"}
    assert (rows["limit"] % 10_000 == 0).all()
    assert rows["limit"].between(10_000, 1_000_000).all()
    assert not rows.isna().any(axis=None)


def test_bills_are_skewed_and_those_of_neighbouring_months_alike():
    rows = accounts()
    assert rows["bill_1"].skew() > 2
    assert rows["bill_1"].corr(rows["bill_2"]) > 0.85
    assert np.all([(rows[f"bill_{k}"] <= 1.05 * rows["limit"]).all() for k in range(1, 7)])
    unpaid = (rows["payment_1"] == 0) & (rows["bill_2"] > 0)
    assert rows.loc[unpaid, "default"].mean() > 1.5 * rows.loc[~unpaid, "default"].mean()
