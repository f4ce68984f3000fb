"""Audits: gaps equal plain counts, intervals cover, and bias is detected where planted and nowhere else."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_transformer
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from fairness.small_tables import loan_model, loans, stage_model
from janus_synth import Janus
from janus_synth.errors import BiasError, MissingExtraError, UnknownColumnError
from janus_synth.fairness import Bias, Planted, algorithm, audit, plant

DIRECT = Bias("sex", "male", "approved", True, 0.3)
THROUGH_SCHOOL = Bias("sex", "male", "approved", True, 0.1, path="school")
SUBGROUP = Bias("sex", "male", "approved", True, 0.6, subgroup="race != 'blue'")


@cache
def planted(bias: Bias = DIRECT, n: int = 3_000, baseline: str = "fair", seed: int = 0) -> Planted:
    return plant(loan_model(), bias, n, baseline=baseline, effect_units=0, random_state=seed)


class Reading(ClassifierMixin, BaseEstimator):
    """Decides by one column of the given frame, so that its decisions are known in advance."""

    def __init__(self, column: str = "sex", value: object = "male") -> None:
        self.column, self.value = column, value

    def fit(self, frame: pd.DataFrame, label: np.ndarray) -> Reading:
        self.classes_ = np.unique(label)
        return self

    def predict(self, frame: pd.DataFrame) -> np.ndarray:
        return (frame[self.column] == self.value).to_numpy().astype(int)


class Contrary(ClassifierMixin, BaseEstimator):
    """Inverts the decisions of a logistic regression."""

    def fit(self, x: np.ndarray, label: np.ndarray) -> Contrary:
        self.learnt_ = LogisticRegression().fit(x, label)
        return self

    def predict(self, x: np.ndarray) -> np.ndarray:
        return 1 - self.learnt_.predict(x)


def test_gaps_are_those_counted_by_hand():
    """The decisions are known, so every figure follows from the frame up to the random splits."""
    world = planted(SUBGROUP)
    found = audit(Reading("region", "north"), world, encode=False, n_splits=16)
    frame = world.frame
    decided, men = frame["region"] == "north", frame["sex"] == "male"
    by_hand = decided[men].mean() - decided[~men].mean()
    assert found.gaps["parity"].gap.value == pytest.approx(by_hand, abs=0.01)
    hit = ~men & (frame["race"] != "blue")
    assert found.gaps["subgroup"].gap.value == pytest.approx(decided[men].mean() - decided[hit].mean(), abs=0.02)
    good = frame["approved"]
    of_good = decided[men & good].mean() - decided[~men & good].mean()
    assert found.gaps["true positives"].gap.value == pytest.approx(of_good, abs=0.02)
    assert found.accuracy_biased.value == pytest.approx((decided == good).mean(), abs=0.01)
    assert found.accuracy_fair.value == pytest.approx((decided == world.fair["approved"]).mean(), abs=0.01)
    assert found.favoured.value == pytest.approx(decided.mean(), abs=0.01)
    assert found.gaps["parity"].excess.value == 0  # decisions are the same in both worlds
    assert not found.found


def test_gaps_of_the_outcome_are_those_of_the_frames():
    world = planted(THROUGH_SCHOOL)
    found = audit(LogisticRegression(), world, n_splits=2)
    for frame, figure in ((world.frame, "biased"), (world.fair, "fair")):
        men = frame["sex"] == "male"
        by_hand = frame.loc[men, "approved"].mean() - frame.loc[~men, "approved"].mean()
        assert getattr(found.main, figure) == getattr(found.decided, figure) == pytest.approx(by_hand)
    better = world.certificate.records[0].better
    assert better is not None
    assert "school" in better
    assert found.gaps["proxy"].biased > 0.1


@pytest.mark.parametrize("name", ["logistic", "boosting"])
def test_a_learner_passes_on_a_planted_bias(name):
    found = audit(algorithm(name), planted(), name=name, n_splits=4)
    assert found.found
    assert found.recovered == pytest.approx(1.0, abs=0.3)  # the gap in scores is that in outcomes
    assert found.main.gap.value > found.main.twin.value
    assert found.accuracy_fair.value < found.twin_accuracy.value
    assert not found.degenerate


@pytest.mark.parametrize("name", ["exponentiated-gradient", "threshold-optimizer"])
def test_algorithms_that_equalise_rates_receive_the_protected_groups(name):
    found = audit(algorithm(name), planted(), name=name, n_splits=3)
    assert abs(found.main.gap.value) < 0.08
    assert found.recovered < 0.5


def test_an_algorithm_that_equalises_whole_groups_misses_a_subgroup():
    found = audit(algorithm("threshold-optimizer"), planted(SUBGROUP, 4_000), n_splits=4)
    assert abs(found.gaps["parity"].gap.value) < 0.08
    assert found.decided.name == "subgroup"
    assert found.main.planted == found.decided.planted > 0.2
    assert found.main.excess.value > 0.05


def test_without_the_protected_column_a_direct_bias_in_a_neutral_world_cannot_show():
    world = planted(DIRECT, baseline="neutral")
    told, untold = (audit(LogisticRegression(), world, with_protected=on, n_splits=4) for on in (True, False))
    assert told.found
    assert "sex" in told.features
    assert "sex" not in untold.features
    assert not untold.main.unequal


def test_descendants_of_the_outcome_are_not_features():
    assert "amount" not in audit(LogisticRegression(), planted(), n_splits=2).features


def test_every_outcome_of_a_pipeline_can_be_audited():
    stages = [Bias("sex", "male", name, True, 0.3) for name in ("screened", "invited", "hired")]
    world = plant(stage_model(), stages, 3_000, effect_units=0)
    last, first = (audit(LogisticRegression(), world, outcome=name, n_splits=3) for name in (None, "screened"))
    assert (last.outcome, first.outcome) == ("hired", "screened")
    assert "invited" in last.features
    assert "invited" not in first.features
    assert last.found


def test_a_scikit_learn_pipeline_receives_the_frame():
    encode = make_column_transformer((OneHotEncoder(), ["sex", "school", "region"]))
    found = audit(make_pipeline(encode, LogisticRegression()), planted(), encode=False, n_splits=3)
    assert found.found


def test_features_may_be_chosen():
    found = audit(LogisticRegression(), planted(), features=["region", "school"], n_splits=2)
    assert found.features == ("region", "school")


def test_other_kinds_of_frames_are_audited_alike():
    polars = pytest.importorskip("polars")
    model = Janus(structure=[("sex", "school"), ("school", "approved"), ("sex", "approved")], random_state=0)
    model.fit(polars.from_pandas(loans(2_000)[["sex", "school", "approved"]]))
    world = plant(model, DIRECT, 2_000, effect_units=0)
    assert isinstance(world.frame, polars.DataFrame)
    assert audit(LogisticRegression(), world, n_splits=4).found


def test_rows_without_an_outcome_are_left_out():
    frame = loans(3_000)
    frame["approved"] = frame["approved"].astype("boolean").mask(np.arange(len(frame)) % 5 == 0)
    graph = [("sex", "school"), ("school", "approved"), ("sex", "approved")]
    model = Janus(structure=graph, random_state=0).fit(frame[["sex", "school", "approved"]])
    world = plant(model, DIRECT, 2_000, effect_units=0)
    assert world.frame["approved"].isna().any()
    assert audit(LogisticRegression(), world, n_splits=3).accuracy_biased.value > 0.5


def test_one_seed_means_one_audit():
    first, again = (audit(LogisticRegression(), planted(), n_splits=3, random_state=4).to_dict() for _ in range(2))
    assert first == again


def test_an_audit_prints_and_turns_into_a_frame():
    found = audit(LogisticRegression(), planted(SUBGROUP), n_splits=3)
    names = ["score", "parity", "true positives", "false positives", "subgroup"]
    assert list(found.to_frame()["name"]) == names
    assert "the planted bias shows in its scores" in str(found)


@pytest.mark.parametrize(
    ("estimator", "encode", "reason"),
    [
        (DummyClassifier(strategy="constant", constant=0), True, "favours 0.00% of the rows, fewer than 1%"),
        (DummyClassifier(strategy="constant", constant=1), True, "favours 100.00% of the rows, more than 99%"),
        (Reading(), False, "all rows of a group get the same decision"),
        (Contrary(), True, "always predicting the more frequent"),
    ],
)
def test_degenerate_decisions_are_flagged(estimator, encode, reason):
    found = audit(estimator, planted(), encode=encode, n_splits=3)
    assert any(reason in flag for flag in found.degenerate)


def test_sound_decisions_are_not_flagged():
    assert audit(LogisticRegression(), planted(), n_splits=3).degenerate == ()


def error_rates(n: int, repeats: int, n_splits: int) -> tuple[int, int, int]:
    """Number of false alarms of each of the two tests without a bias, and of detections of a bias of a fifth."""
    unequal = false = power = 0
    for seed in range(repeats):
        nothing = plant(
            loan_model(), DIRECT.of(0.0), n, baseline="neutral", effect_units=0, random_state=seed, progress=False
        )
        found = audit(LogisticRegression(), nothing, n_splits=n_splits, random_state=seed)
        unequal, false = unequal + found.main.unequal, false + found.found
        some = plant(loan_model(), DIRECT.of(0.2), n, effect_units=0, random_state=seed, progress=False)
        power += audit(LogisticRegression(), some, n_splits=n_splits, random_state=seed).found
    return unequal, false, power


@pytest.mark.slow
@pytest.mark.statistical
def test_an_audit_detects_a_planted_bias_and_raises_no_false_alarms():
    """8 repeats: at a true rate of 5 % more than 3 false alarms have probability 4e-4; the twin test allows none."""
    unequal, false, power = error_rates(n=2_500, repeats=8, n_splits=6)
    assert unequal <= 3
    assert false == 0
    assert power >= 7


@pytest.mark.slow
@pytest.mark.statistical
def test_error_rates_over_two_hundred_repeats():
    """With 5,000 rows: at most 5 % false alarms (more than 21 of 200 then have probability 1e-3), power above 0.95."""
    unequal, false, power = error_rates(n=5_000, repeats=200, n_splits=10)
    assert stats.binom.sf(unequal - 1, 200, 0.05) > 1e-3
    assert false == 0
    assert power > 0.95 * 200


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ({"outcome": "amount"}, BiasError, "no bias on 'amount' was planted"),
        ({"features": ["shcool"]}, UnknownColumnError, "school"),
        ({"features": ["approved"]}, BiasError, "is the outcome"),
        ({"features": ["sex"], "with_protected": False}, BiasError, "no column is left"),
        ({"n_splits": 1}, ValueError, "n_splits"),
        ({"test_share": 1.5}, ValueError, "test_share"),
        ({"level": 2}, ValueError, "level"),
    ],
)
def test_invalid_arguments_raise(wrong, error, message):
    with pytest.raises(error, match=message):
        audit(LogisticRegression(), planted(), **wrong)


def test_an_object_that_is_no_estimator_raises():
    with pytest.raises(BiasError, match="lacks fit and predict"):
        audit("logistic", planted())


def test_a_table_too_small_is_refused():
    with pytest.raises(BiasError, match="too few"):
        audit(LogisticRegression(), planted(n=40))


def test_without_fairlearn_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "fairlearn.metrics", None)
    with pytest.raises(MissingExtraError, match=r"janus-synth\[fairness\]"):
        audit(LogisticRegression(), planted(), n_splits=2)
