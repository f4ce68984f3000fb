"""Decisions to gaps between groups, by fairlearn's ``MetricFrame``; several splits to one interval."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from janus_synth.arrays import Array, Bools, Floats, LongInts
from janus_synth.errors import require_extra
from janus_synth.fairness.learning import PRIVILEGED, UNKNOWN, Task
from janus_synth.sampling import Estimate

RATES = ("selection_rate", "true_positive_rate", "false_positive_rate")

PARITY, TRUE_POSITIVE, FALSE_POSITIVE = "parity", "true positives", "false positives"
SCORE, SUBGROUP, PROXY = "score", "subgroup", "proxy"
OF_OUTCOMES = (SCORE, PARITY, SUBGROUP, PROXY)
"""Gaps that an outcome itself has."""
DESCRIPTIONS = {
    SCORE: "mean chance to be favoured: privileged less those who are hit",
    PARITY: "share favoured: privileged less unprivileged",
    TRUE_POSITIVE: "share favoured among those whose outcome is favourable: privileged less unprivileged",
    FALSE_POSITIVE: "share favoured among the others: privileged less unprivileged",
    SUBGROUP: "share favoured: privileged less those who are hit",
    PROXY: "share favoured: better half of the mediator less worse half",
}


class Judged(NamedTuple):
    """Rows of one world and what was made of them: by an algorithm, or by the world itself."""

    task: Task
    rows: LongInts
    decided: Bools
    chance: Floats


def own_outcome(task: Task) -> Judged:
    """A world's outcome as if it were somebody's decisions."""
    return Judged(task, np.arange(task.n_rows), task.favoured, task.favoured.astype(float))


def gaps_of(parts: Sequence[Judged], *, with_subgroup: bool) -> dict[str, Floats]:
    """(parts,) of every gap; rates of positives are those against each world's own outcome."""
    rows = _Rows(parts)
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


class _Rows:
    """Rows of several parts one after the other, so that one ``MetricFrame`` serves them all."""

    def __init__(self, parts: Sequence[Judged]) -> None:
        self.parts = parts
        self.number = np.repeat(np.arange(len(parts)), [len(part.rows) for part in parts])
        self.truth = self.of(lambda task: task.favoured)
        self.decided, self.chance = (
            np.concatenate([getattr(part, n) for part in parts]) for n in ("decided", "chance")
        )

    def of(self, column: Callable[[Task], Any]) -> Bools:
        """Something that is known of every row."""
        return np.concatenate([np.asarray(column(part.task))[part.rows] for part in self.parts])

    def differences(self, rates: Sequence[str], among: Bools, first: Bools, *, by_chance: bool = False) -> list[Floats]:
        """(parts,) rates of the first group less those of the others; NaN where one of them is empty."""
        metrics = require_extra("fairlearn.metrics", "fairness", purpose="an audit")
        part, group = self.number[among], first[among].astype(int)
        if by_chance:
            alike, n, total = _alike((part, group), self.chance[among])
            truth, predicted = np.zeros(len(n), int), total / n
        else:
            alike, n, _ = _alike((part, group, self.truth[among], self.decided[among]))
            truth, predicted = alike[2], alike[3]
        by_group = metrics.MetricFrame(
            metrics={name: getattr(metrics, name) for name in rates},
            y_true=truth,
            y_pred=predicted,
            sensitive_features=alike[1],
            control_features=alike[0],
            sample_params={name: {"sample_weight": n} for name in rates},
        ).by_group
        parts = np.arange(len(self.parts))

        def rate(name: str, group: int) -> Floats:
            if group not in by_group.index.get_level_values(1):
                return np.full(len(parts), np.nan)
            return np.asarray(by_group[name].xs(group, level=1).reindex(parts), float)

        return [rate(name, 1) - rate(name, 0) for name in rates]


def _alike(keys: Sequence[Array], values: Floats | None = None) -> tuple[LongInts, Floats, Floats]:
    """Rows that are alike in all keys as one row: their keys, how many they are, and the sum of their values.

    ``MetricFrame`` takes its time for every row, and understands weights.
    """
    alike, place, n = np.unique(np.array(keys, np.int64), axis=1, return_inverse=True, return_counts=True)
    return alike, n.astype(float), np.bincount(place, values, minlength=len(n)).astype(float)


def over_splits(values: Sequence[float] | Floats, *, n_train: int, n_test: int, level: float) -> Estimate:
    """Mean over random splits into training and test rows, with an interval for the luck of both.

    Splits share rows, so that their mean varies more than their spread tells. With r the ratio of training to test
    rows, what comes from training rows varies r s² (delete-d jackknife: Shao and Wu, Annals of Statistics 17, 1989),
    what comes from test rows s² / r (Nadeau and Bengio, Machine Learning 52, 2003); the larger of the two is taken, and
    s² / J for having drawn J splits. With halves both are s².
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
    """Whether an interval says that something is not zero."""
    return bool(estimate.low > 0 or estimate.high < 0)
