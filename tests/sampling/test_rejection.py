"""Rejection: a short table is the head of a long one, and rules are evaluated on values as the table stores them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth import Janus, holds
from janus_synth.rules import as_rules
from janus_synth.rules.compilation import columns_of
from janus_synth.sampling import plan_for
from janus_synth.sampling.rejection import (
    LEAST_ROUND,
    constrained_table,
    draw_accepted,
    draw_kept,
    draw_unconstrained,
    group_tests,
    join_uniforms,
    round_size,
    rows_that_hold,
)
from sampling.small_models import small_model


@pytest.mark.parametrize("where", ["a >= 2", "c == 'x' or d is null", "a < d"])
def test_a_short_table_is_the_head_of_a_long_one(where):
    model = small_model("sparse")
    assert plan_for(model.model_, as_rules(where)).by_rejection
    long = model.sample(5_000, where=where, random_state=3)
    for n in (1, 10, 4_097):
        pd.testing.assert_frame_equal(model.sample(n, where=where, random_state=3), long.head(n))


def test_rules_are_evaluated_on_single_precision_values_as_stored():
    rng = np.random.default_rng(0)
    x = rng.normal(size=2_000)
    frame = pd.DataFrame({"x": x.astype(np.float32), "y": (x + rng.normal(size=2_000)).astype(np.float32)})
    model = Janus(random_state=0).fit(frame)
    for rule in ("x < 0.5", "x <= y", "x > y + 0.1"):
        rows = model.sample(20_000, where=rule, random_state=0)
        assert holds(rule, rows).all()


def test_the_acceptance_rate_equals_the_share_of_rows_that_satisfy_the_rules():
    model = small_model("dense")
    plan = plan_for(model.model_, as_rules("a + d >= b"))
    rows = draw_unconstrained(plan.request, 50_000, np.random.default_rng(0))
    share = rows_that_hold(plan.request.rules, constrained_table(plan.request, rows)).mean()
    free = holds("a + d >= b", model.sample(50_000, random_state=1)).mean()
    assert abs(share - free) < 6 * np.sqrt(0.5 / 50_000)  # false-alarm rate 2e-9


def test_sequential_monte_carlo_takes_over_where_rejection_falls_short(monkeypatch):
    from janus_synth.sampling import conditional

    monkeypatch.setattr(conditional, "MOST_DRAWN", 300)  # as if the pilot had overestimated the acceptance rate
    model = small_model("dense")
    rows = model.sample(2_000, where="a > 0 or b == 2", random_state=0)
    assert len(rows) == 2_000
    assert holds("a > 0 or b == 2", rows).all()
    pd.testing.assert_frame_equal(model.sample(100, where="a > 0 or b == 2", random_state=0), rows.head(100))


@pytest.mark.parametrize(
    "where",
    ["a >= 2", "a >= 1 and b <= 3 and d is not null", "a < d and c == 'x'", "a >= 0", "(a > 1 or b > 1) and d > 0"],
)
def test_rows_dropped_early_are_those_that_break_a_rule(where):
    request = plan_for(small_model("dense").model_, as_rules(where)).request
    free = draw_unconstrained(request, 2_000, np.random.default_rng(7))
    kept = np.flatnonzero(rows_that_hold(request.rules, constrained_table(request, free)))
    assert len(kept) > 0
    uniforms = join_uniforms([np.random.default_rng(7).random((2_000, len(request.order)))])
    found, positions = draw_kept(request, uniforms, group_tests(request))
    np.testing.assert_array_equal(positions, kept)
    for column in request.order:
        np.testing.assert_array_equal(found.x[column], free.x[column, kept])
    for column in request.constrained:
        np.testing.assert_array_equal(found.values[column], free.values[column, kept])


@pytest.mark.parametrize("where", ["a >= 1", "a >= 2 and c == 'x'"])
def test_a_block_has_the_same_rows_alone_and_beside_others(where):
    request = plan_for(small_model("dense").model_, as_rules(where)).request
    sizes = [700, 60, 1_300]

    def draw(blocks, share):
        rngs = [np.random.default_rng(block) for block in blocks]
        return draw_accepted(request, [sizes[block] for block in blocks], rngs, share=share, most_drawn=100_000)

    together = draw(range(3), 0.9)  # too hopeful for the second request: it takes several rounds
    for block in range(3):
        (alone,) = draw([block], 0.2)
        for name, values in alone.items():
            assert len(values) == sizes[block]
            np.testing.assert_array_equal(values, together[block][name])


def test_tests_are_evaluated_once_their_columns_are_drawn():
    request = plan_for(small_model("dense").model_, as_rules("a >= 1 and a <= d and (b > 1 or a > 2)")).request
    groups = group_tests(request)
    assert sum(map(len, groups.values())) == 3
    for last, rules in groups.items():
        drawn = request.order[: request.order.index(last) + 1]
        for rule in rules:
            places = {request.columns.index(name) for name in columns_of(rule.test)}
            assert places <= set(drawn)
            assert last in places


def test_a_round_is_large_enough_for_the_rows_that_are_missing():
    """Two standard deviations to spare: fewer than one round in twenty is too small."""
    rng = np.random.default_rng(0)
    for share in (1.0, 0.7, 0.2):
        accepted = rng.binomial(round_size(3_000, share, 5), share, size=1_000)
        assert (accepted < 3_000).mean() < 0.05
    assert round_size(10, 0.5, 5) == LEAST_ROUND
