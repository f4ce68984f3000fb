"""A case and an algorithm to an audit: a table is planted once for all algorithms that are audited on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from janus_bench.fairness.experiments import BOTH, FAIR, GRADIENT, MAJORITY, NEUTRAL, STRICT, estimator, stream
from janus_bench.fairness.records import Trial
from janus_bench.fairness.scenarios import HIDDEN, SCENES, Scene, model_of
from janus_synth.fairness import Bias, Planted, audit, plant


@dataclass(frozen=True, slots=True)
class Case:
    """A planted table by its part, its name and the size of its bias."""

    part: str
    name: str
    """The world in parts A and B, what the algorithm is told in D, the strain in E."""
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
        "D": [Case("D", told, HIDDEN) for told in (scene.sex.column, scene.other.column, BOTH)],
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
    """A bias against those who are unprivileged twice, for algorithms that are told of one column or of both.

    The same rows are hit whatever the algorithms are told. Two biases of size 0 come first, so that nothing depends on
    either column, and in the same order always, so that the rows of the fair world are the same.
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
