"""A planted table as a learning task, and any estimator at work on it: rows in, decisions out."""

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
from janus_synth.fairness.certificate import Record
from janus_synth.fairness.planting import Planted
from janus_synth.metrics.learners import one_thread, standard_inputs
from janus_synth.metrics.rows import align
from janus_synth.rules import Rule, as_rule, holds
from janus_synth.table import Schema

Inputs = Any
"""A matrix, or a pandas frame where the estimator encodes for itself."""

PRIVILEGED, UNPRIVILEGED, UNKNOWN = "privileged", "unprivileged", "unknown"


@dataclass(frozen=True, slots=True)
class Task:
    """One world's rows as a learner sees them, and what an auditor knows besides."""

    inputs: Inputs
    favoured: Bools
    group: NDArray[np.str_]
    """Who is privileged; what fairness algorithms are told."""
    hit: Bools
    better: Bools | None
    """Rows with a mediator in its better half, where a bias goes through one."""
    better_known: Bools | None

    @property
    def n_rows(self) -> int:
        """Rows."""
        return len(self.favoured)


def tasks_of(
    planted: Planted,
    record: Record,
    *,
    features: Sequence[str] | None,
    with_protected: bool,
    encode: bool,
) -> tuple[Task, Task, tuple[str, ...]]:
    """The biased and the fair world as tasks, and the columns learnt from; a null outcome is not favourable."""
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
            raise BiasError(f"{name!r} is the outcome; it cannot be a feature of its own prediction.")
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


def _task(frame: Any, inputs: Inputs, record: Record, schema: Schema) -> Task:
    def among(rule: Rule | str) -> Bools:
        return holds(rule, frame, schema)

    privileged = as_rule(record.privileged)
    group = np.where(among(privileged), PRIVILEGED, np.where(among(~privileged), UNPRIVILEGED, UNKNOWN))
    better = better_known = None
    if record.better is not None:
        rule = as_rule(record.better)
        better = among(rule)
        better_known = better | among(~rule)
    return Task(inputs, among(record.favourable), group, among(record.hit), better, better_known)


def rows_of(inputs: Inputs, rows: LongInts) -> Inputs:
    """Some rows of a matrix or a frame."""
    return inputs.iloc[rows] if hasattr(inputs, "iloc") else inputs[rows]


class Verdicts(NamedTuple):
    """What an estimator makes of rows."""

    decided: Bools
    chance: Floats
    """How likely a row is to be favoured, by the estimator's own probabilities; its decision, where it has none."""


def verdicts(estimator: Any, task: Task, train: LongInts, test: LongInts, *, seed: int) -> Verdicts:
    """Train a copy of an estimator on some rows, and let it judge others."""
    from sklearn.base import clone

    learner, told = clone(estimator), task.group
    label = task.favoured[train].astype(int)
    if len(np.unique(label)) < 2:  # nothing to learn: the decision is always the same
        always = np.full(len(test), bool(label[0]) if len(label) else False)
        return Verdicts(always, always.astype(float))
    extra = {"sensitive_features": told[train]} if asks_for_group(learner) else {}
    unseen = rows_of(task.inputs, test)
    with one_thread(), warnings.catch_warnings():
        for talk in (DeprecationWarning, FutureWarning):  # of libraries about one another: no news for an auditor
            warnings.simplefilter("ignore", talk)
        learner.fit(rows_of(task.inputs, train), label, **extra)
        decided = _asked(learner.predict, unseen, told[test], seed).astype(bool)
        return Verdicts(decided, _chances(learner, unseen, told[test], seed, decided))


def _asked(method: Any, unseen: Inputs, group: NDArray[np.str_], seed: int) -> Array:
    """Call a method with what it wants to know besides the rows."""
    parameters = inspect.signature(method).parameters
    known = {"sensitive_features": group, "random_state": seed}
    return np.asarray(method(unseen, **{name: value for name, value in known.items() if name in parameters}))


def _chances(learner: Any, unseen: Inputs, group: NDArray[np.str_], seed: int, decided: Bools) -> Floats:
    """Probabilities of class 1; fairlearn's algorithms, which decide by lot, keep theirs under another name."""
    for name in ("predict_proba", "_pmf_predict"):
        if hasattr(learner, name):
            chances = _asked(getattr(learner, name), unseen, group, seed)
            if chances.ndim == 2 and chances.shape[1] == 2:
                return np.asarray(chances[:, 1], float)
    return decided.astype(float)


def asks_for_group(estimator: Any) -> bool:
    """Whether an estimator is told who belongs to which group when it learns."""
    parameters = inspect.signature(estimator.fit).parameters
    if "sensitive_features" in parameters:
        return True
    takes_more = any(one.kind is inspect.Parameter.VAR_KEYWORD for one in parameters.values())
    return takes_more and type(estimator).__module__.startswith("fairlearn.")
