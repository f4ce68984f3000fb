"""Parts and algorithms to a `Result`: bias of known size planted, audited and held against the paper, step by step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial

from janus_synth.bench.fairness.experiments import (
    ALARMS,
    BOTH,
    FAIR,
    GRADIENT,
    MAJORITY,
    NEUTRAL,
    PAY_RULES,
    SETTINGS,
    STRICT,
    THREE,
    Sizes,
    alarm,
    attempt,
    chosen_algorithms,
    detect,
    hidden,
    pay,
    pipeline,
    strained,
    through_mediator,
)
from janus_synth.bench.fairness.records import Found
from janus_synth.bench.fairness.scenarios import Scene, chosen_table, make_scene
from janus_synth.bench.parts import parts_named, records_of
from janus_synth.bench.results import Result
from janus_synth.errors import require_extra
from janus_synth.progress import progress_bar

PARTS = ("A", "B", "C", "D", "E", "F", "G")
AUDITING = ("A", "B", "D", "E", "F")
"""Parts that need fairlearn."""

FULL = Sizes()
QUICK = Sizes(
    seeds=1,
    n_rows=1_000,
    n_fit=5_000,
    n_splits=3,
    magnitudes=(0.0, 0.2, 0.5),
    effect_units=5_000,
    repeats=20,
    n_pay=2_000,
)
QUICK_ALGORITHMS = (*THREE, MAJORITY)


@dataclass(frozen=True, slots=True)
class Step:
    """A piece of work, and what to call it if it fails."""

    part: str
    name: str
    make: Callable[[], list[Found]]


def run_fairness(
    parts: Sequence[str] | None = None,
    algorithms: Sequence[str] | None = None,
    *,
    table: str | None = None,
    seeds: int | None = None,
    rows: int | None = None,
    sizes: Sizes = FULL,
    progress: bool | None = None,
) -> Result:
    """Plant bias of known size, audit algorithms against it, and judge the paper's claims by what is found.

    Parameters
    ----------
    parts : sequence of str, optional
        Of A (direct), B (through a mediator), C (pipeline), D (hidden subgroup), E (trivial decisions), F (errors of
        the audit), G (equal pay); by default all.
    algorithms : sequence of str, optional
        Names of `janus_synth.fairness.ALGORITHMS`; by default all.
    table : str, optional
        ``adult`` or ``hiring``; by default Adult where it is at hand.
    seeds, rows : int, optional
        Planted tables of each kind and their rows, if not as many as ``sizes`` says.
    sizes : Sizes
        How much of everything.
    progress : bool, optional
        Show a bar on standard error; by default only where that is a terminal.

    Returns
    -------
    Result
        A record per audit, stage, alarm and origin of rows, and per step that failed.
    """
    chosen, names, name = parts_named(parts, PARTS), chosen_algorithms(algorithms), chosen_table(table)
    if set(chosen) & set(AUDITING):
        require_extra("fairlearn", "fairness", purpose="the benchmark of fairness")
    sizes = replace(sizes, seeds=seeds or sizes.seeds, n_rows=rows or sizes.n_rows)
    plain = {**asdict(sizes), "magnitudes": list(sizes.magnitudes)}  # as JSON reads it back
    options: dict[str, object] = {"parts": chosen, "algorithms": names, "table": name, "sizes": plain}
    scene = make_scene(name, n_fit=sizes.n_fit) if set(chosen) != {"G"} else None
    if scene is not None:
        options |= {"rows fitted": scene.n_fitted, "mediator": scene.mediator, "other column": scene.other.column}
    steps = [step for part in chosen for step in steps_of(part, scene, names, sizes)]
    found: list[Found] = []
    with progress_bar("planting and auditing", len(steps), shown=progress) as advance:
        for step in steps:
            found += attempt(step.part, step.name, step.make)
            advance(1)
    return Result.of("fairness", options=options, records=records_of(found))


def steps_of(part: str, scene: Scene | None, names: Sequence[str], sizes: Sizes) -> list[Step]:
    """What a part consists of, a step per seed and case."""
    seeds = range(sizes.seeds)
    if part == "G":
        return [Step(part, rule, partial(pay, rule=rule, seed=s, sizes=sizes)) for s in seeds for rule in PAY_RULES]
    assert scene is not None
    if part == "A":
        return [
            Step(part, f"{name}, {size:g}", partial(detect, scene, name, magnitude=size, seed=s, sizes=sizes))
            for s in seeds
            for size in sizes.magnitudes
            for name in names
        ]
    if part == "B":
        make: Callable[..., list[Found]] = partial(through_mediator, scene, names, sizes=sizes)
        return _by_case(part, make, "world", (NEUTRAL, FAIR), seeds)
    if part == "C":
        return _by_case(part, partial(pipeline, scene, sizes=sizes), "setting", tuple(SETTINGS), seeds)
    if part == "D":
        make = partial(hidden, scene, names, sizes=sizes)
        return _by_case(part, make, "told", (scene.sex.column, scene.other.column, BOTH), seeds)
    if part == "E":
        make = partial(strained, scene, strained_names(names), sizes=sizes)
        return [
            Step(part, strain.name, partial(make, strain=strain, seed=s)) for s in seeds for strain in scene.strains
        ]
    repeats = range(sizes.repeats)
    return [
        Step(part, setting, partial(alarm, scene, setting=setting, repeat=repeat, sizes=sizes))
        for setting in ALARMS
        for repeat in repeats
    ]


def strained_names(names: Sequence[str]) -> list[str]:
    """Algorithms of part E: a strict one beside the exponentiated gradient, and always the control.

    Examples
    --------
    >>> strained_names(["logistic", "exponentiated-gradient"])
    ['logistic', 'exponentiated-gradient', 'exponentiated-gradient, strict', 'majority']
    """
    found = [word for name in names for word in ((name, STRICT) if name == GRADIENT else (name,))]
    return found if MAJORITY in found else [*found, MAJORITY]


def _by_case(
    part: str, make: Callable[..., list[Found]], word: str, cases: Sequence[str], seeds: range
) -> list[Step]:  # fmt: skip
    return [Step(part, case, partial(make, **{word: case}, seed=seed)) for seed in seeds for case in cases]
