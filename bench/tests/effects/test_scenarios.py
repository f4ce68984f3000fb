"""Structural models with known effects: truths against simulation, and the oracle against the truth."""

import numpy as np
import pytest

from janus_bench.effects.scenarios import BASELINE, BY_NAME, baseline_terms


@pytest.mark.statistical
@pytest.mark.parametrize("name", BY_NAME)
def test_truths_are_those_of_simulated_interventions(name):
    """Outcomes without noise under each value; the means of 100,000 units are right to 0.02 (five standard errors)."""
    scenario = BY_NAME[name]
    rows = scenario.draw(100_000, 1)
    among = scenario.among(rows)

    def mean(value):
        changed = rows.assign(t=value)  # the mediator keeps its value: the direct effect
        outcome = baseline_terms(changed) @ BASELINE + scenario.respond(changed) @ np.array(scenario.strengths)
        return outcome[among].mean()

    first, *others = (mean(value) for value in scenario.values)
    np.testing.assert_allclose(np.array(others) - first, scenario.truths, atol=0.02)


def test_nulls_depend_on_x():
    rows = BY_NAME["nulls"].draw(4_000, 1)
    for name in ("t", "y"):
        assert 0.1 < rows[name].isna().mean() < 0.3
        assert rows.loc[rows[name].isna(), "x"].mean() > 0.5


@pytest.mark.statistical
@pytest.mark.parametrize("name", BY_NAME)
def test_the_oracle_finds_the_truth(name):
    """Five standard errors; for a direct effect with the mediator held."""
    scenario = BY_NAME[name]
    values, errors = scenario.oracle(scenario.draw(4_000, 2))
    for value, error, truth in zip(values, errors, scenario.truths, strict=True):
        # Effects that differ by group are averaged over the groups of the rows, not of the population.
        assert abs(value - truth) < 5 * error + 0.04


def test_tables_depend_on_the_seed_and_have_nulls():
    scenario = BY_NAME["kink"]
    assert scenario.draw(300, 3).equals(scenario.draw(300, 3))
    assert not scenario.draw(300, 3).equals(scenario.draw(300, 4))
    assert 0 < scenario.draw(300, 3)["z"].isna().mean() < 0.3


def test_noise_may_grow_with_the_dose_and_the_oracle_knows_it():
    """Robust errors against the spread of the oracle's estimates on 60 tables, within 30 % (three standard errors)."""
    scenario = BY_NAME["growing-noise"]
    found = [scenario.oracle(scenario.draw(400, seed)) for seed in range(60)]
    values, errors = np.array([one[0] for one in found]), np.array([one[1] for one in found])
    np.testing.assert_allclose(np.sqrt(np.mean(errors**2, axis=0)), values.std(axis=0, ddof=1), rtol=0.3)


def test_few_rows_have_a_rare_treatment():
    assert 0.03 < BY_NAME["rare"].draw(20_000, 0)["t"].mean() < 0.07
