"""Parts of the speed benchmark: tables and sizes in, `Timing` records of JANUS and its baselines out.

The baseline of a fit is scikit-learn's random forests, one per column. Columns are converted to numbers beforehand, so
only growing the forests is timed. Arguments that JANUS does not have, such as √d features per split when classifying,
keep scikit-learn's defaults.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from janus_bench.fresh import ask, ask_import
from janus_bench.stopwatch import Seconds, seconds_of, take_turns
from janus_bench.tables import read_named

if TYPE_CHECKING:
    import pandas as pd

    from janus_bench.peers import SequentialCart


Features = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class ForestTask:
    """Features and target of one forest."""

    column: str
    features: Features
    target: npt.NDArray[Any]
    discrete: bool


def earlier_columns(frame: pd.DataFrame) -> list[ForestTask]:
    """Every column given those before it, unordered columns first: the chain that JANUS learns by default."""
    return _tasks(frame, chain=True)


def all_other_columns(frame: pd.DataFrame) -> list[ForestTask]:
    """Every column given all others."""
    return _tasks(frame, chain=False)


def grow_forests(
    tasks: list[ForestTask], *, n_trees: int, min_samples_leaf: int, n_jobs: int, seed: int = 0
) -> list[Any]:
    """Grow one forest per task.

    Examples
    --------
    >>> from janus_synth import datasets
    >>> tasks = earlier_columns(datasets.hiring(100))
    >>> len(grow_forests(tasks, n_trees=2, min_samples_leaf=5, n_jobs=1))
    13
    """
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    arguments = {"n_estimators": n_trees, "min_samples_leaf": min_samples_leaf, "n_jobs": n_jobs, "random_state": seed}
    makers = [RandomForestClassifier if task.discrete else RandomForestRegressor for task in tasks]
    return [make(**arguments).fit(task.features, task.target) for make, task in zip(makers, tasks, strict=True)]


def _tasks(frame: pd.DataFrame, *, chain: bool) -> list[ForestTask]:
    from janus_synth.metrics import align

    (rows,) = align(table=frame)
    columns = sorted(rows.columns, key=lambda column: not column.discrete)
    values = [_without_nulls(rows[column.name]) for column in columns]
    matrix = np.column_stack(values).astype(np.float32)
    tasks = []
    for j, column in enumerate(columns):
        features = matrix[:, :j] if chain else np.delete(matrix, j, axis=1)
        if features.shape[1]:
            tasks.append(ForestTask(column.name, features, values[j], column.discrete))
    return tasks


def _without_nulls(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Replace nulls by a number below all others; discrete columns already hold −1 there."""
    is_null = np.isnan(values)
    return np.where(is_null, np.nanmin(values) - 1, values) if is_null.any() else values


OURS = "JANUS"
EARLIER = "random forests, earlier columns"
OTHERS = "random forests, all other columns"
CART = "CART"
UNIFORMS = "numpy uniforms"
"""One uniform random number per cell: a lower bound on the time of a sampler."""


@dataclass(frozen=True, slots=True)
class SpeedSizes:
    """Numbers of rows and columns, and of repeats."""

    fit_rows: int = 20_000
    sample_rows: tuple[int, ...] = (100_000, 1_000_000)
    row_steps: tuple[int, ...] = (10_000, 20_000, 40_000, 80_000)
    column_steps: tuple[int, ...] = (16, 32, 64)
    wide_rows: int = 5_000
    memory_rows: int = 1_000_000
    repeats: int = 5
    requests: int = 6
    """Requests of each acceptance rate."""
    requested_rows: int = 5_000
    pool_rows: int = 400_000
    """Unconstrained rows that requests are calibrated on."""


QUICK = SpeedSizes(2_000, (20_000,), (1_000, 2_000, 4_000), (8, 16), 1_000, 50_000, 1, 1, 500, 100_000)
"""About a minute: checks that everything runs; the times mean little."""


@dataclass(frozen=True, slots=True)
class Timing:
    """One or more timings of one subject at one size."""

    part: str
    subject: str
    seconds: list[float]
    processor_seconds: list[float] = field(default_factory=list)
    table: str = ""
    n_rows: int = 0
    n_columns: int = 0
    before_mib: float | None = None
    peak_mib: float | None = None
    date: str = ""
    """Time of the measurement in UTC; stored measurements are older than the run."""

    @classmethod
    def of(cls, part: str, subject: str, runs: Sequence[Seconds], table: str, shape: tuple[int, int]) -> Self:
        """Make a record from runs in this process."""
        clocks, processors = [run.clock for run in runs], [run.processor for run in runs]
        return cls(part, subject, clocks, processors, table, *shape)


def time_warm_up() -> Iterator[Timing]:
    """The first fit and sample of this process."""
    yield Timing("start", "warm-up of this run", [warm_up()])


@cache
def warm_up() -> float:
    """Compile or load kernels and import libraries, once per process; return the seconds that JANUS took."""
    from janus_bench.speed.parts import earlier_columns, grow_forests
    from janus_synth import Janus
    from janus_synth.datasets import hiring

    frame = hiring(200)

    def ours() -> object:
        return Janus(random_state=0).fit(frame, progress=False).sample(10, random_state=0, progress=False)

    spent = seconds_of(ours).clock
    grow_forests(earlier_columns(frame), n_trees=2, min_samples_leaf=5, n_jobs=threads())
    _cart().fit(frame, seed=0).sample(10, seed=0)
    return spent


