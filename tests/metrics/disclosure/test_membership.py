from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth.metrics import align
from janus_synth.metrics.disclosure.membership import (
    FALSE_POSITIVES,
    _threshold,
    membership_density,
    membership_distance,
)
from janus_synth.metrics.disclosure.points import Scene, distinct


def scene_of(train, test, synthetic, seed=0) -> Scene:
    seen, unseen, drawn = align(train=train, test=test, synthetic=synthetic)
    return Scene(distinct(drawn), seen, unseen, seen, unseen, 0.95, np.random.default_rng(seed))


@pytest.mark.parametrize("n", [3, 99, 100, 250, 1000])
def test_the_threshold_accuses_few_unseen_rows(rng, n):
    scores = rng.normal(size=n)
    accused = int((scores >= _threshold(scores)).sum())
    assert accused == max(1, int(FALSE_POSITIVES * n))


def test_ties_at_the_top_are_accused_together():
    scores = np.r_[np.zeros(30), -np.arange(1.0, 71.0)]
    assert _threshold(scores) == 0.0


def test_ties_below_the_top_are_spared():
    scores = np.r_[5.0, np.zeros(30), -np.ones(169)]
    assert _threshold(scores) == 5.0


@pytest.mark.parametrize("attack", [membership_distance, membership_density])
def test_copied_rows_are_recognised(made, attack):
    train, test, synthetic = made("bootstrap", 5)
    outcome = attack(scene_of(train, test, synthetic))
    share = len(pd.merge(train, synthetic.drop_duplicates())) / len(train)  # rows that were copied
    assert outcome.attack.rate == pytest.approx(share, abs=0.05)
    assert outcome.auc.low > 0.7
    assert outcome.ranking_p_value < 1e-9


@pytest.mark.parametrize("attack", [membership_distance, membership_density])
def test_fresh_rows_recognise_nobody(made, attack):
    outcome = attack(scene_of(*made("fresh", 6)))
    assert outcome.ranking_p_value > 1e-4  # a false alarm once in 10⁴ seeds
    assert outcome.attack.rate < 0.08


def test_half_of_the_unseen_rows_are_the_reference_of_densities(made):
    outcome = membership_density(scene_of(*made("fresh", 7, n_test=80)))
    assert (outcome.attack.trials, outcome.control.trials) == (300, 40)


def test_density_recognises_more_than_distance_where_the_population_is_uneven(rng):
    """Where the population is dense, unseen rows are near as well; the ratio allows for that."""
    dense, sparse = rng.normal(0, 0.01, (400, 3)), rng.normal(0, 3, (400, 3))
    train, test = (pd.DataFrame(np.vstack([dense[i::2], sparse[i::2]]), columns=list("abc")) for i in (0, 1))
    near = train[:200] + rng.normal(0, 1e-4, (200, 3))
    noise = pd.DataFrame(rng.normal(0, 3, (400, 3)), columns=list("abc"))
    scene = scene_of(train, test, pd.concat([near, noise], ignore_index=True))
    density, distance = membership_density(scene).auc.value, membership_distance(scene).auc.value
    assert density > distance + 0.02  # over seeds the difference is 0.05 to 0.09
    assert distance > 0.6
