"""Two tables in; the shares behind an overlay of their distributions out, column by column, for pages that draw them.

The bins and bars are those of ``marginals``. A page with colours of its own, light and dark, needs numbers, not charts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from janus_synth.arrays import Floats
from janus_synth.plots.histogram import bins_of, share_beyond, shares_of
from janus_synth.plots.marginals import FEW_VALUES, Pair, bar_shares
from janus_synth.plots.theme import SOURCES
from janus_synth.table import Column, Schema, read_table, shown_value


@dataclass(frozen=True, slots=True)
class Overlay:
    """One column of two tables.

    Attributes
    ----------
    column : str
        Its name.
    bars : bool
        Whether there is a bar per label; otherwise bins of a histogram, which begin and end at the labels.
    labels : tuple of str
        Values of the bars, or edges of the bins: one more than there are bins.
    first, second : tuple of float
        Shares of the rows of each table.
    notes : mapping of str to (float, float)
        Shares of rows that no bin shows: null, a frequent value, the far tail.
    means : (float, float), optional
        Means of a numeric or boolean column; None elsewhere, or where there are no values.
    """

    column: str
    bars: bool
    labels: tuple[str, ...]
    first: tuple[float, ...]
    second: tuple[float, ...]
    notes: Mapping[str, tuple[float, float]]
    means: tuple[float, float] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)


def overlays(
    first: Any, second: Any, columns: Sequence[str] | None = None, *, schema: Schema | None = None
) -> list[Overlay]:
    """Shares of both tables in common bins, for every column.

    Parameters
    ----------
    first, second : DataFrame
        Tables with the same columns; pandas, polars or pyarrow.
    columns : sequence of str, optional
        Columns to compare; by default all but identifiers.
    schema : Schema, optional
        Kinds of the columns; by default those found in the first table.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = pd.DataFrame({"sex": ["f", "m", "f", "f"], "hired": [True, False, True, True]})
    >>> found = overlays(rows, rows.head(2), ["sex"])[0]
    >>> found.labels, found.first, found.second
    (('f', 'm'), (0.75, 0.25), (0.5, 0.5))
    """
    one = read_table(first, schema)
    other = read_table(second, one.schema)
    chosen = [column.name for column in other.schema.learnt] if columns is None else list(columns)
    pairs = [
        Pair(other.schema[name], dict(zip(SOURCES, (one[name], other[name]), strict=True))) for name in chosen
    ]  # fmt: skip
    return [_overlay(pair) for pair in pairs]


def _overlay(pair: Pair) -> Overlay:
    present = [pair.present(source) for source in SOURCES]
    distinct = np.unique(np.concatenate(present))
    if pair.column.is_discrete or len(distinct) <= FEW_VALUES:
        bars = bar_shares(pair, distinct)
        first, second = zip(*bars.values(), strict=True)
        return Overlay(pair.column.name, True, tuple(bars), first, second, {}, _means(pair, present))
    return _histogram(pair, [np.asarray(values, dtype=np.float64) for values in present])


def _histogram(pair: Pair, present: Sequence[Floats]) -> Overlay:
    bins = bins_of(present[0], present[1], moments=pair.column.kind == "datetime")
    sizes = list(pair.n_rows.values())
    first, second = (
        tuple(map(float, shares_of(values, bins, n))) for values, n in zip(present, sizes, strict=True)
    )  # fmt: skip
    notes = {"null": (pair.missing_share(SOURCES[0]), pair.missing_share(SOURCES[1]))}
    if bins.spike is not None:
        named = f"exactly {_label(pair.column, bins.spike)}"
        equal = (np.count_nonzero(values == bins.spike) / n for values, n in zip(present, sizes, strict=True))
        notes[named] = _both(equal)
    notes["beyond the axis"] = _both(
        share_beyond(values, bins, n) for values, n in zip(present, sizes, strict=True)
    )  # fmt: skip
    kept = {name: shares for name, shares in notes.items() if any(shares)}
    labels = tuple(_label(pair.column, float(edge)) for edge in bins.edges)
    return Overlay(pair.column.name, False, labels, first, second, kept, _means(pair, present))


def _both(shares: Any) -> tuple[float, float]:
    first, second = map(float, shares)
    return first, second


def _label(column: Column, value: float) -> str:
    """Value with at most six digits, or a date."""
    return str(shown_value(column, value)) if column.kind == "datetime" else f"{value:,.6g}"


def _means(pair: Pair, present: Sequence[Any]) -> tuple[float, float] | None:
    if pair.column.kind not in ("numeric", "boolean") or not all(map(len, present)):
        return None
    return _both(float(np.mean(values)) for values in present)
