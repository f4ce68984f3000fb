"""Last pass over a source: a model and a partition in, counts of its rows out; then the model with all counts.

Counts are whole numbers, so that tallies add up to the same in any order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any

import numpy as np

from janus_synth.arrays import Bools, Codes, LongInts
from janus_synth.coordinates import Lookup, as_floats
from janus_synth.encoding import Codec, LevelCodec, OrderedCodec
from janus_synth.encoding.codec import ColumnCodec
from janus_synth.encoding.gaps import FEWEST
from janus_synth.encoding.inside_bins import count_inside, with_inside_counts
from janus_synth.errors import DataError, JanusError
from janus_synth.kernels.dtypes import MOST_ROWS
from janus_synth.model import Model, protect_update, read_rows
from janus_synth.partitions.bad_files import BadPartitionError
from janus_synth.partitions.code_blocks import CodeBlock
from janus_synth.partitions.coded_text import coded_batches
from janus_synth.partitions.sources import Partition
from janus_synth.rules import BoundRule, bind, judge
from janus_synth.table import Table
from janus_synth.threads import worker_count
from janus_synth.trees import Bag, BagCounts


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts of some rows."""

    n_rows: int
    bags: tuple[BagCounts, ...]
    levels: Mapping[str, LongInts]
    """Rows with each level of the discrete columns."""
    missing: Mapping[str, int]
    """Rows without a value."""
    in_gaps: Mapping[str, LongInts]
    """Rows in each gap that the sampled values of an ordered column have."""
    inside: Mapping[str, LongInts]
    """Rows between the knots inside each bin of an ordered column."""
    broken: Mapping[str, int]
    """Rows that break a rule, by its text."""
    contradicting: Mapping[str, int]
    """Rows that contradict a link, by its column."""
    pairs: Mapping[str, frozenset[tuple[float, float | None]]]
    """Keys that a lookup does not know, and the values they have, by the looked-up column."""
    dropped: int = 0
    """Rows left out because they break a rule."""


class RunningTally:
    """Sum of tallies; threads add to it bag by bag, so that none has to hold the counts of all bags."""

    def __init__(self, n_bags: int) -> None:
        self._bags: list[BagCounts | None] = [None] * n_bags
        self._of_bag = [Lock() for _ in range(n_bags)]
        self._rest: Tally | None = None
        self._of_rest = Lock()

    def add(self, tally: Tally) -> None:
        """Add the counts of a tally."""
        rest = replace(tally, bags=())
        with self._of_rest:
            self._rest = rest if self._rest is None else join_tallies([self._rest, rest])
        self.add_bags(tally.bags)

    def add_bags(self, bags: Iterable[BagCounts]) -> None:
        """Add counts in leaves, of all bags or of none."""
        for i, counts in enumerate(bags):
            with self._of_bag[i]:
                known = self._bags[i]
                self._bags[i] = counts if known is None else known.plus(counts)

    def result(self) -> Tally | None:
        """All counts; None if there were none."""
        bags = tuple(counts for counts in self._bags if counts is not None)
        return None if self._rest is None else replace(self._rest, bags=bags)


def count_partition(
    model: Model, partition: Partition, *, on_violation: str = "warn", n_jobs: int | None = None
) -> Tally | None:
    """Count all rows of a partition; None if it has no rows."""
    total = RunningTally(len(model.every_bag))
    add_partition(total, model, partition, on_violation=on_violation, n_jobs=n_jobs)
    return total.result()


