"""Algorithms × biases × magnitudes in one table: which find what, and from which size on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from janus_synth.errors import BiasError
from janus_synth.fairness.algorithms import algorithm
from janus_synth.fairness.audit import Audit, audit
from janus_synth.fairness.bias import Bias, as_biases
from janus_synth.fairness.planting import plant
from janus_synth.janus import Janus
from janus_synth.janus.arguments import Seed, seed_of
from janus_synth.progress import progress_bar
from janus_synth.sampling import Where
from janus_synth.table import plain_frame


@dataclass(frozen=True, slots=True)
class Case:
    """One audit of a suite."""

    algorithm: str
    bias: str
    magnitude: float
    audit: Audit


@dataclass(frozen=True, slots=True)
class Suite:
    """Audits of several algorithms under several biases.

    Attributes
    ----------
    cases : tuple of Case
        All audits.
    skipped : mapping of (bias, magnitude) to str
        What could not be planted, and why.
    """

    cases: tuple[Case, ...]
    skipped: Mapping[tuple[str, float], str]

    def to_frame(self, kind: str = "pandas") -> Any:
        """A frame with a row per audit: the gap planted, what it added to scores and to decisions, and warnings."""
        figures: dict[str, Any] = {
            "bias": [case.bias for case in self.cases],
            "magnitude": [case.magnitude for case in self.cases],
            "algorithm": [case.algorithm for case in self.cases],
            "planted": [case.audit.main.planted for case in self.cases],
            "excess": [case.audit.main.excess.value for case in self.cases],
            "excess_low": [case.audit.main.excess.low for case in self.cases],
            "excess_high": [case.audit.main.excess.high for case in self.cases],
            "decided": [case.audit.decided.excess.value for case in self.cases],
            "recovered": [case.audit.recovered for case in self.cases],
            "found": [case.audit.found for case in self.cases],
            "accuracy_biased": [case.audit.accuracy_biased.value for case in self.cases],
            "accuracy_fair": [case.audit.accuracy_fair.value for case in self.cases],
            "favoured": [case.audit.favoured.value for case in self.cases],
            "degenerate": ["; ".join(case.audit.degenerate) for case in self.cases],
        }
        words = ("bias", "algorithm", "degenerate")
        return plain_frame({name: np.array(v, object if name in words else None) for name, v in figures.items()}, kind)


def audit_suite(
    model: Janus,
    algorithms: Sequence[str] | Mapping[str, Any],
    biases: Mapping[str, Bias | Sequence[Bias]],
    magnitudes: Sequence[float],
    *,
    n: int = 5_000,
    where: Where = None,
    baseline: str = "fair",
    random_state: Seed = 0,
    progress: bool | None = None,
    **options: Any,
) -> Suite:
    """Audit several algorithms under several biases at several sizes.

    Parameters
    ----------
    model : Janus
        A fitted model to plant in.
    algorithms : sequence of str or mapping of str to estimator
        Names known to `algorithm`, or estimators under names of your own.
    biases : mapping of str to Bias or sequence of Bias
        Kinds of bias under names of your own; their own magnitudes do not count.
    magnitudes : sequence of float
        Sizes to plant. A size that a kind of bias cannot reach is skipped, and the reason kept.
    n : int
        Rows of each table.
    **options
        Further arguments of `audit`.

    Examples
    --------
    >>> from janus_synth import Janus, datasets
    >>> from janus_synth.fairness import Bias, audit_suite
    >>> model = Janus(structure=datasets.hiring_graph(), random_state=0).fit(datasets.hiring(1_500, random_state=0))
    >>> kinds = {"direct": Bias("sex", "male", "hired", True, 0)}
    >>> suite = audit_suite(model, ["logistic"], kinds, [0, 0.3], n=2_000, n_splits=4)
    >>> suite.to_frame()["found"].tolist()
    [False, True]
    """
    estimators = dict(algorithms) if isinstance(algorithms, Mapping) else {one: algorithm(one) for one in algorithms}
    if not estimators or not biases or not len(magnitudes):
        raise BiasError("a suite needs at least one algorithm, one bias and one magnitude.")
    seed, cases, skipped = seed_of(random_state), [], {}
    with progress_bar("auditing", len(estimators) * len(biases) * len(magnitudes), shown=progress) as advance:
        for kind, planned in biases.items():
            for size in magnitudes:
                sized = [bias.of(size) for bias in as_biases(planned)]
                try:
                    planted = plant(
                        model, sized, n, where=where, baseline=baseline,
                        effect_units=0, random_state=seed, progress=False,
                    )  # fmt: skip
                except BiasError as error:
                    skipped[kind, float(size)] = str(error)
                    advance(len(estimators))
                    continue
                for name, estimator in estimators.items():
                    found = audit(estimator, planted, name=name, random_state=seed, progress=False, **options)
                    cases.append(Case(name, kind, float(size), found))
                    advance(1)
    if not cases:
        raise BiasError(f"no bias could be planted: {next(iter(skipped.values()))}")
    return Suite(tuple(cases), skipped)
