"""Rows as a lazy Dask frame: a function that draws pieces in, a frame whose partitions are drawn when computed out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from janus_synth.sampling import BLOCK_ROWS
from janus_synth.table.files import as_kind


def lazy_frame(dataframes: Any, draw: Callable[[int, int], Any], n: int, piece_rows: int) -> Any:
    """Dask frame of ``n`` rows in partitions of ``piece_rows``, whole blocks each; ``dataframes`` is dask.dataframe."""
    step = -(-piece_rows // BLOCK_ROWS) * BLOCK_ROWS
    starts = list(range(0, max(n, 1), step))
    lengths = [min(step, n - start) for start in starts]
    empty = as_kind(draw(0, min(n, 1)), "pandas").head(0)
    return dataframes.from_map(_draw_pandas, starts, lengths, draw=draw, meta=empty)


def _draw_pandas(start: int, length: int, *, draw: Callable[[int, int], Any]) -> Any:
    frame = as_kind(draw(start, length), "pandas")
    return frame.set_axis(range(start, start + length))
