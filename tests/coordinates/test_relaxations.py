"""What a comparison of a rounded column says about its inputs holds wherever the comparison does, and little more."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from janus_synth.coordinates import Link, Product, Scaled, Sum
from janus_synth.coordinates.relaxations import necessary_test
from janus_synth.rules import BoundRule, judge
from janus_synth.table import Column, Schema, Table
from strategies import quick, seeds

LINKS = [
    Link("t", Product("a", "b", decimals=1)),
    Link("t", Product("a", "b", -1, 2)),
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
