"""Decisions to gaps between groups, by fairlearn's ``MetricFrame``; several splits to one interval."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from janus_synth.errors import require_extra
from janus_synth.fairness.learning import PRIVILEGED, UNPRIVILEGED, Task
from janus_synth.fairness.mechanism import Mask
from janus_synth.inference import Estimate

Rows = NDArray[np.int64]

PARITY, TRUE_POSITIVE, FALSE_POSITIVE = "parity", "true positives", "false positives"
SUBGROUP, PROXY = "subgroup", "proxy"
DESCRIPTIONS = {
    PARITY: "share favoured: privileged less unprivileged",
    TRUE_POSITIVE: "share favoured among those whose outcome is favourable: privileged less unprivileged",
    FALSE_POSITIVE: "share favoured among the others: privileged less unprivileged",
    SUBGROUP: "share favoured: privileged less those who are hit",
    PROXY: "share favoured: better half of the mediator less worse half",
}


def gaps_of(task: Task, rows: Rows, decided: Mask, truth: Mask, *, with_subgroup: bool) -> dict[str, float]:
    """Gaps in decisions about some rows; rates of positives are those against ``truth``."""
    told = task.group[rows]
    known = (told == PRIVILEGED) | (told == UNPRIVILEGED)
    found = _differences(truth[known], decided[known], told[known] == PRIVILEGED)
    if with_subgroup:
        some = (told == PRIVILEGED) | task.hit[rows]
        found[SUBGROUP] = _parity(decided[some], told[some] == PRIVILEGED)
    if task.better is not None and task.better_known is not None:
        some = task.better_known[rows]
        found[PROXY] = _parity(decided[some], task.better[rows][some])
    return found


def _metric_frame(metrics: Any, truth: Mask, decided: Mask, first: Mask) -> Any:
    metrics_module = require_extra("fairlearn.metrics", "fairness", purpose="an audit")
    chosen = {name: getattr(metrics_module, name) for name in metrics}
    return metrics_module.MetricFrame(
        metrics=chosen, y_true=truth.astype(int), y_pred=decided.astype(int), sensitive_features=first.astype(int)
    ).by_group


def _differences(truth: Mask, decided: Mask, first: Mask) -> dict[str, float]:
    """Parity and both parts of equalised odds, the first group less the other."""
    names = ("selection_rate", "true_positive_rate", "false_positive_rate")
    by_group = _metric_frame(names, truth, decided, first)
    return {
        gap: _difference(by_group[name])
        for gap, name in zip((PARITY, TRUE_POSITIVE, FALSE_POSITIVE), names, strict=True)
    }


def _parity(decided: Mask, first: Mask) -> float:
    return _difference(_metric_frame(("selection_rate",), decided, decided, first)["selection_rate"])


def _difference(by_group: Any) -> float:
    """Group 1 less group 0; NaN where one of them is empty."""
    return float(by_group.get(1, np.nan) - by_group.get(0, np.nan))


def label_gaps(task: Task, *, with_subgroup: bool) -> dict[str, float]:
    """Gaps of the outcome itself."""
    rows = np.arange(task.n_rows)
    found = gaps_of(task, rows, task.favoured, task.favoured, with_subgroup=with_subgroup)
    return {name: value for name, value in found.items() if name in (PARITY, SUBGROUP, PROXY)}


def over_splits(values: list[float], *, n_train: int, n_test: int, level: float) -> Estimate:
    """Mean over random splits into training and test rows, with an interval for the luck of both.

    Splits share rows, so that the mean varies more than their spread tells; the variance is that of Nadeau and Bengio
    (Machine Learning 52, 2003), (1/J + n_test/n_train) s².
    """
    found = np.array(values, float)
    found = found[np.isfinite(found)]
    if len(found) < 2:
        value = float(found[0]) if len(found) else float("nan")
        return Estimate(value, float("nan"), float("nan"))
    spread = float(found.std(ddof=1)) * np.sqrt(1 / len(found) + n_test / n_train)
    half = float(stats.t.ppf(0.5 + level / 2, len(found) - 1)) * spread
    return Estimate(float(found.mean()), float(found.mean() - half), float(found.mean() + half))


def excludes_zero(estimate: Estimate) -> bool:
    """Whether an interval says that something is not zero."""
    return bool(estimate.low > 0 or estimate.high < 0)
