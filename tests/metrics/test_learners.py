"""Classifiers and regressors behind detection and utility."""

import numpy as np
import pytest

from janus_synth.metrics.learners import Features, class_scores, predicted_values


@pytest.mark.parametrize("booster", ["xgboost", "boosting"])
def test_a_class_without_rows_scores_zero(rng, booster):
    features = Features(rng.normal(size=(60, 1)), np.array([False]))
    label = np.where(features.matrix[:, 0] > 0, 3, 1)
    scores = class_scores(features, label, features, booster=booster, seed=0)
    assert scores.shape == (60, 4)
    np.testing.assert_array_equal(scores[:, [0, 2]], 0.0)
    np.testing.assert_array_equal(scores.argmax(axis=1), label)


@pytest.mark.parametrize("booster", ["xgboost", "boosting"])
def test_numbers_are_predicted_on_their_own_scale(rng, booster):
    features = Features(rng.normal(size=(300, 1)), np.array([False]))
    target = 1e9 + 1e3 * features.matrix[:, 0]
    predicted = predicted_values(features, target, features, booster=booster, seed=0)
    assert np.abs(predicted - target).mean() < 200
