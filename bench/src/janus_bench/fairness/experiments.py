"""The experiments on planted bias: names, sizes, and one function per kind (audits, pipelines, alarms, equal pay)."""

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
class FairnessSizes:
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


@dataclass(frozen=True, slots=True)
class Case:
    """A planted table by its part, its name and the size of its bias."""

    part: str
    name: str
    """The world in parts A and B, the protected column the algorithm knows in D, the stress test in E."""
    magnitude: float

    def __str__(self) -> str:
        return f"{self.magnitude:g}" if self.part == "A" else self.name


def cases_of(part: str, scene: Scene, magnitudes: Sequence[float]) -> list[Case]:
    """The cases of a part; the sizes are those of part A.

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
    """One algorithm audited on the planted table of a case."""
    planted = planted_in(table, case, seed, n_fit, n_rows)
    found = audit(
        estimator(name), planted, name=name, n_splits=n_splits, random_state=stream(seed), progress=False
    )  # fmt: skip
    return [Trial.of(case.part, case.name, case.magnitude, seed, found)]


@lru_cache(maxsize=1)
def planted_in(table: str, case: Case, seed: int, n_fit: int, n_rows: int) -> Planted:
    """The planted table of a case; the last one is kept, as algorithms are audited one after the other."""
    biases, how = plan_of(SCENES[table], case)
    n = 2 * n_rows if case.part == "D" else n_rows
    model = model_of(table, n_fit)
    return plant(model, biases, n=n, effect_units=0, random_state=stream(seed), progress=False, **how)


def plan_of(scene: Scene, case: Case) -> tuple[list[Bias], dict[str, Any]]:
    """Biases, and where they are planted.

    A: a direct bias of some size, where nothing else depends on sex. B: a bias through the mediator, in a world of one
    kind. D: a bias against those who are unprivileged twice, see `hidden_biases`. E: a bias so strong, or an outcome so
    rare, that deciding always alike may look fair.
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
    """A bias against those who are unprivileged twice, for algorithms that know of one protected column or of both.

    The same rows are hit whichever columns the algorithms know. Two biases of size 0 come first, so that nothing
    depends on either column, and in the same order always, so that the rows of the fair world are the same.
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
    """Algorithms of part E: a strict one beside the exponentiated gradient, and always the control.

    Examples
    --------
    >>> strained_names(["logistic", "exponentiated-gradient"])
    ['logistic', 'exponentiated-gradient', 'exponentiated-gradient, strict', 'majority']
    """
    found = [word for name in names for word in ((name, STRICT) if name == GRADIENT else (name,))]
    return found if MAJORITY in found else [*found, MAJORITY]
