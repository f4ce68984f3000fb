"""Mediators: scores of levels against interventions, and new values as the worst of independent draws."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from fairness.small_tables import ABOVE, cells, conditional, loan_model, loans
from janus_synth.fairness import Bias
from janus_synth.fairness.bound_bias import bind_bias
from janus_synth.fairness.mediator import Mediator, WorstOfDraws
from janus_synth.sampling.forward import redraw_column
from janus_synth.table import Table, read_table

THROUGH_SCHOOL = Bias("sex", "male", "approved", True, 0.1, path="school")


@cache
def mediator(magnitude: float = 0.1) -> Mediator:
    model = loan_model().model_
    return Mediator(model, bind_bias(Bias("sex", "male", "approved", True, magnitude, path="school"), model))


@cache
def some_loans() -> Table:
    return read_table(loans(500, seed=1), loan_model().schema_)


@pytest.mark.statistical
def test_scores_are_the_rates_under_intervention():
    """Setting school does not change the shares of sex, race and region: 4,000 units, within 5 standard errors."""
    model = loan_model().model_
    rows = cells()
    share = np.prod(
        [rows[name].map(loans()[name].value_counts(normalize=True)) for name in ("sex", "race", "region")], 0
    )
    yes = model.schema["approved"].levels.index(True)
    for place, level in enumerate(model.schema["school"].levels):
        here = (rows["school"] == level).to_numpy()
        rate = np.average(conditional(model, "approved", rows[here])[:, yes], weights=share[here])
        assert mediator().score[place] == pytest.approx(rate, abs=5 * 0.5 / np.sqrt(4_000))
    assert np.isnan(mediator().score[-1])  # nobody is changed to null
    assert len(ABOVE["school"]) == 3


@pytest.mark.parametrize("magnitude", [0.1, -0.1])
def test_badness_ranks_levels_in_the_direction_of_the_bias(magnitude):
    levels = loan_model().schema_["school"].levels
    places = np.array([levels.index(level) for level in ("low", "mid", "high")] + [-1], np.int32)
    bad = mediator(magnitude).badness(places)
    assert (np.diff(bad[:3]) < 0).all() if magnitude > 0 else (np.diff(bad[:3]) > 0).all()
    assert bad[3] == -np.inf


def test_the_better_half_has_the_better_levels():
    rule = mediator().better_half(some_loans())
    assert "high" in str(rule)
    assert "low" not in str(rule)


def test_each_value_is_the_worst_of_its_draws_and_its_own():
    """Expected: the same draws one by one from the same generator, and the worst of them."""
    table, depth = some_loans(), 8
    worst = WorstOfDraws(mediator(), table)
    rng = np.random.default_rng(3)
    for step in (1, 2, 4, depth):
        worst.extend(step, None, rng)
    rng, drawn = np.random.default_rng(3), [table["school"]]
    for _ in range(depth):
        drawn.append(redraw_column(mediator().world, table, "school", seed=int(rng.integers(2**31))))
    bad = np.array([mediator().badness(values) for values in drawn])
    np.testing.assert_array_equal(worst.bad, bad.max(axis=0))
    np.testing.assert_array_equal(mediator().badness(worst.values), bad.max(axis=0))
    assert worst.drawn == depth


def test_values_that_are_not_allowed_are_not_chosen():
    table, worst = some_loans(), WorstOfDraws(mediator(), some_loans())
    worst.extend(6, lambda moved: np.zeros(table.n_rows, bool), np.random.default_rng(0))
    np.testing.assert_array_equal(worst.values, table["school"])
