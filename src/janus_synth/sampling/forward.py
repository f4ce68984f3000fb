"""Forward sampling without conditions: a model and a number in; rows out, drawn column by column, parents first.

Rows are drawn in blocks of fixed size, each with a random generator of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from janus_synth.arrays import Array, Floats
from janus_synth.coordinates import Link, as_cells, as_floats
from janus_synth.deadlines import check_time, under_same_limit
from janus_synth.kernels.dtypes import CODE
from janus_synth.model import Model
from janus_synth.streams import Stream, generator
from janus_synth.table import Table
from janus_synth.threads import map_in_threads, worker_count
from janus_synth.trees import Bag

BLOCK_ROWS = 4096
"""Rows of a block. A block has its own generator, so that a seed gives the same table with any number of threads."""
CHUNK_BLOCKS = 32
"""Most blocks that one task draws together; kernels are faster on more rows, results do not depend on it."""

Columns = dict[str, Array]
"""Arrays of learnt columns while rows are being drawn; finished rows are a ``Table``."""


def sample_rows(
    model: Model,
    n: int,
    *,
    seed: int,
    first_block: int = 0,
    n_jobs: int | None = None,
    on_rows: Callable[[int], None] | None = None,
) -> Table:
    """Draw ``n`` rows of the unconstrained model."""
    out = empty_columns(model, n)
    n_drawn = len(model.bags) - len(model.computed)
    workers = worker_count(n_jobs, n_cells=n * len(model.bags))
    share = -(-n // (workers * BLOCK_ROWS))  # blocks per worker
    chunk_rows = max(1, min(CHUNK_BLOCKS, share)) * BLOCK_ROWS

    def draw(start: int) -> int:
        check_time()
        stop = min(start + chunk_rows, n)
        uniforms = _uniforms(n_drawn, stop - start, seed=seed, first_block=first_block + start // BLOCK_ROWS)
        draw_chunk(model, uniforms, {name: values[start:stop] for name, values in out.items()})
        return stop - start

    prepare_bags(model, n_jobs=n_jobs)
    for drawn in map_in_threads(under_same_limit(draw), range(0, n, chunk_rows), workers=workers):
        if on_rows is not None:
            on_rows(drawn)
    return Table(model.schema, out, n)


def prepare_bags(
    model: Model, *, n_jobs: int | None = None, on_bag: Callable[[int], object] = lambda number: None
) -> None:
    """Compute what drawing from every bag needs, so that threads only read it; ``on_bag`` is told of each one."""
    missing = [bag for bag in model.bags if not bag.is_prepared]
    if missing:
        for _ in map_in_threads(Bag.prepare, missing, workers=worker_count(n_jobs)):
            on_bag(1)


def in_blocks(
    n: int,
    draw: Callable[[slice, np.random.Generator], None],
    *,
    seed: int,
    stream: Stream,
    first_block: int = 0,
    n_jobs: int | None = None,
    on_rows: Callable[[int], None] | None = None,
) -> None:
    """Work through ``n`` rows block by block in threads; each block has a generator of its own."""

    def draw_one(parts: Sequence[slice], rngs: Sequence[np.random.Generator]) -> None:
        draw(parts[0], rngs[0])

    workers = worker_count(n_jobs)
    in_chunks(n, draw_one, seed=seed, stream=stream, first_block=first_block, workers=workers, on_rows=on_rows)


def in_chunks(
    n: int,
    draw: Callable[[Sequence[slice], Sequence[np.random.Generator]], None],
    *,
    seed: int,
    stream: Stream,
    first_block: int,
    workers: int,
    n_blocks: int = 1,
    on_rows: Callable[[int], None] | None = None,
) -> None:
    """Work through ``n`` rows in threads, ``n_blocks`` blocks at a time, each with a generator of its own."""

    def work(start: int) -> int:
        check_time()
        stop = min(start + n_blocks * BLOCK_ROWS, n)
        parts = [slice(first, min(first + BLOCK_ROWS, stop)) for first in range(start, stop, BLOCK_ROWS)]
        draw(parts, [generator(seed, stream, first_block + part.start // BLOCK_ROWS) for part in parts])
        return stop - start

    for done in map_in_threads(under_same_limit(work), range(0, n, n_blocks * BLOCK_ROWS), workers=workers):
        if on_rows is not None:
            on_rows(done)


def draw_chunk(model: Model, uniforms: Floats, out: Columns) -> None:
    """Draw rows into ``out`` from one uniform per cell; ``uniforms`` (columns not computed × rows) is used up."""
    names, computed = model.codec.names, model.computed
    x = np.zeros((len(names), uniforms.shape[1]), CODE)
    asked = frozenset().union(*(bag.parent_set for bag in model.bags)) if computed else frozenset()
    row_of = {name: row for row, name in enumerate(name for name in names if name not in computed)}
    for name in model.dag.order:
        i, codec = names.index(name), model.codec.columns[name]
        if name in computed:
            out[name][:] = compute_cells(model, computed[name], out)
            if i in asked:  # other columns depend on its code
                x[i] = codec.encode(out[name])
            continue
        u = uniforms[row_of[name]]
        model.bags[i].draw(x, u)
        codec.decode(x[i], u, out[name])


def compute_cells(model: Model, link: Link, columns: Columns) -> Array:
    """Cells of a linked column from those of its inputs."""
    values = link.compute({name: as_floats(columns[name]) for name in link.inputs})
    return as_cells(model.schema[link.column], values)


def redraw_column(model: Model, table: Table, column: str, *, seed: int) -> Array:
    """Redraw one column given each row's own values of its parents.

    If it is computed from hidden columns, those are redrawn first, given their own parents.
    """
    if column in model.computed:
        link, columns = model.computed[column], dict(table.columns)
        for name in (one for one in model.dag.order if one in link.hidden):
            columns[name] = _redraw_learnt(model, Table.from_columns(model.schema, columns), name, seed=seed)
        return compute_cells(model, link, columns)
    return _redraw_learnt(model, table, column, seed=seed)


def _redraw_learnt(model: Model, table: Table, column: str, *, seed: int) -> Array:
    i, x = model.codec.names.index(column), model.codec.encode(table)
    u = generator(seed, Stream.REDRAW, i).random(table.n_rows)
    model.bags[i].draw(x, u)
    values: Array = model.codec.columns[column].decode(x[i], u)
    return values


def _uniforms(n_columns: int, n: int, *, seed: int, first_block: int) -> Floats:
    """Uniforms of consecutive blocks, each from its own generator; a short block has the first ones of a full block."""
    uniforms = np.empty((n_columns, n))
    for number, start in enumerate(range(0, n, BLOCK_ROWS), start=first_block):
        rng = generator(seed, number)
        length = min(BLOCK_ROWS, n - start)
        uniforms[:, start : start + length] = rng.random((length, n_columns)).T
    return uniforms


def blocks_of(n: int, size: int) -> Iterator[tuple[int, int]]:
    """Start and length of pieces of whole blocks, for streaming ``n`` rows."""
    step = max(1, -(-size // BLOCK_ROWS)) * BLOCK_ROWS
    for start in range(0, max(n, 1), step):
        yield start, min(step, n - start)


def first_block_of(row: int) -> int:
    """Number of the block that begins at a row."""
    return row // BLOCK_ROWS


def empty_columns(model: Model, n: int) -> Columns:
    """Arrays for ``n`` rows, one per learnt column."""
    real = {name: model.schema[name].kind in ("numeric", "datetime") for name in model.codec.names}
    return {name: np.empty(n, np.float64 if real[name] else np.int32) for name in model.codec.names}
