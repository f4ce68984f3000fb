from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from janus_bench.constrained.scenarios import FULL_MODELS, Scenario, chosen_scenarios, scenarios_of
from janus_bench.models.random_sem import ModelKey
from janus_synth.errors import DataError


def test_the_full_grid_has_as_many_scenarios_as_the_paper():
    grid = chosen_scenarios()
    assert len(grid) == len(set(grid)) == 523
    assert grid == scenarios_of(FULL_MODELS)
    assert Counter(scenario.model.n_nodes for scenario in grid) == {5: 115, 10: 216, 30: 192}
    assert set(Counter(scenario.kind for scenario in grid).values()) == {132, 127}
    assert len({scenario.model for scenario in grid}) == 22


def test_scenarios_of_one_model_stand_together():
    models = [scenario.model for scenario in chosen_scenarios()]
    changes = sum(first != second for first, second in pairwise(models))
    assert changes == 21


def test_the_quick_grid_is_small_and_keeps_every_kind():
    grid = chosen_scenarios(quick=True)
    assert len(grid) == 31
    assert len({scenario.kind for scenario in grid}) == 4


def test_words_cut_the_grid_down():
    grid = chosen_scenarios(seeds=2, nodes=["5", "30"], kinds=["range"], rarities=["easy", "0.001%", "joint 1 %"])
    assert len(grid) == 2 * 2 * 3
    assert {scenario.rarity for scenario in grid} == {"easy", "joint 1 %", "joint 0.001 %"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"kinds": ["rnge"]}, "Did you mean 'range'"),
        ({"rarities": ["rare"]}, "no rarity"),
        ({"nodes": ["7"]}, "Choose from 5, 10, 30"),
    ],
)
def test_unknown_words_are_refused(words, message):
    with pytest.raises(DataError, match=message):
        chosen_scenarios(**words)


def test_a_scenario_is_the_same_experiment_everywhere():
    scenario = Scenario(ModelKey(5, 2), "mixed", "hard")
    conditions = {str(scenario.condition(scenario.model.sem())) for _ in range(2)}
    assert len(conditions) == 1
    draws = [scenario.rng(purpose).random() for purpose in (1, 1, 2)]
    assert draws[0] == draws[1] != draws[2]
    other = Scenario(ModelKey(5, 2), "mixed", "medium")
    assert not np.isclose(other.rng(1).random(), draws[0])
