"""Audits of several algorithms under several biases and magnitudes in; one table of results out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from janus_synth.errors import BiasError, require_extra
from janus_synth.fairness.audit import Audit, audit
from janus_synth.fairness.bias import Bias, as_biases
from janus_synth.fairness.planting import plant
from janus_synth.janus import Janus
from janus_synth.janus.arguments import Seed, make_seed
from janus_synth.progress import progress_bar
from janus_synth.rules import Where
from janus_synth.table import plain_frame


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
"""Constructors of estimators by name."""


def algorithm(name: str) -> Any:
    """Return an unfitted estimator by its name in `ALGORITHMS`.

    Parameters
    ----------
    name : {"logistic", "boosting", "exponentiated-gradient", "threshold-optimizer", "majority"}
        Logistic regression, gradient boosting, two fairness algorithms of fairlearn, or a constant prediction.

    Examples
    --------
    >>> algorithm("majority")
    DummyClassifier(strategy='most_frequent')
    """
    if name not in ALGORITHMS:
        raise BiasError(f"there is no algorithm {name!r}. Choose from {', '.join(ALGORITHMS)}.")
    return ALGORITHMS[name]()


@dataclass(frozen=True, slots=True)
class Case:
    """One audit of a suite."""

    algorithm: str
    bias: str
    magnitude: float
    audit: Audit


@dataclass(frozen=True, slots=True)
class Suite:
    """Audits of several algorithms under several biases.

    Attributes
    ----------
    cases : tuple of Case
        All audits.
    skipped : mapping of (bias, magnitude) to str
        Biases that could not be planted, with the reason.
    """

    cases: tuple[Case, ...]
    skipped: Mapping[tuple[str, float], str]

    def to_frame(self, kind: str = "pandas") -> Any:
        """A frame with a row per audit: the planted gap, how much of it scores and decisions show, and warnings."""
        figures: dict[str, Any] = {
            "bias": [case.bias for case in self.cases],
            "magnitude": [case.magnitude for case in self.cases],
            "algorithm": [case.algorithm for case in self.cases],
            "planted": [case.audit.main.planted for case in self.cases],
            "excess": [case.audit.main.excess.value for case in self.cases],
            "excess_low": [case.audit.main.excess.low for case in self.cases],
            "excess_high": [case.audit.main.excess.high for case in self.cases],
            "decided": [case.audit.decided.excess.value for case in self.cases],
            "recovered": [case.audit.recovered for case in self.cases],
            "found": [case.audit.found for case in self.cases],
            "accuracy_biased": [case.audit.accuracy_biased.value for case in self.cases],
            "accuracy_fair": [case.audit.accuracy_fair.value for case in self.cases],
            "favoured": [case.audit.favoured.value for case in self.cases],
            "degenerate": ["; ".join(case.audit.degenerate) for case in self.cases],
        }
        words = ("bias", "algorithm", "degenerate")
        return plain_frame({name: np.array(v, object if name in words else None) for name, v in figures.items()}, kind)


def audit_suite(
    model: Janus,
    algorithms: Sequence[str] | Mapping[str, Any],
    biases: Mapping[str, Bias | Sequence[Bias]],
    magnitudes: Sequence[float],
    *,
    n: int = 5_000,
    where: Where = None,
    baseline: str = "fair",
    random_state: Seed = 0,
    progress: bool | None = None,
    **options: Any,
) -> Suite:
    """Audit several algorithms under several biases of several magnitudes.

    Parameters
    ----------
    model : Janus
        A fitted model to plant in.
    algorithms : sequence of str or mapping of str to estimator
        Names in `ALGORITHMS`, or your own estimators by name.
    biases : mapping of str to Bias or sequence of Bias
        Biases by name; their own magnitudes are ignored.
    magnitudes : sequence of float
        Magnitudes to plant. If a bias cannot reach one, it is skipped and the reason is kept.
    n : int
        Rows of each table.
    where, baseline
        As for `plant`.
    random_state : int or Generator, optional
        The same seed gives the same results.
    progress : bool, optional
        Show a progress bar on standard error; by default only if that is a terminal.
    **options
        Further arguments of `audit`.

    Examples
    --------
    >>> from janus_synth import Janus, datasets
    >>> from janus_synth.fairness import Bias, audit_suite
    >>> model = Janus(structure=datasets.hiring_graph(), random_state=0).fit(datasets.hiring(1_500, random_state=0))
    >>> kinds = {"direct": Bias("sex", "male", "hired", True, 0)}
    >>> suite = audit_suite(model, ["logistic"], kinds, [0, 0.3], n=2_000, n_splits=4)
    >>> suite.to_frame()["found"].tolist()
    [False, True]
    """
    estimators = dict(algorithms) if isinstance(algorithms, Mapping) else {one: algorithm(one) for one in algorithms}
    if not estimators or not biases or not len(magnitudes):
        raise BiasError("a suite needs at least one algorithm, one bias and one magnitude.")
    seed, cases, skipped = make_seed(random_state), [], {}
    with progress_bar("auditing", len(estimators) * len(biases) * len(magnitudes), shown=progress) as advance:
        for kind, planned in biases.items():
            for size in magnitudes:
                sized = [bias.of(size) for bias in as_biases(planned)]
                try:
                    planted = plant(
                        model, sized, n, where=where, baseline=baseline,
                        effect_units=0, random_state=seed, progress=False,
                    )  # fmt: skip
                except BiasError as error:
                    skipped[kind, float(size)] = str(error)
                    advance(len(estimators))
                    continue
                for name, estimator in estimators.items():
                    found = audit(estimator, planted, name=name, random_state=seed, progress=False, **options)
                    cases.append(Case(name, kind, float(size), found))
                    advance(1)
    if not cases:
        raise BiasError(f"no bias could be planted: {next(iter(skipped.values()))}")
    return Suite(tuple(cases), skipped)
