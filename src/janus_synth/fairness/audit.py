"""Algorithms audited against the truth: an estimator and a planted table in; gaps, recovery and warnings out.

The estimator is trained and tested on random splits of the biased rows, and its twin, the same estimator, on the same
rows of the fair world. What the two decide differently was planted. Gaps that the twin has, too, were there before.
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
    Judged,
    excludes_zero,
    gaps_of,
    over_splits,
    own_outcome,
)
from janus_synth.fairness.learning import Task, Verdicts, tasks_of, verdicts
from janus_synth.fairness.planting import Planted
from janus_synth.janus.arguments import Seed, check_number, seed_of, whole
from janus_synth.progress import progress_bar
from janus_synth.sampling import Estimate
from janus_synth.table import plain_frame

FEWEST, MOST = 0.01, 0.99
"""Shares of favoured rows below and above which decisions are degenerate."""
LEAST_ROWS = 50


@dataclass(frozen=True, slots=True)
class Gap:
    """A gap between groups in an algorithm's decisions, and what the truth is.

    Attributes
    ----------
    name : str
        ``score``, ``parity``, ``true positives``, ``false positives``, ``subgroup`` or ``proxy``.
    gap : Estimate
        In the scores or decisions; positive where the first group is favoured more.
    twin : Estimate
        In the decisions of the same estimator in the fair world.
    excess : Estimate
        The gap less the twin's: what the planted bias did to the algorithm.
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
        """What planting did to the gap of the outcome itself."""
        return self.biased - self.fair

    @property
    def unequal(self) -> bool:
        """Whether the groups are treated differently, whatever the reason: what an auditor sees who knows no truth."""
        return excludes_zero(self.gap)

    @property
    def found(self) -> bool:
        """Whether the planted bias shows in what the algorithm makes of rows."""
        return excludes_zero(self.excess)

    @property
    def recovered(self) -> float:
        """Share of the planted gap that shows: 1 all of it, 0 none, below 0 the opposite."""
        tells = self.name != PROXY and abs(self.planted) > 1e-9  # by halves of a mediator, little is planted
        return self.excess.value / self.planted if tells else float("nan")


@dataclass(frozen=True, slots=True)
class Audit:
    """What an algorithm made of a planted table.

    Attributes
    ----------
    algorithm, outcome : str
        Who decided, about what.
    gaps : mapping of str to Gap
        By name.
    main : Gap
        The one by which a bias is found: ``score``, the mean chance of the privileged to be favoured less that of those
        who are hit. It moves with a bias where decisions may jump or stand still; ``decided`` is the gap in those.
    accuracy_biased, accuracy_fair : Estimate
        Share of decisions that agree with the biased outcome, and with the fair one.
    twin_accuracy : Estimate
        Share of the twin's decisions that agree with the fair outcome: what could be had without bias.
    favoured : Estimate
        Share of rows decided in favour of.
    majority : float
        What always deciding for the commoner outcome would agree with.
    degenerate : tuple of str
        Why the decisions are worthless although they may look fair; empty if they are not.
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
        """Whether the planted bias shows in what the algorithm makes of rows."""
        return self.main.found

    @property
    def recovered(self) -> float:
        """Share of the planted gap that shows."""
        return self.main.recovered

    @property
    def decided(self) -> Gap:
        """The same gap in decisions."""
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
        """As plain values, for JSON."""
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
            lines.append(f"  {gap.name}: {gap.gap}, without the bias {gap.twin}, planted {_signed(gap.planted)}")
        verdict = "shows" if self.found else "does not show"
        share = "" if np.isnan(self.recovered) else f" ({self.recovered:.0%} of it)"
        lines.append(f"  the planted bias {verdict} in its scores{share}")
        lines.append(
            f"  favours {self.favoured.value:.1%}; agrees with the biased outcome {self.accuracy_biased.value:.3f}, "
            f"with the fair one {self.accuracy_fair.value:.3f} (without the bias {self.twin_accuracy.value:.3f})"
        )
        lines.extend(f"  degenerate: {reason}" for reason in self.degenerate)
        return "\n".join(lines)


def _signed(value: float) -> str:
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
    """Train and test an estimator on a planted table, and hold it against the truth.

    Parameters
    ----------
    estimator : scikit-learn or fairlearn estimator
        With ``fit`` and ``predict``; it is cloned. Algorithms of fairlearn are told who is privileged.
    planted : Planted
        The table, the fair world beside it, and its certificate.
    outcome : str, optional
        Which of the biased outcomes; by default the last one.
    features : sequence of str, optional
        Columns to learn from; by default all that do not come after the outcome.
    with_protected : bool
        Whether the protected columns are among them.
    encode : bool
        Give the estimator standardised numbers and one-hot levels; otherwise a pandas frame of the features.
    n_splits, test_share : int, float
        Random splits, and the share of rows to test on in each; intervals are narrowest at a half.
    level : float
        Of the intervals, which cover the luck of training and of test rows.

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
        raise BiasError(f"{estimator!r} is no estimator: it has no fit and predict.")
    n_splits, label = whole("n_splits", n_splits, low=2), name or type(estimator).__name__
    check_number("test_share", test_share, low=0.05, high=0.9)
    check_number("level", level, low=0.5, high=0.9999)
    record = planted.certificate.record_of(outcome or planted.certificate.outcome)
    biased, fair, names = tasks_of(planted, record, features=features, with_protected=with_protected, encode=encode)
    if biased.n_rows < LEAST_ROWS:
        raise BiasError(f"{biased.n_rows:,} rows are too few to audit; plant at least {LEAST_ROWS}.")
    run = _Run(estimator, biased, fair)
    streams = np.random.SeedSequence(seed_of(random_state)).spawn(n_splits)
    n_test = max(1, round(test_share * biased.n_rows))
    sides = []
    with progress_bar(f"auditing {label}", n_splits, shown=progress) as advance:
        for stream in streams:
            sides.append(run.split(stream, n_test))
            advance(1)
    means = _Means(n_train=biased.n_rows - n_test, n_test=n_test, level=level)
    judged = [*(side.of(biased, "own") for side in sides), *(side.of(fair, "twin") for side in sides)]
    found = gaps_of([*judged, own_outcome(biased), own_outcome(fair)], with_subgroup=record.bias.subgroup is not None)
    gaps = {name: means.gap(name, values) for name, values in found.items()}
    return Audit(
        algorithm=label,
        outcome=record.bias.outcome,
        gaps=gaps,
        main=gaps[SCORE],
        accuracy_biased=means.over([side.accuracy_biased for side in sides]),
        accuracy_fair=means.over([side.accuracy_fair for side in sides]),
        twin_accuracy=means.over([side.twin_accuracy for side in sides]),
        favoured=means.over([side.favoured for side in sides]),
        majority=float(np.mean([side.majority for side in sides])),
        degenerate=_degenerate(sides),
        features=names,
        n_splits=n_splits,
        level=level,
    )


