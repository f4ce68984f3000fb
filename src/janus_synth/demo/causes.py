"""The demo's table and its true graph to what the demo tells of sureness, causes and planted bias."""

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

UNSURE = "hired"
"""Column that the map of uncertainty is about."""
ACROSS, UP = "test_score", "requested_salary"
"""Axes of the map: the two columns of numbers that decide most on who is hired."""
N_CELLS = 40
N_JUDGED = 1_000
"""Unseen rows that the table of uncertainty is a mean over, and that the most telling ones are chosen from."""
N_TELLING = 5
N_HALVINGS = 4
"""How often the table is halved to see what more rows bring."""

OUTCOME = "requested_salary"
LEVEL_TREATMENT, NUMBER_TREATMENT = "education", "experience"
N_VALUES = 9
N_TRUE = 50_000
"""Rows drawn from the table's own equations for each true mean."""
FEWEST_SEEN = 5
"""Rows that a mean of rows as they are is worth showing for."""

FROM, TO = "school", "master"
GROWN_UP = 30
"""Applicants that old had the time for any degree."""
N_REWRITTEN = 300

MAGNITUDE = 0.2
MAGNITUDES = (0.15, 0.4)
N_PLANTED = 5_000
N_AUDITED = 2_500
N_SPLITS = 4
ALGORITHMS = ("logistic", "threshold-optimizer")
DIRECT = Bias("sex", "male", "hired", True, MAGNITUDE)
KINDS = {
    "direct": DIRECT,
    "through the test score": Bias("sex", "male", "hired", True, MAGNITUDE, path="test_score"),
    "women from 45 on": Bias("sex", "male", "hired", True, MAGNITUDE, subgroup="age >= 45"),
}


class Sure(NamedTuple):
    """How sure the model is: of each column, over a map, and of the rows that would teach most."""

    by_column: pd.DataFrame
    terrain: Terrain
    telling: pd.DataFrame
    """Rows, with their epistemic uncertainty."""
    epistemic: float
    """Of the rows they were chosen from, in the mean."""
    by_size: pd.DataFrame
    """Epistemic and aleatoric uncertainty about the same rows, as more are learnt."""


class Question(NamedTuple):
    """An effect, beside the truth and the means of rows that have the value anyway."""

    effect: Effect
    truth: tuple[float, ...]
    seen: tuple[float, ...]

    @property
    def n_covered(self) -> int:
        """Settings whose interval holds the truth."""
        return sum(mean.low <= true <= mean.high for mean, true in zip(self.effect.means, self.truth, strict=True))


class Rewritten(NamedTuple):
    """Applicants as they are, as the model says they would have been, and as they truly would have been."""

    before: pd.DataFrame
    after: pd.DataFrame
    truth: pd.DataFrame


class CausalMethods(NamedTuple):
    """A model with the true graph, and what it answers."""

    janus: Janus
    sure: Sure
    questions: tuple[Question, ...]
    rewritten: Rewritten


class Planting(NamedTuple):
    """A bias as it was certified, and audits of algorithms under several."""

    certificate: Certificate
    suite: Suite | None
    """None where no audit can be made."""
    missing: str
    """Why not."""


def with_true_graph(train: pd.DataFrame, held_out: pd.DataFrame, *, random_state: int) -> CausalMethods:
    """Learn the table given the graph of its own equations, and ask what needs a graph one vouches for."""
    janus = Janus(structure=datasets.hiring_graph(), random_state=random_state).fit(train, progress=False)
    levels = list(train[LEVEL_TREATMENT].cat.categories)
    numbers = _round_values(train[NUMBER_TREATMENT])
    questions = tuple(
        _question(janus, train, treatment, values, random_state)
        for treatment, values in ((LEVEL_TREATMENT, levels), (NUMBER_TREATMENT, numbers))
    )
    sure = _sure(janus, train, held_out, random_state)
    return CausalMethods(janus, sure, questions, _rewritten(janus, held_out, len(train), random_state))


def planted_bias(janus: Janus, *, random_state: int) -> Planting:
    """Plant bias in a model whose graph is known, and audit two algorithms."""
    certificate = plant(janus, DIRECT, N_PLANTED, random_state=random_state, progress=False).certificate
    try:
        suite = audit_suite(
            janus, ALGORITHMS, KINDS, MAGNITUDES,
            n=N_AUDITED, n_splits=N_SPLITS, random_state=random_state, progress=False,
        )  # fmt: skip
    except MissingExtraError as error:
        return Planting(certificate, None, str(error))
    return Planting(certificate, suite, "")


def _sure(janus: Janus, train: pd.DataFrame, held_out: pd.DataFrame, seed: int) -> Sure:
    judged = held_out[:N_JUDGED]
    found = janus.uncertainty(judged)
    telling = janus.suggest(judged, N_TELLING, UNSURE)
    of_target = found[UNSURE]["epistemic"]
    columns = ["applicant_id", *datasets.hiring_graph()[UNSURE]]
    return Sure(
        by_column=found.by_column,
        terrain=terrain_of(janus, train, UNSURE, ACROSS, UP, n_cells=N_CELLS),
        telling=telling[columns].assign(epistemic=of_target.loc[telling.index]),
        epistemic=float(of_target.mean()),
        by_size=_by_size(train, judged, seed),
    )


def _by_size(train: pd.DataFrame, judged: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Learn the target and its parents from ever more rows."""
    parents = list(datasets.hiring_graph()[UNSURE])
    rows = []
    for n in (len(train) // 2**halvings for halvings in range(N_HALVINGS, -1, -1)):
        model = Janus(structure=[(parent, UNSURE) for parent in parents], random_state=seed)
        model.fit(train[[*parents, UNSURE]][:n], progress=False)
        found = model.uncertainty(judged, UNSURE)[UNSURE]
        rows.append({"rows": n, "epistemic": found["epistemic"].mean(), "aleatoric": found["aleatoric"].mean()})
    return pd.DataFrame(rows)


def _question(janus: Janus, train: pd.DataFrame, treatment: str, values: list[object], seed: int) -> Question:
    """Ask the model, the equations and the rows as they are."""
    effect = janus.effect(treatment, OUTCOME, values, random_state=seed, progress=False)
    truth = tuple(
        float(datasets.hiring(N_TRUE, random_state=seed + 1, do={treatment: value})[OUTCOME].mean()) for value in values
    )
    outcomes = [train.loc[train[treatment] == value, OUTCOME] for value in values]
    seen = tuple(float(some.mean()) if len(some) >= FEWEST_SEEN else float("nan") for some in outcomes)
    return Question(effect, truth, seen)


def _round_values(column: pd.Series[int]) -> list[object]:
    """Evenly spaced whole numbers over what nearly all rows have."""
    last = int(column.quantile(0.99))
    return [int(value) for value in np.arange(0, last + 1, max(1, last // (N_VALUES - 1)))]


def _rewritten(janus: Janus, held_out: pd.DataFrame, n_train: int, seed: int) -> Rewritten:
    """Some applicants with another degree; the equations draw that world with their own noise."""
    few = held_out[(held_out["education"] == FROM) & (held_out["age"] >= GROWN_UP)][:N_REWRITTEN]
    after = janus.counterfactual(few, do={"education": TO}, random_state=seed, progress=False)
    other_world = datasets.hiring(n_train + len(held_out), random_state=seed, do={"education": TO})
    truth = other_world[n_train:].reset_index(drop=True).loc[few.index]
    return Rewritten(few, after, truth)
