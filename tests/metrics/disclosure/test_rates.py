from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from janus_synth.metrics.disclosure.rates import (
    Interval,
    Tally,
    area_under_curve,
    better_than_control,
    higher_than_others,
    normalised_risk,
    wilson,
)


@pytest.mark.parametrize(("successes", "trials"), [(0, 9), (3, 10), (250, 1000), (7, 7)])
def test_the_wilson_interval_is_that_of_scipy(successes, trials):
    expected = stats.binomtest(successes, trials).proportion_ci(0.9, method="wilson")
    assert wilson(Tally(successes, trials), 0.9) == pytest.approx((expected.low, expected.high))


def test_the_risk_is_the_share_of_failures_that_training_turns_into_successes():
    risk = normalised_risk(Tally(60, 100), Tally(20, 100), 0.95)
    assert risk.value == pytest.approx((0.6 - 0.2) / (1 - 0.2))
    assert risk.low < 0.5 < risk.high
    assert normalised_risk(Tally(10, 100), Tally(20, 100), 0.95).value < 0  # not hidden


@pytest.mark.parametrize(("attack", "control"), [(Tally(0, 0), Tally(1, 9)), (Tally(1, 9), Tally(9, 9))])
def test_the_risk_is_undefined_without_trials_and_where_controls_never_fail(attack, control):
    assert all(math.isnan(number) for number in normalised_risk(attack, control, 0.95))


@pytest.mark.parametrize("attack", [Tally(0, 50), Tally(50, 50), Tally(49, 50)])
@pytest.mark.parametrize("control", [Tally(0, 50), Tally(49, 50), Tally(1, 50)])
def test_extreme_rates_have_ordered_finite_intervals(attack, control):
    risk = normalised_risk(attack, control, 0.95)
    assert -math.inf < risk.low <= risk.value <= risk.high <= 1


@pytest.mark.parametrize("n", [(60, 60), (90, 40)])
def test_intervals_of_the_risk_cover_as_often_as_they_say(n):
    """Exact coverage by enumeration of all outcomes, for a grid of rates; no simulation."""
    covered = []
    limits = {
        (a, b): normalised_risk(Tally(a, n[0]), Tally(b, n[1]), 0.95) for a in range(n[0] + 1) for b in range(n[1] + 1)
    }
    for p0 in (0.01, 0.05, 0.2, 0.5, 0.8):
        for risk in (0.0, 0.1, 0.3, 0.7):
            p1 = p0 + risk * (1 - p0)
            first, second = (stats.binom.pmf(np.arange(size + 1), size, p) for size, p in zip(n, (p1, p0), strict=True))
            covered.append(
                sum(
                    first[a] * second[b]
                    for (a, b), found in limits.items()
                    if math.isnan(found.value) or found.low <= risk <= found.high
                )
            )
    assert min(covered) > 0.92  # small counts are lumpy
    assert np.mean(covered) > 0.945


def test_dependent_trials_widen_the_interval_and_weaken_the_evidence():
    alone, clustered = (normalised_risk(Tally(30, 100, d), Tally(20, 100, d), 0.95) for d in (1.0, 4.0))
    assert clustered.high - clustered.low > 1.8 * (alone.high - alone.low)
    assert better_than_control(Tally(40, 100, 4.0), Tally(20, 100, 4.0)) > better_than_control(
        Tally(40, 100), Tally(20, 100)
    )


def test_the_p_value_is_that_of_fisher():
    expected = stats.fisher_exact([[12, 18], [5, 35]], alternative="greater").pvalue
    assert better_than_control(Tally(12, 30), Tally(5, 40)) == pytest.approx(expected)
    assert better_than_control(Tally(0, 0), Tally(5, 40)) == 1.0


def test_the_auc_is_the_share_of_pairs_in_order(rng):
    members, others = rng.integers(0, 6, 30) / 2, rng.integers(0, 5, 20) / 2
    pairs = members[:, None] - others[None, :]
    assert area_under_curve(members, others, 0.95).value == pytest.approx(np.mean((np.sign(pairs) + 1) / 2))


@pytest.mark.statistical
@pytest.mark.parametrize("shift", [0.0, 0.5, 1.0])
def test_intervals_of_the_auc_cover_as_often_as_they_say(rng, shift):
    truth, n_runs = stats.norm.cdf(shift / math.sqrt(2)), 2_000
    hits = 0
    for _ in range(n_runs):
        found = area_under_curve(rng.normal(shift, 1, 80), rng.normal(0, 1, 60), 0.95)
        hits += found.low <= truth <= found.high
    # 95 % of 2,000 have a standard error of 0.005: 0.925 raises a false alarm less than once in 10⁶ runs.
    assert hits / n_runs > 0.925


def test_ranks_that_are_all_equal_are_no_evidence():
    assert higher_than_others(np.zeros(5), np.zeros(4)) == 1.0
    assert area_under_curve(np.zeros(5), np.zeros(4), 0.95) == Interval(0.5, 0.5, 0.5)
