"""Audit an algorithm against the ground truth: an estimator and a planted table in; gaps, recovery and warnings out.

The estimator is trained and tested on random splits of the biased rows, and its *twin*, a clone, on the same rows of
the fair world. The difference between their gaps is due to the planted bias; a gap that the twin also has is not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from janus_synth.arrays import Bools, Floats, LongInts
from janus_synth.errors import BiasError
from janus_synth.fairness.gaps import (
    DESCRIPTIONS,
    OF_OUTCOMES,
    PARITY,
    PROXY,
    SCORE,
    SUBGROUP,
    Decisions,
    compute_gaps,
    estimate_over_splits,
    excludes_zero,
    outcome_as_decisions,
)
from janus_synth.fairness.learning_task import LearningTask, Predictions, fit_and_predict, make_tasks
from janus_synth.fairness.planted import Planted
from janus_synth.janus.arguments import Seed, check_integer, check_number, make_seed
from janus_synth.progress import progress_bar
from janus_synth.sampling import Estimate
from janus_synth.table import plain_frame

MIN_SELECTION, MAX_SELECTION = 0.01, 0.99
"""Selection rates below and above which decisions are degenerate."""
MIN_ROWS = 50


@dataclass(frozen=True, slots=True)
class Gap:
    """A gap between groups in an algorithm's scores or decisions, beside the ground truth.

    Attributes
    ----------
    name : str
        ``score``, ``parity``, ``true positives``, ``false positives``, ``subgroup`` or ``proxy``.
    gap : Estimate
        Gap in the scores or decisions; positive if the first group is favoured more.
    twin : Estimate
        The same gap of the twin, trained in the fair world.
    excess : Estimate
        The gap minus that of the twin: the effect of the planted bias on the algorithm.
    biased, fair : float
        The gap of the outcome itself in both worlds; NaN for rates of positives.
    """

    name: str
    gap: Estimate
    twin: Estimate
    excess: Estimate
    biased: float
    fair: float

    @property
    def planted(self) -> float:
        """Change of the outcome's own gap by planting."""
        return self.biased - self.fair

    @property
    def unequal(self) -> bool:
        """Whether the gap differs from zero for any reason: all that an auditor without ground truth can observe."""
        return excludes_zero(self.gap)

    @property
    def found(self) -> bool:
        """Whether the planted bias is detected: the interval of ``excess`` excludes zero."""
        return excludes_zero(self.excess)

    @property
    def recovered(self) -> float:
        """Share of the planted gap that the algorithm shows: 1 all of it, 0 none, negative the opposite."""
        # A bias changes the gap between the halves of its mediator only a little, so that the ratio would be noise.
        is_defined = self.name != PROXY and abs(self.planted) > 1e-9
        return self.excess.value / self.planted if is_defined else float("nan")


@dataclass(frozen=True, slots=True)
class Audit:
    """Result of auditing an algorithm on a planted table.

    Attributes
    ----------
    algorithm, outcome : str
        The algorithm, and the outcome it predicts.
    gaps : mapping of str to Gap
        All gaps by name.
    main : Gap
        The gap that detects a bias: ``score``, the mean predicted probability of a favourable outcome among the
        privileged minus that among the affected rows. It changes smoothly with the magnitude, while decisions can jump
        or not react; ``decided`` is the gap in decisions.
    accuracy_biased, accuracy_fair : Estimate
        Accuracy of the decisions against the biased and against the fair outcome.
    twin_accuracy : Estimate
        Accuracy of the twin against the fair outcome: what is attainable without bias.
    favoured : Estimate
        Selection rate: share of rows with a favourable decision.
    majority : float
        Accuracy of always predicting the more frequent outcome.
    degenerate : tuple of str
        Reasons why the decisions are useless although they may look fair; empty if there are none.
    """

    algorithm: str
    outcome: str
    gaps: Mapping[str, Gap]
    main: Gap
    accuracy_biased: Estimate
    accuracy_fair: Estimate
    twin_accuracy: Estimate
    favoured: Estimate
    majority: float
    degenerate: tuple[str, ...]
    features: tuple[str, ...]
    n_splits: int
    level: float

    @property
    def found(self) -> bool:
        """Whether the planted bias is detected in the scores."""
        return self.main.found

    @property
    def recovered(self) -> float:
        """Share of the planted gap that the scores show."""
        return self.main.recovered

    @property
    def decided(self) -> Gap:
        """The main gap in decisions instead of scores."""
        return self.gaps.get(SUBGROUP, self.gaps[PARITY])

    def to_frame(self, kind: str = "pandas") -> Any:
        """A frame with a row per gap."""
        gaps = list(self.gaps.values())
        columns: dict[str, Any] = {"name": np.array([one.name for one in gaps], object)}
        for name in ("gap", "twin", "excess"):
            for end, suffix in (("value", ""), ("low", "_low"), ("high", "_high")):
                columns[f"{name}{suffix}"] = np.array([getattr(getattr(one, name), end) for one in gaps])
        for name in ("biased", "fair", "planted", "recovered"):
            columns[name] = np.array([getattr(one, name) for one in gaps])
        columns["found"] = np.array([one.found for one in gaps])
        return plain_frame(columns, kind)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            "algorithm": self.algorithm,
            "outcome": self.outcome,
            "found": self.found,
            "recovered": _number(self.recovered),
            "degenerate": list(self.degenerate),
            "gaps": {name: _gap_dict(gap) for name, gap in self.gaps.items()},
            **{
                name: {key: _number(value) for key, value in getattr(self, name)._asdict().items()}
                for name in ("accuracy_biased", "accuracy_fair", "twin_accuracy", "favoured")
            },
            "majority": self.majority,
            "features": list(self.features),
            "n_splits": self.n_splits,
            "level": self.level,
        }

    def __str__(self) -> str:
        lines = [f"{self.algorithm} on {self.outcome} ({self.level:.0%} intervals over {self.n_splits} splits)"]
        for gap in self.gaps.values():
            lines.append(f"  {gap.name}: {gap.gap}, without the bias {gap.twin}, planted {_format_signed(gap.planted)}")
        verdict = "shows" if self.found else "does not show"
        share = "" if np.isnan(self.recovered) else f" ({self.recovered:.0%} of it)"
        lines.append(f"  the planted bias {verdict} in its scores{share}")
        lines.append(
            f"  selection rate {self.favoured.value:.1%}; accuracy against the biased outcome "
            f"{self.accuracy_biased.value:.3f}, against the fair one {self.accuracy_fair.value:.3f} (without the bias "
            f"{self.twin_accuracy.value:.3f})"
        )
        lines.extend(f"  degenerate: {reason}" for reason in self.degenerate)
        return "\n".join(lines)


