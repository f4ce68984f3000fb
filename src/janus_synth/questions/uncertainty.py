"""Total, aleatoric and epistemic uncertainty of each cell given its parents, and its support: rows in, measures out.

The probabilities of a leaf's cells have a Dirichlet posterior. The entropy of their posterior mean is the *total*
uncertainty; their expected entropy is *aleatoric*, noise that remains however many rows are learnt; the difference is
*epistemic*, the mutual information between the cell and the parameters. The expectation also runs over the trees of a
bag, and over how far up its path a row is from the training rows. *Support* is the probability that it is with them in
its leaf. Everything has a closed form; docs/uncertainty.md derives it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from janus_synth.arrays import Floats
from janus_synth.errors import UnknownColumnError
from janus_synth.model import Model
from janus_synth.questions.support import evidence_of, rows_in_columns
from janus_synth.rules import bind
from janus_synth.sampling.forward import BLOCK_ROWS
from janus_synth.sampling.request import make_request
from janus_synth.table import Table, plain_frame
from janus_synth.threads import worker_count
from janus_synth.trees.cells import sum_codes
from janus_synth.trees.leaves import entropy_of


class Cells(NamedTuple):
    """Measures of the cells of one column, row by row: entropies in nats, and support from 0 to 1."""

    total: Floats
    aleatoric: Floats
    support: Floats

    @property
    def epistemic(self) -> Floats:
        """Mutual information of the cell and the model's parameters."""
        return np.maximum(self.total - self.aleatoric, 0.0)

    def plus(self, other: Cells) -> Cells:
        """Cells of two columns together: the sum of their entropies, and the lower support."""
        support = np.minimum(self.support, other.support)
        return Cells(self.total + other.total, self.aleatoric + other.aleatoric, support)

    @property
    def means(self) -> Cells:
        """Means over the rows, as arrays of length 1."""
        return Cells(*(part.mean(keepdims=True) for part in self))


@dataclass(frozen=True, slots=True, eq=False)
class Uncertainty:
    """Total, aleatoric and epistemic uncertainty of cells, rows and columns, and how far training rows support it.

    Entropies are in nats, on at most eight ranges of a numeric column that hold equal numbers of training rows;
    those that end in ``_share`` are divided by the entropy of the column itself, when nothing else is known of a row.
    Support is 1 among the training rows, and falls to 0 far away from them. ``uncertainty[column]`` is a frame with a
    row for each input row.

    Attributes
    ----------
    cells : mapping of str to Cells
        For each column an array per measure.
    marginals : mapping of str to float
        Entropy of each column without knowledge of others.
    kind : {"pandas", "polars", "pyarrow"}
        Kind of the frames that are returned.
    index : Index, optional
        Index of the input rows, in pandas.
    unseen : mapping of str to tuple
        Levels in the input rows that no training row has, by column. Nothing is known of rows with such a level.
    """

    cells: Mapping[str, Cells]
    marginals: Mapping[str, float]
    kind: str = "pandas"
    index: Any = None
    unseen: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)

    def __getitem__(self, column: str) -> Any:
        if column not in self.cells:
            raise UnknownColumnError(column, list(self.cells), where="this uncertainty")
        return plain_frame(_measures(self.cells[column], self.marginals[column]), self.kind, self.index)

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns that were measured."""
        return tuple(self.cells)

    @property
    def rows(self) -> Cells:
        """Uncertainty of whole rows: the sum over their cells (chain rule of entropy), and the least support."""
        every = self.cells.values()
        return Cells(
            np.sum([cells.total for cells in every], axis=0),
            np.sum([cells.aleatoric for cells in every], axis=0),
            np.min([cells.support for cells in every], axis=0),
        )

    @property
    def by_row(self) -> Any:
        """A frame with the measures of each row."""
        return plain_frame(_measures(self.rows, sum(self.marginals.values())), self.kind, self.index)

    @property
    def by_column(self) -> Any:
        """A frame with the measures of each column, averaged over the rows."""
        means = [_measures(cells.means, self.marginals[name]) for name, cells in self.cells.items()]
        return plain_frame({"column": np.array(self.columns, object), **_joined(means)}, self.kind)

    def to_frame(self) -> Any:
        """A long frame: one row per cell, with its row number and column name."""
        n = len(self.rows.total)
        parts = [_measures(cells, self.marginals[name]) for name, cells in self.cells.items()]
        places = {"row": np.tile(np.arange(n), len(parts)), "column": np.repeat(np.array(self.columns, object), n)}
        return plain_frame({**places, **_joined(parts)}, self.kind)

    def __repr__(self) -> str:
        width = max(map(len, self.columns))
        lines = [
            f"<Uncertainty of {len(self.rows.total):,} rows, in nats>",
            f"{'':{width}}  total  aleatoric  epistemic  support",
        ]
        for name, cells in self.cells.items():
            total, aleatoric, support = (float(part[0]) for part in cells.means)
            epistemic = cells.epistemic.mean()
            lines.append(f"{name:{width}}  {total:5.3f}  {aleatoric:9.3f}  {epistemic:9.3f}  {support:7.3f}")
        for name, levels in self.unseen.items():
            lines.append(f"no evidence for {name}: {', '.join(map(repr, levels))}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Render as a table for notebooks: means over the rows."""
        from janus_synth.pages import render  # Jinja is slow to import

        rows: list[tuple[str, ...]] = []
        for name, cells in self.cells.items():
            total, aleatoric, support = (float(part[0]) for part in cells.means)
            numbers = (total, aleatoric, float(cells.epistemic.mean()), support)
            unseen = ", ".join(map(repr, self.unseen.get(name, ())))
            rows.append((name, *(f"{number:.3f}" for number in numbers), unseen))
        return render(
            "table.html.j2",
            caption=f"Uncertainty of {len(self.rows.total):,} rows, in nats",
            headings=("column", "total", "aleatoric", "epistemic", "support", "levels without evidence"),
            rows=rows,
            first_number=1,
            after_numbers=5,
        )


