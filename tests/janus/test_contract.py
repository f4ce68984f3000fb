"""scikit-learn's own checks of ``Janus``, as far as they apply."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import estimator_checks_generator
from sklearn.utils.validation import check_is_fitted

from janus_synth import Janus
from model.tables import assert_same_frame, fitted, mixed

TARGET = "predict asks which column to predict; JanusClassifier and JanusRegressor know it"
WORDS = "the error says the same in other words"
NOT_APPLICABLE = {
    **dict.fromkeys(
        (
            "check_dict_unchanged", "check_dtype_object", "check_estimators_dtypes", "check_estimators_pickle",
            "check_estimators_unfitted", "check_f_contiguous_array_estimator", "check_fit2d_predict1d",
            "check_fit_idempotent", "check_methods_sample_order_invariance", "check_methods_subset_invariance",
            "check_n_features_in_after_fitting",
        ),
        TARGET,
    ),
    **dict.fromkeys(("check_complex_data", "check_estimators_empty_data_messages"), WORDS),
}  # fmt: skip


with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it derives from no class of scikit-learn, which would be imported with it
    CHECKS = list(
        estimator_checks_generator(
            Janus(n_trees=1, n_jobs=1, random_state=0, links="off"), expected_failed_checks=NOT_APPLICABLE, mark="xfail"
        )
    )


@pytest.mark.parametrize(("estimator", "check"), CHECKS)
def test_a_model_keeps_what_applies_of_the_contract(estimator, check):
    check(estimator)


def test_names_and_numbers_of_features_are_those_of_the_table():
    model = fitted(mixed(50))
    assert model.feature_names_in_.tolist() == list(mixed(2))
    assert model.n_features_in_ == mixed(2).shape[1]
    check_is_fitted(model)


def test_an_array_is_a_table_whose_columns_are_numbered():
    rng = np.random.default_rng(0)
    array = rng.normal(size=(60, 3))
    frame = pd.DataFrame(array, columns=["x0", "x1", "x2"])
    settings = {"n_trees": 1, "random_state": 0, "links": "off"}
    from_array, from_frame = Janus(**settings).fit(array), Janus(**settings).fit(frame)
    assert_same_frame(from_array.sample(20, random_state=1), from_frame.sample(20, random_state=1))
    np.testing.assert_array_equal(from_array.log_prob(array), from_frame.log_prob(frame))
    np.testing.assert_array_equal(from_array.anomaly_score(array), from_frame.anomaly_score(frame))
    holed = np.where(rng.random(array.shape) < 0.2, np.nan, array)
    assert not from_array.complete(holed).isna().any(axis=None)


def test_arrays_of_objects_may_hold_levels():
    array = np.array([["a", 1.5], ["b", 2.5]] * 20, dtype=object)
    rows = Janus(n_trees=1, random_state=0).fit(array).sample(9)
    assert set(rows["x0"]) <= {"a", "b"}
    assert rows["x1"].between(1.5, 2.5).all()


def test_a_pipeline_passes_a_target_that_is_ignored():
    steps = make_pipeline("passthrough", Janus(n_trees=1, random_state=0))
    model = steps.fit(mixed(40), np.zeros(40))[-1]
    assert_same_frame(
        model.sample(5, random_state=1), Janus(n_trees=1, random_state=0).fit(mixed(40)).sample(5, random_state=1)
    )


def test_a_pickled_model_draws_the_same_rows():
    model = fitted(mixed(50))
    again = pickle.loads(pickle.dumps(model))
    assert_same_frame(again.sample(9, random_state=1), model.sample(9, random_state=1))


def test_sparse_matrices_are_refused_with_advice():
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(ValueError, match="Sparse.*toarray"):
        Janus().fit(sparse.eye_array(3).tocsr())
