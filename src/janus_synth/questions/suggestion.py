"""Active learning for a group gap: a model and unlabelled rows in; the rows whose labels would tell the gap best out.

The gap is the mean outcome of the privileged rows minus that of the others: g = Σ c θ over cells, where a cell is a
leaf of the outcome's tree and a group, θ the rate of the outcome there, and c the cell's share of the privileged rows
minus its share of the others. With evidence of ν rows, θ has a beta posterior with mean m and variance m (1 − m) / (ν +
1), so that Var g = Σ c² m (1 − m) / (ν + 1). The expected variance of θ after k labels is ν / (ν + k) of what it was,
and so the value of the next label in a cell has a closed form (derived in docs/labels.md). Rows are chosen greedily,
and each choice counts as a label for the next. The criterion is the mean over the trees of the bag.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from janus_synth.arrays import Array, Bools, Floats, LongInts
from janus_synth.encoding import LevelCodec
from janus_synth.errors import DataError, RuleError
from janus_synth.model import Model
from janus_synth.questions.intervention import assignment_rule, learnt_column
from janus_synth.rules import BoundRule, bind, judge
from janus_synth.table import Table


@dataclass(frozen=True, slots=True, eq=False)
class GapCells:
    """Cells of a gap: in which of them each row is, and what is known about the rate of the outcome there.

    Attributes
    ----------
    cell : array of int, shape (rows, trees)
        Cell of each row in each tree.
    weight : array of float, shape (cells,)
        Coefficient c of each cell in the gap of its tree.
    rate : array of float, shape (cells,)
        Posterior mean m of the rate of the outcome.
    evidence : array of float, shape (cells,)
        Rows ν behind it, prior rows included.
    """

    cell: LongInts
    weight: Floats
    rate: Floats
    evidence: Floats

    @property
    def gap(self) -> float:
        """Posterior mean of the gap, averaged over the trees."""
        return float(self.weight @ self.rate / self.cell.shape[1])

    def variance(self, labels: Floats | float = 0.0) -> float:
        """Expected posterior variance of the gap after some labels in each cell, averaged over the trees."""
        return float(self.cell_variance(labels).sum() / self.cell.shape[1])

    def cell_variance(self, labels: Floats | float = 0.0) -> Floats:
        """(cells,) expected part of each cell in the variance of the gap, c² Var θ · ν / (ν + k), after k labels."""
        now = self.weight**2 * self.rate * (1 - self.rate) / (self.evidence + 1)
        return np.asarray(now * self.evidence / (self.evidence + labels))


def suggest_for_gap(
    model: Model, table: Table, n: int, *, protected: str, privileged: Any, outcome: str, labelled: Bools
) -> LongInts:
    """Numbers of the rows to label next, for the gap of an outcome between the privileged and the others.

    Labelled rows belong to the groups but are not chosen. Rows whose protected column is null are neither.
    """
    rule = bind(assignment_rule(learnt_column(model, protected), privileged), model.schema)
    known = np.flatnonzero(~table.missing(protected))
    cells = gap_cells(model, table.take(known), rule, outcome)
    free = np.flatnonzero(~labelled[known])
    return np.asarray(known[free[choose_for_gap(replace(cells, cell=cells.cell[free]), n)]])


def columns_of_gap(model: Model, protected: str, outcome: str) -> tuple[str, tuple[str, ...]]:
    """The outcome's column, and the columns that rows must have: the protected column, and the outcome's parents."""
    learnt_column(model, protected)
    column, _ = _read_outcome(model, outcome)
    if column == protected:
        raise RuleError(f"{column!r} is both protected and the outcome; a gap needs two columns.")
    needed = {protected, *(model.codec.names[int(j)] for j in model.bag(column).parents)}
    return column, tuple(name for name in model.codec.names if name in needed)


def gap_cells(model: Model, table: Table, privileged: BoundRule, outcome: str) -> GapCells:
    """Cells of the gap between the rows that satisfy a rule and the others, with the evidence of the training rows.

    Leaves of trees that do not split on the protected column hold rows of both groups. A prior that both have the same
    rate there would beg the question, so that each group has a rate of its own. The training rows of a leaf are split
    between the groups in the proportion of the table's rows in the leaf, times how much more or less frequent each
    group is among all training rows.
    """
    column, rule = _read_outcome(model, outcome)
    group = judge(privileged, table).astype(int)
    if group.all() or not group.any():
        raise DataError(
            f"'{privileged}' holds in {'every' if group.all() else 'no'} row. A gap needs rows of two groups."
        )
    bag = model.bag(column)
    leaf = bag.compiled(len(model.codec.names)).leaves(model.codec.encode(table)).astype(np.int64)
    cell, n_leaves = 2 * leaf + group[:, None], bag.splits.n_leaves
    counts = np.bincount(cell.ravel(), minlength=2 * n_leaves).astype(float)
    sizes = np.bincount(group, minlength=2)
    weight = counts / np.tile(sizes, n_leaves) * np.tile([-1.0, 1.0], n_leaves)
    share = _training_shares(model, privileged)
    likely = (counts + 1e-9) * np.tile(share / sizes, n_leaves)
    likely /= np.repeat(likely.reshape(-1, 2).sum(axis=1), 2)
    rows = np.repeat(bag.leaves.n_rows, 2) * likely + bag.leaves.prior_strength
    rate = np.repeat(np.clip(bag.shares.astype(float) @ _event_by_code(model, column, rule), 0.0, 1.0), 2)
    return GapCells(cell, weight, rate, rows)


def choose_for_gap(cells: GapCells, n: int) -> LongInts:
    """Numbers of the ``n`` rows whose labels together reduce the expected variance of the gap most, best first.

    Greedy: the reduction has diminishing returns, so that it reaches at least 1 − 1/e of the best possible one, and
    with a single tree the best one.
    """
    labels = np.zeros(len(cells.weight))
    gain = cells.cell_variance(0.0) - cells.cell_variance(1.0)
    score = gain[cells.cell].sum(axis=1)
    chosen = []
    for _ in range(min(n, len(score))):
        row = int(np.argmax(score))
        chosen.append(row)
        own = cells.cell[row]
        labels[own] += 1
        fresh = cells.cell_variance(labels)[own] - cells.cell_variance(labels + 1)[own]
        change, gain[own] = fresh - gain[own], fresh
        for tree, place in enumerate(own):
            score[cells.cell[:, tree] == place] += change[tree]
        score[row] = -np.inf
    return np.array(chosen, np.int64)


def _read_outcome(model: Model, outcome: str) -> tuple[str, BoundRule]:
    """The column of an outcome, and the rule that it is favourable: a boolean column, or a condition on one column."""
    is_boolean = outcome in model.codec.names and model.schema[outcome].kind == "boolean"
    rule = bind(assignment_rule(model.schema[outcome], True) if is_boolean else outcome, model.schema)
    columns = tuple(dict.fromkeys(rule.columns))
    if len(columns) != 1 or not isinstance(model.codec.columns.get(columns[0]), LevelCodec):
        raise RuleError(
            f"the outcome '{outcome}' is no boolean column and no condition on one column of levels, such as "
            "\"loan == 'granted'\"."
        )
    if columns[0] in model.computed:
        raise DataError(f"column {columns[0]!r} is computed from others, so that no label teaches anything.")
    return columns[0], rule


def _event_by_code(model: Model, column: str, rule: BoundRule) -> Floats:
    """(codes,) probability that a rule on one column of levels holds, for each code of the column."""
    codec = model.codec.columns[column]
    assert isinstance(codec, LevelCodec)
    levels = np.arange(len(model.schema[column].levels), dtype=np.int32)
    holds = _holds(model, column, rule, levels)
    codes, weight = codec.encode(levels), np.maximum(codec.weight, 1e-9)
    total = np.bincount(codes, weight, codec.n_codes)
    return np.asarray(np.bincount(codes, weight * holds, codec.n_codes) / np.maximum(total, 1e-12))


def _training_shares(model: Model, privileged: BoundRule) -> Floats:
    """Shares of the unprivileged and the privileged among the training rows."""
    (column,) = dict.fromkeys(privileged.columns)
    codec, bag = model.codec.columns[column], model.bag(column)
    counts = np.asarray(bag.leaves.forward.sum(axis=0)).ravel() / bag.splits.n_trees
    codes = np.arange(codec.n_codes).astype(np.uint16)
    seen = codes[counts > 0]
    middle = codec.decode(seen, np.full(len(seen), 0.5))
    share = float(counts[seen] @ _holds(model, column, privileged, middle)) / max(float(counts.sum()), 1.0)
    return np.asarray(np.clip([1 - share, share], 1e-6, 1.0))


def _holds(model: Model, column: str, rule: BoundRule, values: Array) -> Bools:
    """Whether a rule on one column holds for some values of it."""
    return judge(rule, Table.from_columns(model.schema.select((column,)), {column: values}))
