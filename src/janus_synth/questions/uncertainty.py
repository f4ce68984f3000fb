"""How sure a model is of each cell, given the columns it depends on: rows in, entropies in closed form out.

A leaf's shares have a posterior. The entropy of their mean is the *total* uncertainty about the cell; the mean of
their entropies is *aleatoric*, noise that stays however many rows are learnt; the rest is *epistemic*, what the model
does not know yet. Over a bag the mean runs over its trees too, so that disagreement between trees counts as gain.
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

    Measures are in nats; those that end in ``_share`` are divided by the most there could be, the log of the number of
    codes. ``uncertainty[column]`` has a row for each row asked about.

    Attributes
    ----------
    cells : mapping of str to Entropies
        For each column an array per measure.
    sizes : mapping of str to int
        How many codes each column may take.
    kind : {"pandas", "polars", "pyarrow"}
        Kind of the frames that come out.
    index : Index, optional
        Index of the rows asked about, in pandas.
    """

    cells: Mapping[str, Entropies]
    sizes: Mapping[str, int]
    kind: str = "pandas"
    index: Any = None

    def __getitem__(self, column: str) -> Any:
        if column not in self.cells:
            raise UnknownColumnError(column, list(self.cells), where="the columns asked about")
        return plain_frame(_measures(self.cells[column], np.log(self.sizes[column])), self.kind, self.index)

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns asked about."""
        return tuple(self.cells)

    @property
    def rows(self) -> Entropies:
        """Of whole rows: the sum over their cells, by the chain rule."""
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
        """A frame with the measures of each column, in the mean over the rows."""
        means = [
            _measures(Entropies(cells.total.mean(keepdims=True), cells.aleatoric.mean(keepdims=True)), np.log(size))
            for cells, size in zip(self.cells.values(), self.sizes.values(), strict=True)
        ]
        listed = {measure: np.concatenate([part[measure] for part in means]) for measure in means[0]}
        return plain_frame({"column": np.array(self.columns, object), **listed}, self.kind)

    def to_frame(self) -> Any:
        """One frame for all: a row per cell, with the number of its row and the name of its column."""
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


def columns_needed(model: Model, columns: Sequence[str]) -> tuple[str, ...]:
    """Columns that must be known to say how sure the model is of some."""
    needed = {int(j) for name in columns for j in model.bag(name).parents}
    return tuple(name for i, name in enumerate(model.codec.names) if i in needed)


def uncertainty(
    model: Model, table: Table, columns: Sequence[str], *, n_jobs: int | None = None
) -> dict[str, Entropies]:
    """Entropies of each row's cells in some columns, given the columns they depend on; rules are left aside."""
    x = model.codec.encode(table)
    settled = {name: _of_setting(model, name) for name in columns if name in model.interventions}
    free = [name for name in columns if name not in settled]
    bags = [(name, model.bag(name), model.bag(name).compiled(len(x))) for name in free]
    # The floats of a column that was set are the same in every row.
    out = {name: Entropies(*(np.full(table.n_rows, settled.get(name, 0.0)) for _ in range(2))) for name in columns}
    for _, bag, _ in bags:
        _ = bag.information_gain  # made once, then only read

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
    """Entropy of the mean over trees and posteriors, and the mean of the entropies."""
    leaves = walker.leaves(x)
    total, by_leaf, overlap = walker.entropies(leaves, x)
    if bag.trends is None:
        noise = bag.entropies.aleatoric[leaves].mean(axis=1)
    else:
        noise = _mixture_noise(bag, walker, leaves, by_leaf, overlap).mean(axis=1)
    return Entropies(np.maximum(total, noise), noise)


def _mixture_noise(bag: Bag, walker: CompiledTrees, leaves: Ints, total: Floats, overlap: Floats) -> Floats:
    """(rows, leaves) mean entropy of what leaves with trends say, given the entropy of their mean: an approximation.

    Let a leaf say p = (1 − ω) h + ω g. If a row told which part it came from, it would teach (1 − ω) I(h) + ω I(g),
    with I the closed forms of the parts. It does not quite, so each part counts by how well it is known to be the one,
    the mean of (1 − ω) h / p under h and of ω g / p under g: 1 if the parts are apart, their weights if they are alike.
    Both follow from the ``overlap``, Σ ((1 − ω) h)² / p. A row teaches less about residuals where codes are coarser
    than their bins.
    """
    weight, gain = walker.trends.weight[leaves], bag.information_gain
    on_line = np.clip(2 * weight - 1 + overlap, 0.0, 1.0)
    fineness = np.minimum(1.0, np.expm1(total) / np.expm1(gain.residual_entropy[leaves]))
    taught = overlap * gain.counts[leaves]
    taught += on_line * (gain.apart[leaves] + fineness * gain.residuals[leaves])
    return np.asarray(np.maximum(total - taught, 0.0))


def _of_setting(model: Model, name: str) -> float:
    """Entropy of a column that was set: of its marginal where it may be; there is nothing to learn about it."""
    request = make_request(model, [bind(model.interventions[name], model.schema)])
    i = model.codec.names.index(name)
    if i not in request.alone_weights:
        return 0.0
    left = model.bags[i].shares[0] * request.alone_weights[i][0]
    return float(entropy_of(left / left.sum()))


def possible_codes(bag: Bag) -> int:
    """How many codes a column may take."""
    seen = np.asarray(bag.leaves.forward.sum(axis=0)).ravel() > 0
    return int((bag.leaves.allowed | seen).sum())
