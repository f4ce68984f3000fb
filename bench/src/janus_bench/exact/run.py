"""Run the benchmark of exactness: parts in, a `Result` out.

Parts: disjunctions (O), random models (A), Adult (B), cost by rarity (C), violations (D).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final

from janus_bench.cells import IN_THIS_PROCESS, Cell, RunSettings
from janus_bench.constrained.scenarios import N_TRAIN
from janus_bench.exact import against, costs, disjunctions, random_models
from janus_bench.exact.against import Comparison, Effort, compare
from janus_bench.exact.costs import (
    ADULT_REQUESTS,
    HIRING_REQUESTS,
    TIGHTENING,
    Cost,
    Violations,
    compare_adult,
    count_violations,
    forget_models,
    has_adult,
    time_requests,
)
from janus_bench.exact.disjunctions import Disjunction, DisjunctionCase, compare_disjunction
from janus_bench.exact.random_models import Case, compare_case
from janus_bench.options import choose
from janus_bench.results import Result
from janus_bench.running import measure_calls
from janus_bench.tables import read_named
from janus_bench.versions import (
    OUR_LIBRARIES,
    adapter_fingerprint,
    judge_version,
    library_versions,
    package_fingerprint,
    table_fingerprint,
)
from janus_synth.errors import require_extra

if TYPE_CHECKING:
    from janus_synth.metrics import Detector

KIND: Final = "exact"
PARTS = ("O", "A", "B", "C", "D")


@dataclass(frozen=True, slots=True)
class Failure:
    """A cell that ended in an error, recorded as a result; the run continues."""

    part: str
    subject: str
    error: str


Found = Comparison | Disjunction | Cost | Violations
SECONDS = "seconds"
"""Name of a cell that times several requests in turns."""
EASY = "age < 40 and experience <= age - 19 and department != 'legal'"


@dataclass(frozen=True, slots=True)
class ExactSizes:
    """Numbers of random models, of rows and of repetitions."""

    cases: int = 40
    effort: Effort = field(default_factory=Effort)
    disjunction_effort: Effort = field(default_factory=lambda: Effort(n_rows=4_000, most_draws=20_000_000))
    n_train: int = N_TRAIN
    pool_rows: int = 400_000
    disjunction_pool_rows: int = 1_000_000
    table_rows: int = 100_000
    timed_rows: int = 10_000
    repeats: int = 3
    many_rows: int = 100_000


FULL = ExactSizes()
QUICK = ExactSizes(
    cases=4,
    effort=Effort(n_rows=600, most_draws=1_000_000),
    disjunction_effort=Effort(n_rows=600, most_draws=1_000_000),
    n_train=2_000,
    pool_rows=100_000,
    disjunction_pool_rows=100_000,
    table_rows=8_000,
    timed_rows=2_000,
    repeats=1,
    many_rows=5_000,
)


def run_exact(
    parts: Sequence[str] | None = None,
    *,
    cases: int | None = None,
    sizes: ExactSizes = FULL,
    detector: Detector = "xgboost",
    run: RunSettings = IN_THIS_PROCESS,
) -> Result:
    """Compare conditional samples with rejection sampling from the same model, and time both.

    Parameters
    ----------
    parts : sequence of str, optional
        Of O (disjunctions), A (random models), B (Adult), C (cost by rarity), D (violations); by default all, B
        only if Adult is already downloaded.
    cases : int, optional
        Random models of parts O and A; by default as in ``sizes``.
    sizes : ExactSizes
        How many rows.
    detector : {"xgboost", "boosting", "mlp"}
        Classifier that separates rows of the sampler from rows of rejection.
    run : RunSettings
        Store, processes and time limit.

    Returns
    -------
    Result
        A record per comparison, disjunction, cost, count of violations and failure.
    """
    chosen = chosen_parts(parts)
    if detector == "xgboost" and {"O", "A", "B"} & set(chosen):
        require_extra("xgboost", "detection", purpose="detection")
    sizes = replace(
        sizes,
        cases=sizes.cases if cases is None else cases,
        effort=replace(sizes.effort, detector=detector),
        disjunction_effort=replace(sizes.disjunction_effort, detector=detector),
    )
    forget_models()
    found = measure_calls([cell for part in chosen for cell in cells_of(part, sizes)], _failure, run)
    return Result.of(KIND, options={"parts": chosen, "sizes": asdict(sizes)}, records=found)


def chosen_parts(words: Sequence[str] | None) -> list[str]:
    """Parts in their order; by default all, the one on Adult only if the table is already downloaded.

    Examples
    --------
    >>> chosen_parts(["d", "A"])
    ['A', 'D']
    """
    if words is None:
        return [part for part in PARTS if part != "B" or has_adult()]
    wanted = choose(words, PARTS, "part")
    if "B" in wanted and not has_adult():
        read_named("adult")  # raises an error that says how to get the table
    return wanted


def cells_of(part: str, sizes: ExactSizes) -> list[Cell]:
    """Cells of a part: one per request, but a single one for all requests that are timed in turns."""
    if part == "O":
        return [_of_disjunction(DisjunctionCase(number), sizes) for number in range(sizes.cases)]
    if part == "A":
        return [_of_case(Case(number), sizes) for number in range(sizes.cases)]
    if part == "B":
        effort, rows = sizes.effort, {"max_rows": sizes.table_rows}
        compared = [
            _on_table(
                part, "adult", rule, {**asdict(effort), **rows},
                partial(compare_adult, rule, effort, **rows), detector=effort.detector,
            )
            for rule in ADULT_REQUESTS
        ]  # fmt: skip
        return [*compared, _timed(part, "adult", ADULT_REQUESTS, sizes)]
    if part == "C":
        table = "adult" if has_adult() else "hiring"
        return [_timed(part, table, TIGHTENING[table], sizes)]
    many = {"max_rows": sizes.table_rows, "n_rows": sizes.many_rows}
    return [_on_table(part, "hiring", rule, many, partial(count_violations, rule, **many)) for rule in HIRING_REQUESTS]


def _of_disjunction(case: DisjunctionCase, sizes: ExactSizes) -> Cell:
    """The cell of a random model with a disjunction."""
    shape = {"n_train": sizes.n_train, "pool_rows": sizes.disjunction_pool_rows}
    effort = sizes.disjunction_effort
    make = partial(compare_disjunction, case, effort=effort, **shape)
    return _on_random_model("O", case, disjunctions.__name__, effort, shape, make)


def _of_case(case: Case, sizes: ExactSizes) -> Cell:
    """The cell of a random model with a conjunction."""
    shape = {"n_train": sizes.n_train, "pool_rows": sizes.pool_rows}
    make = partial(compare_case, case, effort=sizes.effort, **shape)
    return _on_random_model("A", case, random_models.__name__, sizes.effort, shape, make)


def _on_random_model(
    part: str,
    case: Case | DisjunctionCase,
    module: str,
    effort: Effort,
    shape: dict[str, int],
    make: Callable[[], Any],
) -> Cell:
    """The cell of a random model and its request, both determined by the number of the case."""
    return Cell(
        KIND,
        "random model",
        str(case),
        case.number,
        settings={"part": part},
        sizes={**asdict(effort), **shape},
        version=version_of(module),
        task=partial(found_warm, make, effort.detector),
    )


def _timed(part: str, table: str, rules: Sequence[str], sizes: ExactSizes) -> Cell:
    """The cell that times requests on one table in turns."""
    shape = {"max_rows": sizes.table_rows, "n_rows": sizes.timed_rows, "repeats": sizes.repeats}
    return _on_table(part, table, SECONDS, shape, partial(time_requests, table, rules, part=part, **shape))


def _on_table(
    part: str, table: str, name: str, sizes: dict[str, Any], make: Callable[[], Any], detector: Detector | None = None
) -> Cell:
    """The cell of a request on a named table."""
    return Cell(
        KIND,
        table,
        name,
        0,
        settings={"part": part},
        sizes=sizes,
        data=table_fingerprint(read_named(table)),
        version=version_of(costs.__name__),
        task=partial(found_warm, make, detector),
    )


def version_of(module: str) -> str:
    """Fingerprint of the code that affects a record: the package, the scores, and the module that makes requests."""
    ours = f"{package_fingerprint()} {library_versions(OUR_LIBRARIES)}"
    return f"{ours} {judge_version(against.__name__)} {adapter_fingerprint(module)}"


def found_warm(make: Callable[[], Found | list[Found]], detector: Detector | None) -> list[Found]:
    """Records of a call, made after a warm-up."""
    warm_up(detector)
    found = make()
    return found if isinstance(found, list) else [found]


@cache
def warm_up(detector: Detector | None) -> None:
    """Load compiled kernels and libraries before anything is timed, once per process."""
    from janus_synth import Janus
    from janus_synth.datasets import hiring

    model = Janus(random_state=0).fit(hiring(300), progress=False)
    if detector is None:
        model.sample(60, where=EASY, random_state=0, progress=False)
    else:
        compare(model, EASY, Effort(60, 2_000, detector), part="", subject="warm-up")


def _failure(cell: Cell, error: str) -> Failure:
    return Failure(cell.settings["part"], cell.method, error)