def time_fits(name: str, sizes: SpeedSizes) -> Iterator[Timing]:
    """Time default fits beside random forests with the same numbers of trees, rows per leaf and threads."""
    from janus_bench.speed.parts import all_other_columns, earlier_columns, grow_forests
    from janus_synth import Janus

    frame = first_rows(name, sizes.fit_rows)
    ours = Janus(random_state=0)

    forests = partial(grow_forests, n_trees=ours.n_trees, min_samples_leaf=ours.min_samples_leaf, n_jobs=threads())

    calls: dict[str, Callable[[], object]] = {
        OURS: partial(ours.fit, frame, progress=False),
        EARLIER: partial(forests, earlier_columns(frame)),
        OTHERS: partial(forests, all_other_columns(frame)),
        CART: partial(_cart().fit, frame, seed=0),
    }
    for subject, runs in take_turns(calls, sizes.repeats).items():
        yield Timing.of("fit", subject, runs, name, frame.shape)


def time_samples(name: str, sizes: SpeedSizes) -> Iterator[Timing]:
    """Time samples beside sequential CART, and beside one uniform random number per cell."""
    import numpy as np

    from janus_synth import Janus

    frame = first_rows(name, sizes.fit_rows)
    ours = Janus(random_state=0).fit(frame, progress=False)
    rival = _cart().fit(frame, seed=0)
    n_columns = frame.shape[1]
    for n in sizes.sample_rows:
        calls: dict[str, Callable[[], object]] = {
            OURS: partial(ours.sample, n, random_state=1, progress=False),
            CART: partial(rival.sample, n, seed=1),
            UNIFORMS: partial(np.random.default_rng(1).random, (n, n_columns)),
        }
        for subject, runs in take_turns(calls, sizes.repeats).items():
            yield Timing.of("sample", subject, runs, name, (n, n_columns))


def time_row_steps(name: str, sizes: SpeedSizes) -> Iterator[Timing]:
    """Time default fits of longer and longer tables."""
    from janus_bench.tables.sizes import enlarge
    from janus_synth import Janus

    frame = read_named(name).frame
    longer = enlarge(frame, max(sizes.row_steps))
    ours = Janus(random_state=0)
    calls = {str(n): partial(ours.fit, longer.head(n), progress=False) for n in sizes.row_steps}
    for n, runs in take_turns(calls, sizes.repeats).items():
        yield Timing.of("rows", OURS, runs, name, (int(n), frame.shape[1]))


def time_column_steps(sizes: SpeedSizes) -> Iterator[Timing]:
    """Time fits of wider and wider tables with the sparse ``forest`` structure."""
    from janus_bench.tables.sizes import wide_table
    from janus_synth import Janus

    widest = wide_table(sizes.wide_rows, max(sizes.column_steps))
    ours = Janus(structure="forest", random_state=0)
    calls = {str(d): partial(ours.fit, widest.iloc[:, :d], progress=False) for d in sizes.column_steps}
    for d, runs in take_turns(calls, sizes.repeats).items():
        yield Timing.of("columns", f"{OURS}, forest structure", runs, "wide", (sizes.wide_rows, int(d)))


def measure_memory(name: str, sizes: SpeedSizes) -> Iterator[Timing]:
    """Measure peak memory of new processes that fit a long table, or sample as many rows."""
    from janus_bench.tables.sizes import enlarge

    frame = read_named(name).frame
    n, n_columns = sizes.memory_rows, frame.shape[1]
    with tempfile.TemporaryDirectory() as folder:
        table, model = Path(folder, "table.parquet"), Path(folder, "model.janus")
        enlarge(frame, n).to_parquet(table)
        answers = {
            "fit": ask("fit", table, model),
            "sample": ask("sample", model, n),
            "sample in batches": ask("sample-batches", model, n),
        }
    for subject, answer in answers.items():
        weighed = answer["before_mib"], answer["peak_mib"]
        yield Timing("memory", subject, [answer["seconds"]], [], name, n, n_columns, *weighed)


def time_starts(sizes: SpeedSizes) -> Iterator[Timing]:
    """Time imports and first calls in new processes."""
    for statement in ("import janus_synth", "import numpy", "import pandas", "from janus_synth import Janus"):
        times = [ask_import(statement)["seconds"] for _ in range(sizes.repeats)]
        yield Timing("start", statement, times)
    calls = [ask("first-call") for _ in range(sizes.repeats)]
    yield Timing("start", "first fit and sample", [call["seconds"] for call in calls])
    yield Timing("start", "second fit and sample", [call["again_seconds"] for call in calls])


def first_rows(name: str, n: int) -> pd.DataFrame:
    """At most ``n`` rows of a table in random order, because sorted tables are easier to fit."""
    frame = read_named(name).frame
    return frame.sample(min(n, len(frame)), random_state=0).reset_index(drop=True)


def _cart() -> SequentialCart:
    from janus_bench.peers import SequentialCart

    return SequentialCart(n_jobs=threads())


def threads() -> int:
    """Number of threads for all methods: those that JANUS uses by default."""
    from janus_bench.stopwatch import n_cores

    return n_cores()
