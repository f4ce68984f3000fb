"""Run the benchmark of computed columns: tables, settings of JANUS and seeds in, a `Result` of scored rows out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from janus_bench.cells import IN_THIS_PROCESS, Cell, RunSettings
from janus_bench.links import derived, scores, tables
from janus_bench.links.scores import Worst, correlation_errors, mean_errors, quantile_errors, worst
from janus_bench.links.tables import TABLES, LinkedTable, columns_of, satisfies
from janus_bench.options import choose
from janus_bench.ours import JanusSynthesizer
from janus_bench.results import Result, machine_of_times
from janus_bench.running import measure_calls
from janus_bench.stopwatch import seconds_of, take_turns
from janus_bench.versions import REAL_ROWS, adapter_fingerprint, judge_version, method_settings, method_version
from janus_synth.errors import DataError, JanusError
from janus_synth.metrics import detection_auc, exact_copies

if TYPE_CHECKING:
    import pandas as pd

KIND: Final = "links"
FREE, RULED = "free", "with rules"


@dataclass(frozen=True, slots=True)
class LinkSizes:
    """Numbers of rows, and of timed samples."""

    n_rows: int = 10_000
    """Training rows, and rows drawn."""
    truth_rows: int = 50_000
    """Fresh rows that summaries are compared with."""
    repeats: int = 3


QUICK = LinkSizes(1_000, 5_000, 1)


@dataclass(frozen=True, slots=True)
class LinkTrial:
    """Scores of the rows of one model, or of training rows as the reference of a perfect one.

    Attributes
    ----------
    drawn : str
        Whether the model had rules.
    detection, detection_derived : float
        AUC of the judge on plain columns, and with derived quantities beside them.
    copies, true_copies : float
        Share of rows that equal a training row, and that share among fresh rows.
    ruled, others : mapping
        Largest errors of means, quantiles and correlations, over columns that rules mention and over all others.
    kept : mapping
        Share of rows that keep each relation.
    partial, true_partial : mapping
        Share of rows that satisfy each condition that holds in part of the rows, drawn and true.
    fit_seconds, first_seconds : float, optional
        Time of the fit, and of the first sample, which makes the plan.
    sample_seconds, sample_cpu : float, optional
        Fastest of the samples after it.
    """

    table: str
    setting: str
    drawn: str
    seed: int
    detection: float
    detection_derived: float
    copies: float
    true_copies: float
    ruled: dict[str, Worst]
    others: dict[str, Worst]
    kept: dict[str, float]
    partial: dict[str, float]
    true_partial: dict[str, float]
    fit_seconds: float | None = None
    first_seconds: float | None = None
    sample_seconds: float | None = None
    sample_cpu: float | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """A model that could not be fitted or sampled, recorded as a result; the run continues."""

    table: str
    setting: str
    drawn: str
    seed: int
    error: str


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of one table: those to learn from, fresh ones for the judge, and many for summaries."""

    table: LinkedTable
    seed: int
    train: pd.DataFrame
    fresh: pd.DataFrame
    truth: pd.DataFrame

    @classmethod
    def draw(cls, table: LinkedTable, seed: int, sizes: LinkSizes) -> Rows:
        """Independent rows of the truth for each purpose."""
        counts = (sizes.n_rows, sizes.n_rows, sizes.truth_rows)
        return cls(table, seed, *(table.draw(n, [seed, purpose]) for purpose, n in enumerate(counts)))

    def score(self, rows: pd.DataFrame, setting: str, drawn: str) -> LinkTrial:
        """Scores of drawn rows."""
        table, truth = self.table, self.truth
        own = columns_of(table.rules, truth)
        errors: dict[str, Mapping[Any, float]] = {
            "mean": mean_errors(rows, truth),
            "quantile": quantile_errors(rows, truth),
            "correlation": correlation_errors(rows, truth),
        }
        shares, true_shares = (
            {text: float(satisfies(text, part, truth).mean()) for text in table.partial} for part in (rows, truth)
        )
        return LinkTrial(
            table=table.name,
            setting=setting,
            drawn=drawn,
            seed=self.seed,
            detection=detection_auc(self.fresh, rows, random_state=self.seed),
            detection_derived=detection_auc(table.derived(self.fresh), table.derived(rows), random_state=self.seed),
            copies=exact_copies(self.train, rows),
            true_copies=exact_copies(self.train, self.fresh),
            ruled={name: worst(found, own) for name, found in errors.items()},
            others={name: worst(found, own, inside=False) for name, found in errors.items()},
            kept=table.kept(rows, truth),
            partial=shares,
            true_partial=true_shares,
        )