def _format_signed(value: float) -> str:
    return "–" if np.isnan(value) else f"{value:+.3f}"


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _gap_dict(gap: Gap) -> dict[str, Any]:
    estimates = {name: getattr(gap, name)._asdict() for name in ("gap", "twin", "excess")}
    plain: dict[str, Any] = {
        name: {key: _number(value) for key, value in estimate.items()} for name, estimate in estimates.items()
    }
    plain |= {name: _number(getattr(gap, name)) for name in ("biased", "fair", "planted", "recovered")}
    return {**plain, "found": gap.found, "unequal": gap.unequal, "means": DESCRIPTIONS[gap.name]}


def audit(
    estimator: Any,
    planted: Planted,
    *,
    outcome: str | None = None,
    features: Sequence[str] | None = None,
    with_protected: bool = True,
    encode: bool = True,
    n_splits: int = 10,
    test_share: float = 0.5,
    level: float = 0.95,
    name: str | None = None,
    random_state: Seed = 0,
    progress: bool | None = None,
) -> Audit:
    """Train and test an estimator on a planted table, and compare it with the ground truth.

    Parameters
    ----------
    estimator : scikit-learn or fairlearn estimator
        With ``fit`` and ``predict``; it is cloned. Estimators of fairlearn receive the groups as
        ``sensitive_features``.
    planted : Planted
        The biased rows, the fair rows and the certificate.
    outcome : str, optional
        Which of the biased outcomes to predict; by default that of the last bias.
    features : sequence of str, optional
        Columns to learn from; by default all that are not descendants of the outcome.
    with_protected : bool
        Whether the protected columns are features.
    encode : bool
        Pass standardised numbers and one-hot levels to the estimator; otherwise a pandas frame of the features.
    n_splits, test_share : int, float
        Number of random splits, and the share of test rows in each; intervals are narrowest at one half.
    level : float
        Coverage of the intervals, which account for the choice of training and of test rows.
    name : str, optional
        Name of the algorithm in results; by default its class.
    random_state : int or Generator, optional
        The same seed gives the same result.
    progress : bool, optional
        Show a progress bar on standard error; by default only if that is a terminal.

    Returns
    -------
    Audit
        Gaps, recovery, accuracies and warnings.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from janus_synth import Janus, datasets
    >>> from janus_synth.fairness import Bias, audit, plant
    >>> model = Janus(structure=datasets.hiring_graph(), random_state=0).fit(datasets.hiring(2_000, random_state=0))
    >>> planted = plant(model, Bias("sex", "male", "hired", True, 0.3), n=4_000, effect_units=0)
    >>> audit(LogisticRegression(max_iter=1_000), planted).found
    True
    """
    if not hasattr(estimator, "fit") or not hasattr(estimator, "predict"):
        raise BiasError(f"{estimator!r} is not an estimator: it lacks fit and predict.")
    n_splits, label = check_integer("n_splits", n_splits, low=2), name or type(estimator).__name__
    check_number("test_share", test_share, low=0.05, high=0.9)
    check_number("level", level, low=0.5, high=0.9999)
    record = planted.certificate.record_of(outcome or planted.certificate.outcome)
    biased, fair, names = make_tasks(planted, record, features=features, with_protected=with_protected, encode=encode)
    if biased.n_rows < MIN_ROWS:
        raise BiasError(f"{biased.n_rows:,} rows are too few to audit; plant at least {MIN_ROWS}.")
    trial = _Trial(estimator, biased, fair)
    streams = np.random.SeedSequence(make_seed(random_state)).spawn(n_splits)
    n_test = max(1, round(test_share * biased.n_rows))
    splits = []
    with progress_bar(f"auditing {label}", n_splits, shown=progress) as advance:
        for stream in streams:
            splits.append(trial.run_split(stream, n_test))
            advance(1)
    over = _Estimator(n_train=biased.n_rows - n_test, n_test=n_test, level=level)
    decisions = [split.decisions(biased, "own") for split in splits]
    decisions += [split.decisions(fair, "twin") for split in splits]
    decisions += [outcome_as_decisions(biased), outcome_as_decisions(fair)]
    found = compute_gaps(decisions, with_subgroup=record.bias.subgroup is not None)
    gaps = {name: over.gap(name, values) for name, values in found.items()}
    return Audit(
        algorithm=label,
        outcome=record.bias.outcome,
        gaps=gaps,
        main=gaps[SCORE],
        accuracy_biased=over.mean([split.accuracy_biased for split in splits]),
        accuracy_fair=over.mean([split.accuracy_fair for split in splits]),
        twin_accuracy=over.mean([split.twin_accuracy for split in splits]),
        favoured=over.mean([split.favoured for split in splits]),
        majority=float(np.mean([split.majority for split in splits])),
        degenerate=_degenerate(splits),
        features=names,
        n_splits=n_splits,
        level=level,
    )


