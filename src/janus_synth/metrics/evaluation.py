"""Evaluation: training, held-out and synthetic rows in; a report with all scores out."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from janus_synth.errors import DataError
from janus_synth.metrics.association import (
    association_error,
    association_norm,
    mutual_information_error,
    theils_u_error,
)
from janus_synth.metrics.clusters import delta_presence, k_anonymity
from janus_synth.metrics.detection import Detector, default_detector, detection_auc
from janus_synth.metrics.disclosure.attacks import LEAST_ROWS
from janus_synth.metrics.disclosure.attacks import disclosure as attack_rows
from janus_synth.metrics.disclosure.result import Disclosure
from janus_synth.metrics.joint import mmd_squared
from janus_synth.metrics.learners import Booster
from janus_synth.metrics.marginals import marginal_errors, minority_preservation, rare_level_preservation
from janus_synth.metrics.privacy import closer_to_train, distance_to_train, exact_copies
from janus_synth.metrics.report import Report, Score, ScoredTables
from janus_synth.metrics.rows import Frame, Rows, Seed, align, equal_rows, subsample
from janus_synth.metrics.utility import utility
from janus_synth.shortcuts import shortcut

if TYPE_CHECKING:
    from janus_synth.table import Schema

NAN = float("nan")


@dataclass(frozen=True, slots=True)
class Case:
    """Inputs of the scores.

    ``held_out`` and ``made`` (synthetic) have equal numbers of rows, and so has ``seen``, the training rows that
    replace the synthetic ones for the reference (None without references).
    """

    train: Rows
    test: Rows
    synthetic: Rows
    held_out: Rows
    made: Rows
    seen: Rows | None
    target: str
    detector: Detector
    seed: int
    max_rows: int


Pair = tuple[float, float]  # value and reference
Measure = Callable[[Case], Mapping[str, Pair]]


@dataclass(frozen=True, slots=True)
class Metric:
    """A measure and the scores it yields, each with its ideal and meaning."""

    measure: Measure
    scores: Mapping[str, tuple[float | None, str]]


def evaluate(
    train: Frame,
    test: Frame,
    synthetic: Frame,
    *,
    target: str | None = None,
    metrics: Iterable[str] | None = None,
    detector: Detector | None = None,
    schema: Schema | None = None,
    reference: bool = True,
    disclosure: bool = False,
    max_rows: int = 20_000,
    sample_rows: int = 200_000,
    random_state: Seed = 0,
    progress: Callable[[str, int, int], object] | None = None,
) -> Report:
    """Evaluate synthetic rows: fidelity to held-out rows, utility, and distance from the training rows.

    Fidelity compares with rows that the generator has not seen, in equal numbers, so that memorised rows do not improve
    a score. A score that is undefined for a table (one class, one column, too few rows) is NaN.

    Parameters
    ----------
    train, test, synthetic : DataFrame, or a source
        Rows that the generator was trained on, held-out rows, and generated rows; pandas, polars or pyarrow, with the
        same columns. Identifier columns are ignored. Or sources larger than memory, as ``Janus.fit`` takes them:
        most scores are then computed from random samples, and the report says which.
    target : str, optional
        Column that utility and minority preservation are about; by default the last one.
    metrics : iterable of str, optional
        Names of scores (`METRIC_NAMES`); by default all but ``detection_mlp``.
    detector : {"xgboost", "boosting", "mlp"}, optional
        Classifier behind ``detection``, and ``utility`` if it is boosted; by default XGBoost where it is
        installed.
    schema : Schema, optional
        Kinds of the columns; by default those found in the training table.
    reference : bool
        Whether to score real rows in place of the synthetic ones as well: the score of a perfect generator.
    disclosure : bool
        Whether to attack the rows as well (`disclosure`), where there are at least 20 training and 20 held-out rows.
    max_rows : int
        Larger tables are subsampled to this size for expensive scores.
    sample_rows : int
        Rows of a source that are sampled for scores that do not count all rows.
    random_state : int or Generator
        Seed of subsamples and classifiers. A score does not depend on which others are requested.
    progress : callable, optional
        Called as ``progress(name, done, total)`` before each measurement and once at the end.

    Returns
    -------
    Report
        Scores by name; prints as a table.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> frame = pd.DataFrame({"x": rng.normal(size=900)}).assign(y=lambda d: d.x > 0)
    >>> report = evaluate(frame[:300], frame[300:600], frame[600:], metrics=["ks", "exact_copies"])
    >>> list(report), report["exact_copies"], report.target
    (['ks', 'exact_copies'], 0.0, 'y')
    """
    wanted = _chosen(metrics)
    if any(map(_is_large, (train, test, synthetic))):
        return _evaluate_sources(
            train,
            test,
            synthetic,
            target=target,
            metrics=sorted(wanted),
            detector=detector,
            schema=schema,
            reference=reference,
            disclosure=disclosure,
            max_rows=max_rows,
            sample_rows=sample_rows,
            random_state=random_state,
            progress=progress,
        )
    aligned = align(schema=schema, train=train, test=test, synthetic=synthetic)
    case = _case(aligned, target, detector, reference, max_rows, random_state)
    due = [metric for metric in METRICS if wanted & set(metric.scores)]
    n_steps = len(due) + disclosure
    scores: dict[str, Score] = {}
    for done, metric in enumerate(due):
        if progress is not None:
            progress(next(iter(metric.scores)), done, n_steps)
        values = metric.measure(case)
        scores |= {
            name: Score(name, *values[name], ideal, meaning)
            for name, (ideal, meaning) in metric.scores.items()
            if name in wanted
        }
    if progress is not None and disclosure:
        progress("disclosure", len(due), n_steps)
    attacks = _disclosure(aligned, case.seed) if disclosure else None
    if progress is not None:
        progress("", n_steps, n_steps)
    sizes = {"train": aligned[0].n_rows, "test": aligned[1].n_rows, "synthetic": aligned[2].n_rows}
    seed = int(random_state) if isinstance(random_state, int | np.integer) else 0  # that of the page's subsamples
    tables = ScoredTables(
        (train, test, synthetic), {"schema": schema, "max_rows": max_rows, "random_state": seed}
    )  # fmt: skip
    return Report(scores, _column_distances(case), case.target, case.detector, sizes, attacks, tables)


def _is_large(table: object) -> bool:
    """Whether a table is a source that is read partition by partition; no library is imported to find out."""
    if isinstance(table, str | os.PathLike | list | tuple):
        return True
    kind = type(table)
    return kind.__name__ in ("LazyFrame", "DuckDBPyRelation") or kind.__module__.startswith(
        ("dask", "pyarrow._dataset")
    )


def _evaluate_sources(*tables: Frame, **options: object) -> Report:
    report: Report = shortcut("evaluate_sources")(*tables, **options)
    return report


def _disclosure(tables: tuple[Rows, ...], seed: int) -> Disclosure | None:
    """Attack the synthetic rows; None with too few real ones."""
    train, test, synthetic = tables
    if min(train.n_rows, test.n_rows) < LEAST_ROWS:
        return None
    return attack_rows(train, test, synthetic, random_state=seed)


def _case(
    tables: tuple[Rows, ...],
    target: str | None,
    detector: Detector | None,
    reference: bool,
    max_rows: int,
    random_state: Seed,
) -> Case:
    """Choose what all scores share: target, detector, seed and equal numbers of rows."""
    train, test, synthetic = tables
    name = train.names[-1] if target is None else train.column(target).name
    if max_rows < 1:
        raise DataError(f"max_rows is {max_rows}, but a table cannot be judged by fewer than one row.")
    seed = int(np.random.default_rng(random_state).integers(2**31))
    held_out, made = equal_rows(test, synthetic, seed=seed, most=max_rows)
    seen = subsample(train, held_out.n_rows, seed) if reference else None
    return Case(train, test, synthetic, held_out, made, seen, name, detector or default_detector(), seed, max_rows)


def _chosen(metrics: Iterable[str] | None) -> frozenset[str]:
    """Names of the requested scores; an unknown name raises and lists the closest."""
    if metrics is None:
        return frozenset(METRIC_NAMES) - {"detection_mlp"}
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    for name in names:
        if name not in METRIC_NAMES:
            close = difflib.get_close_matches(str(name), METRIC_NAMES, n=1)
            hint = f"Did you mean {close[0]!r}?" if close else f"Choose from {', '.join(METRIC_NAMES)}."
            raise DataError(f"no metric is called {name!r}. {hint}")
    return frozenset(names)


def _column_distances(case: Case) -> dict[str, float]:
    errors = marginal_errors(case.held_out, case.made)
    distances = {**errors.ks, **errors.total_variation}
    return {name: distances[name] for name in case.train.names}


def _against_held_out(score: Callable[[Rows, Rows], float], case: Case) -> Pair:
    """Score the synthetic rows, and the training rows in their place, against the held-out rows."""
    value = score(case.held_out, case.made)
    return value, NAN if case.seen is None else score(case.held_out, case.seen)


def _against_train(score: Callable[[Rows, Rows], float], case: Case) -> Pair:
    """Score the synthetic rows, and the held-out rows in their place, against the training rows."""
    synthetic, test = (subsample(rows, case.max_rows, case.seed) for rows in (case.synthetic, case.test))
    value = score(case.train, synthetic)
    return value, NAN if case.seen is None else score(case.train, test)


def _detection(case: Case) -> dict[str, Pair]:
    def score(real: Rows, other: Rows) -> float:
        return detection_auc(real, other, detector=case.detector, random_state=case.seed)

    return {"detection": _against_held_out(score, case)}


def _detection_mlp(case: Case) -> dict[str, Pair]:
    def score(real: Rows, other: Rows) -> float:
        return detection_auc(real, other, detector="mlp", random_state=case.seed)

    return {"detection_mlp": _against_held_out(score, case)}


def _utility(case: Case) -> dict[str, Pair]:
    booster: Booster = default_detector() if case.detector == "mlp" else case.detector
    tables = (case.train, case.test, case.synthetic)
    train, test, synthetic = (subsample(rows, case.max_rows, case.seed) for rows in tables)
    result = utility(train, test, synthetic, case.target, booster=booster, random_state=case.seed)
    return {"utility": (result.synthetic, result.real), "utility_gap": (result.gap, NAN)}


def _marginals(case: Case) -> dict[str, Pair]:
    value = marginal_errors(case.held_out, case.made).means
    reference = None if case.seen is None else marginal_errors(case.held_out, case.seen).means
    return {name: (value[name], NAN if reference is None else reference[name]) for name in value}


def _minority(case: Case) -> dict[str, Pair]:
    def score(real: Rows, other: Rows) -> float:
        return minority_preservation(real, other, case.target)

    return {"minority_preservation": _against_train(score, case)}


def _rare_levels(case: Case) -> dict[str, Pair]:
    return {"rare_level_preservation": _against_train(rare_level_preservation, case)}


def _association(case: Case) -> dict[str, Pair]:
    return {"association_error": _against_held_out(association_error, case)}


def _association_norm(case: Case) -> dict[str, Pair]:
    return {"association_norm": _against_held_out(association_norm, case)}


def _information(case: Case) -> dict[str, Pair]:
    return {"mutual_information_error": _against_held_out(mutual_information_error, case)}


def _uncertainty(case: Case) -> dict[str, Pair]:
    return {"theils_u_error": _against_held_out(theils_u_error, case)}


def _mmd(case: Case) -> dict[str, Pair]:
    def score(real: Rows, other: Rows) -> float:
        return mmd_squared(real, other, random_state=case.seed)

    return {"mmd": _against_held_out(score, case)}


def _closer_to_train(case: Case) -> dict[str, Pair]:
    tables = case.train, case.test, case.synthetic
    share = closer_to_train(*tables, most_rows=case.max_rows, random_state=case.seed)
    return {"closer_to_train": (share, NAN)}


def _distance(case: Case) -> dict[str, Pair]:
    def score(real: Rows, other: Rows) -> float:
        return distance_to_train(real, other, most_rows=case.max_rows, random_state=case.seed)

    return {"distance_to_train": _against_train(score, case)}


def _presence(case: Case) -> dict[str, Pair]:
    def score(real: Rows, other: Rows) -> float:
        return delta_presence(real, other, random_state=case.seed)

    return {"delta_presence": _against_train(score, case)}


def _anonymity(case: Case) -> dict[str, Pair]:
    def score(rows: Rows) -> float:
        return k_anonymity(rows, random_state=case.seed)

    return {"k_anonymity": (score(case.made), NAN if case.seen is None else score(case.held_out))}


def _copies(case: Case) -> dict[str, Pair]:
    return {"exact_copies": _against_train(exact_copies, case)}


METRICS: tuple[Metric, ...] = (
    Metric(_detection, {"detection": (0.5, "AUC of a classifier between synthetic and held-out rows")}),
    Metric(_detection_mlp, {"detection_mlp": (0.5, "the same with a small neural network")}),
    Metric(
        _utility,
        {
            "utility": (None, "AUC or R² on held-out rows after training on synthetic rows (reference: real rows)"),
            "utility_gap": (0.0, "loss of AUC or R² by training on synthetic instead of real rows"),
        },
    ),
    Metric(
        _marginals,
        {
            "ks": (0.0, "Kolmogorov–Smirnov distance, mean over ordered columns"),
            "total_variation": (0.0, "total variation distance, mean over discrete columns"),
            "wasserstein": (0.0, "Wasserstein distance in standard deviations, mean over ordered columns"),
        },
    ),
    Metric(_minority, {"minority_preservation": (1.0, "how well the share of the target's rarest class is preserved")}),
    Metric(_rare_levels, {"rare_level_preservation": (1.0, "the same for every discrete column, mean")}),
    Metric(_association, {"association_error": (0.0, "error of r, η and Theil's U, mean over pairs")}),
    Metric(_association_norm, {"association_norm": (0.0, "the same as a Frobenius norm of the matrices' difference")}),
    Metric(
        _information,
        {"mutual_information_error": (0.0, "error of normalised mutual information, mean over pairs")},
    ),
    Metric(_uncertainty, {"theils_u_error": (0.0, "error of Theil's U of binned columns, mean over pairs")}),
    Metric(_mmd, {"mmd": (0.0, "squared maximum mean discrepancy of whole rows, unbiased")}),
    Metric(_closer_to_train, {"closer_to_train": (0.5, "share of rows nearer to training than to held-out rows")}),
    Metric(_distance, {"distance_to_train": (None, "mean distance to the nearest training row (reference: held-out)")}),
    Metric(_presence, {"delta_presence": (1.0, "largest ratio of training to synthetic rows in a cluster")}),
    Metric(_anonymity, {"k_anonymity": (None, "rows in the smallest cluster (reference: held-out rows)")}),
    Metric(_copies, {"exact_copies": (None, "share of rows equal to a training row (reference: held-out rows)")}),
)

METRIC_NAMES: tuple[str, ...] = tuple(name for metric in METRICS for name in metric.scores)
