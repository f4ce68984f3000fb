"""Fit a source larger than memory: trees are grown on a sample of rows, and all rows are counted into their leaves."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any, NamedTuple

from janus_synth.errors import DataError
from janus_synth.model import Model
from janus_synth.partitions.bad_files import BadFiles, BadPartitionError
from janus_synth.partitions.counting import (
    RunningTally,
    Tally,
    add_partition,
    ambiguous_lookups,
    check_row_count,
    with_counts,
)
from janus_synth.partitions.executors import Executor
from janus_synth.partitions.memory import release_memory
from janus_synth.partitions.sample import number_limit
from janus_synth.partitions.scan import Declared, Scan, join_scans, scan_partition
from janus_synth.partitions.sources import FrameKind, Partition
from janus_synth.rules import Rule
from janus_synth.table import Level, Schema, Table, read_table
from janus_synth.table.columns import FORMS
from janus_synth.table.detect import YEARS, is_code_name
from janus_synth.table.files import frame_of_arrow
from janus_synth.table.files.text_columns import Forms, read_texts
from janus_synth.table.texts import recognise_columns

Advance = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class OpenSource:
    """A source after its first pass: its partitions, and what was found in them."""

    kind: FrameKind
    partitions: tuple[Partition, ...]
    scan: Scan
    bad: BadFiles

    def sampled_frame(self, overrides: Any) -> Any:
        """The sampled rows; texts of files that are dates, money and the like are typed, as in a file read at once."""
        assert self.scan.sample is not None
        rows, known = self.scan.sample.rows, self._file_forms()
        if known is None or self.kind != "pandas" or isinstance(overrides, Schema):
            return frame_of_arrow(rows, self.kind)
        kept = [name for name, form in known.items() if not form and rows.schema.field(name).type == "string"]
        declared = [name for name, fields in (overrides or {}).items() if _stays_text(fields)]
        table, forms = read_texts(rows, rows.select([]), {*kept, *declared}, {k: f for k, f in known.items() if f})
        frame = frame_of_arrow(table)
        frame.attrs[FORMS] = forms
        return frame

    def sampled_table(self, frame: Any, overrides: Any) -> Table:
        """The sampled rows, with the levels of all rows; ``overrides`` are fields of columns set by the user."""
        if isinstance(overrides, Schema):
            return read_table(frame, overrides)
        counting = [name for name in sorted(self.scan.counting) if self.is_sampled and self._are_row_numbers(name)]
        identifiers = {name: {"kind": "identifier"} for name in counting}
        changes = {**identifiers, **self._text_forms(), **dict(overrides or {})}
        table = read_table(frame, changes)
        return read_table(frame, _with_all_levels(table.schema, self.scan, changes))

    def without_sample(self) -> OpenSource:
        """The same source without its sampled rows, which are no longer needed once trees have a table of them."""
        return replace(self, scan=replace(self.scan, sample=None))

    def _file_forms(self) -> Forms | None:
        """How text files write columns that have a type; None if there are no text files."""
        found = (getattr(partition, "forms", None) for partition in self.partitions)
        return next((forms for forms in found if forms is not None), None)

    def _text_forms(self) -> dict[str, dict[str, Any]]:
        """Kinds and formats of texts in an Arrow dataset of text files, whose columns stay text."""
        assert self.scan.sample is not None
        if self.kind == "pandas" or self._file_forms() is None:
            return {}
        rows = self.scan.sample.rows
        texts = {field.name: rows[field.name].combine_chunks() for field in rows.schema if field.type == "string"}
        found = recognise_columns(texts)
        return {name: form.changes for name, form in found.items() if form.kind != "categorical" and not form.stray}

    def _are_row_numbers(self, name: str) -> bool:
        """Whether numbers that count rows one by one are neither years nor postal codes, as in memory."""
        import pyarrow.compute as pc

        assert self.scan.sample is not None
        ends = pc.min_max(self.scan.sample.rows[name]).as_py()
        return not (is_code_name(name) or YEARS[0] <= ends["min"] <= ends["max"] <= YEARS[1])

    @property
    def is_sampled(self) -> bool:
        """Whether rows were left out, so that consecutive numbers have gaps."""
        return self.scan.sample is not None and len(self.scan.sample.number) < self.scan.n_rows

    def count(self, model: Model, executor: Executor, *, on_violation: str, advance: Advance) -> Tally:
        """Counts of all rows in the leaves of a model."""
        return count_rows(model, self.partitions, executor, on_violation=on_violation, advance=advance, bad=self.bad)


def count_rows(
    model: Model,
    partitions: Sequence[Partition],
    executor: Executor,
    *,
    on_violation: str = "warn",
    advance: Advance = lambda steps: None,
    bad: BadFiles | None = None,
) -> Tally:
    """Counts of all rows of some partitions in the leaves of a model."""
    bad, running, size = bad or BadFiles(), RunningTally(len(model.every_bag)), executor.together(len(partitions))
    tasks = [(partitions[start : start + size], on_violation) for start in range(0, len(partitions), size)]
    release_memory()
    for counted in executor.run(_count, (model, bad.skips, running if executor.shares_memory else None), tasks):
        advance(counted.n_partitions)
        for error in counted.bad:
            bad.handle(error)
        if counted.tally is not None:
            running.add(counted.tally)
        del counted  # its counts take much memory, and the next are on their way
        release_memory()
    total = running.result()
    if total is None or not total.n_rows:
        raise DataError("no row keeps all rules, so nothing is left to learn from. Correct the rules.")
    return total


def open_source(
    kind: FrameKind,
    partitions: tuple[Partition, ...],
    executor: Executor,
    *,
    sample_rows: int,
    seed: int,
    advance: Advance,
    bad: BadFiles | None = None,
    declared: Declared | None = None,
) -> OpenSource:
    """Read a source once: how many rows it has, a sample of them, and the levels of its columns of text.

    ``bad`` says what to do about partitions that cannot be read, or have levels other than those ``declared``.
    """
    bad = bad or BadFiles()
    known = [getattr(partition, "n_rows", None) for partition in partitions]
    n_rows = sum(n or 0 for n in known)
    check_row_count(n_rows)
    limit = inf if None in known else number_limit(sample_rows, n_rows)
    shared = ScanRequest(sample_rows, seed, declared, bad.skips, limit)
    total = _scan_all(partitions, executor, shared, bad, advance)
    if limit < inf and total is not None and _n_sampled(total) < min(sample_rows, total.n_rows):
        total = _scan_all(partitions, executor, shared._replace(limit=inf), bad, lambda steps: None)
    if total is None or total.sample is None:
        why = f": {bad.skipped[0]}" if bad.skipped else ""
        raise DataError(f"the source has no rows{why}. Check how it was read or filtered.")
    check_row_count(total.n_rows)
    kept = tuple(partition for partition in partitions if partition.label not in bad.found)
    _warn_of_empty(total.labels)
    return OpenSource(kind, kept, total, bad)


class ScanRequest(NamedTuple):
    """What the first pass is asked for."""

    sample_rows: int
    seed: int
    declared: Declared | None
    skips: bool
    limit: float
    """Rows whose random number is larger are not needed in the sample."""


def _scan_all(
    partitions: Sequence[Partition], executor: Executor, request: ScanRequest, bad: BadFiles, advance: Advance
) -> Scan | None:
    total: Scan | None = None
    tasks = [(partition, number) for number, partition in enumerate(partitions)]
    for scan in executor.run(_scan, request, tasks):
        advance(1)
        if isinstance(scan, BadPartitionError):
            bad.handle(scan)
        else:
            total = join_scans([scan] if total is None else [total, scan], request.sample_rows)
    return total


def _n_sampled(scan: Scan) -> int:
    return 0 if scan.sample is None else len(scan.sample.number)


def _warn_of_empty(labels: Sequence[str]) -> None:
    if labels:
        shown = ", ".join(labels[:5]) + (f" and {len(labels) - 5} more" if len(labels) > 5 else "")
        warnings.warn(f"without rows: {shown}.", stacklevel=5)


def declared_levels(overrides: Any) -> dict[str, frozenset[Level]]:
    """Levels of columns of text that a user declared, by column."""
    if isinstance(overrides, Schema) or overrides is None:
        return {}
    levels = {name: fields["levels"] for name, fields in overrides.items() if fields.get("levels")}
    return {name: frozenset(its) for name, its in levels.items() if all(isinstance(level, str) for level in its)}


def finish(model: Model, tally: Tally, found: Sequence[Rule], *, on_violation: str) -> tuple[Model, tuple[Rule, ...]]:
    """The model with the counts of all rows, and the found rules that all rows keep; broken rules are reported."""
    n_rows = tally.n_rows + tally.dropped
    kept = tuple(rule for rule in found if str(rule) not in tally.broken)
    given = {str(rule) for rule in model.rules if rule not in found}
    reports = [
        f"{n:,} of {n_rows:,} rows ({n / n_rows:.2%}) break the rule '{rule}'."
        for rule, n in sorted(tally.broken.items())
        if rule in given
    ]
    if reports:
        if on_violation == "drop":
            reports.append(f"Learning from the other {tally.n_rows:,} rows.")
        warnings.warn("\n".join(reports), stacklevel=5)
    rules = tuple(rule for rule in model.rules if rule not in found or rule in kept)
    return with_counts(replace(model, rules=rules), tally), kept


def contradicted_links(tally: Tally) -> tuple[str, ...]:
    """Linked columns whose link holds in the sampled rows but not in all rows."""
    return tuple(sorted({*tally.contradicting, *ambiguous_lookups(tally)}))


def _scan(request: ScanRequest, partition: Partition, number: int, n_jobs: int | None) -> Scan | BadPartitionError:
    try:
        return scan_partition(
            partition,
            number,
            size=request.sample_rows,
            seed=request.seed,
            declared=request.declared,
            limit=request.limit,
        )
    except BadPartitionError as error:
        if request.skips:
            return error
        raise


class Counted(NamedTuple):
    """Result of a task of the last pass."""

    n_partitions: int
    tally: Tally | None
    """Counts of all rows together; None if there were none, or they are in a sum already."""
    bad: tuple[BadPartitionError, ...]
    """Partitions that were left out."""


def _count(
    shared: tuple[Model, bool, RunningTally | None],
    partitions: Sequence[Partition],
    on_violation: str,
    n_jobs: int | None,
) -> Counted:
    """Count some partitions into the sum of all, or into one of their own, which is then all that has to be sent."""
    model, skips, total = shared
    running, bad = total or RunningTally(len(model.every_bag)), []
    for partition in partitions:
        try:
            add_partition(running, model, partition, on_violation=on_violation, n_jobs=n_jobs)
        except BadPartitionError as error:
            if not skips:
                raise
            bad.append(error)
    return Counted(len(partitions), running.result() if total is None else None, tuple(bad))


def _stays_text(fields: Any) -> bool:
    """Whether a user says how to read the texts of a column."""
    return "format" in fields or fields.get("kind") in ("categorical", "identifier", "personal")


def _with_all_levels(schema: Schema, scan: Scan, declared: Any) -> Schema:
    """The schema with all levels of its columns of text, in alphabetical order, unless the user declared them."""
    columns = []
    for column in schema.columns:
        found = scan.levels.get(column.name)
        is_open = column.kind == "categorical" and "levels" not in declared.get(column.name, {}) and not column.ordered
        if found is not None and is_open:
            column = replace(column, levels=tuple(sorted({*found, *column.levels}, key=str)))
        columns.append(column)
    return replace(schema, columns=tuple(columns))
