"""Total, aleatoric and epistemic uncertainty of each cell given its parents: rows in, entropies in closed form out.

The probabilities of a leaf's codes have a Dirichlet posterior. The entropy of their posterior mean is the *total*
uncertainty; their expected entropy is *aleatoric*, noise that remains however many rows are learnt; the difference is
*epistemic*, the mutual information between the cell and the parameters. The expectation also runs over the trees of a
bag, so that disagreement between trees counts as epistemic.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from janus_synth.arrays import Codes, Floats, Ints
from janus_synth.errors import UnknownColumnError
from janus_synth.model import Model
from janus_synth.rules import bind
from janus_synth.questions.support import evidence_of, rows_in_columns
from janus_synth.sampling.forward import BLOCK_ROWS
from janus_synth.sampling.request import make_request
from janus_synth.table import Table, plain_frame
from janus_synth.threads import worker_count
from janus_synth.trees import Bag
from janus_synth.trees.compiled import CompiledTrees
from janus_synth.trees.leaves import Entropies, entropy_of


class Cells(NamedTuple):
    """Of each row: entropies of its cell in nats, and the share of the model's evidence that reaches it."""

    total: Floats
    aleatoric: Floats
    support: Floats

    @property
    def epistemic(self) -> Floats:
        """Mutual information of the cell and the model's parameters."""
        return np.maximum(self.total - self.aleatoric, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Uncertainty:
    """Total, aleatoric and epistemic uncertainty of cells, rows and columns.

    Measures are in nats; those that end in ``_share`` are divided by their maximum, the log of the number of codes.
    ``uncertainty[column]`` is a frame with a row for each input row.

    Attributes
    ----------
    cells : mapping of str to Entropies
        For each column an array per measure.
    sizes : mapping of str to int
        Number of codes that each column can take.
    kind : {"pandas", "polars", "pyarrow"}
        Kind of the frames that are returned.
    index : Index, optional
        Index of the input rows, in pandas.
    """

    cells: Mapping[str, Entropies]
    sizes: Mapping[str, int]
    kind: str = "pandas"
    index: Any = None

    def __getitem__(self, column: str) -> Any:
        if column not in self.cells:
            raise UnknownColumnError(column, list(self.cells), where="this uncertainty")
        return plain_frame(_measures(self.cells[column], np.log(self.sizes[column])), self.kind, self.index)

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns that were measured."""
        return tuple(self.cells)

    @property
    def rows(self) -> Entropies:
        """Uncertainty of whole rows: the sum over their cells, by the chain rule of entropy."""
        return Entropies(
            np.sum([cells.total for cells in self.cells.values()], axis=0),
            np.sum([cells.aleatoric for cells in self.cells.values()], axis=0),
        )

    @property
    def by_row(self) -> Any:
        """A frame with the measures of each row."""
        return plain_frame(_measures(self.rows, float(np.log([*self.sizes.values()]).sum())), self.kind, self.index)

    @property
    def by_column(self) -> Any:
        """A frame with the measures of each column, averaged over the rows."""
        means = [
            _measures(Entropies(cells.total.mean(keepdims=True), cells.aleatoric.mean(keepdims=True)), np.log(size))
            for cells, size in zip(self.cells.values(), self.sizes.values(), strict=True)
        ]
        listed = {measure: np.concatenate([part[measure] for part in means]) for measure in means[0]}
        return plain_frame({"column": np.array(self.columns, object), **listed}, self.kind)

    def to_frame(self) -> Any:
        """A long frame: one row per cell, with its row number and column name."""
        n = len(self.rows.total)
        parts = [_measures(cells, np.log(self.sizes[name])) for name, cells in self.cells.items()]
        listed = {measure: np.concatenate([part[measure] for part in parts]) for measure in parts[0]}
        places = {"row": np.tile(np.arange(n), len(parts)), "column": np.repeat(np.array(self.columns, object), n)}
        return plain_frame({**places, **listed}, self.kind)

    def __repr__(self) -> str:
        width = max(map(len, self.columns))
        lines = [
            f"<Uncertainty of {len(self.rows.total):,} rows, in nats>",
            f"{'':{width}}  total  aleatoric  epistemic",
        ]
        for name, cells in self.cells.items():
            means = cells.total.mean(), cells.aleatoric.mean(), cells.epistemic.mean()
            lines.append(f"{name:{width}}  {means[0]:5.3f}  {means[1]:9.3f}  {means[2]:9.3f}")
        return "\n".join(lines)


def _measures(cells: Entropies, most: float) -> dict[str, Floats]:
    measures = {"total": cells.total, "aleatoric": cells.aleatoric, "epistemic": cells.epistemic}
    shares = {f"{name}_share": values / most if most > 0 else values * 0.0 for name, values in measures.items()}
    return measures | shares


def parent_columns(model: Model, columns: Sequence[str]) -> tuple[str, ...]:
    """Parents of some columns: what must be observed to measure their uncertainty."""
    learnt = [name for name in columns if name not in model.computed]
    needed = {int(j) for name in learnt for j in model.bag(name).parents}
    return tuple(name for i, name in enumerate(model.codec.names) if i in needed)


def uncertainty(
    model: Model, table: Table, columns: Sequence[str], *, n_jobs: int | None = None
) -> dict[str, Cells]:
    """Entropies of the cells of some columns given their parents; rules are ignored."""
    x = model.codec.encode(table)
    assigned = {name: _entropy_of_assignment(model, name) for name in columns if name in model.interventions}
    assigned |= dict.fromkeys((name for name in columns if name in model.computed), 0.0)  # certain given its inputs
    free = [name for name in columns if name not in assigned]
    evidence = {name: evidence_of(model, name) for name in free}
    places = rows_in_columns(model, table, {int(j) for name in free for j in model.bag(name).parents})
    # A column set by an intervention has the same entropy in every row.
    out = {name: Cells(*(np.full(table.n_rows, assigned.get(name, 0.0)) for _ in range(2)), np.ones(table.n_rows)) for name in columns}

    def work(task: tuple[str, int]) -> None:
        name, start = task
        part, parents = slice(start, start + BLOCK_ROWS), model.bag(name).parents
        value, off = (np.ascontiguousarray([places[int(j)][k][part] for j in parents]).reshape(len(parents), -1) for k in (0, 1))
        found = evidence[name].answer(np.ascontiguousarray(x[:, part]), value, off)
        total = entropy_of(found.shares)
        out[name].total[part], out[name].aleatoric[part] = total, np.minimum(found.expected, total)
        out[name].support[part] = found.support

    tasks = [(name, start) for name in free for start in range(0, table.n_rows, BLOCK_ROWS)]
    with ThreadPoolExecutor(worker_count(n_jobs)) as pool:
        list(pool.map(work, tasks))
    return out


def _entropy_of_assignment(model: Model, name: str) -> float:
    """Entropy of a column set by an intervention: of its marginal on the assigned values, all of it aleatoric."""
    request = make_request(model, [bind(model.interventions[name], model.schema)])
    i = model.codec.names.index(name)
    if i not in request.own_masses:
        return 0.0
    left = model.bags[i].shares[0] * request.own_masses[i][0]
    return float(entropy_of(left / left.sum()))


def possible_codes(bag: Bag) -> int:
    """Number of codes that a column can take."""
    seen = np.asarray(bag.leaves.forward.sum(axis=0)).ravel() > 0
    return int((bag.leaves.allowed | seen).sum())
