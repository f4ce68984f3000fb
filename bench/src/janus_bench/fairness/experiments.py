"""The fairness experiments: a table, a setting and a seed in, records out.

One function per kind: audits (`audited`, parts A, B, D, E), `pipeline` (C), `alarm` (F) and `pay` (G).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import isfinite
from typing import Any

from janus_bench.fairness.records import Alarm, Pay, Stage, Trial
from janus_bench.fairness.scenarios import HIDDEN, PIPELINE, SCENES, Scene, model_of
from janus_synth import Janus, datasets
from janus_synth.fairness import Bias, Planted, algorithm, audit, equal_treatment, plant

LOGISTIC, GRADIENT, THRESHOLD, BOOSTING, MAJORITY = (
    "logistic", "exponentiated-gradient", "threshold-optimizer", "boosting", "majority",
)  # fmt: skip
MITIGATORS = (GRADIENT, THRESHOLD)
THREE = (LOGISTIC, *MITIGATORS)
"""The algorithms that the paper compares."""
STRICT = f"{GRADIENT}, strict"
STRICT_EPS = 0.001
"""Gap that the strict exponentiated gradient tolerates; the default is 0.01."""

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
class FairnessSizes:
    """Numbers of seeds, rows, splits and repeats."""

    seeds: int = 3
    n_rows: int = 5_000
    n_fit: int = 15_000
    n_splits: int = 10
    magnitudes: tuple[float, ...] = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5)
    effect_units: int = 20_000
    repeats: int = 200
    alarm_splits: int = 10
    n_pay: int = 5_000


def estimator(name: str) -> Any:
    """Return an algorithm by name, including the strict exponentiated gradient of this benchmark."""
    return algorithm(GRADIENT).set_params(eps=STRICT_EPS) if name == STRICT else algorithm(name)


def pipeline(table: str, setting: str, *, seed: int, n_fit: int, n_rows: int, effect_units: int) -> list[Stage]:
    """Part C: plant biases at some of three consecutive stages, and a bias of size 0 at the others."""
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
    """Part F: audit by sex one new table, in which sex has no effect or an effect of known size.

    If nothing is planted, the fair and the biased world are identical and the paired difference is always 0. A second
    setting therefore plants a bias by another column, which changes the outcome and is unrelated to sex.
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
    """Part G: the share of rows that satisfy a rule: real rows, unconstrained samples, and samples under the rule."""
    model, frame = hiring_model(seed, n_rows)
    found = equal_treatment(model, frame, rule, "sex", "male", n=n_rows, random_state=seed)
    return [
        Pay(rule, row.origin, seed, row.n, row.satisfied, row.gap, _finite(row.tries), _finite(row.seconds))
        for row in found.rows
    ]


@lru_cache(maxsize=1)
def hiring_model(seed: int, n: int) -> tuple[Janus, Any]:
    """Return a model of the hiring table, fitted with its true graph, and the table; the last result is cached."""
    frame = datasets.hiring(n, random_state=seed)
    return Janus(structure=datasets.hiring_graph(), random_state=seed).fit(frame, progress=False), frame


def stream(seed: int) -> int:
    """Space seeds 1,000 apart, because planting uses the following seeds for further biases."""
    return 1_000 * seed


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None


@dataclass(frozen=True, slots=True)
class Case:
    """A planted table: part of the benchmark, name, and magnitude of the bias."""

    part: str
    name: str
    """The world in parts A and B, the protected column the algorithm knows in D, the stress test in E."""
    magnitude: float

    def __str__(self) -> str:
        return f"{self.magnitude:g}" if self.part == "A" else self.name


def cases_of(part: str, scene: Scene, magnitudes: Sequence[float]) -> list[Case]:
    """List the cases of a part; ``magnitudes`` are used by part A only.

    Examples
    --------
    >>> [case.name for case in cases_of("D", SCENES["hiring"], ())]
    ['sex', 'age', 'both']
    """
    return {
        "A": [Case("A", NEUTRAL, size) for size in magnitudes],
        "B": [Case("B", world, scene.through) for world in (NEUTRAL, FAIR)],
        "D": [Case("D", column, HIDDEN) for column in (scene.sex.column, scene.other.column, BOTH)],
        "E": [Case("E", strain.name, strain.magnitude) for strain in scene.strains],
    }[part]


def audited(
    table: str, case: Case, name: str, *, seed: int, n_fit: int, n_rows: int, n_splits: int
) -> list[Trial]:  # fmt: skip
    """Audit one algorithm on the planted table of a case."""
    planted = planted_in(table, case, seed, n_fit, n_rows)
    found = audit(
        estimator(name), planted, name=name, n_splits=n_splits, random_state=stream(seed), progress=False
    )  # fmt: skip
    return [Trial.of(case.part, case.name, case.magnitude, seed, found)]


@lru_cache(maxsize=1)
def planted_in(table: str, case: Case, seed: int, n_fit: int, n_rows: int) -> Planted:
    """Plant the table of a case; the last one is cached, since all algorithms are audited on it in turn."""
    biases, how = plan_of(SCENES[table], case)
    n = 2 * n_rows if case.part == "D" else n_rows
    model = model_of(table, n_fit)
    return plant(model, biases, n=n, effect_units=0, random_state=stream(seed), progress=False, **how)


def plan_of(scene: Scene, case: Case) -> tuple[list[Bias], dict[str, Any]]:
    """Return the biases of a case, and the arguments of `plant` that say where they are planted.

    A: a direct bias where nothing else depends on sex. B: a bias through the mediator, in the baseline world of the
    case. D: a bias against people unprivileged by both columns, see `hidden_biases`. E: a bias so strong, or an outcome
    so rare, that a constant decision may look fair.
    """
    if case.part == "A":
        return [scene.bias(case.magnitude)], {"baseline": NEUTRAL}
    if case.part == "B":
        return [scene.bias(case.magnitude, path=scene.mediator)], {"baseline": case.name}
    if case.part == "D":
        return hidden_biases(scene, case), {"baseline": NEUTRAL}
    (strain,) = (strain for strain in scene.strains if strain.name == case.name)
    return [scene.bias(case.magnitude, outcome=strain.outcome)], {"baseline": NEUTRAL, "where": strain.where}


def hidden_biases(scene: Scene, case: Case) -> list[Bias]:
    """Return a bias against people unprivileged by both columns, for algorithms that know one of the columns or both.

    The same rows are biased whichever columns the algorithms know. Two biases of size 0 come first, so that nothing
    else depends on either column; their order is fixed, so that the fair world has the same rows in all cases.
    """
    sex, other, size = scene.sex, scene.other, case.magnitude
    last = {
        sex.column: scene.bias(size, subgroup=other.others),
        other.column: scene.bias(size, by=other, subgroup=sex.others),
        BOTH: Bias(
            [sex.column, other.column],
            {sex.column: sex.privileged, other.column: other.privileged},
            scene.outcome.column,
            scene.outcome.favourable,
            size,
        ),
    }
    return [scene.bias(0), scene.bias(0, by=other), last[case.name]]


def strained_names(names: Sequence[str]) -> list[str]:
    """List the algorithms of part E: with the exponentiated gradient also its strict variant, and always the control.

    Examples
    --------
    >>> strained_names(["logistic", "exponentiated-gradient"])
    ['logistic', 'exponentiated-gradient', 'exponentiated-gradient, strict', 'majority']
    """
    found = [word for name in names for word in ((name, STRICT) if name == GRADIENT else (name,))]
    return found if MAJORITY in found else [*found, MAJORITY]
