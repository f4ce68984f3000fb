"""The demo's table and its true graph in; uncertainty, effects, counterfactuals and planted bias out."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from janus_synth import datasets
from janus_synth.errors import MissingExtraError
from janus_synth.fairness import Bias, Certificate, Suite, audit_suite, plant
from janus_synth.janus import Janus
from janus_synth.plots import Terrain, terrain_of
from janus_synth.questions import Effect

UNCERTAIN = "hired"
"""Column whose uncertainty is mapped."""
X_COLUMN, Y_COLUMN = "test_score", "requested_salary"
"""Axes of the map: the two numeric columns that matter most for who is hired."""
N_CELLS = 40
N_SCORED = 1_000
"""Held-out rows whose mean uncertainty is shown, and from which rows to label are suggested."""
N_SUGGESTED = 5
N_HALVINGS = 4
"""How often the training table is halved to show the effect of more rows."""

OUTCOME = "requested_salary"
LEVEL_TREATMENT, NUMBER_TREATMENT = "education", "experience"
N_VALUES = 9
N_TRUTH = 50_000
"""Rows drawn from the structural equations for each true mean."""
MIN_OBSERVED = 5
"""Minimum number of rows of an observed mean."""

DEGREE, OTHER_DEGREE = "school", "master"
MIN_AGE = 30
"""Applicants of this age had time for any degree."""
N_COUNTERFACTUAL = 300

MAGNITUDE = 0.2
MAGNITUDES = (0.15, 0.4)
N_PLANTED = 5_000
N_AUDITED = 2_500
N_SPLITS = 4
ALGORITHMS = ("logistic", "threshold-optimizer")
DIRECT_BIAS = Bias("sex", "male", "hired", True, MAGNITUDE)
BIASES = {
    "direct": DIRECT_BIAS,
    "through the test score": Bias("sex", "male", "hired", True, MAGNITUDE, path="test_score"),
    "women from 45 on": Bias("sex", "male", "hired", True, MAGNITUDE, subgroup="age >= 45"),
}


class UncertaintyResults(NamedTuple):
    """Uncertainty per column, over a map, by training size, and the rows to label next."""

    by_column: pd.DataFrame
    terrain: Terrain
    suggested: pd.DataFrame
    """Rows, with their epistemic uncertainty."""
    epistemic: float
    """Mean over the rows they were chosen from."""
    by_size: pd.DataFrame
    """Epistemic and aleatoric uncertainty about the same rows, for growing training tables."""


class EffectResult(NamedTuple):
    """Means under intervention, with the true means and the means of rows observed with the value."""

    effect: Effect
    truth: tuple[float, ...]
    observed: tuple[float, ...]

    @property
    def n_covered(self) -> int:
        """Number of intervals that contain the truth."""
        return sum(mean.low <= true <= mean.high for mean, true in zip(self.effect.means, self.truth, strict=True))


class Counterfactuals(NamedTuple):
    """Applicants as observed, their counterfactuals by the model, and the true counterfactuals."""

    before: pd.DataFrame
    after: pd.DataFrame
    truth: pd.DataFrame


class CausalResults(NamedTuple):
    """A model with the true graph, and its answers."""

    janus: Janus
    uncertainty: UncertaintyResults
    effects: tuple[EffectResult, ...]
    counterfactuals: Counterfactuals


class BiasResults(NamedTuple):
    """The certificate of one planted bias, and audits of algorithms under several."""

    certificate: Certificate
    suite: Suite | None
    """None if fairlearn is not installed."""
    missing: str
    """Reason why there are no audits, or empty."""


def ask_causal_model(train: pd.DataFrame, held_out: pd.DataFrame, *, random_state: int) -> CausalResults:
    """Fit with the graph of the structural equations, and answer causal questions."""
    janus = Janus(structure=datasets.hiring_graph(), random_state=random_state).fit(train, progress=False)
    levels = list(train[LEVEL_TREATMENT].cat.categories)
    column = janus.schema_[NUMBER_TREATMENT]
    numbers = _round_values(train[NUMBER_TREATMENT].clip(column.low, column.high))  # few rows: ends are not published
    effects = tuple(
        _estimate_effect(janus, train, treatment, values, random_state)
        for treatment, values in ((LEVEL_TREATMENT, levels), (NUMBER_TREATMENT, numbers))
    )
    uncertainty = _measure_uncertainty(janus, train, held_out, random_state)
    return CausalResults(
        janus, uncertainty, effects, _compute_counterfactuals(janus, held_out, len(train), random_state)
    )


def plant_and_audit(janus: Janus, *, random_state: int) -> BiasResults:
    """Plant bias in rows of a model with a known graph, and audit two algorithms."""
    certificate = plant(janus, DIRECT_BIAS, N_PLANTED, random_state=random_state, progress=False).certificate
    try:
        suite = audit_suite(
            janus, ALGORITHMS, BIASES, MAGNITUDES,
            n=N_AUDITED, n_splits=N_SPLITS, random_state=random_state, progress=False,
        )  # fmt: skip
    except MissingExtraError as error:
        return BiasResults(certificate, None, str(error))
    return BiasResults(certificate, suite, "")


def _measure_uncertainty(janus: Janus, train: pd.DataFrame, held_out: pd.DataFrame, seed: int) -> UncertaintyResults:
    scored = held_out[:N_SCORED]
    found = janus.uncertainty(scored)
    suggested = janus.suggest(scored, N_SUGGESTED, UNCERTAIN)
    of_target = found[UNCERTAIN]["epistemic"]
    columns = ["applicant_id", *datasets.hiring_graph()[UNCERTAIN]]
    return UncertaintyResults(
        by_column=found.by_column,
        terrain=terrain_of(janus, train, UNCERTAIN, X_COLUMN, Y_COLUMN, n_cells=N_CELLS),
        suggested=suggested[columns].assign(epistemic=of_target.loc[suggested.index]),
        epistemic=float(of_target.mean()),
        by_size=_uncertainty_by_size(train, scored, seed),
    )


def _uncertainty_by_size(train: pd.DataFrame, scored: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Fit the target and its parents on growing training tables."""
    parents = list(datasets.hiring_graph()[UNCERTAIN])
    rows = []
    for n in (len(train) // 2**halvings for halvings in range(N_HALVINGS, -1, -1)):
        model = Janus(structure=[(parent, UNCERTAIN) for parent in parents], random_state=seed)
        model.fit(train[[*parents, UNCERTAIN]][:n], progress=False)
        found = model.uncertainty(scored, UNCERTAIN)[UNCERTAIN]
        rows.append({"rows": n, "epistemic": found["epistemic"].mean(), "aleatoric": found["aleatoric"].mean()})
    return pd.DataFrame(rows)


def _estimate_effect(
    janus: Janus, train: pd.DataFrame, treatment: str, values: list[object], seed: int
) -> EffectResult:
    """Compare the model's answer with the equations and with observed rows."""
    effect = janus.effect(treatment, OUTCOME, values, random_state=seed, progress=False)
    truth = tuple(
        float(datasets.hiring(N_TRUTH, random_state=seed + 1, do={treatment: value})[OUTCOME].mean())
        for value in values
    )
    outcomes = [train.loc[train[treatment] == value, OUTCOME] for value in values]
    observed = tuple(float(some.mean()) if len(some) >= MIN_OBSERVED else float("nan") for some in outcomes)
    return EffectResult(effect, truth, observed)


def _round_values(column: pd.Series[int]) -> list[object]:
    """Choose evenly spaced whole numbers up to the 99 % quantile."""
    last = int(column.quantile(0.99))
    return [int(value) for value in np.arange(0, last + 1, max(1, last // (N_VALUES - 1)))]


def _compute_counterfactuals(janus: Janus, held_out: pd.DataFrame, n_train: int, seed: int) -> Counterfactuals:
    """Give applicants another degree; the equations recompute them with the same noise."""
    chosen = held_out[(held_out["education"] == DEGREE) & (held_out["age"] >= MIN_AGE)][:N_COUNTERFACTUAL]
    after = janus.counterfactual(chosen, do={"education": OTHER_DEGREE}, random_state=seed, progress=False)
    after_intervention = datasets.hiring(n_train + len(held_out), random_state=seed, do={"education": OTHER_DEGREE})
    truth = after_intervention[n_train:].reset_index(drop=True).loc[chosen.index]
    return Counterfactuals(chosen, after, truth)
