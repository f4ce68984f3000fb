"""Group gaps: decisions in; differences between groups, by fairlearn's ``MetricFrame``, and their intervals out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from janus_synth.arrays import Array, Bools, Floats, LongInts
from janus_synth.errors import require_extra
from janus_synth.fairness.learning_task import PRIVILEGED, UNKNOWN, LearningTask
from janus_synth.sampling import Estimate

RATES = ("selection_rate", "true_positive_rate", "false_positive_rate")

PARITY, TRUE_POSITIVE, FALSE_POSITIVE = "parity", "true positives", "false positives"
SCORE, SUBGROUP, PROXY = "score", "subgroup", "proxy"
OF_OUTCOMES = (SCORE, PARITY, SUBGROUP, PROXY)
"""Gaps that are also defined for the outcome itself."""
DESCRIPTIONS = {
    SCORE: "mean predicted probability of a favourable outcome: privileged minus affected rows",
    PARITY: "selection rate (demographic parity): privileged minus unprivileged",
    TRUE_POSITIVE: "true positive rate (equal opportunity): privileged minus unprivileged",
    FALSE_POSITIVE: "false positive rate: privileged minus unprivileged",
    SUBGROUP: "selection rate: privileged minus affected rows",
    PROXY: "selection rate: better half of the mediator minus worse half",
}


class Decisions(NamedTuple):
    """Rows of one world with decisions and probabilities, of an algorithm or of the outcome itself."""

    task: LearningTask
    rows: LongInts
    decided: Bools
    chance: Floats


def outcome_as_decisions(task: LearningTask) -> Decisions:
    """Treat the outcome of a world as decisions."""
    return Decisions(task, np.arange(task.n_rows), task.favoured, task.favoured.astype(float))


def compute_gaps(parts: Sequence[Decisions], *, with_subgroup: bool) -> dict[str, Floats]:
    """Compute every gap for each part, by name; true and false positives refer to each world's own outcome."""
    rows = _StackedRows(parts)
    privileged, group = rows.of(lambda task: task.group == PRIVILEGED), rows.of(lambda task: task.group != UNKNOWN)
    hit = privileged | rows.of(lambda task: task.hit)
    found = dict(zip((PARITY, TRUE_POSITIVE, FALSE_POSITIVE), rows.differences(RATES, group, privileged), strict=True))
    (score,) = rows.differences(("mean_prediction",), hit, privileged, by_chance=True)
    found = {SCORE: score, **found}
    if with_subgroup:
        (found[SUBGROUP],) = rows.differences(RATES[:1], hit, privileged)
    if parts[0].task.better is not None:
        known, better = rows.of(lambda task: task.better_known), rows.of(lambda task: task.better)
        (found[PROXY],) = rows.differences(RATES[:1], known, better)
    return found


class _StackedRows:
    """Rows of several parts stacked, so that one ``MetricFrame`` computes them all."""

    def __init__(self, parts: Sequence[Decisions]) -> None:
        self.parts = parts
        self.number = np.repeat(np.arange(len(parts)), [len(part.rows) for part in parts])
        self.truth = self.of(lambda task: task.favoured)
        self.decided, self.chance = (
            np.concatenate([getattr(part, n) for part in parts]) for n in ("decided", "chance")
        )

    def of(self, column: Callable[[LearningTask], Any]) -> Bools:
        """A property of the tasks, for every row."""
        return np.concatenate([np.asarray(column(part.task))[part.rows] for part in self.parts])

    def differences(self, rates: Sequence[str], among: Bools, first: Bools, *, by_chance: bool = False) -> list[Floats]:
        """(parts,) rates of the first group minus those of the others; NaN where one of them is empty."""
        metrics = require_extra("fairlearn.metrics", "fairness", purpose="an audit")
        part, group = self.number[among], first[among].astype(int)
        if by_chance:
            merged, n, total = _group_rows((part, group), self.chance[among])
            truth, predicted = np.zeros(len(n), int), total / n
        else:
            merged, n, _ = _group_rows((part, group, self.truth[among], self.decided[among]))
            truth, predicted = merged[2], merged[3]
        by_group = metrics.MetricFrame(
            metrics={name: getattr(metrics, name) for name in rates},
            y_true=truth,
            y_pred=predicted,
            sensitive_features=merged[1],
            control_features=merged[0],
            sample_params={name: {"sample_weight": n} for name in rates},
        ).by_group
        parts = np.arange(len(self.parts))

        def rate(name: str, group: int) -> Floats:
            if group not in by_group.index.get_level_values(1):
                return np.full(len(parts), np.nan)
            return np.asarray(by_group[name].xs(group, level=1).reindex(parts), float)

        return [rate(name, 1) - rate(name, 0) for name in rates]


def _group_rows(keys: Sequence[Array], values: Floats | None = None) -> tuple[LongInts, Floats, Floats]:
    """Merge rows with equal keys: return the distinct keys, the number of rows and the sum of their values.

    ``MetricFrame`` is slow per row, and accepts weights.
    """
    merged, place, n = np.unique(np.array(keys, np.int64), axis=1, return_inverse=True, return_counts=True)
    return merged, n.astype(float), np.bincount(place, values, minlength=len(n)).astype(float)


def estimate_over_splits(values: Sequence[float] | Floats, *, n_train: int, n_test: int, level: float) -> Estimate:
    """Mean over random splits into training and test rows, with an interval that accounts for the choice of both.

    Splits share rows, so that the variance of their mean exceeds s² / J, with s² the variance over J splits. With r the
    ratio of training to test rows, the part due to training rows is r s² (delete-d jackknife: Shao and Wu, Annals of
    Statistics 17, 1989), the part due to test rows s² / r (Nadeau and Bengio, Machine Learning 52, 2003). The larger of
    the two is used, plus s² / J for the finite number of splits. With halves both are s².
    """
    found = np.asarray(values, float)
    found = found[np.isfinite(found)]
    if len(found) < 2:
        value = float(found[0]) if len(found) else float("nan")
        return Estimate(value, float("nan"), float("nan"))
    ratio = max(n_train / n_test, n_test / n_train)
    spread = float(found.std(ddof=1)) * np.sqrt(ratio + 1 / len(found))
    half = float(stats.t.ppf(0.5 + level / 2, len(found) - 1)) * spread
    return Estimate(float(found.mean()), float(found.mean() - half), float(found.mean() + half))


def excludes_zero(estimate: Estimate) -> bool:
    """Whether an interval excludes zero."""
    return bool(estimate.low > 0 or estimate.high < 0)
