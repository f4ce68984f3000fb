"""Names and sizes of the experiments, and those that audit one algorithm or none: pipelines, alarms, equal pay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import isfinite
from typing import Any

from janus_bench.fairness.records import Alarm, Pay, Stage
from janus_bench.fairness.scenarios import PIPELINE, SCENES, model_of
from janus_synth import Janus, datasets
from janus_synth.errors import DataError
from janus_synth.fairness import ALGORITHMS, Planted, algorithm, audit, equal_treatment, plant

LOGISTIC, GRADIENT, THRESHOLD, BOOSTING, MAJORITY = (
    "logistic", "exponentiated-gradient", "threshold-optimizer", "boosting", "majority",
)  # fmt: skip
MITIGATORS = (GRADIENT, THRESHOLD)
THREE = (LOGISTIC, *MITIGATORS)
"""The algorithms of the paper."""
STRICT = f"{GRADIENT}, strict"
STRICT_EPS = 0.001
"""Gap that the strict exponentiated gradient tolerates; usually it is 0.01."""

NEUTRAL, FAIR = "neutral", "fair"
BOTH = "both"
SETTINGS = {"all three": (1, 1, 1), "first alone": (1, 0, 0), "second alone": (0, 1, 0), "last alone": (0, 0, 1)}
"""Which stages of the pipeline are biased."""
NOTHING_PLANTED, ELSEWHERE, PLANTED = "nothing planted", "planted by another column", "planted by sex"
ALARMS = (NOTHING_PLANTED, ELSEWHERE, PLANTED)
ALARM_SIZE = 0.2

EQUAL_PAY = "offered_salary >= requested_salary"
PAY_RULES = (EQUAL_PAY, "offered_salary >= 1.1 * requested_salary", "offered_salary >= 1.2 * requested_salary")


@dataclass(frozen=True, slots=True)
class Sizes:
    """How many seeds, rows, splits and repeats."""

    seeds: int = 3
    n_rows: int = 5_000
    n_fit: int = 15_000
    n_splits: int = 10
    magnitudes: tuple[float, ...] = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5)
    effect_units: int = 20_000
    repeats: int = 200
    alarm_splits: int = 10
    n_pay: int = 5_000


def chosen_algorithms(words: Sequence[str] | None = None) -> list[str]:
    """Names of algorithms in the order of tables; by default all.

    Examples
    --------
    >>> chosen_algorithms(["majority", "logistic"])
    ['logistic', 'majority']
    """
    wanted = set(ALGORITHMS) if words is None else {word.lower() for word in words}
    unknown = sorted(wanted - set(ALGORITHMS))
    if unknown or not wanted:
        raise DataError(
            f"no algorithm is called {', '.join(unknown) or 'nothing'}. Choose from {', '.join(ALGORITHMS)}."
        )
    return [name for name in ALGORITHMS if name in wanted]


def estimator(name: str) -> Any:
    """An algorithm by name, the strict one of this benchmark among them."""
    return algorithm(GRADIENT).set_params(eps=STRICT_EPS) if name == STRICT else algorithm(name)


def pipeline(table: str, setting: str, *, seed: int, n_fit: int, n_rows: int, effect_units: int) -> list[Stage]:
    """Part C: biases at some of three stages that feed one another; the others get one of size 0."""
    scene = SCENES[table]
    biases = [
        scene.bias(PIPELINE * on, outcome=outcome) for on, outcome in zip(SETTINGS[setting], scene.stages, strict=True)
    ]
    planted = plant(
        model_of(table, n_fit),
        biases,
        n=n_rows,
        baseline=NEUTRAL,
        effect_units=effect_units,
        random_state=stream(seed),
        progress=False,
    )
    return [_stage(planted, number, outcome.column, setting, seed) for number, outcome in enumerate(scene.stages, 1)]


def _stage(planted: Planted, number: int, outcome: str, setting: str, seed: int) -> Stage:
    effect, record = planted.certificate.effect_of(outcome), planted.certificate.record_of(outcome)
    rate = next(r for r in planted.certificate.rates if (r.outcome, r.group) == (outcome, record.hit))
    total, before = effect.worlds["biased"]["total"], effect.value("fair", "total")
    low, high = (float(total[end]) - before for end in ("low", "high"))
    return Stage(setting, seed, number, outcome, effect.planted(), low, high, rate.fair, rate.biased)


def alarm(table: str, setting: str, *, repeat: int, n_fit: int, n_rows: int, n_splits: int) -> list[Alarm]:
    """Part F: one audit by sex of a fresh table in which sex plays no role, or a known one.

    Where nothing is planted, both worlds are the same, and what is paired cannot differ. So another setting plants a
    bias by another column, which changes the outcome and has nothing to do with sex.
    """
    scene = SCENES[table]
    of_sex, of_other = {NOTHING_PLANTED: (0, 0), ELSEWHERE: (0, 1), PLANTED: (1, 0)}[setting]
    biases = [scene.bias(ALARM_SIZE * of_other, by=scene.other), scene.bias(ALARM_SIZE * of_sex)]
    seed = 1_000_000 + 10 * repeat
    how: dict[str, Any] = {"random_state": seed, "progress": False}
    planted = plant(model_of(table, n_fit), biases, n=n_rows, baseline=NEUTRAL, effect_units=0, **how)
    found = audit(estimator(LOGISTIC), planted, n_splits=n_splits, **how)
    main = found.main
    return [
        Alarm(setting, repeat, main.found, main.unequal, found.decided.unequal, main.excess.value, main.gap.value)
    ]  # fmt: skip


def pay(rule: str, *, seed: int, n_rows: int) -> list[Pay]:
    """Part G: how often rows keep a rule, real ones, free ones, and ones that must."""
    model, frame = hiring_model(seed, n_rows)
    found = equal_treatment(model, frame, rule, "sex", "male", n=n_rows, random_state=seed)
    return [
        Pay(rule, row.origin, seed, row.n, row.satisfied, row.gap, _finite(row.tries), _finite(row.seconds))
        for row in found.rows
    ]


@lru_cache(maxsize=1)
def hiring_model(seed: int, n: int) -> tuple[Janus, Any]:
    """The shipped table, and a model of it that knows its graph; the last one asked for is kept."""
    frame = datasets.hiring(n, random_state=seed)
    return Janus(structure=datasets.hiring_graph(), random_state=seed).fit(frame, progress=False), frame


def stream(seed: int) -> int:
    """Seeds far apart, as planting takes the next ones for further biases."""
    return 1_000 * seed


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None
