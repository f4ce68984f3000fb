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
from janus_synth.coordinates.choose import choose_links
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


def test_an_equation_that_rows_break_suggests_links_for_the_others():
    rows = frame()
    rows.loc[0, "count"] += 1
    table = read_table(rows)
    rules = [bind(as_rules("count == casual + registered")[0], table.schema)]
    found = candidates_from_rules(table, rules)
    assert [candidate.link.column for candidate in found] == ["count", "casual", "registered"]
    assert {(candidate.share, candidate.link.source is not None) for candidate in found} == {(1 - 1 / N, True)}
    rows["count"] += rows.index + 1
    assert candidates_from_rules(read_table(rows), rules) == []


def test_a_gap_ends_on_the_lattice_of_its_column():
    rng = np.random.default_rng(5)
    cents = rng.integers(0, 10**6, N) / 100
    table = read_table(pd.DataFrame({"paid": cents, "asked": np.ceil(cents + rng.uniform(0, 99, N)).astype(int)}))
    assert gap_link(table, "asked", (("paid", 1.0),)) is None  # cents plus a gap would be rounded to below the start
    assert gap_link(table, "paid", (("asked", 1.0),)) is not None


def test_a_gap_needs_a_start_wherever_there_is_an_end():
    rows = frame()
    assert gap_link(read_table(rows), "end", (("at", 1.0),)) is not None
    rows.loc[3, "at"] = pd.NaT
    assert gap_link(read_table(rows), "end", (("at", 1.0),)) is None
    rows.loc[3, "end"] = pd.NaT
    assert gap_link(read_table(rows), "end", (("at", 1.0),)) is not None


def test_gaps_are_worth_it_where_they_vary_less_than_their_columns():
    rng = np.random.default_rng(1)
    x = rng.normal(0, 10, N)
    table = read_table(pd.DataFrame({"x": x, "near": x + rng.random(N), "far": 50 + rng.normal(0, 10, N)}))
    assert varies_finely(table, "near", (("x", 1.0),))
    assert not varies_finely(table, "far", (("x", 1.0),))


def test_a_column_that_is_never_below_a_sum_is_that_sum_and_a_gap():
    rng = np.random.default_rng(2)
    before, spent = rng.integers(0, 9_000, N), rng.integers(0, 40, N)
    paid = np.minimum(before, rng.integers(0, 900, N))
    table = read_table(pd.DataFrame({"before": before, "paid": paid, "bill": before - paid + spent}))
    (rule,) = (bind(text, table.schema) for text in ["bill >= before - paid"])
    links = [str(candidate.link) for candidate in candidates_from_rules(table, [rule])]
    assert "bill = before - paid + a learnt gap" in links
    assert [link.gap for link in choose_links(table, [rule], find=False)] == ["bill - (before - paid)"]
    positive = bind("bill + paid >= 0", table.schema)
    assert candidates_from_rules(table, [positive]) == []


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


