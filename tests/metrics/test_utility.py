import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import r2_score, roc_auc_score

from janus_synth.errors import UnknownColumnError
from janus_synth.metrics import utility
from janus_synth.metrics.utility import _auc_per_class, _r_squared

BOOSTERS = ["xgboost", "boosting"]


@pytest.mark.parametrize("booster", BOOSTERS)
@pytest.mark.parametrize("target", ["label", "flag", "size", "count", "x", "seen"])
def test_every_kind_of_target_is_learnt(draw, booster, target):
    result = utility(draw(300), draw(300), draw(300), target, booster=booster)
    assert result.measure == ("auc" if target in ("label", "flag", "size") else "r2")
    assert np.isfinite([result.real, result.synthetic]).all()
    assert result.gap == result.real - result.synthetic


@pytest.mark.parametrize("booster", BOOSTERS)
def test_broken_dependence_costs_utility(draw, rng, booster):
    train, test = draw(600), draw(600)
    shuffled = train.assign(label=rng.permutation(train.label))
    result = utility(train, test, shuffled, "label", booster=booster)
    assert result.real > 0.85
    assert result.synthetic < 0.65


def test_copies_of_the_training_rows_lose_nothing(draw):
    train, test = draw(300), draw(300)
    assert utility(train, test, train, "label").gap == 0.0


def test_a_number_with_two_values_is_classified(draw):
    train, test, synthetic = (draw(200).assign(y=lambda d: (d.label == "yes").astype(int)) for _ in range(3))
    tables = [table.drop(columns="label") for table in (train, test, synthetic)]
    result = utility(*tables, "y")
    assert result.measure == "auc"
    assert result.real > 0.8


def test_a_synthetic_table_with_one_class_scores_half(draw):
    train, test, synthetic = draw(200), draw(200), draw(200).assign(label="no")
    assert utility(train, test, synthetic, "label").synthetic == 0.5


def test_a_constant_synthetic_number_explains_nothing(draw):
    result = utility(draw(200), draw(200), draw(200).assign(x=5.0), "x")
    assert result.synthetic < 0.0


@pytest.mark.parametrize("target", ["label", "x"])
def test_a_target_that_is_constant_in_the_test_rows_has_no_score(draw, target):
    test = draw(200).assign(label="no", x=1.5)
    result = utility(draw(200), test, draw(200), target)
    assert np.isnan([result.real, result.synthetic, result.gap]).all()


def test_few_rows_have_no_score(draw):
    result = utility(draw(100), draw(100), draw(20), "label")
    assert np.isnan([result.real, result.synthetic]).all()


def test_rows_without_a_target_are_left_out(draw):
    tables = [draw(200).assign(label=lambda d: d.label.mask(np.arange(len(d)) % 3 == 0)) for _ in range(3)]
    assert utility(*tables, "label").real > 0.7


def test_a_table_of_the_target_alone_predicts_at_random(rng):
    tables = [pd.DataFrame({"y": rng.choice(["a", "b"], 100)}) for _ in range(3)]
    assert utility(*tables, "y").real == 0.5


def test_an_unknown_target_suggests_the_closest(draw):
    with pytest.raises(UnknownColumnError, match="Did you mean 'label'"):
        utility(draw(50), draw(50), draw(50), "lable")


def test_many_classes_are_averaged_as_scikit_learn_does(rng):
    truth = rng.integers(0, 3, 200)
    scores = rng.dirichlet(np.ones(3), 200) + 0.3 * np.eye(3)[truth]
    scores /= scores.sum(axis=1, keepdims=True)
    expected = roc_auc_score(truth, scores, multi_class="ovr", average="macro")
    assert np.mean(_auc_per_class(truth, scores)) == pytest.approx(expected)


def test_a_class_the_learner_never_saw_counts_half():
    truth, scores = (
        np.array([0, 0, 1, 1, 2]),
        np.array([[0.9, 0.1], [0.8, 0.2], [0.3, 0.7], [0.1, 0.9], [0.5, 0.5]]),
    )
    assert _auc_per_class(truth, scores)[2] == 0.5


def test_r_squared_is_that_of_scikit_learn(rng):
    truth = rng.normal(size=50)
    predicted = truth + rng.normal(size=50)
    assert _r_squared(truth, predicted) == pytest.approx(r2_score(truth, predicted))
