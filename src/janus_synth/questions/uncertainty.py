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
from typing import Any

import numpy as np

from janus_synth.arrays import Codes, Floats, Ints
from janus_synth.errors import UnknownColumnError
from janus_synth.model import Model
from janus_synth.rules import bind
from janus_synth.sampling.forward import BLOCK_ROWS
from janus_synth.sampling.request import make_request
from janus_synth.table import Table, plain_frame
from janus_synth.threads import worker_count
from janus_synth.trees import Bag
from janus_synth.trees.compiled import CompiledTrees
from janus_synth.trees.leaves import Entropies, entropy_of


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
) -> dict[str, Entropies]:
    """Entropies of the cells of some columns given their parents; rules are ignored."""
    x = model.codec.encode(table)
    assigned = {name: _entropy_of_assignment(model, name) for name in columns if name in model.interventions}
    assigned |= dict.fromkeys((name for name in columns if name in model.computed), 0.0)  # certain given its inputs
    free = [name for name in columns if name not in assigned]
    bags = [(name, model.bag(name), model.bag(name).compiled(len(x))) for name in free]
    # A column set by an intervention has the same entropy in every row.
    out = {name: Entropies(*(np.full(table.n_rows, assigned.get(name, 0.0)) for _ in range(2))) for name in columns}
    for _, bag, _ in bags:
        _ = bag.information_gain  # computed once and cached before the threads start

    def work(task: tuple[str, Bag, CompiledTrees, int]) -> None:
        name, bag, walker, start = task
        part = slice(start, start + BLOCK_ROWS)
        found = bag_entropies(bag, walker, np.ascontiguousarray(x[:, part]))
        out[name].total[part], out[name].aleatoric[part] = found

    tasks = [(*bag, start) for bag in bags for start in range(0, table.n_rows, BLOCK_ROWS)]
    with ThreadPoolExecutor(worker_count(n_jobs)) as pool:
        list(pool.map(work, tasks))
    return out


def bag_entropies(bag: Bag, walker: CompiledTrees, x: Codes) -> Entropies:
    """Entropy of the mean over trees and posteriors, and the expected entropy."""
    leaves = walker.leaves(x)
    total, by_leaf, overlap = walker.entropies(leaves, x)
    if bag.trends is None:
        noise = bag.entropies.aleatoric[leaves].mean(axis=1)
    else:
        noise = _mixture_noise(bag, walker, leaves, by_leaf, overlap).mean(axis=1)
    return Entropies(np.maximum(total, noise), noise)


def _mixture_noise(bag: Bag, walker: CompiledTrees, leaves: Ints, total: Floats, overlap: Floats) -> Floats:
    """(rows, leaves) approximate expected entropy of leaves with trends, given the entropy of their posterior mean.

    A leaf predicts the mixture p = (1 − ω) h + ω g of a histogram h and a trend g. If the component of a row were
    observed, the row's information would be (1 − ω) I(h) + ω I(g), with I in closed form. It is not, so each component
    is weighted by its expected responsibility, the mean of (1 − ω) h / p under h and of ω g / p under g: 1 if the
    components do not overlap, their mixture weights if they coincide. Both follow from ``overlap``, which is
    Σ ((1 − ω) h)² / p. Information about residuals is smaller where codes are coarser than residual bins.
    """
    weight, gain = walker.trends.weight[leaves], bag.information_gain
    on_trend = np.clip(2 * weight - 1 + overlap, 0.0, 1.0)
    fineness = np.minimum(1.0, np.expm1(total) / np.expm1(gain.residual_entropy[leaves]))
    information = overlap * gain.counts[leaves]
    information += on_trend * (gain.apart[leaves] + fineness * gain.residuals[leaves])
    return np.asarray(np.maximum(total - information, 0.0))


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
