"""Ranges of computed columns: against all corners of the inputs' domains, and ends that timestamps are clipped to."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from janus_synth import Janus
from janus_synth.coordinates import CalendarPart, Link, Lookup, PairLookup, Product, Scaled, Sum
from janus_synth.coordinates.formulas import Band
from janus_synth.coordinates.ranges import reachable_ends, with_reachable_domains, with_reachable_ends
from janus_synth.encoding import Codec
from janus_synth.encoding.ordered import fit_ordered
from janus_synth.table import Column, Schema
from strategies import quick, seeds

HOUR, DAY = 3.6e9, 8.64e10


def number(name: str, low: float | None, high: float | None) -> Column:
    return Column(name, "numeric", "float64", low=low, high=high)


@quick
@given(seeds)
def test_ends_are_those_of_a_dense_grid_of_inputs(seed):
    rng = np.random.default_rng(seed)
    domains = {name: np.sort(rng.integers(-6, 7, 2)).astype(float) for name in "ab"}
    columns = {name: number(name, *ends) for name, ends in domains.items()} | {"t": number("t", None, None)}
    formulas = [Sum((("a", 2.0), ("b", -1.0)), 1.0, 0), Product("a", "b", int(rng.integers(1, 3)), 0)]
    formulas.append(Product("a", "b", 1, 0, -2.5))
    if domains["b"][0] > 0:
        formulas.append(Product("a", "b", -1))
    points = [np.union1d(np.linspace(*ends, 13), np.clip(0.0, *ends)) for ends in domains.values()]  # squares turn at 0
    grid = list(itertools.product(*points))
    values = dict(zip("ab", np.array(grid).T, strict=True))
    for formula in formulas:
        found = formula.evaluate(values)
        low, high = reachable_ends(Link("t", formula), columns)
        assert low <= found.min()
        assert high >= found.max()
        if isinstance(formula, Sum) or 0 not in formula.evaluate(values):
            assert (low, high) == pytest.approx((found.min(), found.max()))


@pytest.mark.parametrize(
    ("formula", "ends"),
    [
        (Scaled("a", "f", (0.5, -1.0)), (-4.0, 2.0)),
        (Lookup("a", (1.0, 2.0), (7.0, None), 9.0), (7.0, 9.0)),
        (PairLookup(("a", "b"), ((1.0,), (1.0, 2.0)), (5.0, 3.0)), (3.0, 5.0)),
        (Band("a", (2.0,), (8.0, 6.0)), (6.0, 8.0)),
        (CalendarPart("at", "month"), (1.0, 12.0)),
        (CalendarPart("at", "year"), (1970.0, 1971.0)),
        (CalendarPart("at", "weekday", None, (0.0, 6.0), (1.0, 7.0)), (1.0, 7.0)),
        (Product("a", "zero", -1), None),
        (Sum((("a", 1.0), ("open", 1.0))), None),
    ],
    ids=str,
)
def test_ends_of_each_kind_of_formula(formula, ends):
    columns = {"a": number("a", 0.0, 4.0), "b": number("b", 1.0, 2.0), "zero": number("zero", -1.0, 1.0)}
    columns |= {"open": number("open", None, None), "t": number("t", None, None)}
    columns["at"] = Column("at", "datetime", "datetime64[us]", low=0.0, high=400 * DAY)
    parts = ("f",) if isinstance(formula, Scaled) else ()
    assert reachable_ends(Link("t", formula, parts=parts), columns) == ends


def test_domains_follow_through_chains_of_links_and_differences_stay_positive():
    columns = [number(name, 0.0, 10.0) for name in ("total", "a", "b", "rest")]
    links = [Link("total", Sum((("a", 1.0), ("b", 1.0)))), Link("rest", Sum((("total", 1.0), ("a", -1.0))))]
    schema = with_reachable_domains(Schema(tuple(columns)), links)
    assert (schema["total"].low, schema["total"].high) == (0.0, 20.0)
    assert (schema["rest"].low, schema["rest"].high) == (0.0, 20.0)
    assert schema["a"] == columns[1]


def codecs(days: list[int], hours: list[float]) -> Codec:
    fit = {"n_bins": 50, "within": "smooth"}
    return Codec(
        {
            "date": fit_ordered(np.array(days * 5) * DAY, **fit),
            "time": fit_ordered(np.array(hours * 5) * HOUR, **fit),
        }
    )


@pytest.mark.parametrize(
    ("days", "hours", "within", "expected"),
    [
        ([0, 1, 2, 3], [9, 12, 17], (23 * HOUR, 3 * DAY + HOUR), (DAY + 9 * HOUR, 2 * DAY + 17 * HOUR)),
        ([0, 1, 2, 3], [9, 12, 17], (HOUR, 3 * DAY + 23 * HOUR), (9 * HOUR, 3 * DAY + 17 * HOUR)),
        ([1, 2, 5], [9, 12, 17], (10 * HOUR, 6 * DAY), (DAY + 9 * HOUR, 5 * DAY + 17 * HOUR)),
        ([0, 1], [9, 12, 17], (0.0, 2 * DAY - 1), (9 * HOUR, DAY + 17 * HOUR)),
    ],
)
def test_timestamps_are_clipped_to_dates_and_times_that_can_be_drawn(days, hours, within, expected):
    link = Link("at", Sum((("date", 1.0), ("time", 1.0)), decimals=0), parts=("date", "time"), within=within)
    found = with_reachable_ends(link, codecs(days, hours)).within
    assert found == expected
    codec = codecs(days, hours)
    for end in found:
        for name, value in (("date", end - end % DAY), ("time", end % DAY)):
            cells = np.array([value])
            column = codec.columns[name]
            assert np.isfinite(column.log_density(cells, column.encode(cells))[0])


def test_ends_stay_where_nothing_lies_between_them():
    link = Link("at", Sum((("date", 1.0), ("time", 1.0)), decimals=0), parts=("date", "time"), within=(HOUR, 2 * HOUR))
    assert with_reachable_ends(link, codecs([0, 1], [9, 12])).within == (HOUR, 2 * HOUR)


def invoices(n: int = 1_200) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.gamma(1.2, 50, n).round(), "b": rng.gamma(1.2, 50, n).round()})
    frame["total"] = frame["a"] + frame["b"]
    frame["price"], frame["quantity"] = rng.lognormal(2, 0.5, n).round(2), rng.integers(1, 20, n)
    frame["amount"] = (frame["price"] * frame["quantity"]).round(2)
    frame["start"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 86_400 * 60, n), unit="s")
    frame["end"] = frame["start"] + pd.to_timedelta(rng.exponential(900, n).round(), unit="s")
    return frame


@pytest.fixture(scope="module")
def model() -> Janus:
    return Janus(n_trees=3, random_state=0, n_jobs=1).fit(invoices())


@pytest.mark.parametrize("name", ["total", "amount", "end"])
def test_what_is_drawn_beyond_the_training_rows_is_possible_everywhere(model, name):
    rows, trained = model.sample(40_000, random_state=1), invoices()
    top = rows[name].max()
    assert name == "end" or top > trained[name].max()
    where = f"{name} >= {repr(str(top)) if name == 'end' else top}"
    assert model.check(where)
    assert model.probability(where).value > 0
    found = model.sample(20, where=where, random_state=2)
    assert (found[name] >= top).all()
    assert np.isfinite(model.log_prob(rows)).all()
    assert np.isfinite(model.log_prob(found)).all()


def test_nothing_is_possible_beyond_what_inputs_reach(model):
    schema = model.schema_
    most = schema["a"].high + schema["b"].high
    assert schema["total"].high == most
    assert model.check(f"total == {most}")
    assert not model.check(f"total > {most}")
    assert not model.check(f"amount > {schema['price'].high * schema['quantity'].high + 0.01}")


@pytest.mark.parametrize("name", ["total", "amount"])
def test_declared_ends_of_computed_columns_hold(name):
    model = Janus(schema={name: {"high": 300}}, n_trees=2, random_state=0, n_jobs=1)
    frame = invoices()
    rows = model.fit(frame[frame[name] <= 300]).sample(5_000, random_state=0)
    assert rows[name].max() <= 300
    assert rows[name].max() > 250