def _measures(cells: Cells, marginal: float) -> dict[str, Floats]:
    entropies = {"total": cells.total, "aleatoric": cells.aleatoric, "epistemic": cells.epistemic}
    shares = {f"{name}_share": values / marginal if marginal > 0 else values * 0 for name, values in entropies.items()}
    return {**entropies, "support": cells.support, **shares}


def _joined(parts: Sequence[Mapping[str, Floats]]) -> dict[str, Floats]:
    """Measures of several columns, one after the other."""
    return {measure: np.concatenate([part[measure] for part in parts]) for measure in parts[0]}


def parent_columns(model: Model, columns: Sequence[str]) -> tuple[str, ...]:
    """Parents of some columns: what must be observed to measure their uncertainty."""
    learnt = [name for name in columns if name not in model.computed]
    needed = {int(j) for name in learnt for j in model.bag(name).parents}
    return tuple(name for i, name in enumerate(model.codec.names) if i in needed)


def uncertainty(model: Model, table: Table, columns: Sequence[str], *, n_jobs: int | None = None) -> dict[str, Cells]:
    """Measures of the cells of some columns given their parents; rules are ignored."""
    x, n = model.codec.encode(table), table.n_rows
    out = {name: Cells(np.zeros(n), np.zeros(n), np.ones(n)) for name in columns}
    assigned = [name for name in columns if name in model.interventions]
    for name in assigned:  # the same entropy in every row, all of it aleatoric
        out[name].total[:] = out[name].aleatoric[:] = _entropy_of_assignment(model, name)
    # A computed column is certain given its inputs.
    free = [name for name in columns if name not in model.interventions and name not in model.computed]
    evidence = {name: evidence_of(model, name) for name in free}  # before threads start
    places = rows_in_columns(model, table, x, {int(j) for name in free for j in model.bag(name).parents})

    def work(task: tuple[str, int]) -> None:
        name, start = task
        part, parents = slice(start, start + BLOCK_ROWS), model.bag(name).parents
        block = np.ascontiguousarray(x[:, part])
        values, off = np.empty((len(parents), block.shape[1])), np.empty((len(parents), block.shape[1]))
        for i, j in enumerate(parents):
            values[i], off[i] = (side[part] for side in places[int(j)])
        found = evidence[name].answer(block, values, off)
        total = entropy_of(found.shares)
        cells = out[name]
        cells.total[part], cells.aleatoric[part] = total, np.minimum(found.expected, total)
        cells.support[part] = found.support

    _in_threads(work, [(name, start) for name in free for start in range(0, n, BLOCK_ROWS)], worker_count(n_jobs))
    return out


def _in_threads(work: Callable[[tuple[str, int]], None], tasks: Iterable[tuple[str, int]], n_threads: int) -> None:
    if n_threads == 1:  # starting a thread would take as long as a small table
        for task in tasks:
            work(task)
    else:
        with ThreadPoolExecutor(n_threads) as pool:
            list(pool.map(work, tasks))


def marginal_entropy(model: Model, name: str) -> float:
    """Entropy of a column when nothing else is known of a row."""
    found = evidence_of(model, name)
    return float(entropy_of(found.node_shares[found.bag.splits.roots].mean(axis=0)))


def _entropy_of_assignment(model: Model, name: str) -> float:
    """Entropy of a column set by an intervention: of its marginal on the assigned values."""
    request = make_request(model, [bind(model.interventions[name], model.schema)])
    i = model.codec.names.index(name)
    if i not in request.own_masses:
        return 0.0
    left = model.bags[i].shares[0] * request.own_masses[i][0]
    return float(entropy_of(sum_codes((left / left.sum())[None], evidence_of(model, name).leaves.cell_of_code))[0])
