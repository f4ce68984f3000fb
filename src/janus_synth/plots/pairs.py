"""Two tables in; a grid of columns against each other out: real and synthetic rows as points, associations beside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from janus_synth.arrays import Array, Floats
from janus_synth.errors import DataError
from janus_synth.metrics import association_matrix
from janus_synth.metrics.rows import align, equal_rows
from janus_synth.pages import REAL, SYNTHETIC
from janus_synth.plots.marginals import Pair, column_pairs
from janus_synth.plots.theme import SOURCES, Chart, altair, apply_theme, inline, shorten, source_colour, title_of
from janus_synth.streams import Stream, generator

SIZE = 150
MOST_COLUMNS, MOST_LEVELS, MOST_POINTS = 6, 8, 400
N_BINS = 24


def pairs_picture(
    real: Any, synthetic: Any, columns: Sequence[str] | None = None, *, max_points: int = MOST_POINTS, seed: int = 0
) -> Chart:  # fmt: skip
    """Draw columns of real and synthetic rows against each other.

    Below the diagonal are points, levels side by side with a little noise; on it the distributions; above it the
    association of both tables, as in ``metrics.association_matrix``.

    Parameters
    ----------
    real, synthetic : DataFrame
        Tables with the same columns; pandas, polars or pyarrow.
    columns : sequence of str, optional
        Up to six columns; by default the first ones with at most eight levels.
    max_points : int
        Rows of each table that are drawn, chosen at random.
    seed : int
        Seed of the choice and of the noise.

    Returns
    -------
    altair.ConcatChart

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"x": [1.5, 2, 4] * 10, "y": [3, 1, 2] * 10})
    >>> len(pairs_picture(frame, frame, ["x", "y"]).to_dict()["concat"])
    4
    """
    pairs = _choose(column_pairs(real, synthetic, columns), given=columns is not None)
    rng = generator(seed, Stream.PICTURES)
    rows = {s: _subsample(pairs[0].n_rows[s], max_points, rng) for s in SOURCES}
    names = [pair.column.name for pair in pairs]
    strength = {s: m for s, m in zip(SOURCES, _associations(real, synthetic, names), strict=True)}
    axes = [_Axis(pair, rows, rng) for pair in pairs]
    panels = []
    for i in range(len(axes)):
        for j in range(len(axes)):
            if i == j:
                panels.append(_distribution(axes[i], last=i == len(axes) - 1))
            elif j < i:
                panels.append(_points(axes[j], axes[i], left=j == 0, last=i == len(axes) - 1))
            else:
                panels.append(_numbers(*(float(strength[s][i, j]) for s in SOURCES)))
    chart = altair().concat(*panels, columns=len(axes), spacing=14).resolve_scale(x="independent", y="independent")
    drawn = " and ".join(f"{len(rows[s]):,} {s}" for s in SOURCES)
    return apply_theme(
        chart, "Columns against each other", [f"{drawn} rows. Above the diagonal: strength of association."]
    )


def _choose(pairs: list[Pair], *, given: bool) -> list[Pair]:
    """Check the number of columns, or take the first few that can be drawn."""
    fitting = [p for p in pairs if given or not p.column.is_discrete or len(p.column.levels) <= MOST_LEVELS]
    if given and len(pairs) > MOST_COLUMNS:
        raise DataError(f"{len(pairs)} columns are too many to read; name up to {MOST_COLUMNS}.")
    if not fitting:
        raise DataError(f"all columns have more than {MOST_LEVELS} levels. Name the columns to draw.")
    return fitting[:MOST_COLUMNS]


def _subsample(n_rows: int, most: int, rng: np.random.Generator) -> Array:
    return np.arange(n_rows) if n_rows <= most else np.sort(rng.choice(n_rows, most, replace=False))


def _associations(real: Any, synthetic: Any, names: Sequence[str]) -> list[Floats]:
    tables = equal_rows(*align(real=real, synthetic=synthetic), seed=0)
    found = []
    for table in tables:
        known, matrix = association_matrix(table)
        at = [list(known).index(name) for name in names]
        found.append(matrix[np.ix_(at, at)])
    return found


class _Axis:
    """One column: places of its points, its scale and its labels."""

    def __init__(self, pair: Pair, rows: dict[str, Array], rng: np.random.Generator) -> None:
        self.pair, self.name = pair, pair.column.name
        self.levels = self._top_levels() if pair.column.is_discrete else None
        self.values = {s: self._chart_places(np.asarray(pair.values[s], float)[rows[s]], rng) for s in SOURCES}

    def _top_levels(self) -> list[int]:
        """Levels that are drawn: the most frequent ones, in their own order."""
        counts = sum(
            np.bincount(self.pair.present(s).astype(int), minlength=len(self.pair.column.levels)) for s in SOURCES
        )
        return sorted(np.argsort(-np.asarray(counts), kind="stable")[:MOST_LEVELS].tolist())

    def _chart_places(self, values: Floats, rng: np.random.Generator) -> Floats:
        """Values in the units of the chart; NaN where a cell is missing or its level is not drawn."""
        if self.levels is None:
            return values / 1_000 if self.pair.column.kind == "datetime" else values
        place = {level: i for i, level in enumerate(self.levels)}
        placed = np.array([place.get(int(value), np.nan) for value in values])
        return placed + rng.uniform(-0.28, 0.28, len(placed))

    @property
    def domain(self) -> list[float]:
        """Ends of the axis: all levels, or the values without the last percent on either side of a long tail."""
        if self.levels is not None:
            return [-0.5, len(self.levels) - 0.5]
        both = np.concatenate([v[np.isfinite(v)] for v in self.values.values()])
        if not len(both):
            return [0.0, 1.0]
        low, high = np.quantile(both, [0.005, 0.995])
        gap = 0.04 * (high - low) or 0.5
        return [float(low - gap), float(high + gap)]

    def channel(self, make: Any, field: str, *, shown: bool) -> Any:
        """Horizontal or vertical channel of a field."""
        alt = altair()
        low, high = self.domain
        looks: dict[str, Any] = {"grid": False, "tickCount": 4, "labelOverlap": "greedy", "labelFontSize": 10}
        if self.levels is not None:
            labels = [shorten(str(self.pair.column.levels[level]), 12) for level in self.levels]
            quoted = ", ".join("'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'" for text in labels)
            del looks["tickCount"]
            looks |= {
                "values": list(range(len(labels))),
                "labelExpr": f"[{quoted}][datum.value]",
                "labelOverlap": False,
            }
            looks |= {"labelAngle": -40} if make is alt.X and len(labels) > 2 else {}
        elif self.pair.column.kind != "datetime":
            looks |= {"format": "~s" if max(abs(low), abs(high)) >= 10_000 else "~r"}
        title = shorten(self.name, 22) if shown else None
        kind, scale = ("temporal", "utc") if self.pair.column.kind == "datetime" else ("quantitative", "linear")
        axis = alt.Axis(title=title, **looks) if shown else alt.Axis(title=None, labels=False, ticks=False, grid=False)
        scale = alt.Scale(type=scale, domain=[low, high], nice=False, zero=False, clamp=False)
        return make(field, type=kind, scale=scale, axis=axis)


def _points(x: _Axis, y: _Axis, *, left: bool, last: bool) -> Chart:
    (x_low, x_high), (y_low, y_high) = x.domain, y.domain
    rows = [
        {"x": float(a), "y": float(b), "source": source}
        for source in SOURCES
        for a, b in zip(x.values[source], y.values[source], strict=True)
        if x_low <= a <= x_high and y_low <= b <= y_high
    ]
    alt = altair()
    return (
        alt.Chart(inline(rows))
        .mark_circle(size=9, opacity=0.45)
        .encode(
            x=x.channel(alt.X, "x", shown=last),
            y=y.channel(alt.Y, "y", shown=left),
            color=source_colour(legend=True),
        )
        .properties(width=SIZE, height=SIZE)
    )


def _distribution(axis: _Axis, *, last: bool) -> Chart:
    """Step outlines of the shares of both tables, filled for the real one."""
    low, high = axis.domain
    n_bins = len(axis.levels) if axis.levels is not None else N_BINS
    edges = np.linspace(low, high, n_bins + 1)
    alt = altair()
    layers = []
    for source in SOURCES:
        values = axis.values[source]
        shares = np.histogram(values[np.isfinite(values)], edges)[0] / max(1, len(values))
        rows = [
            {"x": float(a), "share": float(b), "source": source}
            for a, b in zip([edges[0], *edges], [0.0, *shares, 0.0], strict=True)
        ]
        chart = alt.Chart(inline(rows))
        made = (
            chart.mark_area(interpolate="step-after", opacity=0.35, line=False)
            if source == "real"
            else chart.mark_line(interpolate="step-after", strokeWidth=1.6)
        )
        x = axis.channel(alt.X, "x", shown=last)
        layers.append(made.encode(x=x, y=alt.Y("share:Q", axis=None, stack=None), color=source_colour(legend=True)))
    title = title_of(shorten(axis.name, 22), size=12, offset=4)
    return alt.layer(*layers).properties(width=SIZE, height=SIZE, title=title)


def _numbers(real: float, synthetic: float) -> Chart:
    """The association of two columns in both tables."""
    lines = [("real", real, REAL, -14), ("synthetic", synthetic, SYNTHETIC, 14)]
    alt = altair()
    texts = [
        alt.Chart(inline([{"text": f"{value:.2f}"}]))
        .mark_text(fontSize=16, color=colour, dy=dy)
        .encode(x=alt.value(SIZE / 2), y=alt.value(SIZE / 2), text="text:N")
        for _, value, colour, dy in lines
    ]
    return alt.layer(*texts).properties(width=SIZE, height=SIZE)
