"""Parts to a `Result`: random models, Adult, rarity and violations, step by step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from janus_synth.bench.constrained.scenarios import N_TRAIN
from janus_synth.bench.exact.against import Comparison, Effort, compare
from janus_synth.bench.exact.costs import (
    ADULT_REQUESTS,
    HIRING_REQUESTS,
    TIGHTENING,
    Cost,
    Learnt,
    Violations,
    compare_adult,
    count_violations,
    has_adult,
    time_requests,
)
from janus_synth.bench.exact.random_models import Case, compare_case
from janus_synth.bench.parts import parts_named, records_of
from janus_synth.bench.results import Result
from janus_synth.bench.tables import read_named
from janus_synth.errors import require_extra
from janus_synth.progress import progress_bar

if TYPE_CHECKING:
    from janus_synth.metrics.detection import Detector

PARTS = ("A", "B", "C", "D")


@dataclass(frozen=True, slots=True)
class Failure:
    """A step that ended in an error, which is a result and not the end of the run."""

    part: str
    subject: str
    error: str


Found = Comparison | Cost | Violations | Failure


@dataclass(frozen=True, slots=True)
class Sizes:
    """How many random models, and how many rows of everything."""

    cases: int = 40
    effort: Effort = field(default_factory=Effort)
    n_train: int = N_TRAIN
    pool_rows: int = 400_000
    table_rows: int = 100_000
    timed_rows: int = 10_000
    repeats: int = 3
    many_rows: int = 100_000


FULL = Sizes()
QUICK = Sizes(
    cases=4,
    effort=Effort(n_rows=600, most_draws=1_000_000),
    n_train=2_000,
    pool_rows=100_000,
    table_rows=8_000,
    timed_rows=2_000,
    repeats=1,
    many_rows=5_000,
)


class Step(NamedTuple):
    """What is done between two moves of the progress bar."""

    part: str
    subject: str
    make: Callable[[], Found | Sequence[Found]]


def run_exact(
    parts: Sequence[str] | None = None,
    *,
    cases: int | None = None,
    sizes: Sizes = FULL,
    detector: Detector = "xgboost",
    progress: bool | None = None,
) -> Result:
    """Hold rows under conditions against the same model's free rows that obey, and time both.

    Parameters
    ----------
    parts : sequence of str, optional
        Of A (random models), B (Adult), C (cost by rarity), D (violations); by default all that can be had.
    cases : int, optional
        Random models of part A, if not as many as ``sizes`` says.
    sizes : Sizes
        How many rows.
    detector : {"xgboost", "boosting", "mlp"}
        Classifier that tells rows of the sampler from those of rejection.
    progress : bool, optional
        Show a bar on standard error; by default only where that is a terminal.

    Returns
    -------
    Result
        A record per comparison, cost, count of violations and failure.
    """
    chosen = chosen_parts(parts)
    if detector == "xgboost" and {"A", "B"} & set(chosen):
        require_extra("xgboost", "detection", purpose="telling rows from those of rejection")
    effort = replace(sizes.effort, detector=detector)
    sizes = replace(sizes, cases=sizes.cases if cases is None else cases, effort=effort)
    learnt = Learnt(sizes.table_rows)
    steps = [step for part in chosen for step in steps_of(part, sizes, learnt)]
    _warm_up(detector)
    records: list[dict[str, object]] = []
    with progress_bar("comparing and timing", len(steps), shown=progress) as advance:
        for step in steps:
            records += records_of(_done(step))
            advance(1)
    return Result.of("exact", options={"parts": chosen, "sizes": asdict(sizes)}, records=records)


def chosen_parts(words: Sequence[str] | None) -> list[str]:
    """Parts in their order; by default all, that on Adult only where the table is at hand.

    Examples
    --------
    >>> chosen_parts(["d", "A"])
    ['A', 'D']
    """
    if words is None:
        return [part for part in PARTS if part != "B" or has_adult()]
    wanted = parts_named(words, PARTS)
    if "B" in wanted and not has_adult():
        read_named("adult")  # says what is missing
    return wanted


def steps_of(part: str, sizes: Sizes, learnt: Learnt) -> list[Step]:
    """What a part consists of."""
    timed = partial(time_requests, learnt, part=part, n_rows=sizes.timed_rows, repeats=sizes.repeats)
    if part == "A":
        compared = partial(compare_case, effort=sizes.effort, n_train=sizes.n_train, pool_rows=sizes.pool_rows)
        cases = [Case(number) for number in range(sizes.cases)]
        return [Step(part, str(case), partial(compared, case)) for case in cases]
    if part == "B":
        against = [Step(part, rule, partial(compare_adult, learnt, rule, sizes.effort)) for rule in ADULT_REQUESTS]
        return [*against, Step(part, "seconds", partial(timed, "adult", ADULT_REQUESTS))]
    if part == "C":
        table = "adult" if has_adult() else "hiring"
        return [Step(part, "seconds", partial(timed, table, TIGHTENING[table]))]
    return [
        Step(part, rule, partial(count_violations, learnt, rule, n_rows=sizes.many_rows)) for rule in HIRING_REQUESTS
    ]


def _done(step: Step) -> Sequence[Found]:
    try:
        found = step.make()
    except Exception as error:  # a step that fails is a result, not the end of the run
        found = Failure(step.part, step.subject, f"{type(error).__name__}: {error}".rstrip(": "))
    return found if isinstance(found, Sequence) else [found]


def _warm_up(detector: Detector) -> None:
    """Load compiled kernels and libraries before anything is timed."""
    from janus_synth.api import Janus
    from janus_synth.datasets import hiring

    model = Janus(random_state=0).fit(hiring(300), progress=False)
    easy = "age < 40 and experience <= age - 19 and department != 'legal'"
    compare(model, easy, Effort(60, 2_000, detector), part="", subject="warm-up")