def test_a_tip_that_is_a_share_of_all_else_in_the_total():
    """The total is six times the tip in most rows: a copy would displace the sum, a share of the rest does not."""
    rng = np.random.default_rng(1)
    n = 2_000
    fare, tolls = 50 * rng.integers(60, 900, n), np.where(rng.random(n) < 0.1, 655, 0)
    tip = np.where(rng.random(n) < 0.6, (fare + tolls + 250) // 5, rng.integers(0, 999, n))
    cents = {"fare": fare, "tolls": tolls, "tip": tip, "total": fare + tolls + tip + 250}
    trips = pd.DataFrame(cents) / 100
    model = Janus(random_state=0).fit(trips)
    assert [str(link) for link in model.links_] == [
        "tip = 0.2 * (fare + tolls + 2.5) in part of the rows",
        "total = fare + tolls + tip + 2.5",
    ]
    rows = (100 * model.sample(5_000, random_state=1)).round()
    rest = rows["fare"] + rows["tolls"] + 250
    assert (rows["total"] == rest + rows["tip"]).all()
    margin = 5 * np.sqrt(0.6 * 0.4 * (1 / 5_000 + 1 / n))  # false alarm 1e-6
    assert (5 * rows["tip"] == rest).mean() == pytest.approx(0.6, abs=margin)


def test_local_hours_and_days_of_timestamps_in_utc():
    rng = np.random.default_rng(2)
    at = pd.Timestamp("2024-01-01", tz="UTC") + pd.to_timedelta(rng.integers(0, 366 * 24, 3_000), unit="h")
    local = at.tz_convert("America/New_York")
    frame = pd.DataFrame({"month": local.month, "day": local.day, "hour": local.hour, "at": at})
    rows = Janus(random_state=0, n_trees=2).fit(frame).sample(2_000, random_state=1)
    again = rows["at"].dt.tz_convert("America/New_York").dt
    assert (rows["month"] == again.month).all()
    assert (rows["day"] == again.day).all()
    assert (rows["hour"] == again.hour).all()


def rides(n: int = 2_000, seed: int = 0) -> pd.DataFrame:
    """A tariff by zone and hour, a fee of 2 %, 5 % or nothing of the price; some cells are missing."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"zone": rng.choice(list("abcd"), n), "hour": rng.integers(0, 12, n).astype(float)})
    frame["hour"] = frame["hour"].mask(rng.random(n) < 0.05)
    tariffs = np.random.default_rng(9).integers(0, 4, (4, 12)) * 2.5
    zone, hour = frame["zone"].map("abcd".index).to_numpy(), frame["hour"].fillna(0).astype(int).to_numpy()
    frame["tariff"] = pd.Series(tariffs[zone, hour]).mask(frame["hour"].isna())
    frame["price"] = rng.lognormal(4, 1, n).round(2)
    frame["fee"] = (np.floor(100 * frame["price"] * rng.choice([0, 0.02, 0.05], n) + 0.5) / 100).round(2)
    return frame


def test_a_tariff_by_two_keys_and_a_fee_of_few_rates_are_found_and_kept():
    frame = rides()
    model = Janus(n_trees=3, random_state=0, n_jobs=1).fit(frame)
    assert {str(link) for link in model.links_} == {
        "tariff = looked up by zone and hour",
        "fee = 0, 0.02 or 0.05 times price",
    }
    rows = model.sample(5_000, random_state=1)
    known = frame.dropna().groupby(["zone", "hour"])["tariff"].first()
    drawn = rows.dropna()
    assert (known.reindex(pd.MultiIndex.from_frame(drawn[["zone", "hour"]])).to_numpy() == drawn["tariff"]).all()
    assert (rows["tariff"].isna() == rows["hour"].isna()).all()
    rates = np.array([0, 0.02, 0.05])
    away = np.abs(rows["fee"].to_numpy()[:, None] - rows["price"].to_numpy()[:, None] * rates).min(axis=1)
    assert away.max() < 0.005 + 1e-9
    # Shares of the rates, told apart where the price is not small: 5 standard errors of a difference are 0.06.
    large = rows["price"] > 10
    share = (rows["fee"] / rows["price"]).round(2)[large].value_counts(normalize=True)
    assert np.abs(share.reindex(rates) - 1 / 3).max() < 0.06


def test_one_exception_leaves_neither_link():
    frame = rides()
    frame.loc[3, "tariff"] = 99.0
    frame.loc[5, "fee"] += 0.5
    assert Janus(n_trees=1, random_state=0, n_jobs=1).fit(frame).links_ == ()


@pytest.mark.statistical
def test_no_link_is_found_in_tables_without_any():
    """Correlated categories and coarse numbers; two of 150 tables would be a rate above the 1 % that may be."""
    alarms = []
    for seed in range(150):
        rng = np.random.default_rng(seed)
        n = int(rng.choice([60, 200, 1_000]))
        common = rng.integers(0, 4, n)
        noisy = np.where(rng.random((3, n)) < rng.uniform(0.5, 0.95), common, rng.integers(0, 4, (3, n)))
        frame = pd.DataFrame({f"c{i}": np.array(list("wxyz"))[row] for i, row in enumerate(noisy)})
        frame["amount"] = rng.lognormal(3, 1, n).round(int(rng.integers(0, 3)))
        frame["part"] = (frame["amount"] * rng.beta(5, 5, n)).round(1)
        frame["count"] = rng.poisson(2 + common)
        if candidates_from_rows(read_table(frame)):
            alarms.append(seed)
    assert len(alarms) <= 1, alarms