@dataclass(frozen=True, slots=True)
class _Side:
    """What one split told."""

    test: LongInts
    own: Verdicts
    twin: Verdicts
    accuracy_biased: float
    accuracy_fair: float
    twin_accuracy: float
    favoured: float
    majority: float
    constant: bool

    def of(self, task: Task, name: str) -> Judged:
        """What the estimator, or its twin, made of the test rows."""
        return Judged(task, self.test, *getattr(self, name))


@dataclass(frozen=True, slots=True)
class _Run:
    """An estimator and its twin on both worlds."""

    estimator: Any
    biased: Task
    fair: Task

    def split(self, stream: np.random.SeedSequence, n_test: int) -> _Side:
        """Train both on the same rows, and test them on the others."""
        rng = np.random.default_rng(stream)
        rows = rng.permutation(self.biased.n_rows)
        test, train, seed = rows[:n_test], rows[n_test:], int(rng.integers(2**31))
        own, twin = (verdicts(self.estimator, task, train, test, seed=seed) for task in (self.biased, self.fair))
        outcome, truth = self.biased.favoured[test], self.fair.favoured[test]
        return _Side(
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
    """Whether everybody of a group gets the same decision."""
    return all(len(np.unique(decided[group == one])) == 1 for one in np.unique(group))


def _degenerate(sides: Sequence[_Side]) -> tuple[str, ...]:
    """Why decisions are worthless."""
    share = float(np.mean([side.favoured for side in sides]))
    accuracy, majority = (float(np.mean([getattr(s, n) for s in sides])) for n in ("accuracy_biased", "majority"))
    reasons = []
    if share < FEWEST:
        reasons.append(f"it favours {share:.2%} of the rows, fewer than {FEWEST:.0%}")
    if share > MOST:
        reasons.append(f"it favours {share:.2%} of the rows, more than {MOST:.0%}")
    if np.mean([side.constant for side in sides]) > 0.5:
        reasons.append("everybody of a group gets the same decision")
    if accuracy < majority:
        reasons.append(
            f"it agrees with {accuracy:.1%} of the outcomes it was trained on; deciding always alike would with "
            f"{majority:.1%}"
        )
    return tuple(reasons)


@dataclass(frozen=True, slots=True)
class _Means:
    """Figures of all splits as estimates."""

    n_train: int
    n_test: int
    level: float

    def over(self, values: Sequence[float] | Floats) -> Estimate:
        """Mean and interval."""
        return over_splits(values, n_train=self.n_train, n_test=self.n_test, level=self.level)

    def gap(self, name: str, values: Floats) -> Gap:
        """One gap from what all splits of both worlds told, and the outcomes of both."""
        own, twin = np.split(values[:-2], 2)
        biased, fair = values[-2:] if name in OF_OUTCOMES else (np.nan, np.nan)
        return Gap(name, self.over(own), self.over(twin), self.over(own - twin), float(biased), float(fair))
