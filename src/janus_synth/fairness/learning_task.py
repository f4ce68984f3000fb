"""A planted table as a learning task, and estimators trained on it: rows in, decisions and probabilities out."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from janus_synth.arrays import Array, Bools, Floats, LongInts
from janus_synth.errors import BiasError, UnknownColumnError
from janus_synth.fairness.planted import Planted
from janus_synth.fairness.records import Record
from janus_synth.metrics.learners import standard_inputs
from janus_synth.metrics.rows import align
from janus_synth.rules import Rule, as_rule, holds
from janus_synth.table import Schema
from janus_synth.threads import one_thread

Inputs = Any
"""A matrix, or a pandas frame if the estimator encodes columns itself."""

PRIVILEGED, UNPRIVILEGED, UNKNOWN = "privileged", "unprivileged", "unknown"


@dataclass(frozen=True, slots=True)
class LearningTask:
    """Rows of one world as inputs and labels, with the groups that an audit compares."""

    inputs: Inputs
    favoured: Bools
    group: NDArray[np.str_]
    """Privileged, unprivileged or unknown; the ``sensitive_features`` of fairness algorithms."""
    hit: Bools
    better: Bools | None
    """Rows whose mediator is in its better half; None for a direct bias."""
    better_known: Bools | None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.favoured)


def make_tasks(
    planted: Planted,
    record: Record,
    *,
    features: Sequence[str] | None,
    with_protected: bool,
    encode: bool,
) -> tuple[LearningTask, LearningTask, tuple[str, ...]]:
    """Return the biased and the fair world as tasks, and the features' names; a null outcome is not favourable."""
    names, schema = _feature_names(planted, record, features, with_protected), planted.certificate.schema
    frames = (planted.frame, planted.fair)
    inputs = _inputs(frames, names, schema, encode=encode)
    biased, fair = (_task(frame, own, record, schema) for frame, own in zip(frames, inputs, strict=True))
    return biased, fair, names


def _feature_names(
    planted: Planted, record: Record, features: Sequence[str] | None, with_protected: bool
) -> tuple[str, ...]:
    usual = planted.certificate.features[record.bias.outcome]
    chosen = usual if features is None else tuple(features)
    present = nw.from_native(planted.frame, eager_only=True).columns
    for name in chosen:
        if name not in present:
            raise UnknownColumnError(name, present, where="the planted table")
        if name == record.bias.outcome:
            raise BiasError(f"{name!r} is the outcome; it cannot be a feature.")
    if not with_protected:
        chosen = tuple(name for name in chosen if name not in record.bias.protected)
    if not chosen:
        raise BiasError(f"no column is left to predict {record.bias.outcome!r} from.")
    return tuple(chosen)


def _inputs(frames: Sequence[Any], names: Sequence[str], schema: Schema, *, encode: bool) -> list[Inputs]:
    chosen = [nw.from_native(frame, eager_only=True).select(*names) for frame in frames]
    if not encode:
        return [frame.to_pandas() for frame in chosen]
    rows = align(schema=schema.select(tuple(names)), biased=chosen[0].to_native(), fair=chosen[1].to_native())
    return [standard_inputs(part, rows[0]) for part in rows]


def _task(frame: Any, inputs: Inputs, record: Record, schema: Schema) -> LearningTask:
    def among(rule: Rule | str) -> Bools:
        return holds(rule, frame, schema)

    privileged = as_rule(record.privileged)
    group = np.where(among(privileged), PRIVILEGED, np.where(among(~privileged), UNPRIVILEGED, UNKNOWN))
    better = better_known = None
    if record.better is not None:
        rule = as_rule(record.better)
        better = among(rule)
        better_known = better | among(~rule)
    return LearningTask(inputs, among(record.favourable), group, among(record.hit), better, better_known)


def take_rows(inputs: Inputs, rows: LongInts) -> Inputs:
    """Pick rows of a matrix or a frame."""
    return inputs.iloc[rows] if hasattr(inputs, "iloc") else inputs[rows]


class Predictions(NamedTuple):
    """Decisions and probabilities of an estimator."""

    decided: Bools
    chance: Floats
    """Predicted probability of a favourable outcome; the decision itself if the estimator has no probabilities."""


def fit_and_predict(estimator: Any, task: LearningTask, train: LongInts, test: LongInts, *, seed: int) -> Predictions:
    """Train a clone of an estimator on some rows and predict others."""
    from sklearn.base import clone

    learner, group = clone(estimator), task.group
    label = task.favoured[train].astype(int)
    if len(np.unique(label)) < 2:  # one class only: the decision is constant
        always = np.full(len(test), bool(label[0]) if len(label) else False)
        return Predictions(always, always.astype(float))
    extra = {"sensitive_features": group[train]} if takes_sensitive_features(learner) else {}
    unseen = take_rows(task.inputs, test)
    with one_thread(), warnings.catch_warnings():
        for category in (DeprecationWarning, FutureWarning):  # of libraries about one another
            warnings.simplefilter("ignore", category)
        learner.fit(take_rows(task.inputs, train), label, **extra)
        decided = _call(learner.predict, unseen, group[test], seed).astype(bool)
        return Predictions(decided, _probabilities(learner, unseen, group[test], seed, decided))


def _call(method: Any, unseen: Inputs, group: NDArray[np.str_], seed: int) -> Array:
    """Call a method with the rows and those of group and seed that it takes."""
    parameters = inspect.signature(method).parameters
    known = {"sensitive_features": group, "random_state": seed}
    return np.asarray(method(unseen, **{name: value for name, value in known.items() if name in parameters}))


def _probabilities(learner: Any, unseen: Inputs, group: NDArray[np.str_], seed: int, decided: Bools) -> Floats:
    """Probabilities of class 1; fairlearn's randomised classifiers have theirs under another name."""
    for name in ("predict_proba", "_pmf_predict"):
        if hasattr(learner, name):
            found = _call(getattr(learner, name), unseen, group, seed)
            if found.ndim == 2 and found.shape[1] == 2:
                return np.asarray(found[:, 1], float)
    return decided.astype(float)


def takes_sensitive_features(estimator: Any) -> bool:
    """Whether the ``fit`` of an estimator takes ``sensitive_features``."""
    parameters = inspect.signature(estimator.fit).parameters
    if "sensitive_features" in parameters:
        return True
    takes_more = any(one.kind is inspect.Parameter.VAR_KEYWORD for one in parameters.values())
    return takes_more and type(estimator).__module__.startswith("fairlearn.")
