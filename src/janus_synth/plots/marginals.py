"""Two tables in; one small chart per column out, with the marginal distributions of real and synthetic rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from janus_synth.arrays import Array, Bools, Floats
from janus_synth.errors import DataError, SchemaError
from janus_synth.identities import least_rows
from janus_synth.metrics import marginal_errors
from janus_synth.pages import percent
from janus_synth.plots.histogram import Bins, bins_of, share_beyond, shares_of
from janus_synth.plots.theme import SOURCES, Chart, altair, apply_theme, inline, shorten, source_colour, title_of
from janus_synth.table import Column, Schema, Table, read_table, shown_value
from janus_synth.table.datetimes import zone_of

WIDTH, HEIGHT = 250, 130
ALONE = 330, 200
MOST_BARS = 8
FEW_VALUES = 10  # a number with so few different values is drawn as bars
MICROSECONDS = {"days": 86_400e6, "hours": 3_600e6, "seconds": 1e6}


@dataclass(frozen=True, slots=True)
class Pair:
    """One column of both tables, in the same physical units and levels."""

    column: Column
    values: Mapping[str, Array]
    """By source, real and synthetic; NaN or −1 where missing."""

    @property
    def n_rows(self) -> dict[str, int]:
        """Rows of each table."""
        return {source: len(self.values[source]) for source in SOURCES}

    def present(self, source: str) -> Array:
        """Values without the missing ones."""
        values = self.values[source]
        return values[values >= 0] if self.column.is_discrete else values[np.isfinite(values)]

    def may_be_named(self, distinct: Array) -> Bools:
        """Which values a picture may name: those of synthetic rows or of several real ones, which point to no row."""
        real, synthetic = (
            np.array([np.count_nonzero(self.present(source) == value) for value in distinct]) for source in SOURCES
        )
        return np.asarray((synthetic > 0) | (real >= least_rows(self.n_rows[SOURCES[0]])))

    def missing_share(self, source: str) -> float:
        """Share of rows without a value."""
        return 1 - len(self.present(source)) / self.n_rows[source]


def marginals_picture(
    real: Any, synthetic: Any, columns: Sequence[str] | None = None, *, n_across: int = 4
) -> Chart:  # fmt: skip
    """Draw every column of real and synthetic rows side by side.

    Ordered columns are histograms (real filled, synthetic outlined), levels are paired bars; shares are of all
    rows, and missing values are counted.

    Parameters
    ----------
    real, synthetic : DataFrame
        Tables with the same columns; pandas, polars or pyarrow.
    columns : sequence of str, optional
        Columns to draw; by default all but identifiers.
    n_across : int
        Charts in a row.

    Returns
    -------
    altair.ConcatChart

    Examples
    --------
    >>> import pandas as pd
    >>> real = pd.DataFrame({"age": [31, 45, 60], "sex": ["f", "m", "f"]})
    >>> chart = marginals_picture(real, real, ["sex"])
    >>> chart.to_dict()["title"]["text"]
    'Real and synthetic rows, one column at a time'
    """
    pairs = column_pairs(real, synthetic, columns)
    chart = altair().concat(*(_panel(pair, legend=True) for pair in pairs), columns=n_across, spacing=28)
    chart = chart.resolve_scale(yOffset="independent")
    names = [pair.column.name for pair in pairs]
    note = _largest_difference(real, synthetic, names)
    return apply_theme(chart, "Real and synthetic rows, one column at a time", [note])


def column_pictures(real: Any, synthetic: Any, columns: Sequence[str] | None = None) -> dict[str, Chart]:
    """Draw the charts of ``marginals_picture`` separately and without legends.

    Examples
    --------
    >>> import pandas as pd
    >>> real = pd.DataFrame({"age": [31, 45, 60], "sex": ["f", "m", "f"]})
    >>> list(column_pictures(real, real))
    ['age', 'sex']
    """
    return {pair.column.name: _alone(pair) for pair in column_pairs(real, synthetic, columns)}


def column_pairs(real: Any, synthetic: Any, columns: Sequence[str] | None, schema: Schema | None = None) -> list[Pair]:
    """Both tables read against one schema, by default that of the real rows, column by column."""
    first = read_table(real, schema)
    second = read_table(synthetic, first.schema)
    if not len(first) or not len(second):
        raise DataError("there is nothing to draw: one of the tables has no rows.")
    names = [column.name for column in second.schema.learnt] if columns is None else list(columns)
    if not names:
        raise DataError("there is nothing to draw: all columns are identifiers or personal.")
    return [_pair(second.schema[name], first, second) for name in names]


def _pair(column: Column, real: Table, synthetic: Table) -> Pair:
    if not column.is_learnt:
        raise SchemaError(
            f"column {column.name!r} is {column.what}, generated anew for each row: there is nothing to compare.",
            column=column.name,
        )
    return Pair(column, dict(zip(SOURCES, (real[column.name], synthetic[column.name]), strict=True)))


def _largest_difference(real: Any, synthetic: Any, names: Sequence[str]) -> str:
    errors = marginal_errors(real, synthetic)
    distance = {name: value for name, value in {**errors.ks, **errors.total_variation}.items() if name in names}
    worst = max(distance, key=lambda name: distance[name])
    return (
        f"Largest difference: {percent(distance[worst])} of the rows, in {shorten(worst)} "
        "(Kolmogorov–Smirnov or total variation distance)."
    )


def _alone(pair: Pair) -> Chart:
    """A panel of a fixed size, labels included, so that panels line up on a page."""
    panel = _panel(pair, legend=False)
    panel.title.frame = "bounds"
    fit = altair().AutoSizeParams(type="fit", contains="padding")
    return apply_theme(panel.properties(width=ALONE[0], height=ALONE[1] + panel.height - HEIGHT, autosize=fit))


def _panel(pair: Pair, *, legend: bool) -> Chart:
    """One column: bars for levels and few values, a histogram otherwise."""
    distinct = np.unique(np.concatenate([pair.present(source) for source in SOURCES]))
    if pair.column.is_discrete or len(distinct) <= FEW_VALUES:
        return _bars(pair, distinct, legend=legend)
    return _histogram(pair, legend=legend)


def _bars(pair: Pair, distinct: Array, *, legend: bool) -> Chart:
    shares = bar_shares(pair, distinct)
    rows = [
        {"value": label, "source": source, "share": share}
        for label, both in shares.items()
        for source, share in zip(SOURCES, both, strict=True)
    ]
    alt = altair()
    axis = alt.Axis(format="%", tickCount=4, title="share of rows")
    gap = alt.Scale(paddingInner=0.25 if len(shares) > 3 else 0.5)
    return (
        alt.Chart(inline(rows))
        .mark_bar()
        .encode(
            x=alt.X("share:Q", axis=axis),
            y=alt.Y(
                "value:N", sort=list(shares), title=None, scale=gap,
                axis=alt.Axis(labelLimit=120, ticks=False, domain=False),
            ),
            yOffset=alt.YOffset("source:N", sort=list(SOURCES)),
            color=source_colour(legend=legend),
        )
        .properties(width=WIDTH, height=max(HEIGHT, 17 * len(shares)), title=title_of(shorten(pair.column.name, 34)))
    )  # fmt: skip


def bar_shares(pair: Pair, distinct: Array) -> dict[str, tuple[float, float]]:
    """Shares of the most frequent values, of all others together, and of missing rows, by label."""
    real, synthetic = (
        np.array([np.count_nonzero(pair.present(source) == value) for value in distinct]) / pair.n_rows[source]
        for source in SOURCES
    )
    named = pair.may_be_named(distinct)
    order = np.lexsort((-(real + synthetic), ~named))
    top = order[: min(MOST_BARS, named.sum())] if len(order) > MOST_BARS + 1 else order[: named.sum()]
    by_rank = pair.column.kind == "categorical" and not pair.column.ordered
    shown = top if by_rank else np.sort(top)
    bars: dict[str, tuple[float, float]] = {}
    for place in shown:
        label = _distinct_label(value_label(pair.column, float(distinct[place])), bars)
        bars[label] = float(real[place]), float(synthetic[place])
    if others := len(order) - len(top):
        rest = order[len(top) :]
        bars[_distinct_label(f"{others} other{'s' * (others > 1)}", bars)] = (
            float(real[rest].sum()),
            float(synthetic[rest].sum()),
        )
    missing = tuple(pair.missing_share(source) for source in SOURCES)
    if any(missing) or not bars:
        bars[_distinct_label("missing", bars)] = missing[0], missing[1]
    return bars


def value_label(column: Column, value: float) -> str:
    """Format a value of a column in a few characters; durations in a unit in which they read well."""
    unit = duration_unit(column, np.array([value]))
    return f"{value / MICROSECONDS[unit]:g} {unit}" if unit else shorten(str(shown_value(column, value)), 20)


def _distinct_label(label: str, taken: Mapping[str, object]) -> str:
    """Number a label that another bar already has, because shortened levels may be equal."""
    return label if label not in taken else next(t for i in range(2, 99) if (t := f"{label} ({i})") not in taken)


def _histogram(pair: Pair, *, legend: bool) -> Chart:
    unit = duration_unit(pair.column, np.concatenate([pair.present(source) for source in SOURCES]))
    scale = MICROSECONDS[unit] if unit else 1.0
    values = {source: pair.present(source) / scale for source in SOURCES}
    bins = bins_of(values["real"], values["synthetic"], moments=pair.column.kind == "datetime")
    points = {s: _outline(shares_of(values[s], bins, pair.n_rows[s]), bins, s, pair.column) for s in SOURCES}
    alt = altair()
    x = _value_axis(pair.column, bins, unit)
    y = alt.Y("share:Q", axis=alt.Axis(format="~%", tickCount=4, title=None), stack=None)
    colour = source_colour(legend=legend)
    filled = (
        alt.Chart(inline(points["real"])).mark_area(interpolate="step-after", opacity=0.35, line=False)
        .encode(x=x, y=y, color=colour)
    )  # fmt: skip
    outlined = (
        alt.Chart(inline(points["synthetic"])).mark_line(interpolate="step-after", strokeWidth=1.6)
        .encode(x=x, y=y, color=colour)
    )  # fmt: skip
    title = title_of(shorten(pair.column.name, 34), chart_notes(pair, values, bins))
    return alt.layer(filled, outlined).properties(width=WIDTH, height=HEIGHT, title=title)


def _value_axis(column: Column, bins: Bins, unit: str | None) -> Any:
    """Horizontal axis of a histogram: numbers, or times with calendar ticks."""
    alt = altair()
    looks: dict[str, Any] = {"title": unit, "format": "~s" if np.abs(bins.edges).max() >= 10_000 else "~r"}
    if column.kind == "datetime":
        looks = {"title": "UTC" if zone_of(column.dtype) else None}
        scale = alt.Scale(type="utc", nice=False, domain=_chart_values(bins.edges[[0, -1]], column))
        kind = "temporal"
    else:
        scale = alt.Scale(nice=False, zero=False, domain=_chart_values(bins.edges[[0, -1]], column))
        kind = "quantitative"
    axis = alt.Axis(grid=False, tickCount=5, labelOverlap="greedy", labelFlush=True, **looks)
    return alt.X("value", type=kind, scale=scale, axis=axis)


def _chart_values(values: Floats, column: Column) -> list[float]:
    """Values in the unit of charts, which count milliseconds where we count microseconds."""
    return [float(value) for value in (values / 1_000 if column.kind == "datetime" else values)]


def _outline(shares: Floats, bins: Bins, source: str, column: Column) -> list[dict[str, object]]:
    """Corners of a step line that starts and ends on the axis."""
    at = _chart_values(bins.edges, column)
    y = [0.0, *(float(share) for share in shares), 0.0]
    return [{"value": a, "share": b, "source": source} for a, b in zip([at[0], *at], y, strict=True)]


def chart_notes(pair: Pair, values: Mapping[str, Floats], bins: Bins) -> list[str]:
    """Describe what the bars do not show: missing values, a frequent value, the far tail."""
    shares = {"missing": [pair.missing_share(source) for source in SOURCES]}
    if bins.spike is not None:
        shares[f"exactly {bins.spike:g}"] = [
            float(np.count_nonzero(values[source] == bins.spike)) / pair.n_rows[source] for source in SOURCES
        ]
    shares["beyond the axis"] = [share_beyond(values[source], bins, pair.n_rows[source]) for source in SOURCES]
    return [
        f"{what}: {percent(real)} real, {percent(synthetic)} synthetic"
        for what, (real, synthetic) in shares.items()
        if real or synthetic
    ]


def duration_unit(column: Column, values: Floats) -> str | None:
    """Unit in which a duration reads well; None for plain numbers, whose physical unit is their own."""
    if column.kind != "numeric" or not ("timedelta" in column.dtype or "duration" in column.dtype.lower()):
        return None
    largest = float(np.abs(values).max(initial=0.0))
    return next((unit for unit, size in MICROSECONDS.items() if largest >= 3 * size), "seconds")
