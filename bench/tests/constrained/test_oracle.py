import numpy as np
import pytest
from scipy.stats import ks_2samp

from janus_bench.constrained.calibrate import KINDS, RARITIES, Rarity, random_condition
from janus_bench.constrained.conditions import Bound, Condition, Level
from janus_bench.constrained.oracle import Oracle, stages_of
from janus_bench.models.random_sem import random_sem
from janus_synth import holds

SEM = random_sem(10, seed=1)
ROWS = SEM.draw(20_000, np.random.default_rng(0))
ORDINARY = ["easy", "medium", "hard", "joint 1 %", "joint 0.1 %"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rarity", ORDINARY)
def test_conditions_are_about_as_rare_as_asked_and_oracle_rows_obey(kind, rarity):
    target = RARITIES[rarity]
    condition = random_condition(SEM, kind, target, np.random.default_rng(7))
    truth = Oracle(SEM, condition).sample(400, np.random.default_rng(8))
    assert len(truth.rows) == 400
    assert holds(str(condition), truth.rows).all()
    # Thresholds and the rate itself are known to some 10 %; levels have the shares they have.
    off = 2.5 if kind == "equality" else 1.5
    assert 1 / off < truth.probability / target.target < off


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_rarest_conditions_are_met_too(kind):
    target = RARITIES["joint 0.001 %"]
    condition = random_condition(SEM, kind, target, np.random.default_rng(7))
    truth = Oracle(SEM, condition).sample(50, np.random.default_rng(8))
    assert len(truth.rows) == 50
    assert holds(str(condition), truth.rows).all()
    assert 1 / 3 < truth.probability / target.target < 3  # 50 rows: a standard error of 14 %


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rarity", ["easy", "joint 0.1 %"])
def test_conditions_judge_like_the_rules_they_print(kind, rarity):
    for seed in range(4):
        condition = random_condition(SEM, kind, RARITIES[rarity], np.random.default_rng(seed))
        np.testing.assert_array_equal(condition.mask(ROWS), holds(str(condition), ROWS))
        for literal in condition.literals:  # joint ones are met by few of the rows, each alone by many
            np.testing.assert_array_equal(literal.mask(ROWS), holds(str(literal), ROWS))


def test_conditions_on_the_lattice_of_rounded_columns_judge_like_rules():
    first, second = SEM.rounded
    for factor in (1, 0.3):
        for bound in (-1.1, 0.0, 0.7, 2.0):
            for op in (">=", "<="):
                literal = Bound(first, op, bound, second, factor)
                np.testing.assert_array_equal(literal.mask(ROWS), holds(str(literal), ROWS))
    for value in (0.1, -0.3, 2.0):
        for op in ("==", "!="):
            literal = Level(first, op, value)
            np.testing.assert_array_equal(literal.mask(ROWS), holds(str(literal), ROWS))


def test_kinds_are_what_they_are_called():
    def drawn(kind):
        return random_condition(SEM, kind, RARITIES["joint 1 %"], np.random.default_rng(0)).literals

    assert [(type(part), part.other) for part in drawn("range")] == [(Bound, None)] * 3
    assert [(type(part), part.op) for part in drawn("equality")] == [(Level, "==")] * 3
    assert all(isinstance(part, Bound) and part.other in SEM.numbers for part in drawn("inter-column"))
    level, pair, tail = drawn("mixed")
    assert level.column in SEM.categories
    assert pair.other is not None
    assert tail.other is None


def test_the_easy_range_is_the_middle_half():
    low, high = random_condition(SEM, "range", RARITIES["easy"], np.random.default_rng(0)).literals
    below = (ROWS[low.column] < low.bound).mean()
    above = (ROWS[low.column] > high.bound).mean()
    assert below == pytest.approx(0.25, abs=0.02)  # five standard errors of both draws: 0.021
    assert above == pytest.approx(0.25, abs=0.02)


@pytest.mark.statistical
def test_rejection_in_stages_has_the_distribution_of_plain_rejection():
    condition = random_condition(SEM, "mixed", Rarity(0.02, 3), np.random.default_rng(3))
    staged = Oracle(SEM, condition).sample(3_000, np.random.default_rng(4))
    pool = SEM.draw(200_000, np.random.default_rng(5))
    plain = pool[holds(str(condition), pool)]
    rate = len(plain) / len(pool)
    assert staged.probability == pytest.approx(rate, abs=5 * np.sqrt(2 * rate / len(pool)))
    for name in SEM.nodes:
        first, second = staged.rows[name], plain[name]
        if name in SEM.categories:
            first, second = (column.map(ord) for column in (first, second))
        # Ten columns, one false alarm in a hundred thousand runs.
        assert ks_2samp(first, second).pvalue > 1e-6, name


def test_stages_draw_the_fewest_columns_first_and_the_rest_last():
    condition = random_condition(SEM, "range", RARITIES["joint 0.1 %"], np.random.default_rng(1))
    stages = stages_of(SEM, condition)
    assert sorted(name for stage in stages for name in stage.columns) == sorted(SEM.nodes)
    assert sorted(map(str, (part for stage in stages for part in stage.literals))) == sorted(
        map(str, condition.literals)
    )
    drawn: set[str] = set()
    for stage in stages:
        for name in stage.columns:
            assert drawn.issuperset(SEM.dag.parents[name])
            drawn.add(name)
        assert all(drawn.issuperset(part.columns) for part in stage.literals)
    needs = [{*SEM.dag.ancestors(*part.columns), *part.columns} for part in condition.literals]
    assert set(stages[0].columns) == min(needs, key=len)
    assert stages[-1].literals == ()


def test_the_oracle_stops_at_its_limit():
    impossible = Condition((Bound(SEM.numbers[0], ">=", 1e9),))
    truth = Oracle(SEM, impossible).sample(10, np.random.default_rng(0), most_draws=5_000)
    assert (len(truth.rows), truth.n_drawn, truth.probability) == (0, 5_000, 0.0)
    assert list(truth.rows) == list(SEM.nodes)


def test_the_oracle_is_repeatable():
    condition = random_condition(SEM, "mixed", RARITIES["hard"], np.random.default_rng(0))
    assert str(condition) == str(random_condition(SEM, "mixed", RARITIES["hard"], np.random.default_rng(0)))
    first, again = (Oracle(SEM, condition).sample(20, np.random.default_rng(2)).rows for _ in range(2))
    assert first.equals(again)


def test_rules_read_well():
    parts = (
        Bound("x1", "<=", -0.5, "x2"),
        Bound("x3", ">=", 1, "x4", 0.6),
        Level("x5", "!=", "b"),
        Level("x6", "==", 2),
    )
    assert str(Condition(parts)) == "x1 <= x2 - 0.5 and x3 >= 0.6 * x4 + 1 and x5 != 'b' and x6 == 2"
    assert Condition(parts).columns == ("x1", "x2", "x3", "x4", "x5", "x6")
