import numpy as np
import pandas as pd
import pytest

from janus_bench.constrained.conditions import Bound, Condition
from janus_bench.constrained.oracle import Oracle
from janus_bench.constrained.scores import (
    NO_ROWS,
    SCORES,
    correlation_fidelity,
    energy_distance,
    energy_of_points,
    score_rows,
)
from janus_bench.models.random_sem import random_sem
from janus_synth.metrics import align, marginal_errors
from janus_synth.table import read_table

SEM = random_sem(5, seed=0)
TRAIN = SEM.draw(500, np.random.default_rng(0))
SCHEMA = read_table(TRAIN).schema
NAME = next(name for name in SEM.numbers if name not in SEM.rounded)
CONDITION = Condition((Bound(NAME, ">=", round(float(TRAIN[NAME].quantile(0.8)), 4)),))


def truth(n, seed):
    return Oracle(SEM, CONDITION).sample(n, np.random.default_rng(seed)).rows


def judged(rows, against, n_asked):
    return score_rows(rows, against, str(CONDITION), n_asked=n_asked, schema=SCHEMA, detector="boosting")


def test_the_truth_itself_is_perfect():
    rows = truth(100, 0)
    scores = judged(rows, rows, 100)
    assert set(scores) == set(SCORES)
    assert scores["final"] == scores["csr"] == scores["mf"] == scores["cf"] == 1
    assert scores["wasserstein"] == 0


def test_missing_rows_count_as_failures():
    rows = truth(100, 0)
    scores = judged(rows.iloc[:40], rows, 100)
    assert scores["csr"] == 0.4
    assert scores["final"] == pytest.approx(0.4 * (scores["mf"] + scores["cf"]) / 2)


def test_violating_rows_count_as_failures():
    rows = truth(100, 0)
    broken = rows.assign(**{NAME: rows[NAME].where(np.arange(100) % 4 > 0, -1e3)})
    assert judged(broken, rows, 100)["csr"] == 0.75


def test_rows_beyond_those_asked_for_are_not_looked_at():
    rows = truth(200, 0)
    rows.loc[100:, NAME] = -1e3
    assert judged(rows, rows.iloc[:100], 100)["final"] == 1


def test_no_rows_score_nothing():
    assert judged(TRAIN.iloc[:0], truth(50, 0), 100) == NO_ROWS
    assert NO_ROWS["final"] == NO_ROWS["csr"] == 0


def test_few_rows_have_no_detection():
    rows = truth(100, 0)
    assert judged(rows.iloc[:29], rows, 100)["detection"] is None
    assert judged(rows.iloc[:1], rows, 100)["energy"] is None


def test_a_level_that_training_never_saw_is_no_error():
    rows = truth(50, 0)
    category = SEM.categories[0]
    rule = f"{category} == 'unseen'"
    new = rows.assign(**{category: "unseen"})
    assert score_rows(new, new, rule, n_asked=50, schema=SCHEMA, detector="boosting")["csr"] == 1


def pair(**columns):
    """Two tables: each column is given as the real and the synthetic one."""
    return align(
        real=pd.DataFrame({name: both[0] for name, both in columns.items()}),
        synthetic=pd.DataFrame({name: both[1] for name, both in columns.items()}),
    )


def test_correlation_fidelity_has_known_answers():
    x = np.arange(100.0)
    assert correlation_fidelity(*pair(x=(x, x), y=(x, -x))) == pytest.approx(0)  # from 1 to −1
    constant = np.full(100, 3.0)
    assert correlation_fidelity(*pair(x=(x, x), y=(x, constant))) == pytest.approx(0.5)  # from 1 to 0
    z = np.tile([0.0, 1.0], 50)
    found = correlation_fidelity(*pair(x=(x, x), y=(x, -x), z=(z, z)))
    r = np.corrcoef(x, z)[0, 1]
    assert found == pytest.approx(1 - np.sqrt((2 * 2**2 + 2 * (2 * r) ** 2) / (4 * 6)))


def test_marginal_fidelity_has_known_answers():
    x = np.arange(1.0, 101.0)
    real = pd.DataFrame({"x": x, "c": ["a"] * 50 + ["b"] * 50})
    rows = pd.DataFrame({"x": x + 20, "c": ["a"] * 80 + ["b"] * 20})
    schema = read_table(real).schema
    scores = score_rows(rows, real, "x >= 0", n_asked=100, schema=schema, detector="boosting")
    assert scores["mf"] == pytest.approx(1 - (0.2 + 0.3) / 2)
    assert scores["wasserstein"] == pytest.approx(20 / x.std())


def test_energy_has_known_answers():
    assert energy_of_points(np.zeros((3, 2)), np.full((4, 2), 1.0)) == pytest.approx(2 * np.sqrt(2))
    x = np.repeat([0.0, 1.0], 50)
    same, turned = (energy_distance(*pair(x=(x, other), y=(x, x))) for other in (x, x[::-1]))
    # Ranks are 0.25 and 0.75: √½ between rows of one table that differ, ½ between the tables once x is turned.
    within = np.sqrt(0.5) * 50 / 99
    assert turned == pytest.approx(2 * 0.5 - 2 * within)
    assert same == pytest.approx(2 * np.sqrt(0.5) / 2 - 2 * within)


@pytest.mark.statistical
def test_the_ceiling_is_where_theory_puts_it():
    n, gaps, aucs = 400, [], []
    smooth = [name for name in SEM.numbers if name not in SEM.rounded]
    for seed in range(20):
        first, second = truth(n, 2 * seed + 1), truth(n, 2 * seed + 2)
        errors = marginal_errors(first, second)
        gaps += [errors.ks[name] for name in smooth]
        if seed < 4:
            scores = judged(first, second, n)
            assert scores["csr"] == 1
            aucs.append(scores["detection"])
            assert abs(scores["energy"]) < 0.05
    # The mean of Kolmogorov's distribution is √(π / 2) ln 2 = 0.869, its standard deviation 0.26: twenty pairs
    # know it to 0.06 even if their columns were copies of one another.
    assert np.mean(gaps) * np.sqrt(n / 2) == pytest.approx(np.sqrt(np.pi / 2) * np.log(2), abs=0.25)
    # An AUC has a standard error of √(1 / 6n) = 0.02.
    assert np.abs(np.array(aucs) - 0.5).max() < 0.1
