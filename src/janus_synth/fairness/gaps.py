"""Decisions to gaps between groups, by fairlearn's ``MetricFrame``; several splits to one interval."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from janus_synth.errors import require_extra
from janus_synth.fairness.learning import PRIVILEGED, UNPRIVILEGED, Task
from janus_synth.fairness.mechanism import Mask
from janus_synth.inference import Estimate

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

RATES = ("selection_rate", "true_positive_rate", "false_positive_rate")

PARITY, TRUE_POSITIVE, FALSE_POSITIVE = "parity", "true positives", "false positives"
SCORE, SUBGROUP, PROXY = "score", "subgroup", "proxy"
DESCRIPTIONS = {
    SCORE: "mean chance to be favoured: privileged less those who are hit",
    PARITY: "share favoured: privileged less unprivileged",
    TRUE_POSITIVE: "share favoured among those whose outcome is favourable: privileged less unprivileged",
    FALSE_POSITIVE: "share favoured among the others: privileged less unprivileged",
    SUBGROUP: "share favoured: privileged less those who are hit",
    PROXY: "share favoured: better half of the mediator less worse half",
}


class Decisions(NamedTuple):
    """Decisions of one world, all splits one after the other."""

    task: Task
    split: Rows
    """(n,) which split a decision belongs to."""
    row: Rows
    """(n,) which row of the task it is about."""
    decided: Mask
    chance: Floats

    @property
    def truth(self) -> Mask:
        """The outcome of each decision's row."""
        return self.task.favoured[self.row]

    @property
    def group(self) -> NDArray[np.str_]:
        """Who each decision's row is."""
        return self.task.group[self.row]


def gaps_by_split(of: Decisions, *, with_subgroup: bool) -> dict[str, Floats]:
    """(splits,) of every gap; rates of positives are those against the world's own outcome."""
    privileged, task = of.group == PRIVILEGED, of.task
    known = privileged | (of.group == UNPRIVILEGED)
    hit = privileged | task.hit[of.row]
    found = dict(zip((SCORE,), _differences(of, hit, privileged, ("mean_prediction",), of.chance), strict=True))
    found |= dict(zip((PARITY, TRUE_POSITIVE, FALSE_POSITIVE), _differences(of, known, privileged, RATES), strict=True))
    if with_subgroup:
        (found[SUBGROUP],) = _differences(of, hit, privileged, RATES[:1])
    if task.better is not None and task.better_known is not None:
        (found[PROXY],) = _differences(of, task.better_known[of.row], task.better[of.row], RATES[:1])
    return found


def _differences(
    of: Decisions, among: Mask, first: Mask, rates: Sequence[str], predicted: Floats | None = None
) -> list[Floats]:
    """Rates of the first group less those of the others, in each split; NaN where one of them is empty."""
    metrics = require_extra("fairlearn.metrics", "fairness", purpose="an audit")
    by_group = metrics.MetricFrame(
        metrics={name: getattr(metrics, name) for name in rates},
        y_true=of.truth[among].astype(int),
        y_pred=of.decided[among].astype(int) if predicted is None else predicted[among],
        sensitive_features=first[among].astype(int),
        control_features=of.split[among],
    ).by_group
    splits = np.unique(of.split)
    nothing = np.full(len(splits), np.nan)

    def rate(name: str, group: int) -> Floats:
        if group not in by_group.index.get_level_values(1):
            return nothing
        return np.asarray(by_group[name].xs(group, level=1).reindex(splits), float)

    return [rate(name, 1) - rate(name, 0) for name in rates]


def label_gaps(task: Task, *, with_subgroup: bool) -> dict[str, float]:
    """Gaps of the outcome itself."""
    rows = np.arange(task.n_rows)
    found = gaps_by_split(
        Decisions(task, np.zeros_like(rows), rows, task.favoured, task.favoured.astype(float)),
        with_subgroup=with_subgroup,
    )
    return {name: float(values[0]) for name, values in found.items() if name in (SCORE, PARITY, SUBGROUP, PROXY)}


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