def add_partition(
    total: RunningTally, model: Model, partition: Partition, *, on_violation: str = "warn", n_jobs: int | None = None
) -> None:
    """Add the counts of all rows of a partition, or nothing if one of them cannot be used.

    Rows are encoded batch by batch, and counted in leaves many at a time: half the time of counting every batch. The
    last of them, or all rows of a partition of usual size, are counted when no row can be bad any more, and go into the
    sum at once.
    """
    rules = [bind(rule, model.visible_schema) for rule in model.rules]
    own = RunningTally(len(model.every_bag))
    waiting = CodeBlock(len(model.codec.names), getattr(partition, "n_rows", None))
    with ThreadPoolExecutor(worker_count(n_jobs)) as pool:
        for batch in coded_batches(partition):
            try:
                table = _with_known_levels(model, read_rows(model, batch))
            except JanusError as error:
                raise BadPartitionError(partition.label, f"does not go with the others: {error}", "") from error
            tally, codes = _count_table(model, table, rules, drop=on_violation == "drop")
            if on_violation == "error" and tally.broken:
                rule, n = next(iter(tally.broken.items()))
                raise DataError(
                    f"{partition.label}: {n:,} rows break the rule '{rule}'. Correct the rows or the rule, or choose "
                    "on_violation='warn' or 'drop'."
                )
            own.add(tally)
            for block in waiting.add(codes):
                own.add_bags(_count_codes(model, block, pool))
        counted = own.result()
        if counted is not None:
            total.add(counted)
        rest = waiting.rest()
        if rest.shape[1]:
            total.add_bags(_count_codes(model, rest, pool))


def _count_codes(model: Model, x: Codes, pool: ThreadPoolExecutor) -> Iterator[BagCounts]:
    """Counts in the leaves of each bag; those of a bag can be freed while the next are counted."""
    return pool.map(lambda bag: bag.counts_of(x, model.codec.n_codes), model.every_bag)


def _with_known_levels(model: Model, table: Table) -> Table:
    """Rows whose levels the model knows; others are merged, unless it keeps all."""
    return table if model.least < 2 else protect_update(table, table.n_rows + 1, model.schema)


def _count_table(model: Model, table: Table, rules: Sequence[BoundRule], *, drop: bool) -> tuple[Tally, Codes]:
    """Counts of some rows, except those in leaves, and the codes of the rows."""
    broken: Counter[str] = Counter()
    kept = np.ones(table.n_rows, bool)
    for rule in rules:
        holds = judge(rule, table)
        broken[str(rule)] += int((~holds).sum())
        kept &= holds
    dropped = int((~kept).sum()) if drop else 0
    if dropped:
        table = table.take(kept)
    codecs, codes = model.codec.columns, model.codec.encode(table)
    ordered = {name: codec for name, codec in codecs.items() if isinstance(codec, OrderedCodec)}
    place = {name: i for i, name in enumerate(codecs)}
    contradicting, pairs = _judge_links(model, table)
    tally = Tally(
        table.n_rows,
        (),
        {name: _levels(table[name], codec) for name, codec in codecs.items() if isinstance(codec, LevelCodec)},
        {name: int(table.missing(name).sum()) for name in model.codec.names},
        {name: _in_gaps(table[name], codec) for name, codec in ordered.items()},
        {name: count_inside(codec, table[name], codes[place[name]]) for name, codec in ordered.items()},
        +broken,
        contradicting,
        pairs,
        dropped,
    )
    return tally, codes


def _levels(cells: Any, codec: LevelCodec) -> LongInts:
    known = len(codec.weight)
    return np.bincount(cells + 1, minlength=known + 1)[1 : known + 1].astype(np.int64)


def _in_gaps(values: Any, codec: OrderedCodec) -> LongInts:
    present = values[~np.isnan(values)]
    inside = np.searchsorted(codec.gaps[:, 0], present, side="left") - 1
    found = inside[inside >= 0]
    ends = codec.gaps[found, 1]
    found = found[present[inside >= 0] < ends]
    return np.bincount(found, minlength=len(codec.gaps)).astype(np.int64)


def _judge_links(model: Model, table: Table) -> tuple[Counter[str], dict[str, frozenset[tuple[float, float | None]]]]:
    """Rows that contradict each link, and pairs of keys that a lookup does not know."""
    contradicting: Counter[str] = Counter()
    pairs: dict[str, frozenset[tuple[float, float | None]]] = {}
    for link in model.links:
        values = {name: as_floats(table[name]) for name in (link.column, *link.visible_inputs)}
        agrees: Bools = ~link.contradicts(values)
        if isinstance(link.formula, Lookup):
            key = values[link.formula.key]
            unknown = ~np.isnan(key) & ~np.isin(key, link.formula.known)
            found = zip(key[unknown].tolist(), values[link.column][unknown].tolist(), strict=True)
            pairs[link.column] = frozenset((k, None if np.isnan(v) else v) for k, v in found)
            agrees |= unknown
        contradicting[link.column] += int((~agrees).sum())
    return +contradicting, pairs


