"""One cell of the scalability benchmark: a method and a size in, seconds, memory and scores out."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from janus_bench.constrained.scores import correlation_fidelity, marginal_fidelity
from janus_bench.fresh import ask
from janus_bench.models.random_sem import ModelKey, known_model
from janus_bench.scalability.methods import make
from janus_bench.stopwatch import seconds_of, utc_minute, warm_up
from janus_bench.tables import read_named
from janus_bench.tables.sizes import enlarge
from janus_bench.versions import REAL_ROWS
from janus_synth.metrics import align, detection_auc, marginal_errors

if TYPE_CHECKING:
    import pandas as pd

    from janus_bench.peers import Synthesizer
    from janus_synth import Schema

TRUTH, SECOND, DRAW = 2, 3, 4
"""Random streams of a structural model: reference rows, a second sample of the truth, and seeds of samples."""
WARM_ROWS = 300
ALONE = "JANUS, new process"


@dataclass(frozen=True, slots=True)
class Point:
    """One measurement of one method at one size."""

    part: str
    method: str
    table: str
    n_columns: int
    n_rows: int
    seed: int
    fit_seconds: float | None = None
    fit_cpu: float | None = None
    sample_seconds: float | None = None
    sample_cpu: float | None = None
    again_cpu: float | None = None
    """CPU seconds of a second sample of the same size, which reuses what the first one prepared."""
    mf: float | None = None
    cf: float | None = None
    detection: float | None = None
    before_mib: float | None = None
    peak_mib: float | None = None
    date: str = ""
    """Time of the measurement in UTC; stored measurements are older than the run."""


def graph_points(
    part: str, model: ModelKey, word: str | None, *, n_train: int, n_drawn: int, judged: bool
) -> Iterator[Point]:
    """Fit a method to rows of a structural model, sample from it, and score the sample against new rows of the model.

    If ``word`` is None, a second sample of the structural model is scored: the score of a perfect method.

    Examples
    --------
    >>> (point,) = graph_points("A", ModelKey(5, 0), "cart", n_train=200, n_drawn=100, judged=True)
    >>> point.method, point.n_columns, 0.5 < point.mf < 1
    ('CART', 5, True)
    """
    known = known_model(model, n_train)
    facts: dict[str, Any] = {"part": part, "table": f"{model.n_nodes} columns", "n_columns": model.n_nodes}
    facts |= {"n_rows": n_train, "seed": model.seed, "date": utc_minute()}
    truth = known.sem.draw(n_drawn, model.rng(TRUTH)) if judged else None
    if word is None:
        assert truth is not None
        second = known.sem.draw(n_drawn, model.rng(SECOND))
        yield Point(method=REAL_ROWS, **facts, **fidelity_scores(second, truth, known.schema))
        return
    method = make(word, known.sem.dag)
    times = fit_times(method, known.train, seed=model.seed)
    seed, other = (int(seed) for seed in model.rng(DRAW).integers(2**31, size=2))
    drawn: list[pd.DataFrame] = []
    took = seconds_of(lambda: drawn.append(method.sample(n_drawn, seed=seed)))
    again = seconds_of(lambda: method.sample(n_drawn, seed=other))
    times |= {"sample_seconds": took.clock, "sample_cpu": took.processor, "again_cpu": again.processor}
    scores = {} if truth is None else fidelity_scores(drawn[0], truth, known.schema)
    yield Point(method=method.name, **facts, **times, **scores)


def row_points(table: str, n_rows: int, word: str, *, seed: int) -> Iterator[Point]:
    """Time the fit of a table enlarged to ``n_rows``."""
    frame = enlarge(read_named(table).frame, n_rows, seed=seed)
    method = make(word)
    times = fit_times(method, frame, seed=seed)
    yield Point("C", method.name, table, frame.shape[1], n_rows, seed, **times, date=utc_minute())


def memory_points(table: str, n_rows: int, *, seed: int) -> Iterator[Point]:
    """The same for JANUS in a separate process, with its memory."""
    frame = enlarge(read_named(table).frame, n_rows, seed=seed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "table.parquet")
        frame.to_parquet(path)
        answer = ask("fit", path, Path(folder, "model.janus"))
    memory = {key: answer[key] for key in ("before_mib", "peak_mib")}
    yield Point(
        "C", ALONE, table, frame.shape[1], n_rows, seed, fit_seconds=answer["seconds"], **memory, date=utc_minute()
    )


def fit_times(method: Synthesizer, train: pd.DataFrame, *, seed: int) -> dict[str, Any]:
    """Seconds of a fit, after a warm-up that compiles and imports everything it needs."""
    warm_up(("scalability", method.name), lambda: method.fit(train.head(WARM_ROWS), seed=0).sample(10, seed=0))
    took = seconds_of(lambda: method.fit(train, seed=seed))
    return {"fit_seconds": took.clock, "fit_cpu": took.processor}


def fidelity_scores(rows: pd.DataFrame, truth: pd.DataFrame, schema: Schema) -> dict[str, Any]:
    """Marginal and correlation fidelity as in the constrained benchmark, and the detection AUC of XGBoost."""
    pair = align(schema=schema, real=truth, synthetic=rows)
    return {
        "mf": marginal_fidelity(marginal_errors(*pair)),
        "cf": correlation_fidelity(*pair),
        "detection": detection_auc(*pair, random_state=0),
    }
