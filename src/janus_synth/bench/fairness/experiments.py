"""Scenes and algorithms to records, one planted table or audit at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import isfinite
from typing import Any

from janus_synth import datasets
from janus_synth.api import Janus
from janus_synth.bench.fairness.records import Alarm, Failure, Found, Pay, Stage, Trial
from janus_synth.bench.fairness.scenarios import HIDDEN, PIPELINE, Scene, Strain
from janus_synth.errors import DataError
from janus_synth.fairness import (
    ALGORITHMS,
    Bias,
    Planted,
    algorithm,
    audit,
    audit_suite,
    equal_treatment,
    plant,
)

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


def detect(scene: Scene, name: str, *, magnitude: float, seed: int, sizes: Sizes) -> list[Found]:
    """Part A: a direct bias of some size, where nothing else depends on sex."""
    suite = audit_suite(
        scene.model,
        {name: estimator(name)},
        {"direct": scene.bias(0)},
        [magnitude],
        n=sizes.n_rows,
        baseline=NEUTRAL,
        random_state=stream(seed),
        progress=False,
        n_splits=sizes.n_splits,
    )
    return [Trial.of("A", NEUTRAL, magnitude, seed, case.audit) for case in suite.cases]


def through_mediator(scene: Scene, names: Sequence[str], *, world: str, seed: int, sizes: Sizes) -> list[Found]:
    """Part B: a bias through the mediator, in a world of one kind."""
    bias = scene.bias(scene.through, path=scene.mediator)
    return _audited(scene, names, [bias], "B", world, seed, sizes, baseline=world)


def hidden(scene: Scene, names: Sequence[str], *, told: str, seed: int, sizes: Sizes) -> list[Found]:
    """Part D: a bias against those who are unprivileged twice, and algorithms told of one column or of both.

    The same rows are hit whatever the algorithms are told. Two biases of size 0 come first, so that nothing depends on
    either column, and in the same order always, so that the rows of the fair world are the same.
    """
    sex, other = scene.sex, scene.other
    last = {
        sex.column: scene.bias(HIDDEN, subgroup=other.others),
        other.column: scene.bias(HIDDEN, by=other, subgroup=sex.others),
        BOTH: Bias(
            [sex.column, other.column],
            {sex.column: sex.privileged, other.column: other.privileged},
            scene.outcome.column,
            scene.outcome.favourable,
            HIDDEN,
        ),
    }
    biases = [scene.bias(0), scene.bias(0, by=other), last[told]]
    return _audited(scene, names, biases, "D", told, seed, sizes, baseline=NEUTRAL, n=2 * sizes.n_rows)


def strained(scene: Scene, names: Sequence[str], *, strain: Strain, seed: int, sizes: Sizes) -> list[Found]:
    """Part E: a bias so strong, or an outcome so rare, that deciding always alike may look fair."""
    bias = scene.bias(strain.magnitude, outcome=strain.outcome)
    return _audited(scene, names, [bias], "E", strain.name, seed, sizes, baseline=NEUTRAL, where=strain.where)


def _audited(
    scene: Scene,
    names: Sequence[str],
    biases: Sequence[Bias],
    part: str,
    case: str,
    seed: int,
    sizes: Sizes,
    **planting: Any,
) -> list[Found]:
    """Plant once, and audit every algorithm on the same rows."""
    planting = {"n": sizes.n_rows, "effect_units": 0, **planting}
    planted = plant(scene.model, biases, random_state=stream(seed), progress=False, **planting)

    def trial(name: str) -> list[Found]:
        return [Trial.of(part, case, biases[-1].magnitude, seed, _audit(name, planted, seed, sizes.n_splits))]

    return [one for name in names for one in attempt(part, f"{name}, {case}", partial(trial, name))]


def _audit(name: str, planted: Planted, seed: int, n_splits: int) -> Any:
    options: dict[str, Any] = {"n_splits": n_splits, "random_state": stream(seed), "progress": False}
    return audit(estimator(name), planted, name=name, **options)


def pipeline(scene: Scene, *, setting: str, seed: int, sizes: Sizes) -> list[Found]:
    """Part C: biases at some of three stages that feed one another; the others get one of size 0."""
    biases = [
        scene.bias(PIPELINE * on, outcome=outcome) for on, outcome in zip(SETTINGS[setting], scene.stages, strict=True)
    ]
    planted = plant(
        scene.model,
        biases,
        n=sizes.n_rows,
        baseline=NEUTRAL,
        effect_units=sizes.effect_units,
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


def alarm(scene: Scene, *, setting: str, repeat: int, sizes: Sizes) -> list[Found]:
    """Part F: one audit by sex of a fresh table in which sex plays no role, or a known one.

    Where nothing is planted, both worlds are the same, and what is paired cannot differ. So another setting plants a
    bias by another column, which changes the outcome and has nothing to do with sex.
    """
    of_sex, of_other = {NOTHING_PLANTED: (0, 0), ELSEWHERE: (0, 1), PLANTED: (1, 0)}[setting]
    biases = [scene.bias(ALARM_SIZE * of_other, by=scene.other), scene.bias(ALARM_SIZE * of_sex)]
    seed = 1_000_000 + 10 * repeat
    planted = plant(
        scene.model, biases, n=sizes.n_rows, baseline=NEUTRAL, effect_units=0, random_state=seed, progress=False
    )  # fmt: skip
    found = audit(estimator(LOGISTIC), planted, n_splits=sizes.alarm_splits, random_state=seed, progress=False)
    main = found.main
    return [
        Alarm(setting, repeat, main.found, main.unequal, found.decided.unequal, main.excess.value, main.gap.value)
    ]  # fmt: skip


def pay(*, rule: str, seed: int, sizes: Sizes) -> list[Found]:
    """Part G: how often rows keep a rule, real ones, free ones, and ones that must."""
    model, frame = hiring_model(seed, sizes.n_pay)
    found = equal_treatment(model, frame, rule, "sex", "male", n=sizes.n_pay, random_state=seed)
    return [
        Pay(rule, row.origin, seed, row.n, row.satisfied, row.gap, _finite(row.tries), _finite(row.seconds))
        for row in found.rows
    ]


def hiring_model(seed: int, n: int) -> tuple[Janus, Any]:
    """The shipped table, and a model of it that knows its graph."""
    frame = datasets.hiring(n, random_state=seed)
    return Janus(structure=datasets.hiring_graph(), random_state=seed).fit(frame, progress=False), frame


def stream(seed: int) -> int:
    """Seeds far apart, as planting takes the next ones for further biases."""
    return 1_000 * seed


def attempt(part: str, step: str, make: Callable[[], list[Found]]) -> list[Found]:
    """Records of a step, or of its failure."""
    try:
        return make()
    except Exception as error:
        return [Failure(part, step, f"{type(error).__name__}: {error}".rstrip(": "))]


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None
