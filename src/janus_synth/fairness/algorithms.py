"""Algorithms by name: what the shell and the benchmarks audit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from janus_synth.errors import BiasError, require_extra


def _logistic() -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(max_iter=2_000)


def _boosting() -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(max_iter=60, early_stopping=False, random_state=0)


def _majority() -> Any:
    from sklearn.dummy import DummyClassifier

    return DummyClassifier(strategy="most_frequent")


def _exponentiated_gradient() -> Any:
    reductions = require_extra("fairlearn.reductions", "fairness", purpose="exponentiated gradient")
    return reductions.ExponentiatedGradient(_logistic(), constraints=reductions.DemographicParity())


def _threshold_optimizer() -> Any:
    postprocessing = require_extra("fairlearn.postprocessing", "fairness", purpose="the threshold optimizer")
    return postprocessing.ThresholdOptimizer(
        estimator=_logistic(), constraints="demographic_parity", predict_method="predict_proba"
    )


ALGORITHMS: dict[str, Callable[[], Any]] = {
    "logistic": _logistic,
    "boosting": _boosting,
    "exponentiated-gradient": _exponentiated_gradient,
    "threshold-optimizer": _threshold_optimizer,
    "majority": _majority,
}
"""Estimators by name, made when asked for."""


def algorithm(name: str) -> Any:
    """An estimator by its name."""
    if name not in ALGORITHMS:
        raise BiasError(f"no algorithm is called {name!r}. Choose from {', '.join(ALGORITHMS)}.")
    return ALGORITHMS[name]()
