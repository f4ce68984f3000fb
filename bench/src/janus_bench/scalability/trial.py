"""A method at one size to what it took and how good its rows are: graphs of many columns, tables of many rows."""

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
"""What generators of a structural model are for: rows to judge by, rows of the truth to judge, seeds of samples."""
WARM_ROWS = 300
ALONE = "JANUS, new process"


@dataclass(frozen=True, slots=True)
class Point:
    """One method at one size, once."""

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
    """Of a second sample as long: what the first prepares is at hand then."""
    mf: float | None = None
    cf: float | None = None
    detection: float | None = None
    before_mib: float | None = None
    peak_mib: float | None = None
    date: str = ""
    """When, in UTC: what is read from a store was timed earlier."""


def graph_points(
    part: str, model: ModelKey, word: str | None, *, n_train: int, n_drawn: int, judged: bool
) -> Iterator[Point]:
    """Learn rows of a structural model, draw as many as asked, and judge them by further rows of the model.

    Without a word the rows judged are the model's own: the score of a perfect method.

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
    """Learn a table made as long as asked."""
    frame = enlarge(read_named(table).frame, n_rows, seed=seed)
    method = make(word)
    times = fit_times(method, frame, seed=seed)
    yield Point("C", method.name, table, frame.shape[1], n_rows, seed, **times, date=utc_minute())


def memory_points(table: str, n_rows: int, *, seed: int) -> Iterator[Point]:
    """The same by JANUS in a process that does nothing else, with its memory."""
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
    """What a fit takes, everything it needs compiled and imported before."""
    warm_up(("scalability", method.name), lambda: method.fit(train.head(WARM_ROWS), seed=0).sample(10, seed=0))
    took = seconds_of(lambda: method.fit(train, seed=seed))
    return {"fit_seconds": took.clock, "fit_cpu": took.processor}


def fidelity_scores(rows: pd.DataFrame, truth: pd.DataFrame, schema: Schema) -> dict[str, Any]:
    """MF and CF of the benchmark of conditions, and the detection AUC of XGBoost."""
    pair = align(schema=schema, real=truth, synthetic=rows)
    return {
        "mf": marginal_fidelity(marginal_errors(*pair)),
        "cf": correlation_fidelity(*pair),
        "detection": detection_auc(*pair, random_state=0),
    }
