"""The same rows before and after in; a chart of one column out: slopes for numbers, a transition table for levels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from janus_synth.arrays import Array, Bools, Floats, LongInts
from janus_synth.errors import DataError, SchemaError
from janus_synth.pages import REAL, SYNTHETIC, percent
from janus_synth.plots.histogram import Bins, bins_of, shares_of
from janus_synth.plots.theme import INK, MUTED, Chart, altair, apply_theme, inline, shorten, title_of
from janus_synth.table import Column, Table, read_table, shown_value

WIDTH, HEIGHT = 400, 300
NARROW = 260
MAX_LINES, MAX_PANELS, MAX_LEVELS = 60, 4, 8
BREADTH = 0.45
"""Length of the longest bar, relative to the width of the slopes."""
CELL = 46
SHADES = ["#f5f3f8", "#54278f"]
NULL, REST = "null", "others"


class _Pair(NamedTuple):
    """One column before and after; NaN or −1 where null."""

    column: Column
    before: Array
    after: Array
    name: str = ""
    """Name of the group."""

    def among(self, rows: Bools, name: str) -> _Pair:
        return self._replace(before=self.before[rows], after=self.after[rows], name=name)


def before_after(before: Any, after: Any, column: str, group: str | None = None) -> Chart:
    """Draw a column of the same rows before and after, for example of counterfactuals.

    For numbers, lines join the values of a sample of rows, and their means, between the two distributions. For levels
    and booleans, a table shows which level the rows of each level changed to.

    Parameters
    ----------
    before, after : DataFrame
        The same rows in the same order; pandas, polars or pyarrow.
    column : str
        Column to draw.
    group : str, optional
        Column of ``before`` with levels; each of the four most frequent has a panel.

    Returns
    -------
    altair.HConcatChart

    Examples
    --------
    >>> import pandas as pd
    >>> before = pd.DataFrame({"pay": [30.5, 40, 50], "post": ["clerk", "clerk", "chief"]})
    >>> after = pd.DataFrame({"pay": [33.5, 42, 50], "post": ["clerk", "chief", "chief"]})
    >>> before_after(before, after, "pay").to_dict()["title"]["subtitle"]
    ['Mean 40.17 before, 41.83 after; 66.7 % of 3 rows rise, 0 % fall. Lines: 3 rows; thick: the mean.']
    >>> before_after(before, after, "post").to_dict()["title"]["subtitle"]
    ['33.3 % of 3 rows change. Each line of the table adds up to 100 %; framed: no change.']
    """
    pair = _read(before, after, column)
    panels = [pair] if group is None else _groups(pair, before, group)
    drawn = _transition_tables if pair.column.is_discrete else _slopes
    chart = altair().hconcat(*drawn(panels), spacing=30)
    notes = [_describe_moves(pair)] if pair.column.is_discrete else _describe_slopes(pair)
    return apply_theme(chart, f"{shorten(column, 40)} before and after", notes)


def _read(before: Any, after: Any, column: str) -> _Pair:
    """Read both columns with the schema of the first one that has values."""
    tables = (_read_alone(frame, column) for frame in (before, after))
    typed = next((table for table in tables if _has_values(table, column)), None)
    if typed is None:
        raise DataError(f"column {column!r} is null in every row, before and after.")
    first = read_table(before, typed.schema, columns=(column,))
    second = read_table(after, first.schema, columns=(column,))
    if first.n_rows != second.n_rows:
        raise DataError(f"before has {first.n_rows:,} rows and after {second.n_rows:,}; give the same rows in both.")
    kind = second.schema[column]
    if not (kind.is_discrete or (kind.kind == "numeric" and not _is_duration(kind))):
        raise DataError(f"column {column!r} holds times or durations; only numbers, levels and booleans can be drawn.")
    return _Pair(kind, first[column], second[column])


def _has_values(table: Table, column: str) -> bool:
    values = table[column]
    return bool((values >= 0).any() if table.schema[column].is_discrete else np.isfinite(values).any())


def _read_alone(frame: Any, column: str) -> Table:
    """Read one column; distinct values in few rows are not taken for an identifier."""
    table = read_table(frame, columns=(column,))
    if table.schema[column].is_learnt:
        return table
    try:
        return read_table(frame, {column: {"kind": "numeric"}}, columns=(column,))
    except SchemaError:
        return read_table(frame, {column: {"kind": "categorical"}}, columns=(column,))


def _is_duration(column: Column) -> bool:
    return "timedelta" in column.dtype or "duration" in column.dtype.lower()


def _groups(pair: _Pair, before: Any, group: str) -> list[_Pair]:
    """Select the most frequent groups, in the order of their levels."""
    table = read_table(before, {group: {"kind": "categorical"}}, columns=(group,))
    codes, levels = table[group], table.schema[group].levels
    counts = np.bincount(codes[codes >= 0], minlength=len(levels))
    frequent = sorted(int(code) for code in np.argsort(-counts, kind="stable")[:MAX_PANELS] if counts[code])
    if not frequent:
        raise DataError(f"column {group!r} is null in every row, so there are no groups to draw.")
    return [pair.among(codes == code, f"{shorten(str(levels[code]))} ({counts[code]:,} rows)") for code in frequent]


def _slopes(pairs: Sequence[_Pair]) -> list[Chart]:
    """Draw panels on a common scale, each with two distributions and lines between them."""
    whole = [np.concatenate([values[np.isfinite(values)] for values in side]) for side in _sides(pairs)]
    if not sum(map(len, whole)):
        raise DataError(f"column {pairs[0].column.name!r} is null in every row, before and after.")
    bins = Bins(bins_of(*whole, moments=False).edges)  # a frequent value keeps its bar
    width = WIDTH if len(pairs) == 1 else NARROW
    return [_slope_panel(pair, bins, labelled=at == 0).properties(width=width) for at, pair in enumerate(pairs)]


def _sides(pairs: Sequence[_Pair]) -> tuple[list[Floats], list[Floats]]:
    return [pair.before for pair in pairs], [pair.after for pair in pairs]


def _slope_panel(pair: _Pair, bins: Bins, *, labelled: bool) -> Chart:
    """Draw bars on the left for before, on the right for after, and lines in between."""
    alt = altair()
    edges = bins.edges
    axis = alt.Axis(format="~s" if np.abs(edges).max() >= 10_000 else "~r", tickCount=6)
    y = alt.Y(
        "y:Q", title=shorten(pair.column.name, 40) if labelled else None, axis=axis,
        scale=alt.Scale(domain=[float(edges[0]), float(edges[-1])], nice=False, zero=False),
    )  # fmt: skip
    x = alt.X(
        "x:Q", title=None, scale=alt.Scale(domain=[-BREADTH - 0.05, 1 + BREADTH + 0.05], nice=False),
        axis=alt.Axis(
            values=[0, 1], labelExpr="datum.value ? 'after' : 'before'", grid=False, ticks=False, domain=False,
            labelFontSize=12, labelPadding=6,
        ),
    )  # fmt: skip
    bars = alt.Chart(inline(_bars(pair, bins))).mark_rect(opacity=0.75).encode(
        x=x, y=y, x2="x2:Q", y2="y2:Q", color=alt.Color("colour:N", scale=None)
    )  # fmt: skip
    both = _complete(pair)
    line = {"x": x, "y": y, "detail": "row:N"}
    lines = alt.Chart(inline(_lines(both))).mark_line(color=MUTED, strokeWidth=0.8, opacity=0.45, clip=True)
    mean = inline({"x": end, "y": float(values.mean()), "row": 0} for end, values in enumerate(both) if len(values))
    thick = alt.Chart(mean).mark_line(color=INK, strokeWidth=3, point={"color": INK, "size": 50, "opacity": 1})
    panel = alt.layer(bars, lines.encode(**line), thick.encode(**line)).properties(height=HEIGHT)
    return panel.properties(title=title_of(pair.name, offset=6)) if pair.name else panel


def _complete(pair: _Pair) -> tuple[Floats, Floats]:
    """Values of rows that are present both before and after."""
    there = np.isfinite(pair.before) & np.isfinite(pair.after)
    return pair.before[there], pair.after[there]


def _lines(both: tuple[Floats, Floats]) -> list[dict[str, float]]:
    """End points of the lines of a few rows, spread over the range before."""
    order = np.lexsort(both[::-1])
    few = order[np.unique(np.linspace(0, len(order) - 1, min(len(order), MAX_LINES)).astype(int))]
    return [{"x": end, "y": float(values[row]), "row": int(row)} for row in few for end, values in enumerate(both)]


def _bars(pair: _Pair, bins: Bins) -> list[dict[str, object]]:
    """Horizontal histograms on both sides of the lines; equal areas for equal numbers of rows."""
    sides = [values[np.isfinite(values)] for values in (pair.before, pair.after)]
    shares = [shares_of(values, bins, max(1, len(values))) for values in sides]
    longest = max(float(share.max(initial=0.0)) for share in shares) or 1.0
    shares = [share / longest * BREADTH for share in shares]
    return [
        {"x": end, "x2": end + way * float(share), "y": float(low), "y2": float(high), "colour": colour}
        for end, way, colour, side in ((0, -1, REAL, shares[0]), (1, 1, SYNTHETIC, shares[1]))
        for share, low, high in zip(side, bins.edges[:-1], bins.edges[1:], strict=True)
        if share > 0
    ]  # fmt: skip


def _describe_slopes(pair: _Pair) -> list[str]:
    """Describe the changes in numbers, and the nulls, which are not drawn."""
    before, after = _complete(pair)
    notes = []
    if len(before):
        n_lines = min(len(before), MAX_LINES)
        notes.append(
            f"Mean {_number(before.mean())} before, {_number(after.mean())} after; "
            f"{percent(float((after > before).mean()))} of {len(before):,} rows rise, "
            f"{percent(float((after < before).mean()))} fall. Lines: {n_lines} rows; thick: the mean."
        )
    gone = [int((~np.isfinite(values)).sum()) for values in (pair.before, pair.after)]
    if any(gone):
        notes.append(f"Null in {gone[0]:,} rows before and {gone[1]:,} after; lines join rows with both values.")
    return notes


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1_000 else f"{value:.4g}"


def _transition_tables(pairs: Sequence[_Pair]) -> list[Chart]:
    """Draw transition tables of the most frequent levels."""
    column = pairs[0].column
    codes = np.concatenate([values for pair in pairs for values in (pair.before, pair.after)])
    counts = np.bincount(codes[codes >= 0], minlength=len(column.levels))
    seen = np.flatnonzero(counts)
    if len(seen) > MAX_LEVELS:
        seen = np.sort(np.argsort(-counts, kind="stable")[:MAX_LEVELS])
    if not (column.ordered or column.kind == "boolean"):
        seen = np.array(sorted(seen.tolist(), key=lambda code: str(column.levels[code])), dtype=np.int64)
    names = _distinct([shorten(str(shown_value(column, float(code))), 18) for code in seen])
    place = np.full(len(column.levels) + 1, len(names), dtype=np.int64)  # the last is null, which code −1 points to
    place[seen] = np.arange(len(names))
    place[-1] = len(names) + 1
    labels = [*names, *(_free(text, names) for text in (REST, NULL))]
    return [_transition_panel(place[pair.before], place[pair.after], labels, pair.name) for pair in pairs]


def _distinct(names: list[str]) -> list[str]:
    return [name if names.count(name) == 1 else f"{name} #{i + 1}" for i, name in enumerate(names)]


def _free(text: str, taken: Sequence[str]) -> str:
    """Choose a label that no level has."""
    return text if text not in taken else f"({text})"


def _transition_panel(before: LongInts, after: LongInts, labels: Sequence[str], name: str) -> Chart:
    """Draw the share of each level's rows by level after; levels without rows are left out."""
    alt = altair()
    counts = np.zeros((len(labels), len(labels)))
    np.add.at(counts, (before, after), 1)
    sums = counts.sum(axis=1)
    rows_at, columns_at = (np.flatnonzero(total).tolist() for total in (sums, counts.sum(axis=0)))
    left = {i: f"{labels[i]}, {sums[i]:,.0f}" for i in rows_at}
    cells = [
        {
            "before": left[i], "after": labels[j], "share": float(counts[i, j] / sums[i]),
            "text": f"{100 * counts[i, j] / sums[i]:.0f} %" if counts[i, j] else "", "same": bool(i == j),
        }
        for i in rows_at for j in columns_at
    ]  # fmt: skip
    looks = {"ticks": False, "domain": False, "labelFontSize": 11.5, "labelLimit": 150, "titlePadding": 10}
    x = alt.X(
        "after:N", sort=[labels[j] for j in columns_at], title="after",
        axis=alt.Axis(orient="top", labelAngle=-40, **looks),
    )  # fmt: skip
    y = alt.Y("before:N", sort=[left[i] for i in rows_at], title="before, and rows", axis=alt.Axis(**looks))
    colour = alt.Color("share:Q", scale=alt.Scale(range=SHADES, domain=[0, 1]), legend=None)
    cell_layer = alt.Chart(inline(cells)).mark_rect(stroke="white", strokeWidth=1).encode(x=x, y=y, color=colour)
    text = alt.Chart(inline(cells)).mark_text(fontSize=11.5).encode(
        x=x, y=y, text="text:N",
        color=alt.condition("datum.share > 0.55", alt.value("white"), alt.value(INK)),
    )  # fmt: skip
    layers = [cell_layer, text]
    if same := [cell for cell in cells if cell["same"]]:
        layers.append(alt.Chart(inline(same)).mark_rect(filled=False, stroke=INK, strokeWidth=1.4).encode(x=x, y=y))
    panel = alt.layer(*layers).properties(width=(CELL + 6) * len(columns_at), height=(CELL - 12) * len(rows_at))
    return panel.properties(title=title_of(name, offset=6)) if name else panel


def _describe_moves(pair: _Pair) -> str:
    changed = float((pair.before != pair.after).mean())
    return (
        f"{percent(changed)} of {len(pair.before):,} rows change. "
        "Each line of the table adds up to 100 %; framed: no change."
    )
