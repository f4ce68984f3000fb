"""Free forward sampling: rows drawn column by column, parents first, in fixed blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from janus_synth.kernels.dtypes import CODE
from janus_synth.model import Model, worker_count

BLOCK_ROWS = 4096
"""Rows with a generator of their own: one seed means one table, whatever the number of threads."""

Physical = dict[str, NDArray[Any]]


def sample_columns(
    model: Model,
    n: int,
    *,
    seed: int,
    first_block: int = 0,
    n_jobs: int | None = None,
    on_rows: Callable[[int], None] | None = None,
) -> Physical:
    """Draw ``n`` rows as physical arrays, one per learnt column."""
    out = {name: np.empty(n, np.float64 if _is_real(model, name) else np.int32) for name in model.codec.names}
    for bag in model.bags:
        bag.leaves.cdf(bag.splits)  # made once, here, so that threads only read it

    def draw(start: int) -> int:
        stop = min(start + BLOCK_ROWS, n)
        block = draw_block(model, stop - start, seed=seed, number=first_block + start // BLOCK_ROWS)
        for name, values in block.items():
            out[name][start:stop] = values
        return stop - start

    starts = range(0, n, BLOCK_ROWS)
    with ThreadPoolExecutor(min(worker_count(n_jobs), max(1, len(starts)))) as pool:
        for drawn in pool.map(draw, starts):
            if on_rows is not None:
                on_rows(drawn)
    return out


def draw_block(model: Model, n: int, *, seed: int, number: int) -> Physical:
    """One block of rows; a shorter block holds the first rows of the full one."""
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(number,)))
    uniforms = rng.random((BLOCK_ROWS, len(model.bags)))[:n].T
    x = np.zeros((len(model.bags), n), CODE)
    names = model.codec.names
    block: Physical = {}
    for name in model.dag.order:
        i = names.index(name)
        u = np.ascontiguousarray(uniforms[i])
        model.bags[i].draw(x, u)
        block[name] = model.codec.columns[name].decode(x[i], u)
    return block


def blocks_of(n: int, size: int) -> Iterator[tuple[int, int]]:
    """Start and length of pieces of whole blocks, for streaming ``n`` rows."""
    step = max(1, size // BLOCK_ROWS) * BLOCK_ROWS
    for start in range(0, max(n, 1), step):
        yield start, min(step, n - start)


def first_block_of(row: int) -> int:
    """Number of the block that begins at a row."""
    return row // BLOCK_ROWS


def _is_real(model: Model, name: str) -> bool:
    return model.schema[name].kind in ("numeric", "datetime")
