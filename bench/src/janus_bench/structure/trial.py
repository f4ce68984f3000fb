"""A structural model and a way of having a graph to arrows, rows, likelihood, interventions and time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from janus_bench.constrained.ground import ground_of
from janus_bench.constrained.scenarios import ModelKey
from janus_bench.stopwatch import seconds_of
from janus_bench.structure.graphs import directed_f1, skeleton_f1
from janus_bench.structure.interventions import Setting, draw_under, errors_of, truth_of
from janus_bench.structure.learners import ENGINES, STRUCTURES, make
from janus_bench.versions import REAL_ROWS
from janus_synth.metrics import align, detection_auc

if TYPE_CHECKING:
    import pandas as pd

    from janus_synth import Janus, Schema

TRUTH, SECOND, DRAW, SECOND_SET = 2, 3, 4, 6
"""What generators of a structural model are for: rows to judge by, rows judged, seeds of samples, and rows under
settings that are judged."""
WARM_ROWS = 200


@dataclass(frozen=True, slots=True)
class Trial:
    """One way of having a graph, on one structural model.

    ``log_prob`` is the mean over held-out rows that the model can produce, and ``impossible`` the share of the others.
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
    """When, in UTC: what is read from a store was timed earlier."""


def trial_of(model: ModelKey, engine: str, structure: str, *, n_train: int) -> Iterator[Trial]:
    """Learn a graph and a model along it, and judge both, by as many rows as were learnt.

    Examples
    --------
    >>> (trial,) = trial_of(ModelKey(5, 0), "paper", "true", n_train=300)
    >>> trial.structure, trial.n_edges, trial.directed_f1
    ('true graph', 10, 1.0)
    """
    from janus_synth import Janus

    ground = ground_of(model, n_train)
    arguments = make(engine, structure, ground.sem.dag).arguments
    _warm_up(engine, structure, arguments, ground.train)
    fitted = Janus(**arguments, random_state=model.seed)
    took = seconds_of(lambda: fitted.fit(ground.train, progress=False))
    found, true = fitted.model_.dag.edges, ground.sem.edges
    truth = ground.sem.draw(n_train, model.rng(TRUTH))
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
        **_detections(rows, truth, ground.schema),
        log_prob=float(log_prob[possible].mean()) if possible.any() else None,
        impossible=float(1 - possible.mean()),
        seconds=took.clock,
        cpu=took.processor,
        do_below=errors.below,
        do_elsewhere=errors.elsewhere,
        date=_now(),
    )


def real_trial(model: ModelKey, *, n_train: int) -> Iterator[Trial]:
    """Further rows of the structural model in place of a method's: what perfection gets."""
    ground, rng = ground_of(model, n_train), model.rng(SECOND_SET)
    truth, second = (ground.sem.draw(n_train, model.rng(purpose)) for purpose in (TRUTH, SECOND))
    errors = errors_of(truth_of(model, n_train), lambda setting: draw_under(ground.sem, setting, n_train, rng))
    yield Trial(
        engine=REAL_ROWS,
        structure=REAL_ROWS,
        seed=model.seed,
        n_columns=model.n_nodes,
        n_true=len(ground.sem.edges),
        **_detections(second, truth, ground.schema),
        do_below=errors.below,
        do_elsewhere=errors.elsewhere,
        date=_now(),
    )


def _rows_under(fitted: Janus, setting: Setting, n: int, seed: int) -> pd.DataFrame:
    world = fitted.do({setting.column: setting.value})
    rows: pd.DataFrame = world.sample(n, random_state=seed, progress=False)
    return rows


def _detections(rows: pd.DataFrame, truth: pd.DataFrame, schema: Schema) -> dict[str, Any]:
    """How well two classifiers tell rows from the truth."""
    pair = align(schema=schema, real=truth, synthetic=rows)
    return {
        "xgboost": detection_auc(*pair, detector="xgboost", random_state=0),
        "mlp": detection_auc(*pair, detector="mlp", random_state=0),
    }


_warm: set[tuple[str, str]] = set()


def _warm_up(engine: str, structure: str, arguments: dict[str, Any], train: pd.DataFrame) -> None:
    """Compile kernels and import libraries before anything is timed, once per process."""
    from janus_synth import Janus

    if (engine, structure) not in _warm:
        with suppress(Exception):  # what fails here fails again in a moment, on record
            Janus(**arguments, random_state=0).fit(train.head(WARM_ROWS), progress=False)
        _warm.add((engine, structure))


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%d %H:%M")
