"""Scores of tables larger than memory: three sources in; a report out that says what was sampled.

Each source is read twice. The first pass draws a uniform sample of rows, which most scores are computed from. The
second counts all rows, for the distances of single columns and for rows that equal a training row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from janus_synth.partitions.executors import Executor, LocalExecutor
from janus_synth.partitions.fit import OpenSource, open_source
from janus_synth.partitions.marginals import (
    Marginals,
    Ruler,
    count_marginals,
    distance_of,
    hash_rows,
    join_marginals,
    make_ruler,
)
from janus_synth.partitions.sources import Partition, partitions_of
from janus_synth.table import Schema, read_table
from janus_synth.table.files import frame_of_arrow
from janus_synth.table.sources import SAMPLE_ROWS, is_source

if TYPE_CHECKING:
    from janus_synth.metrics import Report, Score

NAMES = ("train", "test", "synthetic")
STREAMED = ("ks", "total_variation", "exact_copies")
"""Scores that all rows are counted for."""


def evaluate_sources(
    train: Any,
    test: Any,
    synthetic: Any,
    *,
    sample_rows: int = SAMPLE_ROWS,
    schema: Schema | None = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
    **options: Any,
) -> Report:
    """Evaluate tables larger than memory: any mix of frames and sources, as ``metrics.evaluate`` takes them.

    Parameters
    ----------
    train, test, synthetic : DataFrame or source
        A source is what ``Janus.fit`` takes: a path or pattern, a dataset, a lazy frame, a list of frames.
    sample_rows : int
        Rows of each table that scores are computed from, except those of ``STREAMED``.
    schema : Schema, optional
        Kinds of the columns; by default those found in the sample of the training table.
    random_state : int or Generator
        Seed of samples and classifiers.
    n_jobs : int, optional
        Number of threads that read; all cores by default.
    **options
        The other arguments of ``metrics.evaluate``.

    Returns
    -------
    Report
        Its ``sampled`` says how many rows were sampled, and what was computed from all rows.

    Examples
    --------
    >>> from janus_synth import datasets
    >>> rows = datasets.hiring(600, random_state=0)
    >>> train = [rows[:100], rows[100:200]]
    >>> report = evaluate_sources(train, rows[200:400], rows[400:], metrics=["ks"], sample_rows=50)
    >>> report.n_rows["train"], report.sampled.rows["train"], report.sampled.exact
    (200, 50, ('ks',))
    """
    from janus_synth.metrics import evaluate

    executor = LocalExecutor(n_jobs)
    seed = int(np.random.default_rng(random_state).integers(2**31))
    sources = [_open(data, executor, sample_rows, seed + place) for place, data in enumerate((train, test, synthetic))]
    kinds = schema or sources[0].sampled_table(sources[0].sampled_frame(None), None).schema
    samples = [frame_of_arrow(source.scan.sample.rows, source.kind) for source in sources if source.scan.sample]
    report = evaluate(*samples, schema=kinds, random_state=random_state, **options)
    tables = [read_table(frame, kinds) for frame in samples]
    ruler = make_ruler(kinds, tables, np.empty(0, np.uint64))
    wanted = np.concatenate([hash_rows(table) for table in (tables[2], tables[1])])
    looking = replace(ruler, wanted=wanted) if "exact_copies" in report else ruler
    counted = [_count(source, executor, by) for source, by in zip(sources, (looking, ruler, ruler), strict=True)]
    return _with_all_rows(report, counted, n_synthetic=tables[2].n_rows, sizes=[table.n_rows for table in tables])


def _open(data: Any, executor: Executor, sample_rows: int, seed: int) -> OpenSource:
    kind, partitions = partitions_of(data if is_source(data) else [data])
    return open_source(kind, partitions, executor, sample_rows=sample_rows, seed=seed, advance=lambda steps: None)


def _count(source: OpenSource, executor: Executor, ruler: Ruler) -> Marginals:
    tasks = [(partition,) for partition in source.partitions]
    total: Marginals | None = None
    for part in executor.run(_count_partition, ruler, tasks):
        if part is not None:
            total = part if total is None else join_marginals([total, part])
    assert total is not None  # a source without rows is an error when it is opened
    return total


def _count_partition(ruler: Ruler, partition: Partition, n_jobs: int | None) -> Marginals | None:
    return count_marginals(ruler, partition)


def _with_all_rows(report: Report, counted: list[Marginals], *, n_synthetic: int, sizes: list[int]) -> Report:
    """The report with the distances of single columns, and the share of copies, of all rows."""
    from janus_synth.metrics import METRIC_NAMES
    from janus_synth.metrics.report import Sampled

    train, test, synthetic = counted
    found = {name: distance_of(test, synthetic, name) for name in report.columns}
    usual = {name: distance_of(test, train, name).value for name in report.columns}
    ordered = [name for name in report.columns if name in test.places]
    discrete = [name for name in report.columns if name in test.levels]
    copied = train.copied
    values: Mapping[str, tuple[float, float]] = {
        "ks": (_mean([found[name].value for name in ordered]), _mean([usual[name] for name in ordered])),
        "total_variation": (_mean([found[name].value for name in discrete]), _mean([usual[name] for name in discrete])),
        "exact_copies": (_mean(copied[:n_synthetic].tolist()), _mean(copied[n_synthetic:].tolist())),
    }
    exact = tuple(name for name in METRIC_NAMES if name in STREAMED and name in report)
    scores = {name: _replace_score(score, values.get(name)) for name, score in report.scores.items()}
    slack = max((found[name].slack for name in ordered), default=0.0)
    return replace(
        report,
        scores=scores,
        columns={name: distance.value for name, distance in found.items()},
        n_rows=dict(zip(NAMES, (part.n_rows for part in counted), strict=True)),
        sampled=Sampled(dict(zip(NAMES, sizes, strict=True)), exact, slack),
    )


def _replace_score(score: Score, values: tuple[float, float] | None) -> Score:
    if values is None:
        return score
    return replace(score, value=values[0], reference=score.reference if np.isnan(score.reference) else values[1])


def _mean(values: list[float]) -> float:
    return float(np.mean(values)) if values else float("nan")
