"""Probabilities of requests and conditional likelihoods, against enumeration."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest
from scipy import stats

from janus_synth import Estimate, Janus, holds
from janus_synth.sampling import plan_for
from janus_synth.sampling.probability import LogEstimate, as_estimate
from sampling.small_models import every_row, small_model, small_table
from sampling.test_conditional import EVERY_KIND

probability_module = import_module("janus_synth.sampling.probability")


@pytest.mark.statistical
@pytest.mark.parametrize("n", [30, pytest.param(200, marks=pytest.mark.slow)])
def test_intervals_have_their_nominal_coverage(n):
    """At a false-alarm rate of 1e-4, 30 requests detect a true coverage of 0.5, and 200 requests one of 0.7."""
    model, (all_rows, shares) = small_model("sparse"), every_row("sparse")
    rules = [rule for rule in EVERY_KIND if "fixed" not in rule]
    level, hits = 0.9, 0
    for case in range(n):
        rule = f"({rules[case % len(rules)]}) and ({rules[(7 * case + case // len(rules)) % len(rules)]})"
        truth = shares[holds(rule, all_rows, model.schema_)].sum()
        found = model.probability(rule, level=level, random_state=case)
        hits += found.low <= truth <= found.high
    assert hits >= stats.binom.ppf(1e-4, n, level)  # 20 of 30, 161 of 200


def test_an_impossible_request_has_probability_zero():
    assert small_model("sparse").probability("a > 100") == Estimate(0.0, 0.0, 0.0)


def test_a_condition_that_always_holds_has_probability_one():
    found = small_model("sparse").probability("a >= 0")
    assert found.low <= 1.0 <= found.high == pytest.approx(1.0, abs=1e-5)


def test_with_rules_the_probability_is_conditional_on_them():
    schema = {name: {"kind": "numeric"} for name in "abdf"}
    model = Janus(rules="a <= d", schema=schema, structure="chain", random_state=0, on_violation="warn")
    with pytest.warns(UserWarning, match="missing value"):
        model.fit(small_table())
    all_rows, shares = every_row("dense")
    kept = holds("a <= d", all_rows)
    truth = shares[kept & holds("b >= 3", all_rows)].sum() / shares[kept].sum()
    found = model.probability("b >= 3", level=0.999)
    assert found.low <= truth <= found.high
    kept &= shares > 0
    some = all_rows[kept].head(50)
    expected = np.log(shares[kept][:50] / shares[kept].sum())
    np.testing.assert_allclose(model.log_prob(some), expected, atol=0.02)
    assert (model.log_prob(all_rows[~holds("a <= d", all_rows)].head(20)) == -np.inf).all()
    np.testing.assert_allclose(
        model.log_prob(some, "b >= 3"),
        np.where(some["b"] >= 3, expected - np.log(truth), -np.inf),
        atol=0.03,
    )


def test_a_time_limit_gives_the_interval_reached_so_far():
    model = small_model("dense")
    for where in ("a > 0", "a == 3 and b == 5 and d is null and f >= 1"):  # counted, and by particles
        full, short = (model.probability(where, max_seconds=seconds) for seconds in (None, 0))
        assert short.low <= full.value <= short.high
        assert short.high - short.low >= full.high - full.low
    with pytest.raises(ValueError, match="max_seconds is -1"):
        model.probability("a > 0", max_seconds=-1)


@pytest.mark.statistical
@pytest.mark.parametrize(("of", "given"), [(0.03, 0.01), (0.01, 0.03), (0.02, 0.0)])
def test_the_interval_of_a_ratio_covers_the_errors_of_both_parts(of, given):
    """2,000 pairs of estimates with known relative errors: fewer than 1,757 covered at 90 % has probability 1e-3.

    With the error of one part alone about 780 are covered in one of the first two cases.
    """
    n, level, truth = 2_000, 0.9, 0.25
    rng = np.random.default_rng(0)
    hits = 0
    for e, f in rng.normal(size=(n, 2)):
        one = LogEstimate(float(np.log(0.1 * (1 + of * e))), of**2, np.inf)
        other = LogEstimate(float(np.log(0.4 * (1 + given * f))), given**2, np.inf)
        found = as_estimate(one, other, level=level)
        hits += found.low <= truth <= found.high
    assert stats.binom.ppf(1e-3, n, level) <= hits <= stats.binom.ppf(1 - 1e-6, n, level)


@pytest.mark.parametrize("exact", [LogEstimate(0.0, 0.0, 1.0), LogEstimate(-1.0, 0.0, np.inf)])
def test_an_exact_part_does_not_widen_the_interval_of_a_ratio(exact):
    alone = as_estimate(LogEstimate(-3.0, 1e-4, 63.0))
    ratio = as_estimate(LogEstimate(-3.0, 1e-4, 63.0), exact)
    assert (ratio.high - ratio.low) / ratio.value == pytest.approx((alone.high - alone.low) / alone.value)


def test_rows_are_counted_where_particles_leave_a_wide_interval(monkeypatch):
    where = "a == 3 and b == 5 and d is null and f >= 1"
    model, (all_rows, shares) = small_model("dense"), every_row("dense")
    truth = shares[holds(where, all_rows, model.schema_)].sum()
    plan = plan_for(model.model_, where)
    assert not plan.by_rejection
    poor = LogEstimate(float(np.log(truth)) + 1.0, 0.3**2, 63.0)
    monkeypatch.setattr(probability_module, "_sum_over_branches", lambda *given, **options: poor)
    found = probability_module.probability(plan, level=0.9999, seed=0)  # false-alarm rate 1e-4
    assert found.low <= truth <= found.high
    assert found.high - found.low < 0.5 * truth
    assert not poor.log_value - 0.1 < np.log(found.value)
