"""One cell of the structure benchmark: a structural model and a structure in, scores of graph and rows and time out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from janus_bench.models.random_sem import ModelKey, known_model
from janus_bench.stopwatch import seconds_of, utc_minute, warm_up
from janus_bench.structure.interventions import Setting, draw_under, errors_of, truth_of
from janus_bench.structure.learners import ENGINES, STRUCTURES, directed_f1, make, skeleton_f1
from janus_bench.versions import REAL_ROWS
from janus_synth.metrics import align, detection_auc

if TYPE_CHECKING:
    import pandas as pd

    from janus_synth import Janus, Schema

TRUTH, SECOND, DRAW, SECOND_SET = 2, 3, 4, 6
"""Random streams of a structural model: reference rows, a second sample of the truth, seeds of samples, and a second
sample under interventions."""
WARM_ROWS = 200


@dataclass(frozen=True, slots=True)
class Trial:
    """Scores of one engine with one structure on one structural model.

    ``log_prob`` is the mean over held-out rows with positive probability, ``impossible`` the share of the others.
    """

    engine: str
    structure: str
    seed: int
    n_columns: int
    n_true: int
    xgboost: float
    mlp: float
    do_below: float
    do_elsewhere: float
    n_edges: int | None = None
    skeleton_f1: float | None = None
    directed_f1: float | None = None
    log_prob: float | None = None
    impossible: float | None = None
    seconds: float | None = None
    cpu: float | None = None
    date: str = ""
    """Time of the measurement in UTC; stored measurements are older than the run."""


def trial_of(model: ModelKey, engine: str, structure: str, *, n_train: int) -> Iterator[Trial]:
    """Learn a graph and a model with it, and score both against as many new rows as were learnt.

    Examples
    --------
    >>> (trial,) = trial_of(ModelKey(5, 0), "paper", "true", n_train=300)
    >>> trial.structure, trial.n_edges, trial.directed_f1
    ('true graph', 10, 1.0)
    """
    from janus_synth import Janus

    known = known_model(model, n_train)
    arguments = make(engine, structure, known.sem.dag).arguments
    brief = Janus(**arguments, random_state=0)
    warm_up((engine, structure), lambda: brief.fit(known.train.head(WARM_ROWS), progress=False))
    fitted = Janus(**arguments, random_state=model.seed)
    took = seconds_of(lambda: fitted.fit(known.train, progress=False))
    found, true = fitted.model_.dag.edges, known.sem.edges
    truth = known.sem.draw(n_train, model.rng(TRUTH))
    seed = int(model.rng(DRAW).integers(2**31))
    rows = fitted.sample(n_train, random_state=seed, progress=False)
    log_prob = fitted.log_prob(truth)
    possible = np.isfinite(log_prob)
    errors = errors_of(truth_of(model, n_train), lambda setting: _rows_under(fitted, setting, n_train, seed))
    yield Trial(
        engine=ENGINES[engine],
        structure=STRUCTURES[structure],
        seed=model.seed,
        n_columns=model.n_nodes,
        n_true=len(true),
        n_edges=len(found),
        skeleton_f1=skeleton_f1(found, true),
        directed_f1=directed_f1(found, true),
        **_detections(rows, truth, known.schema),
        log_prob=float(log_prob[possible].mean()) if possible.any() else None,
        impossible=float(1 - possible.mean()),
        seconds=took.clock,
        cpu=took.processor,
        do_below=errors.below,
        do_elsewhere=errors.elsewhere,
        date=utc_minute(),
    )


def real_trial(model: ModelKey, *, n_train: int) -> Iterator[Trial]:
    """Further rows of the structural model in place of a method's: the score of a perfect method."""
    known, rng = known_model(model, n_train), model.rng(SECOND_SET)
    truth, second = (known.sem.draw(n_train, model.rng(purpose)) for purpose in (TRUTH, SECOND))
    errors = errors_of(truth_of(model, n_train), lambda setting: draw_under(known.sem, setting, n_train, rng))
    yield Trial(
        engine=REAL_ROWS,
        structure=REAL_ROWS,
        seed=model.seed,
        n_columns=model.n_nodes,
        n_true=len(known.sem.edges),
        **_detections(second, truth, known.schema),
        do_below=errors.below,
        do_elsewhere=errors.elsewhere,
        date=utc_minute(),
    )


def _rows_under(fitted: Janus, setting: Setting, n: int, seed: int) -> pd.DataFrame:
    world = fitted.do({setting.column: setting.value})
    rows: pd.DataFrame = world.sample(n, random_state=seed, progress=False)
    return rows


def _detections(rows: pd.DataFrame, truth: pd.DataFrame, schema: Schema) -> dict[str, Any]:
    """Detection AUC of two classifiers between ``rows`` and rows of the true model."""
    pair = align(schema=schema, real=truth, synthetic=rows)
    return {
        "xgboost": detection_auc(*pair, detector="xgboost", random_state=0),
        "mlp": detection_auc(*pair, detector="mlp", random_state=0),
    }
