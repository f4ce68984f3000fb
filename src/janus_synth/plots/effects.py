"""The frame of an effect in; a curve with a band, or dots with intervals, out: an outcome by treatment."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any, NamedTuple

import narwhals as nw

from janus_synth.errors import DataError
from janus_synth.pages import REAL, SYNTHETIC
from janus_synth.plots.theme import INK, MUTED, Chart, altair, apply_theme, inline, shorten

WIDTH, HEIGHT, PER_LEVEL = 440, 250, 44
MEASURES = ("mean", "effect")
MODEL = "the model, under intervention"
OTHERS = (INK, REAL, MUTED)
"""Colours of the lines to compare with."""
SHAPES = ("circle", "diamond", "square", "triangle-up")
DASHES = ([1, 0], [1, 0], [7, 3], [2, 2])


class _Curve(NamedTuple):
    """Data of the layers: a row per setting, and the lines to compare with."""

    rows: list[dict[str, Any]]
    beside: list[dict[str, Any]]
    baseline: float
    names: tuple[str, ...]
    """Names of the lines to compare with."""


def effect_curve(
    effect_frame: Any,
    *,
    outcome: str = "outcome",
    measure: str = "mean",
    beside: Mapping[str, Sequence[float]] | None = None,
) -> Chart:
    """Draw an outcome under each setting of a treatment, with intervals.

    Numbers make a line in a band, levels and ranges make dots with whiskers. A dashed line marks the baseline: the mean
    under the first setting, or zero for effects.

    Parameters
    ----------
    effect_frame : DataFrame
        Result of ``Effect.to_frame()``: the treatment first, then means and effects with their intervals.
    outcome : str
        Name of the outcome, which the frame does not hold.
    measure : {"mean", "effect"}
        Means, or their differences to the first one.
    beside : mapping of str to sequence of float, optional
        Up to three lines to compare with, by name, one number per setting: ``{"truth": [...]}``.

    Returns
    -------
    altair.LayerChart

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"school": ["no", "yes"], "mean": [3, 5], "mean_low": [2, 4], "mean_high": [4, 7]})
    >>> effect_curve(frame, outcome="pay").to_dict()["title"]["text"]
    'pay as school is set'
    """
    if measure not in MEASURES:
        raise ValueError(f"measure is {measure!r}; choose 'mean' or 'effect'.")
    cells = nw.from_native(effect_frame, eager_only=True).to_dict(as_series=False)
    treatment = next(iter(cells), "")
    if lacking := [name for name in (measure, f"{measure}_low", f"{measure}_high") if name not in cells]:
        raise DataError(f"the frame lacks {', '.join(map(repr, lacking))}. Give what Effect.to_frame() returns.")
    curve = _curve(cells, treatment, measure, beside or {})
    numeric = all(isinstance(row["setting"], float) for row in curve.rows) and len(curve.rows) > 1
    chart = (_band if numeric else _whiskers)(
        curve, treatment, outcome if measure == "mean" else f"effect on {outcome}"
    )
    first = curve.rows[0]["shown"]
    mark = "the mean at the first setting" if measure == "mean" else "no difference to the first setting"
    note = f"{'Band' if numeric else 'Whiskers'}: interval. Dashed: {mark}, {shorten(first)}."
    return apply_theme(chart, f"{shorten(outcome, 40)} as {shorten(treatment, 40)} is set", [note])


def _curve(
    cells: Mapping[str, Sequence[Any]], treatment: str, measure: str, beside: Mapping[str, Sequence[float]]
) -> _Curve:  # fmt: skip
    """Make the rows of the chart, with settings as numbers if all are numbers, otherwise as texts."""
    given = list(cells[treatment])
    if not given:
        raise DataError("the frame has no rows. Ask for the effect of at least one setting.")
    numeric = all(isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value) for value in given)
    settings = [float(value) for value in given] if numeric else _texts(given)
    shown = [f"{value:g}" if isinstance(value, float) else value for value in settings]
    if len(beside) > len(OTHERS):
        raise ValueError(f"{len(beside)} lines beside the effect are too many to read; give up to {len(OTHERS)}.")
    if wrong := [name for name, values in beside.items() if len(values) != len(given)]:
        raise DataError(
            f"{wrong[0]!r} has {len(beside[wrong[0]])} numbers for {len(given)} settings; give one for each."
        )
    rows: list[dict[str, Any]] = [
        {
            "setting": setting,
            "shown": text,
            "low": float(low),
            "value": float(value),
            "high": float(high),
            "name": MODEL,
        }
        for setting, text, low, value, high in zip(
            settings, shown, cells[f"{measure}_low"], cells[measure], cells[f"{measure}_high"], strict=True
        )
    ]
    if not all(math.isfinite(row[end]) for row in rows for end in ("low", "value", "high")):
        raise DataError("a mean or an interval is not a number: the outcome is null under a setting. Leave it out.")
    others = [
        {"setting": setting, "value": float(value), "name": name}
        for name, values in beside.items()
        for setting, value in zip(settings, values, strict=True)
        if math.isfinite(value)
    ]
    return _Curve(rows, others, rows[0]["value"] if measure == "mean" else 0.0, tuple(beside))


def _texts(values: Sequence[Any]) -> list[str]:
    """Settings as distinct labels, in the order given."""
    texts = ["null" if value is None else shorten(str(value), 22) for value in values]
    return [text if texts.count(text) == 1 else f"{text} #{i + 1}" for i, text in enumerate(texts)]


def _band(curve: _Curve, treatment: str, outcome: str) -> Chart:
    alt = altair()
    x = alt.X(
        "setting:Q", title=shorten(treatment, 50), scale=alt.Scale(zero=False, nice=False, padding=8),
        axis=alt.Axis(grid=False, tickCount=8, format=_format([row["setting"] for row in curve.rows])),
    )  # fmt: skip
    y = _outcome_axis(alt.Y, curve, outcome)
    ordered: list[dict[str, Any]] = sorted(curve.rows, key=_setting)
    data = inline(ordered)
    band = (
        alt.Chart(data)
        .mark_area(color=SYNTHETIC, opacity=0.2)
        .encode(x=x, y=_outcome_axis(alt.Y, curve, outcome, "low"), y2="high:Q")
    )
    colour = _colour(curve, "stroke")
    dash = alt.StrokeDash("name:N", legend=_legend(curve, "stroke"), scale=_by_name(curve, DASHES))
    lines = [*ordered, *curve.beside]
    line = alt.Chart(inline(lines)).mark_line(strokeWidth=2).encode(x=x, y=y, color=colour, strokeDash=dash)
    points = alt.Chart(data).mark_circle(color=SYNTHETIC, size=34, opacity=1).encode(x=x, y=y)
    layers = [_baseline(curve, y=y), band, line, points]
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)


def _whiskers(curve: _Curve, treatment: str, outcome: str) -> Chart:
    alt = altair()
    order = [row["setting"] for row in curve.rows]
    y = alt.Y(
        "setting:N", title=shorten(treatment, 50), sort=order, scale=alt.Scale(paddingInner=0.4),
        axis=alt.Axis(labelLimit=150, ticks=False, domain=False, labelFontSize=12),
    )  # fmt: skip
    x = _outcome_axis(alt.X, curve, outcome)
    data = inline(curve.rows)
    whiskers = alt.Chart(data).mark_rule(color=SYNTHETIC, strokeWidth=3, opacity=0.4)
    colour = _colour(curve, "circle")
    shape = alt.Shape("name:N", legend=_legend(curve, "circle"), scale=_by_name(curve, SHAPES))
    others = alt.Chart(inline(curve.beside)).mark_point(size=70, filled=False, strokeWidth=1.8, opacity=1)
    dots = alt.Chart(data).mark_point(size=70, filled=True, opacity=1)
    layers = [
        _baseline(curve, x=x),
        whiskers.encode(x=_outcome_axis(alt.X, curve, outcome, "low"), x2="high:Q", y=y),
        *(marks.encode(x=x, y=y, color=colour, shape=shape) for marks in ([dots, others] if curve.beside else [dots])),
    ]
    return alt.layer(*layers).properties(width=WIDTH, height=max(90, PER_LEVEL * len(order)))


def _baseline(curve: _Curve, **axis: Any) -> Chart:
    """A dashed line across the plot."""
    alt = altair()
    rule = alt.Chart(inline([{"value": curve.baseline}])).mark_rule(color=MUTED, strokeDash=[5, 4], strokeWidth=1.2)
    return rule.encode(**axis)


def _outcome_axis(channel: Any, curve: _Curve, outcome: str, field: str = "value") -> Any:
    alt = altair()
    values = [row[end] for row in curve.rows for end in ("low", "high")] + [row["value"] for row in curve.beside]
    axis = alt.Axis(tickCount=5, format=_format(values))
    return channel(f"{field}:Q", title=shorten(outcome, 50), scale=alt.Scale(zero=False, padding=8), axis=axis)


def _colour(curve: _Curve, symbol: str) -> Any:
    colours = (SYNTHETIC, *OTHERS)
    return altair().Color("name:N", legend=_legend(curve, symbol), scale=_by_name(curve, colours))


def _by_name(curve: _Curve, looks: Sequence[Any]) -> Any:
    """Map the model's answer and the other lines to colours, shapes or dashes."""
    names = [MODEL, *curve.names]
    return altair().Scale(domain=names, range=list(looks[: len(names)]))


def _legend(curve: _Curve, symbol: str) -> Any:
    """One legend for colours and shapes or dashes, because both channels have the same one."""
    if not curve.names:
        return None
    shape = {"symbolType": symbol} if symbol == "stroke" else {}
    return altair().Legend(
        title=None, orient="bottom", direction="vertical", columns=1, symbolOpacity=1, symbolStrokeWidth=2,
        symbolSize=90 if shape == {} else 300, offset=8, labelLimit=420, **shape,
    )  # fmt: skip


def _format(values: Sequence[float]) -> str:
    return "~s" if max(map(abs, values)) >= 10_000 else "~r"


def _setting(row: dict[str, Any]) -> float:
    return float(row["setting"])
