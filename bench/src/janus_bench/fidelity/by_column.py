"""Tables, methods and seeds in, a `Result` out: which columns each method draws worst, given their real parents.

A bad score of whole rows does not say which column causes it, because errors in early columns propagate to all later
ones. Here every column is drawn from real parents, so a bad score is due to that column alone.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol, Self, runtime_checkable

from rich.console import Console
from rich.progress import Progress

from janus_bench.draws import fit_on
from janus_bench.fidelity.run import listed, options_of
from janus_bench.fidelity.summary import DETECTION
from janus_bench.methods import make_methods
from janus_bench.results import Result
from janus_bench.tables import NamedTable, read_named, split
from janus_synth.errors import DataError, require_extra

if TYPE_CHECKING:
    import pandas as pd

    from janus_bench.peers import Synthesizer
    from janus_synth import Schema
    from janus_synth.metrics import Detector

DEFAULT_METHODS = ("JANUS", "CART")
LEAST_ROWS = 30
"""With fewer real and redrawn rows the AUC is noise (standard error above 0.07)."""


@runtime_checkable
class RedrawsColumns(Protocol):
    """What a fitted method must offer to be scored column by column."""

    def parents(self, column: str) -> tuple[str, ...]:
        """Columns that ``column`` is drawn from; none where it is drawn on its own."""
        ...

    def redraw(self, frame: pd.DataFrame, column: str, *, seed: int) -> pd.Series[Any]:
        """Redraw a column for rows that hold at least its parents, in the dtype it had in training."""
        ...


@dataclass(frozen=True, slots=True)
class ColumnTrial:
    """One column of one table by one method and seed; a method that could not even fit has no column.

    Attributes
    ----------
    n_rows : int
        Real rows, and as many redrawn ones, that the detector saw.
    n_values : int
        Distinct values in the training rows.
    auc : float or None
        Detection AUC of redrawn against real rows; 0.5 is ideal.
    reference : float or None
        The same with real values in place of the redrawn ones.
    """

    table: str
    method: str
    seed: int
    n_rows: int
    column: str = ""
    n_parents: int = 0
    n_values: int = 0
    auc: float | None = None
    reference: float | None = None
    error: str = ""

    @property
    def loss(self) -> float:
        """Loss of the detection AUC (higher is worse); 0 without a score."""
        return 0.0 if self.auc is None else DETECTION.loss(self.auc)


def run_by_column(
    tables: Iterable[str | NamedTable] | None = None,
    methods: Sequence[Synthesizer] | None = None,
    seeds: Iterable[int] = (0,),
    *,
    max_rows: int = 40_000,
    detector: Detector = "xgboost",
    progress: bool | None = None,
) -> Result:
    """Fit every method to half of every table, and redraw single columns of the other half.

    A column with parents is redrawn for one half of the held-out rows, given their real parents. A detector then
    separates these rows (parents and column) from the other half, which keeps the real column.

    Parameters
    ----------
    tables : iterable of str or NamedTable, optional
        Names or groups of tables; by default the real ones that need no download and all that need no files.
    methods : sequence of Synthesizer, optional
        By default JANUS and CART. Those that cannot redraw a column are left out, and the report says so.
    seeds : iterable of int
        Each seed is a split of the table, a fit and a draw per column.
    max_rows : int
        Rows of a table that are used: half to train, a quarter real and a quarter redrawn.
    detector : {"xgboost", "boosting", "mlp"}
        Classifier between redrawn and real rows.
    progress : bool, optional
        Show a bar on standard error; by default only where that is a terminal.

    Returns
    -------
    Result
        A record per table, method, seed and column; within the first three, the worst column first.

    Examples
    --------
    >>> from janus_bench.methods import make_methods
    >>> result = run_by_column(["ring"], make_methods(["CART"]), max_rows=400, detector="boosting")
    >>> sorted(record["column"] for record in result.records)
    ['wave', 'y']
    """
    if detector == "xgboost":
        require_extra("xgboost", "detection", purpose="detection")
    named, seeds = listed(tables), list(seeds)
    methods = make_methods(DEFAULT_METHODS) if methods is None else methods
    if not (named and methods and seeds):
        raise DataError("a benchmark needs at least one table, one method and one seed.")
    able = _able(methods)
    trials: list[ColumnTrial] = []
    shown = sys.stderr.isatty() if progress is None else progress
    with Progress(console=Console(stderr=True), transient=True, disable=not shown) as bar:
        line = bar.add_task("fitting and redrawing", total=len(named) * len(seeds) * len(able))
        for item in named.values():
            table = read_named(item) if isinstance(item, str) else item
            for seed in seeds:
                case = _Case.of(table, seed, max_rows=max_rows, detector=detector)
                for method in able:
                    trials += _trials(case, method)
                    bar.advance(line)
    options = options_of(named, able, seeds, max_rows=max_rows, detector=detector)
    options["left_out"] = [method.name for method in methods if method not in able]
    return Result.of("by-column", options=options, records=[asdict(trial) for trial in trials])


@dataclass(frozen=True, slots=True)
class _Case:
    """One split of one table, the same for all methods, with the rows and the detector that score them."""

    table: NamedTable
    seed: int
    train: pd.DataFrame
    real: pd.DataFrame
    """Held-out rows that stay as they are."""
    other: pd.DataFrame
    """As many held-out rows, of which one column is redrawn."""
    schema: Schema
    detector: Detector
    references: dict[tuple[str, ...], float]
    """AUCs between two real halves, by columns; methods with the same parents share them."""

    @classmethod
    def of(cls, table: NamedTable, seed: int, *, max_rows: int, detector: Detector) -> Self:
        from janus_synth import Schema

        train, test = split(table, seed, max_rows=max_rows)
        half = len(test) // 2  # rows are shuffled already, so the first half is a random half
        real, other = test.iloc[:half], test.iloc[half : 2 * half]
        return cls(table, seed, train, real, other, Schema.detect(train), detector, {})

    def trial(self, method: str, **facts: Any) -> ColumnTrial:
        return ColumnTrial(self.table.name, method, self.seed, len(self.real), **facts)

    def check(self) -> None:
        if len(self.real) < LEAST_ROWS:
            raise DataError(f"{len(self.real)} held-out rows of each kind are too few; a score takes {LEAST_ROWS}.")

    def auc(self, rows: pd.DataFrame, names: Sequence[str]) -> float:
        """Detection AUC of ``rows`` against the real half, on these columns."""
        from janus_synth.metrics import align, detection_auc

        columns = list(names)
        pair = align(schema=self.schema.select(columns), real=self.real[columns], redrawn=rows[columns])
        return detection_auc(*pair, detector=self.detector, random_state=self.seed)

    def reference(self, names: tuple[str, ...]) -> float:
        """The same score for two real halves."""
        if names not in self.references:
            self.references[names] = self.auc(self.other, names)
        return self.references[names]


def _trials(case: _Case, method: Synthesizer) -> list[ColumnTrial]:
    """Fit once and score all columns that have parents, worst first."""
    try:
        case.check()
        fitted = fit_on(case.table, method, case.train, seed=case.seed)
        assert isinstance(fitted, RedrawsColumns)
        parents = {column.name: fitted.parents(column.name) for column in case.schema.learnt}
    except Exception as error:  # a method that fails on one table is recorded, and the run continues
        return [case.trial(method.name, error=_format_error(error))]
    trials = [_trial(case, fitted, method.name, column) for column, its in parents.items() if its]
    return sorted(trials, key=lambda trial: trial.loss, reverse=True)


def _trial(case: _Case, fitted: RedrawsColumns, method: str, column: str) -> ColumnTrial:
    parents = fitted.parents(column)
    trial = case.trial(
        method, column=column, n_parents=len(parents), n_values=int(case.train[column].nunique(dropna=False))
    )
    names = tuple(name for name in case.schema.names if name == column or name in parents)
    try:
        drawn = fitted.redraw(case.other[list(parents)], column, seed=1_000 * (case.seed + 1))
        rows = case.other.assign(**{column: drawn})
        return replace(trial, auc=case.auc(rows, names), reference=case.reference(names))
    except Exception as error:  # the other columns are still measured
        return replace(trial, error=_format_error(error))


def _able(methods: Sequence[Synthesizer]) -> list[Synthesizer]:
    """Methods that can redraw a column."""
    able: list[Synthesizer] = [method for method in methods if isinstance(method, RedrawsColumns)]
    if not able:
        names = ", ".join(method.name for method in methods)
        raise DataError(
            f"no method is left: {names} cannot draw one column given its parents. "
            "Choose from JANUS, paper, CART, CART10, CART20, or add a setting of JANUS."
        )
    return able


def _format_error(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
