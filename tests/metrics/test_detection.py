import importlib.util
import sys
from math import sqrt

import numpy as np
import pandas as pd
import pytest

from janus_synth.errors import DataError, MissingExtraError
from janus_synth.metrics import default_detector, detection_auc

DETECTORS = ["xgboost", "boosting", "mlp"]


@pytest.mark.statistical
@pytest.mark.parametrize("detector", DETECTORS)
def test_two_samples_of_one_distribution_cannot_be_told_apart(draw, detector):
    n = 800
    auc = detection_auc(draw(n), draw(n), detector=detector)
    # Mann–Whitney under no difference: sd √(1 / 6n) = 0.014; 5 sd (0.072) cry wolf once in 10⁶ runs.
    assert abs(auc - 0.5) <= 5 * sqrt(1 / (6 * n))


@pytest.mark.parametrize("detector", DETECTORS)
def test_a_shifted_table_is_found_out(draw, detector):
    assert detection_auc(draw(500), draw(500, shift=4.0), detector=detector) > 0.9


@pytest.mark.parametrize("detector", DETECTORS)
def test_a_pattern_of_gaps_is_found_out(draw, detector):
    real, synthetic = draw(400), draw(400)
    assert detection_auc(real.assign(x=real.x.fillna(0.0)), synthetic.assign(x=np.nan), detector=detector) > 0.9


@pytest.mark.parametrize("detector", DETECTORS)
def test_levels_that_no_real_row_has_are_found_out(rng, detector):
    real = pd.DataFrame({"c": rng.choice(list("abc"), 300)})
    synthetic = pd.DataFrame({"c": rng.choice(list("xyz"), 300)})
    assert detection_auc(real, synthetic, detector=detector) > 0.9


@pytest.mark.statistical
@pytest.mark.parametrize("detector", DETECTORS)
def test_the_numbering_of_many_levels_gives_nobody_away(rng, detector):
    n, cities = 900, np.array([f"city {i}" for i in range(500)])
    real, synthetic = (pd.DataFrame({"c": rng.choice(cities, n), "x": rng.normal(size=n)}) for _ in range(2))
    auc = detection_auc(real, synthetic, detector=detector)
    # Some levels are met in one table only, and their codes come last. 5 sd (0.068), as above; codes taken as
    # they come reach 0.60.
    assert abs(auc - 0.5) <= 5 * sqrt(1 / (6 * n))


@pytest.mark.parametrize("detector", DETECTORS)
def test_constant_and_empty_columns_are_no_obstacle(rng, detector):
    def table(n):
        return pd.DataFrame(
            {
                "still": np.full(n, 2.5),
                "none": np.full(n, np.nan),
                "empty": pd.Series([None] * n, dtype="str"),
                "one": ["a"] * n,
                "rare": np.where(np.arange(n) == 7, 1.5, np.nan),
            }
        )

    assert detection_auc(table(60), table(60), detector=detector) == pytest.approx(0.5, abs=0.1)
    assert detection_auc(table(60)[["none"]], table(60)[["none"]], detector=detector) == 0.5


@pytest.mark.parametrize("detector", DETECTORS)
def test_extreme_numbers_are_no_obstacle(rng, detector):
    def table(scale):
        return pd.DataFrame({"x": rng.normal(size=100) * scale})

    assert detection_auc(table(1e300), table(1e300), detector=detector) < 0.8
    assert detection_auc(table(1.0), table(1e300), detector=detector) > 0.8


def test_the_larger_table_is_cut_to_the_smaller(draw):
    real = draw(900)
    assert 0.3 < detection_auc(real, draw(100), detector="boosting") < 0.7


@pytest.mark.parametrize("detector", DETECTORS)
def test_one_seed_means_one_score(draw, detector):
    real, synthetic = draw(150), draw(120)
    first, second, other = (detection_auc(real, synthetic, detector=detector, random_state=seed) for seed in (3, 3, 4))
    assert first == second != other


def test_a_generator_is_a_seed_too(draw):
    real, synthetic = draw(100), draw(100)
    scores = [
        detection_auc(real, synthetic, detector="boosting", random_state=np.random.default_rng(3)) for _ in range(2)
    ]
    assert scores[0] == scores[1]


def test_few_rows_have_no_score(draw):
    assert np.isnan(detection_auc(draw(100), draw(29)))


def test_an_unknown_detector_lists_the_known_ones(draw):
    with pytest.raises(DataError, match="xgboost, boosting, mlp"):
        detection_auc(draw(50), draw(50), detector="forest")


def test_a_single_fold_is_refused(draw):
    with pytest.raises(DataError, match="at least 2"):
        detection_auc(draw(50), draw(50), folds=1)


def test_without_xgboost_scikit_learn_is_the_detector(monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "xgboost" else find(name))
    assert default_detector() == "boosting"


def test_asking_for_xgboost_without_it_names_the_extra(monkeypatch, draw):
    monkeypatch.setitem(sys.modules, "xgboost", None)
    with pytest.raises(MissingExtraError, match=r"janus-synth\[detection\]"):
        detection_auc(draw(50), draw(50), detector="xgboost")
