"""The uncertainty experiments: methods, sizes and a seed in, records out.

Part A detects noisy labels in a region, part B measures epistemic uncertainty by training size, and part C adds noise
to the labels of iris.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from janus_bench.stopwatch import Seconds, seconds_of, take_turns
from janus_bench.uncertainty.measures import Reals, Uncertainty, cohens_d
from janus_bench.uncertainty.scenarios import LABEL, Labelled, clouds, iris, true_entropy, wine, with_noise

if TYPE_CHECKING:
    import pandas as pd

    from janus_bench.uncertainty.methods import Fitted, Method

TRUTH = "truth"
WINE, CLOUDS, NOISY_CLOUDS, IRIS = "wine", "clouds", "noisy clouds", "iris"


@dataclass(frozen=True, slots=True)
class Detection:
    """Uncertainty of test rows inside and outside a region with noisy training labels; means in nats."""

    method: str
    seed: int
    n_train: int
    n_test: int
    region_share: float
    aleatoric_inside: float
    aleatoric_outside: float
    epistemic_inside: float
    epistemic_outside: float
    auc_total: float
    auc_aleatoric: float
    auc_epistemic: float
    error: float
    """Mean absolute difference between aleatoric uncertainty and the true entropy."""
    fit_seconds: float | None
    seconds: list[float]
    """Wall-clock seconds of every timed call."""
    processor_seconds: list[float]


@dataclass(frozen=True, slots=True)
class Growth:
    """Mean uncertainty of fixed held-out rows after learning from ``n_train`` rows."""

    table: str
    method: str
    seed: int
    n_train: int
    total: float
    aleatoric: float
    epistemic: float


@dataclass(frozen=True, slots=True)
class Disturbance:
    """Mean aleatoric uncertainty of iris before and after noise was added to the labels of a region."""

    method: str
    seed: int
    before_inside: float
    after_inside: float
    d_inside: float | None
    before_outside: float
    after_outside: float
    d_outside: float | None
    epistemic_before: float
    """Inside the region, like the next field."""
    epistemic_after: float


@dataclass(frozen=True, slots=True)
class Failure:
    """A method that ended in an error, recorded as a result; the run continues."""

    part: str
    method: str
    error: str


@dataclass(frozen=True, slots=True)
class Absent:
    """A requested method whose library is not installed."""

    method: str
    library: str


Found = Detection | Growth | Disturbance | Failure | Absent


@dataclass(frozen=True, slots=True, eq=False)
class _Answer:
    """A method fitted to the rows of part A, with its first answer."""

    name: str
    fitted: Fitted
    inputs: object
    fit_seconds: Seconds
    found: Uncertainty


def detect(methods: Sequence[Method], *, seed: int, n_train: int, n_test: int, repeats: int) -> list[Found]:
    """Fit every method to noisy clouds, compute the uncertainty of the same new rows, and time that in turns.

    Examples
    --------
    >>> [found.method for found in detect([], seed=0, n_train=100, n_test=200, repeats=1)]
    ['truth']
    """
    train, test = clouds(n_train + n_test, seed=seed).split(n_train)
    noisy, truth = with_noise(train, seed=seed), true_entropy(test)
    judged = partial(_detection, test=test, truth=truth, seed=seed, n_train=n_train)
    answers: list[_Answer] = []
    failures: list[Found] = []
    for method in methods:
        try:
            answers.append(_fit_and_ask(method, noisy.frame, test.features, seed))
        except Exception as error:
            failures.append(Failure("A", method.name, f"{type(error).__name__}: {error}".rstrip(": ")))
    # The calls above were the warm-up.
    calls = {answer.name: partial(answer.fitted.ask, answer.inputs) for answer in answers}
    times = take_turns(calls, repeats)
    found = [judged(a.name, a.found, fit_seconds=a.fit_seconds.clock, times=times[a.name]) for a in answers]
    perfect = Uncertainty.of_parts(truth, truth)
    return [judged(TRUTH, perfect, fit_seconds=None, times=()), *found, *failures]


def detect_warm(methods: Sequence[Method], **how: int) -> list[Found]:
    """The same after a warm-up."""
    warm_up(methods)
    return detect(methods, **how)


def _fit_and_ask(method: Method, frame: pd.DataFrame, features: pd.DataFrame, seed: int) -> _Answer:
    kept: list[Fitted] = []
    spent = seconds_of(lambda: kept.append(method.fit(frame, seed=seed)))
    inputs = kept[0].prepare(features)
    return _Answer(method.name, kept[0], inputs, spent, kept[0].ask(inputs))


def _detection(
    name: str,
    found: Uncertainty,
    *,
    test: Labelled,
    truth: Reals,
    seed: int,
    n_train: int,
    fit_seconds: float | None,
    times: Sequence[Seconds],
) -> Detection:
    from sklearn.metrics import roc_auc_score

    inside, outside = test.region, ~test.region
    return Detection(
        method=name,
        seed=seed,
        n_train=n_train,
        n_test=len(inside),
        region_share=float(inside.mean()),
        aleatoric_inside=float(found.aleatoric[inside].mean()),
        aleatoric_outside=float(found.aleatoric[outside].mean()),
        epistemic_inside=float(found.epistemic[inside].mean()),
        epistemic_outside=float(found.epistemic[outside].mean()),
        auc_total=float(roc_auc_score(inside, found.total)),
        auc_aleatoric=float(roc_auc_score(inside, found.aleatoric)),
        auc_epistemic=float(roc_auc_score(inside, found.epistemic)),
        error=float(np.abs(found.aleatoric - truth).mean()),
        fit_seconds=fit_seconds,
        seconds=[time.clock for time in times],
        processor_seconds=[time.processor for time in times],
    )


def grow_wine(method: Method, *, seed: int, fractions: Sequence[float]) -> list[Found]:
    """Fit to growing parts of wine, and compute the uncertainty of the same held-out fifth."""
    train, test = wine(seed=seed)
    sizes = [round(fraction * len(train)) for fraction in fractions]
    return list(_fit_to_growing_samples(WINE, method, train, test.drop(columns=LABEL), seed=seed, sizes=sizes))


def grow_clouds(method: Method, *, seed: int, sizes: Sequence[int], n_test: int) -> list[Found]:
    """Fit to growing numbers of rows of clouds without noise, and compute the uncertainty of the same new rows."""
    train, test = clouds(max(sizes) + n_test, seed=seed).split(max(sizes))
    return list(_fit_to_growing_samples(CLOUDS, method, train.frame, test.features, seed=seed, sizes=sizes))


def _fit_to_growing_samples(
    table: str, method: Method, train: pd.DataFrame, features: pd.DataFrame, *, seed: int, sizes: Sequence[int]
) -> Iterator[Growth]:
    """Fit to nested subsets: each size contains the one before, so that sizes differ only by added rows."""
    for n in sizes:
        fitted = method.fit(train.head(n), seed=seed)
        parts = [float(part.mean()) for part in fitted.ask(fitted.prepare(features))]
        yield Growth(table, method.name, seed, n, *parts)


def disturb_iris(method: Method, *, seed: int) -> list[Found]:
    """Fit to all of iris with and without noise in the region, and compute the uncertainty of the same rows."""
    rows = iris()
    inside, outside = rows.region, ~rows.region
    before, after = (_learnt(method, labelled, seed) for labelled in (rows, with_noise(rows, seed=seed)))
    found = Disturbance(
        method=method.name,
        seed=seed,
        before_inside=float(before.aleatoric[inside].mean()),
        after_inside=float(after.aleatoric[inside].mean()),
        d_inside=cohens_d(before.aleatoric[inside], after.aleatoric[inside]),
        before_outside=float(before.aleatoric[outside].mean()),
        after_outside=float(after.aleatoric[outside].mean()),
        d_outside=cohens_d(before.aleatoric[outside], after.aleatoric[outside]),
        epistemic_before=float(before.epistemic[inside].mean()),
        epistemic_after=float(after.epistemic[inside].mean()),
    )
    return [found]


def _learnt(method: Method, rows: Labelled, seed: int) -> Uncertainty:
    fitted = method.fit(rows.frame, seed=seed)
    return fitted.ask(fitted.prepare(rows.features))


_warm: set[str] = set()


def warm_up(methods: Sequence[Method]) -> None:
    """Load compiled kernels and libraries before anything is timed, once per process and method.

    Errors are ignored here: they recur in the measurement, which records them.
    """
    cold = [method for method in methods if method.name not in _warm]
    if cold:
        detect(cold, seed=0, n_train=300, n_test=300, repeats=0)
    _warm.update(method.name for method in cold)
