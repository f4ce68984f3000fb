"""Rules that people asked for in public issue trackers: where, the rule, and an oracle in pandas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd


class Asked(NamedTuple):
    """A rule that was asked for."""

    where: tuple[str, ...]
    """Repository and number of the issue or pull request."""
    rule: str
    holds: Callable[[pd.DataFrame], Any]
    """Where it holds, by pandas alone."""
    learnt: bool = False
    """Whether it learns from training rows, and so belongs to a model."""


def visits(n: int = 300) -> pd.DataFrame:
    """A table with the columns of all rules."""
    rng = np.random.default_rng(0)
    day = pd.Timestamp("2015-01-01")
    check_in = day + pd.to_timedelta(rng.integers(0, 1500, n), unit="D")
    due = day + pd.to_timedelta(rng.integers(0, 300, n), unit="D")
    birth = pd.Timestamp("1930-01-01") + pd.to_timedelta(rng.integers(0, 9000, n), unit="D")
    company = rng.choice(["north", "south"], n)
    is_open = rng.random(n) < 0.4
    flag, few = rng.random(n) < 0.5, rng.random(n) < 0.1
    first = rng.random(n) < 0.5
    price, quantity = np.round(rng.gamma(4, 3, n) + 1, 2), rng.integers(1, 9, n)
    started = day + pd.to_timedelta(rng.integers(0, 900, n), unit="D")
    paid = pd.Series(started + pd.to_timedelta(rng.integers(1, 500, n), unit="D"))
    frame = pd.DataFrame(
        {
            "balance": np.round(rng.normal(50, 60, n), 1),
            "weight": rng.integers(20, 300, n),
            "a": rng.integers(0, 501, n),
            "b": rng.integers(0, 401, n),
            "years_employed": rng.integers(0, 40, n),
            "age": rng.integers(18, 90, n),
            "child_age": rng.integers(0, 50, n),
            "check_in": check_in,
            "check_out": check_in + pd.to_timedelta(rng.integers(0, 30, n), unit="D"),
            "minutes": rng.integers(0, 60, n),
            "hours": rng.integers(0, 5, n),
            "total": rng.integers(0, 360, n),
            "sex_1": first.astype(int),
            "sex_2": (first != (rng.random(n) < 0.1)).astype(int),
            "company": company,
            "dept": [str(rng.choice(["A", "B"] if one == "north" else ["X", "Y"])) for one in company],
            "duration": rng.integers(1, 200, n),
            "status": np.where(is_open, "open", "closed"),
            "closed_on": pd.Series(check_in).mask(is_open | (rng.random(n) < 0.1)),
            "loan_started": started,
            "paid_off": paid.mask(rng.random(n) < 0.3),
            "low": rng.integers(0, 20, n),
            "mid": rng.integers(0, 20, n),
            "high": rng.integers(0, 20, n),
            "model": rng.choice(["Nike", "Reebok", "Puma"], n),
            "size": rng.choice(np.arange(5, 13, 0.5), n),
            "room_type": pd.Series(rng.choice(["basic", "suite"], n)).mask(rng.random(n) < 0.2),
            "submitted": due + pd.to_timedelta(rng.integers(-400, 72, n), unit="h"),
            "due": due,
            "birth": birth,
            "death": birth + pd.to_timedelta(rng.integers(7000, 30_000, n), unit="D"),
            "flag": flag,
            "code": np.where(flag != few, rng.choice(["1", "2", "3"], n), rng.choice(["A", "B", "C"], n)),
            "unit_price": pd.Series(price).mask(rng.random(n) < 0.1),
            "quantity": quantity,
            "cost": np.round(price * quantity * rng.choice([1.0, 1.0, 1.1], n), 2),
            "article": rng.choice(["A001", "A002", "B001", "x-7", "A12"], n),
        }
    )
    return frame


def _is_product(df: pd.DataFrame) -> Any:
    exact = (df["cost"] - df["unit_price"] * df["quantity"]).abs() <= 0.005 + 1e-9
    return df["unit_price"].isna() | exact


def _days(df: pd.DataFrame, later: str, earlier: str) -> pd.Series:
    return (df[later] - df[earlier]).dt.total_seconds() / 86_400


ASKED = (
    Asked(("sdv-dev/SDV#365",), "balance > 0", lambda df: df["balance"] > 0),
    Asked(("sdv-dev/SDV#1843", "probcomp/bayeslite#234"), "50 <= weight <= 200",
          lambda df: df["weight"].between(50, 200)),
    Asked(("sdv-dev/SDV#504",), "'1940-01-01' <= birth <= '1950-12-31'",
          lambda df: df["birth"].between("1940-01-01", "1950-12-31")),
    Asked(("bnowok/synthpop#28",), "a > b and b > 0", lambda df: (df["a"] > df["b"]) & (df["b"] > 0)),
    Asked(("mostly-ai/mostlyai#594",), "check_out > check_in and age >= years_employed",
          lambda df: (df["check_out"] > df["check_in"]) & (df["age"] >= df["years_employed"])),
    Asked(("sdv-dev/SDV#553",), "age >= child_age + 18 and days(3) <= check_out - check_in <= days(14)",
          lambda df: (df["age"] >= df["child_age"] + 18) & _days(df, "check_out", "check_in").between(3, 14)),
    Asked(("sdv-dev/SDV#2275",), "submitted < due + days(1)", lambda df: _days(df, "submitted", "due") < 1),
    Asked(("sdv-dev/SDV#1393",), "low <= mid <= high",
          lambda df: (df["low"] <= df["mid"]) & (df["mid"] <= df["high"])),
    Asked(("sdv-dev/CTGAN#229",), "800 <= a + b <= 900", lambda df: (df["a"] + df["b"]).between(800, 900)),
    Asked(("sdv-dev/CTGAN#45",), "minutes + 60 * hours == total",
          lambda df: df["minutes"] + 60 * df["hours"] == df["total"]),
    Asked(("FinOps-Open-Cost-and-Usage-Spec/FOCUS_Spec#1245",),
          "implies(unit_price is not null, cost == round(unit_price * quantity, 2))", _is_product),
    Asked(("sdv-dev/SDV#2318",),
          "death > birth and days(365.25 * age) <= death - birth <= days(365.25 * age + 366)",
          lambda df: (_days(df, "death", "birth") - 365.25 * df["age"]).between(0, 366)),
    Asked(("frictionlessdata/frictionless-py#1521",),
          "implies(flag, code in ['1', '2', '3']) and implies(not flag, code in ['A', 'B', 'C'])",
          lambda df: df["code"].isin(["1", "2", "3"]) == df["flag"]),
    Asked(("sdv-dev/SDV#436",), "iff(status == 'open', closed_on is null)",
          lambda df: (df["status"] == "open") == df["closed_on"].isna()),
    Asked(("sdv-dev/SDV#551",), "paid_off is null or paid_off > loan_started",
          lambda df: df["paid_off"].isna() | (df["paid_off"] > df["loan_started"])),
    Asked(("sdv-dev/SDV#695",), "room_type is null", lambda df: df["room_type"].isna()),
    Asked(("sdv-dev/SDV#303", "sdv-dev/SDV#416"), "one_hot(sex_1, sex_2)", lambda df: df["sex_1"] + df["sex_2"] == 1),
    Asked(("mostly-ai/mostlyai#532",), "increments(duration, 10)", lambda df: df["duration"] % 10 == 0),
    Asked(("NCPP/ocgis#366",), "month(check_in) == 6 and 15 <= day(check_in) <= 16",
          lambda df: (df["check_in"].dt.month == 6) & df["check_in"].dt.day.isin([15, 16])),
    Asked(("agavi/agavi#383",), "weekday(check_in) == 1", lambda df: df["check_in"].dt.day_of_week == 1),
    Asked(("metadatacenter/cedar-project#1176", "dathere/qsv#168"), "article matches 'A[0-9]{3}'",
          lambda df: df["article"].str.fullmatch("A[0-9]{3}")),
    Asked(("sdv-dev/CTGAN#61", "bnowok/synthpop#22", "mostly-ai/mostlyai#594"), "fixed_combinations(company, dept)",
          lambda df: df["dept"].isin(["A", "B"]) == (df["company"] == "north"), learnt=True),
    Asked(("sdv-dev/SDV#532", "sdv-dev/SDV#613"), "unique(model, size)",
          lambda df: ~df.duplicated(["model", "size"], keep=False)),
)  # fmt: skip