def join_tallies(tallies: Iterable[Tally]) -> Tally:
    """Counts of all rows of several tallies."""
    first, *others = tallies
    for other in others:
        first = Tally(
            first.n_rows + other.n_rows,
            tuple(mine.plus(theirs) for mine, theirs in zip(first.bags, other.bags, strict=True)),
            {name: counts + other.levels[name] for name, counts in first.levels.items()},
            {name: count + other.missing[name] for name, count in first.missing.items()},
            {name: counts + other.in_gaps[name] for name, counts in first.in_gaps.items()},
            {name: counts + other.inside[name] for name, counts in first.inside.items()},
            Counter(first.broken) + Counter(other.broken),
            Counter(first.contradicting) + Counter(other.contradicting),
            {name: found | other.pairs.get(name, frozenset()) for name, found in first.pairs.items()},
            first.dropped + other.dropped,
        )
    return first


def check_row_count(n_rows: int) -> None:
    """Raise DataError if a model cannot count so many rows."""
    if n_rows > MOST_ROWS:
        raise DataError(f"{n_rows:,} rows are more than a model can count ({MOST_ROWS:,}). Fit a part of them.")


def with_counts(model: Model, tally: Tally) -> Model:
    """The model with these counts in the place of those it was fitted with."""
    check_row_count(tally.n_rows)
    least = model.least if tally.n_rows > model.n_rows else None
    codec = Codec({name: _counted_codec(codec, name, tally, least) for name, codec in model.codec.columns.items()})
    bags = [_counted_bag(bag, counts, codec) for bag, counts in zip(model.every_bag, tally.bags, strict=True)]
    columns = tuple(
        replace(column, nullable=column.nullable or tally.missing.get(column.name, 0) > 0)
        for column in model.schema.columns
    )
    links = tuple(
        replace(link, formula=_extend_pairs(link.formula, tally.pairs[link.column]))
        if tally.pairs.get(link.column) and model.least < 2
        else link
        for link in model.links
    )
    schema = replace(model.schema, columns=columns)
    return replace(model, schema=schema, codec=codec, n_rows=tally.n_rows, links=links).with_every_bag(bags)


def _extend_pairs(formula: Any, pairs: frozenset[tuple[float, float | None]]) -> Any:
    ordered = sorted(pairs, key=lambda pair: (pair[0], pair[1] is not None, pair[1] or 0.0))
    values = np.array([np.nan if value is None else value for _, value in ordered])
    return formula.extended(np.array([key for key, _ in ordered]), values)


def ambiguous_lookups(tally: Tally) -> tuple[str, ...]:
    """Looked-up columns with several values for one key."""
    return tuple(name for name, found in tally.pairs.items() if len({key for key, _ in found}) < len(found))


def _counted_codec(codec: ColumnCodec, name: str, tally: Tally, least: int | None) -> ColumnCodec:
    """The codec with counts of all rows; those inside bins only with ``least``, where it was fitted to fewer rows."""
    nullable = tally.missing[name] > 0
    if isinstance(codec, LevelCodec):
        return replace(codec, weight=tally.levels[name].astype(float), nullable=codec.nullable or nullable)
    assert isinstance(codec, OrderedCodec)
    if least is not None:
        codec = with_inside_counts(codec, tally.inside[name], least=least)
    return replace(codec, gaps=codec.gaps[tally.in_gaps[name] < FEWEST], nullable=codec.nullable or nullable)


def _counted_bag(bag: Bag, counts: BagCounts, codec: Codec) -> Bag:
    return bag.with_counts(counts).allowing(codec.columns[codec.names[bag.target]].allowed)
