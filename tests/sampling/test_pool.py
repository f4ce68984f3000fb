"""The pool: shares of strata are those of the enumerated model, rare ones included."""

from __future__ import annotations

import numpy as np
import pytest

from janus_synth import holds
from janus_synth.errors import InfeasibleError
from janus_synth.rules import as_rules
from janus_synth.sampling import plan_for
from janus_synth.sampling.pool import draw_pool, drop_impossible
from janus_synth.sampling.shares import read_axes
from janus_synth.sampling.strata import Sources, Strata
from sampling.small_models import every_row, small_model


def new_sources(where=None):
    model = small_model("dense").model_
    return Sources(model, as_rules(where), lambda rules, **options: plan_for(model, rules, **options), seed=7, n_jobs=1)


@pytest.mark.statistical
@pytest.mark.parametrize("where", [None, "b >= 1"])
def test_shares_of_strata_are_those_of_the_enumerated_model(where):
    """A rare category has 2,048 rows of its own: its strata err by less than a fifth plus five standard errors."""
    rare = "a == 3 and f <= 3"
    strata = Strata(read_axes({rare: 0.4, "c": {"x": 0.5}}, None, small_model("dense").model_))
    pool, tables = draw_pool(strata, new_sources(where), 100, with_means=False)
    rows, p = every_row("dense")
    p = p * holds(where, rows, small_model("dense").schema_) if where else p
    p = p / p.sum()
    is_rare, is_x = holds(rare, rows, small_model("dense").schema_), (rows["c"] == "x").to_numpy()
    assert len(tables) == 2
    for stratum, share in zip(pool.strata, pool.shares, strict=True):
        at = (is_rare == (stratum < 2)) & (is_x == (stratum % 2 == 0))
        truth, n = p[at].sum(), (2_048 * p[at].sum() / p[is_rare].sum() if stratum < 2 else 4_096 * p[at].sum())
        assert abs(share / truth - 1) < 0.2 + 5 / np.sqrt(n)
    np.testing.assert_array_equal(strata.of_rows(pool.table), pool.of_row)


def test_a_rare_category_that_no_row_can_have_is_named():
    strata = Strata(read_axes({"a": {3: 0.4}, "c": {"x": 0.5}}, None, small_model("dense").model_))
    with pytest.raises(InfeasibleError, match="a share of 0.4 of the rows should have 'a == 3', but no row can"):
        draw_pool(strata, new_sources("a < 2"), 100, with_means=False)


def test_balanced_axes_lose_levels_that_the_conditions_exclude():
    model = small_model("dense").model_
    (balanced,), (given,) = read_axes(None, "c", model), read_axes({"c": {"x": 0.5, "y": 0.5}}, None, model)
    kept = drop_impossible(balanced, new_sources("c != 'x'"))
    assert [str(category) for category in kept.categories[:-1]] == ["c == 'y'", "c == 'z'"]
    assert kept.shares == (0.5, 0.5, 0.0)
    assert drop_impossible(given, new_sources("c != 'x'")) is given
