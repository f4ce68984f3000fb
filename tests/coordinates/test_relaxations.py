"""What a comparison of a rounded column says about its inputs holds wherever the comparison does, and little more."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from janus_synth.coordinates import Link, Product, Scaled, Sum
from janus_synth.coordinates.relaxations import by_source, necessary_test
from janus_synth.rules import BoundRule, judge
from janus_synth.rules.language import Linear, Term
from janus_synth.table import Column, Schema, Table
from strategies import quick, seeds

LINKS = [
    Link("t", Product("a", "b", decimals=1)),
    Link("t", Product("a", "b", -1, 2)),
    Link("t", Product("a", "b", 1, 1, 0.5)),
    Link("t", Product("a", "b")),
    Link("t", Scaled("a", "f", (0.5, 0.0, -0.25), 1), parts=("f",)),
]


@pytest.mark.parametrize("link", LINKS, ids=str)
@quick
@given(seeds)
def test_it_holds_wherever_the_comparison_does_and_only_near_it(link, seed):
    rng = np.random.default_rng(seed)
    values = {name: rng.integers(-40, 40, 300) / 4 for name in "ab"} | {"f": rng.integers(0, 3, 300).astype(float)}
    computed = link.compute(values)
    columns = tuple(Column(name, "numeric", "float64", nullable=True) for name in "ab")
    columns += (Column("f", "categorical", "str", levels=("x", "y", "z")),)
    table = Table(Schema(columns), values | {"f": values["f"].astype(np.int32)}, 300)
    for op, compare in ((">=", np.greater_equal), ("<", np.less), ("==", np.equal)):
        bound = float(np.round(rng.normal(0, 5), 1))
        test = necessary_test(link, op, bound)
        said, true = judge(BoundRule(test, test), table), compare(computed, bound)
        assert (said | ~true).all()
        near = np.abs(computed - bound) < 0.11
        assert not (said & ~true & ~near).any()


def test_nothing_is_said_of_sums_gaps_copies_and_other_values():
    assert necessary_test(Link("t", Sum((("a", 1.0),))), ">=", 1.0) is None
    assert necessary_test(Link("t", Product("a", "b"), source="s", own="o"), ">=", 1.0) is None
    assert necessary_test(LINKS[0], "!=", 1.0) is None


@pytest.mark.parametrize("within", [None, (-5.0, 6.0)], ids=["as it is", "clipped"])
@pytest.mark.parametrize("terms", [(("t", 1.0),), (("t", 2.0), ("a", -1.0)), (("b", 1.0), ("t", -0.5))], ids=str)
@quick
@given(seeds)
def test_a_comparison_by_source_holds_exactly_where_the_comparison_does(terms, within, seed):
    rng = np.random.default_rng(seed)
    link = Link("t", Sum((("a", 1.0),)), source="s", own="o", within=within)
    source = rng.integers(-1, 3, 300)
    own = np.where(rng.random(300) < 0.6, rng.integers(-20, 20, 300) / 4, np.nan)
    values = {name: rng.integers(-40, 40, 300) / 4 for name in "ab"} | {"s": source.astype(float), "o": own}
    values["a"][rng.random(300) < 0.1] = np.nan
    values["t"] = link.compute(values | {"s": np.where(source < 0, np.nan, source)})
    columns = tuple(Column(name, "numeric", "float64", nullable=True, low=-5.0, high=5.0) for name in "abo")
    columns += (Column("s", "categorical", "str", levels=("computed", "own", "null"), nullable=True),)
    table = Table(Schema(columns), {name: values[name] for name in "abo"} | {"s": source.astype(np.int32)}, 300)
    total = sum(coefficient * values[name] for name, coefficient in terms)
    at_ends = np.zeros(300, bool) if within is None else (values["a"] < within[0]) | (values["a"] > within[1])
    for op, compare in ((">=", np.greater_equal), ("<", np.less), ("==", np.equal)):
        bound = float(rng.integers(-24, 24) / 4)
        test = by_source(link, Linear(tuple(Term(*term) for term in terms)), op, bound, table.schema)
        said, true = judge(BoundRule(test, test), table), compare(total, bound)
        assert (said | ~true).all()
        assert not (said & ~true & ~at_ends).any()


def test_values_of_their_own_that_may_be_clipped_say_nothing():
    link = Link("t", Sum((("a", 1.0),)), source="s", own="o", within=(0.0, 1.0))
    for high in (2.0, None):
        schema = Schema((Column("o", "numeric", "float64", low=0.0, high=high),))
        assert by_source(link, Linear((Term("t"),)), ">", 0.5, schema) is None


def test_a_comparison_that_no_copy_can_keep_is_about_values_of_their_own():
    link = Link("t", Sum((("a", 1.0),)), source="s", own="o")
    schema = Schema((Column("o", "numeric", "float64"),))
    assert str(by_source(link, Linear((Term("t"), Term("a", -1))), ">", 1.0, schema)) == "s in [1] and o - a > 1"
