"""Candidates for links: each kind is suggested by tables that keep it, and by no table with a single exception."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth import Janus
from janus_synth.coordinates import CalendarPart, Lookup, Product, Sum
from janus_synth.coordinates.candidates import (
    candidates_from_rows,
    candidates_from_rules,
    clock_links,
    decimals_of,
    gap_link,
    make_link,
    varies_finely,
)
from janus_synth.coordinates.formulas import Band
from janus_synth.rules import as_rules, bind
from janus_synth.table import read_table

N = 400


def frame() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    casual, registered = rng.poisson(30, N), rng.poisson(90, N)
    at = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300 * 86_400, N), unit="s")
    price, quantity = rng.integers(100, 5_000, N) / 100, rng.integers(1, 9, N)
    zone = rng.choice(list("abcdef"), N)
    age = rng.integers(0, 90, N)
    return pd.DataFrame(
        {
            "casual": casual,
            "registered": registered,
            "count": casual + registered,
            "at": at,
            "end": at + pd.to_timedelta(rng.integers(60, 3_600, N), unit="s"),
            "month": at.month,
            "price": price,
            "quantity": quantity,
            "amount": np.round(price * quantity, 2),
            "zone": zone,
            "city": pd.Series(zone).map(dict(zip("abcdef", "XXYYZZ", strict=True))),
            "age": age,
            "group": pd.cut(age, [-1, 17, 64, 200], labels=["child", "adult", "senior"]).astype(str),
            "bill": np.where(rng.random(N) < 0.4, price, rng.integers(100, 5_000, N) / 100),
        }
    )


def suggested(rows: pd.DataFrame) -> dict[str, list]:
    found: dict[str, list] = {}
    for candidate in candidates_from_rows(read_table(rows)):
        found.setdefault(candidate.link.column, []).append(candidate)
    return found


def test_every_kind_of_relation_suggests_its_link():
    found = suggested(frame())

    def kinds(column: str) -> set[type]:
        return {type(candidate.link.formula) for candidate in found.get(column, [])}

    assert Sum in kinds("count")
    assert CalendarPart in kinds("month")
    assert Product in kinds("amount")
    assert Lookup in kinds("city")
    assert Band in kinds("group") or Lookup in kinds("group")
    shares = [c.share for c in found.get("bill", []) if c.link.source and c.link.formula.inputs == ("price",)]
    assert len(shares) == 1
    assert shares[0] == pytest.approx((frame()["bill"] == frame()["price"]).mean())


@pytest.mark.parametrize(
    ("column", "value"), [("count", 3), ("month", 13), ("amount", 0.01), ("city", "W"), ("group", "old")]
)
def test_one_exception_is_enough_against_a_derived_column(column, value):
    rows = frame()
    rows.loc[7, column] = value
    assert not [c for c in suggested(rows).get(column, []) if not c.link.hidden and c.link.formula.inputs != ("end",)]


def test_equations_in_rules_are_solved_for_each_column():
    table = read_table(frame())
    rules = [bind(as_rules("count == casual + registered")[0], table.schema)]
    found = candidates_from_rules(table, rules)
    assert {candidate.link.column for candidate in found} == {"count", "casual", "registered"}


def test_an_equation_that_rows_break_suggests_nothing():
    rows = frame()
    rows.loc[0, "count"] += 1
    table = read_table(rows)
    rules = [bind(as_rules("count == casual + registered")[0], table.schema)]
    assert candidates_from_rules(table, rules) == []


def test_a_gap_needs_a_start_wherever_there_is_an_end():
    rows = frame()
    assert gap_link(read_table(rows), "end", "at") is not None
    rows.loc[3, "at"] = pd.NaT
    assert gap_link(read_table(rows), "end", "at") is None
    rows.loc[3, "end"] = pd.NaT
    assert gap_link(read_table(rows), "end", "at") is not None


def test_gaps_are_worth_it_where_they_vary_less_than_their_columns():
    rng = np.random.default_rng(1)
    x = rng.normal(0, 10, N)
    table = read_table(pd.DataFrame({"x": x, "near": x + rng.random(N), "far": 50 + rng.normal(0, 10, N)}))
    assert varies_finely(table, "near", "x")
    assert not varies_finely(table, "far", "x")


def test_clocks_are_taken_apart_where_rows_cover_several_days():
    rows = frame()
    assert {link.column for link in clock_links(read_table(rows))} == {"at", "end"}
    one_day = pd.DataFrame({"at": pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(N), unit="min")})
    assert list(clock_links(read_table(one_day))) == []
    midnight = pd.DataFrame({"at": pd.date_range("2024-01-01", periods=N, freq="D")})
    assert list(clock_links(read_table(midnight))) == []


def test_decimals_are_those_of_the_values():
    rng = np.random.default_rng(2)
    table = read_table(pd.DataFrame({"cents": rng.integers(0, 999, N) / 100, "n": range(N), "x": rng.normal(size=N)}))
    assert [decimals_of(table, name) for name in ("cents", "n", "x")] == [2, 0, None]


def test_a_link_for_part_of_the_rows_needs_enough_of_them():
    rng = np.random.default_rng(3)
    a = rng.integers(0, 10**6, N)
    few = np.where(np.arange(N) < 2, a, a + 1)
    table = read_table(pd.DataFrame({"a": a, "b": few}))
    assert make_link(table, "b", Sum((("a", 1.0),), decimals=0), partly=True) is None
    assert make_link(table, "b", Sum((("a", 1.0),), 1.0, 0), partly=True).share == 1 - 2 / N


def test_sums_that_are_rounded_are_marked():
    rng = np.random.default_rng(4)
    fare = rng.integers(100, 9_999, N) / 100
    table = read_table(pd.DataFrame({"fare": fare, "tip": np.round(0.2 * fare, 2), "double": np.round(2 * fare, 2)}))
    assert make_link(table, "tip", Sum((("fare", 0.2),), decimals=2)).link.formula.rounds
    assert not make_link(table, "double", Sum((("fare", 2.0),), decimals=2)).link.formula.rounds


def test_copies_stay_in_the_domain_of_their_column():
    rng = np.random.default_rng(0)
    asked = rng.integers(0, 400, 2_000) * 100
    given = np.where((asked >= 5_000) & (rng.random(2_000) < 0.5), asked, rng.integers(50, 300, 2_000) * 100)
    frame = pd.DataFrame({"asked": asked, "given": given})
    model = Janus(random_state=0).fit(frame)
    assert [str(link) for link in model.links_] == ["given = asked in part of the rows"]
    rows = model.sample(5_000, random_state=1)
    assert rows["given"].between(given.min(), given.max()).all()