def run_links(
    names: Sequence[str] | None = None,
    methods: Sequence[JanusSynthesizer] = (),
    seeds: Sequence[int] = range(1),
    *,
    sizes: LinkSizes | None = None,
    run: RunSettings = IN_THIS_PROCESS,
) -> Result:
    """Fit every setting to every table, free and with the table's rules, and score rows against fresh ones.

    Parameters
    ----------
    names : sequence of str, optional
        By default all of `TABLES`.
    methods : sequence of JanusSynthesizer
        Settings of JANUS to compare; by default the default one.
    seeds : sequence of int
        Each seed makes one training table, one fit and one sample.
    sizes : LinkSizes, optional
        Numbers of rows, and how often to repeat timed samples.
    run : RunSettings
        Store, processes and time limit.
    """
    chosen = choose(names, TABLES, "table")
    settings = list(methods) or [JanusSynthesizer()]
    if any("rules" in method.arguments for method in settings):
        raise DataError("a setting of this benchmark cannot have rules: each table has its own.")
    sizes = sizes or LinkSizes()
    cells = [_cell(name, method, seed, sizes) for name in chosen for seed in seeds for method in (None, *settings)]
    found = measure_calls(cells, _failure, run)
    options = {"tables": chosen, "settings": {m.name: m.settings for m in settings}, "seeds": list(seeds)}
    return Result.of(KIND, options={**options, "sizes": asdict(sizes)}, records=found)


def measure_reference(name: str, seed: int, sizes: LinkSizes) -> list[LinkTrial]:
    """Scores of rows that a perfect model would draw: another table of the truth."""
    rows = Rows.draw(TABLES[name], seed, sizes)
    return [rows.score(TABLES[name].draw(sizes.n_rows, [seed, 3]), REAL_ROWS, "")]


def measure_setting(name: str, method: JanusSynthesizer, seed: int, sizes: LinkSizes) -> Iterator[LinkTrial | Failure]:
    """Fit a setting without and with the table's rules, and score the rows of both."""
    rows = Rows.draw(TABLES[name], seed, sizes)
    for drawn, rules in ((FREE, []), (RULED, TABLES[name].rules)):
        model = JanusSynthesizer(method.name, **method.arguments, rules=rules)
        try:
            fitted = seconds_of(partial(model.fit, rows.train, seed=seed))
            draw = partial(model.sample, sizes.n_rows, seed=seed + 1)
            first = seconds_of(draw)  # makes the plan, which later samples use again
            (runs,) = take_turns({drawn: draw}, sizes.repeats).values()
            scored = rows.score(draw(), method.name, drawn)
        except JanusError as error:
            yield Failure(name, method.name, drawn, seed, f"{type(error).__name__}: {error}")
            continue
        yield replace(
            scored,
            fit_seconds=fitted.clock,
            first_seconds=first.clock,
            sample_seconds=min(run.clock for run in runs),
            sample_cpu=min(run.processor for run in runs),
        )


def _cell(name: str, method: JanusSynthesizer | None, seed: int, sizes: LinkSizes) -> Cell:
    own = " ".join(adapter_fingerprint(module.__name__) for module in (tables, derived, scores))
    judge = f"{judge_version(__name__)} {own} {method_version(JanusSynthesizer())}"
    if method is None:
        task = partial(measure_reference, name, seed, sizes)
        return Cell(KIND, name, REAL_ROWS, seed, sizes=asdict(sizes), version=judge, task=task)
    settings = {**method_settings(method), **machine_of_times()}
    setting_task = partial(measure_setting, name, method, seed, sizes)
    return Cell(KIND, name, method.name, seed, settings, asdict(sizes), version=judge, task=setting_task)


def _failure(cell: Cell, error: str) -> Failure:
    return Failure(cell.table, cell.method, "", cell.seed, error)