@dataclass(frozen=True, slots=True)
class _Split:
    """Results of one split into training and test rows."""

    test: LongInts
    own: Predictions
    twin: Predictions
    accuracy_biased: float
    accuracy_fair: float
    twin_accuracy: float
    favoured: float
    majority: float
    constant: bool

    def decisions(self, task: LearningTask, name: str) -> Decisions:
        """Decisions of the estimator (``"own"``) or of its twin on the test rows."""
        return Decisions(task, self.test, *getattr(self, name))


@dataclass(frozen=True, slots=True)
class _Trial:
    """An estimator and its twin, trained and tested in the biased and the fair world."""

    estimator: Any
    biased: LearningTask
    fair: LearningTask

    def run_split(self, stream: np.random.SeedSequence, n_test: int) -> _Split:
        """Train both on the same random rows, and test them on the others."""
        rng = np.random.default_rng(stream)
        rows = rng.permutation(self.biased.n_rows)
        test, train, seed = rows[:n_test], rows[n_test:], int(rng.integers(2**31))
        own, twin = (fit_and_predict(self.estimator, task, train, test, seed=seed) for task in (self.biased, self.fair))
        outcome, truth = self.biased.favoured[test], self.fair.favoured[test]
        return _Split(
            test=test,
            own=own,
            twin=twin,
            accuracy_biased=float((own.decided == outcome).mean()),
            accuracy_fair=float((own.decided == truth).mean()),
            twin_accuracy=float((twin.decided == truth).mean()),
            favoured=float(own.decided.mean()),
            majority=float(max(outcome.mean(), 1 - outcome.mean())),
            constant=_constant_by_group(own.decided, self.biased.group[test]),
        )


def _constant_by_group(decided: Bools, group: NDArray[np.str_]) -> bool:
    """Whether all rows of each group get the same decision."""
    return all(len(np.unique(decided[group == one])) == 1 for one in np.unique(group))


def _degenerate(splits: Sequence[_Split]) -> tuple[str, ...]:
    """Reasons why decisions are useless."""
    share = float(np.mean([split.favoured for split in splits]))
    accuracy, majority = (float(np.mean([getattr(s, n) for s in splits])) for n in ("accuracy_biased", "majority"))
    reasons = []
    if share < MIN_SELECTION:
        reasons.append(f"it favours {share:.2%} of the rows, fewer than {MIN_SELECTION:.0%}")
    if share > MAX_SELECTION:
        reasons.append(f"it favours {share:.2%} of the rows, more than {MAX_SELECTION:.0%}")
    if np.mean([split.constant for split in splits]) > 0.5:
        reasons.append("all rows of a group get the same decision")
    if accuracy < majority:
        reasons.append(
            f"its accuracy on the outcomes it was trained on is {accuracy:.1%}; always predicting the more frequent "
            f"outcome has {majority:.1%}"
        )
    return tuple(reasons)


@dataclass(frozen=True, slots=True)
class _Estimator:
    """Results of all splits to estimates with intervals."""

    n_train: int
    n_test: int
    level: float

    def mean(self, values: Sequence[float] | Floats) -> Estimate:
        """Mean and interval."""
        return estimate_over_splits(values, n_train=self.n_train, n_test=self.n_test, level=self.level)

    def gap(self, name: str, values: Floats) -> Gap:
        """One gap from its values on all splits of both worlds, followed by those of both outcomes."""
        own, twin = np.split(values[:-2], 2)
        biased, fair = values[-2:] if name in OF_OUTCOMES else (np.nan, np.nan)
        return Gap(name, self.mean(own), self.mean(twin), self.mean(own - twin), float(biased), float(fair))
