"""Uncertainty over two columns in; maps of epistemic and aleatoric uncertainty out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import narwhals as nw
import numpy as np

from janus_synth.arrays import Floats, LongInts
from janus_synth.errors import DataError, UnknownColumnError
from janus_synth.plots.theme import INK, Chart, altair, apply_theme, inline, shorten, title_of
from janus_synth.questions import parent_columns
from janus_synth.table import read_table, take_rows

if TYPE_CHECKING:
    from janus_synth.janus import Janus


SIDE = 330.0
N_CELLS = 60
"""Cells along each side; a whole number of few values has one for each."""
N_NEAR = 8
"""Nearest rows whose other columns a cell uses; a smoothed cell extends until it has about this many points."""
N_AVERAGED, LEAST_BREADTH = 64, 1.3
"""Maximum number of points that a smoothed cell averages, and its minimum width in cells."""
REACH = 4.0
"""Places further than this many cells from any point stay white."""
MOST_ROWS = 400
TAIL = 0.005
"""Share of the rows that may lie beyond either end of an axis."""
OVERLAP = 0.06  # of a cell: without it, white lines would show between neighbours


class Plane(NamedTuple):
    """Rows on two axes."""

    points: Floats
    """(rows, 2)"""
    names: tuple[str, str]


class Terrain(NamedTuple):
    """Uncertainty of one column over a plane, in nats, and the rows that were learnt."""

    points: Floats
    """(cells, 2)"""
    aleatoric: Floats
    epistemic: Floats
    rows: Floats
    """(rows, 2)"""
    names: tuple[str, str]
    target: str

    def picture(self) -> Chart:
        """Draw it."""
        return uncertainty_terrain(
            self.points, self.aleatoric, self.epistemic, self.rows, names=self.names, target=self.target
        )


def uncertainty_terrain(
    points_2d: Any,
    aleatoric: Any,
    epistemic: Any,
    rows_2d: Any = None,
    *,
    names: tuple[str, str] = ("x", "y"),
    target: str | None = None,
) -> Chart:
    """Draw both kinds of uncertainty over a plane, side by side, with a scale each.

    Points on a full grid are drawn as they are. Others are smoothed onto 60 by 60 cells, each the mean of the points
    nearest to it; places far from all points stay white.

    Parameters
    ----------
    points_2d : array of shape (n, 2)
        Where it was measured: cells of a grid, or rows on a ``plane_of``.
    aleatoric, epistemic : array of n floats
        Measures of each point, as ``Janus.uncertainty`` gives them, in nats.
    rows_2d : array of shape (m, 2), optional
        Training rows, drawn as faint dots; of many, 400.
    names : pair of str
        Titles of the axes.
    target : str, optional
        Column whose uncertainty it is.

    Returns
    -------
    altair.HConcatChart

    Examples
    --------
    >>> chart = uncertainty_terrain([[0, 0], [0, 1], [1, 0], [1, 1]], [0.5, 0.5, 0.6, 0.6], [0.1, 0.2, 0.1, 0.2])
    >>> [panel["title"]["text"] for panel in chart.to_dict()["hconcat"]]
    ['epistemic: more rows would help', 'aleatoric: noise that stays']
    """
    points = _pairs("points_2d", points_2d)
    measures = {"epistemic": epistemic, "aleatoric": aleatoric}
    both = np.column_stack([_measure(name, values, len(points)) for name, values in measures.items()])
    rows = np.empty((0, 2)) if rows_2d is None else _pairs("rows_2d", rows_2d)
    cells = _as_cells(points, both)
    panels = [
        _panel(cells, 0, rows, names, "epistemic: more rows would help", "purples"),
        _panel(cells, 1, rows, names, "aleatoric: noise that stays", "greens"),
    ]
    chart = altair().hconcat(*panels, spacing=26).resolve_scale(color="independent")
    whose = "Uncertainty of the model" if target is None else f"Uncertainty about {shorten(target)}"
    return apply_theme(chart, whose, [_note(len(rows))])


def terrain_of(
    janus: Janus, frame: Any, target: str, x: str, y: str, *, n_cells: int = N_CELLS, n_near: int = N_NEAR
) -> Terrain:  # fmt: skip
    """Compute a model's uncertainty about a column over a grid of two numeric columns.

    Each cell has the two columns set to its middle and all others as in the rows nearest to it, over which the
    measures are averaged.

    Parameters
    ----------
    janus : Janus
        A fitted model.
    frame : DataFrame
        Training rows; pandas, polars or pyarrow.
    target : str
        Column in question; the map is most informative if it depends on ``x`` and ``y``.
    x, y : str
        Numeric columns.
    n_cells : int
        Cells along each side.
    n_near : int
        Nearest rows whose other columns a cell uses.

    Examples
    --------
    >>> from janus_synth import Janus, datasets
    >>> rows = datasets.hiring(300, random_state=0)
    >>> janus = Janus(structure=datasets.hiring_graph(), random_state=0).fit(rows, progress=False)
    >>> terrain = terrain_of(janus, rows, "hired", "test_score", "requested_salary", n_cells=20)
    >>> terrain.points.shape
    (400, 2)
    """
    from scipy.spatial import KDTree

    if x == y:
        raise DataError(f"a map needs two different columns; both are {x!r}.")
    rows = plane_of(frame, (x, y)).points
    present = np.flatnonzero(np.isfinite(rows).all(axis=1))
    if not len(present):
        raise DataError(f"no row has both {x!r} and {y!r}, so there is nothing to map.")
    rows = rows[present]
    axes = [_axis(values, n_cells) for values in rows.T]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2)
    unit = np.array([np.ptp(axis) or 1.0 for axis in axes])
    n_near = min(n_near, len(rows))
    near = KDTree(rows / unit).query(points / unit, k=np.arange(1, n_near + 1))[1].ravel()
    columns = dict(zip((x, y), np.repeat(points, n_near, axis=0).T, strict=True))
    found = janus.uncertainty(_borrowed_rows(janus, frame, target, present[near], columns), target)
    aleatoric, epistemic = (
        values.reshape(-1, n_near).mean(axis=1) for values in (found.rows.aleatoric, found.rows.epistemic)
    )
    return Terrain(points, aleatoric, epistemic, rows, (x, y), target)


def plane_of(frame: Any, columns: tuple[str, str] | None = None) -> Plane:
    """Put rows on a plane: two numeric columns, or the first two principal components of all of them.

    Components are of standardised columns, means in place of missing values. Of named columns, missing values stay.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"a": [1.5, 2, 3, 4], "b": [2, 4, 6, 8.5], "c": list("wxyz")})
    >>> plane_of(frame, ("a", "b")).points[0].tolist()
    [1.5, 2.0]
    >>> plane_of(frame).names
    ('first component, 100 % of the variance', 'second component, 0 %')
    """
    if columns is not None:
        table = read_table(frame, {name: {"kind": "numeric"} for name in columns}, columns=columns)
        return Plane(np.column_stack([table[name] for name in columns]), columns)
    from sklearn.decomposition import PCA

    table = read_table(frame)
    numbers = [table[column.name] for column in table.schema.columns if column.kind == "numeric"]
    values = np.column_stack(numbers) if numbers else np.empty((table.n_rows, 0))
    seen = np.isfinite(values)
    values = values[:, seen.any(axis=0)]
    mean, spread = (measure(values, axis=0) for measure in (np.nanmean, np.nanstd))
    standard = np.nan_to_num((values - mean) / np.where(spread > 0, spread, 1.0))[:, spread > 0]
    if standard.shape[1] < 2 or len(standard) < 2:
        raise DataError("a plane needs two numeric columns that vary. Name two columns, or give more rows.")
    pca = PCA(2, svd_solver="full").fit(standard)
    first, second = (f"{100 * share:.0f} %" for share in pca.explained_variance_ratio_)
    return Plane(pca.transform(standard), (f"first component, {first} of the variance", f"second component, {second}"))


class _Cells(NamedTuple):
    """Middles of cells, (n, 2), their measures, (n, 2), and the width and height that all of them have."""

    middles: Floats
    measures: Floats
    size: Floats

    @property
    def ends(self) -> tuple[Floats, Floats]:
        return self.middles.min(axis=0) - self.size / 2, self.middles.max(axis=0) + self.size / 2


def _borrowed_rows(
    janus: Janus, frame: Any, target: str, lenders: LongInts, columns: Mapping[str, Floats]
) -> Any:  # fmt: skip
    """Select rows and set some of their columns; columns that the target does not depend on are left out."""
    if target not in janus.model_.codec.names:
        raise UnknownColumnError(target, janus.model_.codec.names, where="the model")
    needed = [name for name in parent_columns(janus.model_, [target]) if name not in columns]
    lent = nw.from_native(take_rows(frame, lenders), eager_only=True)
    spine = nw.maybe_reset_index(lent.select(needed) if needed else lent.select(lent.columns[:1]))
    return spine.with_columns(
        *(nw.new_series(name, values, nw.Float64, backend=spine.implementation) for name, values in columns.items())
    ).to_native()


def _axis(values: Floats, n_cells: int) -> Floats:
    """Middles of cells between the extreme quantiles; one cell per value for few whole numbers."""
    low, high = (float(end) for end in np.quantile(values, [TAIL, 1 - TAIL], method="nearest"))
    if bool(np.all(values == np.rint(values))) and high - low < n_cells:
        return np.arange(low, high + 1)
    edges = np.linspace(low, high, n_cells + 1)
    middles: Floats = (edges[1:] + edges[:-1]) / 2
    return middles


def _as_cells(points: Floats, measures: Floats) -> _Cells:
    """Use points on a full grid unchanged, and smooth others onto a grid."""
    axes = [np.unique(values) for values in points.T]
    sizes = np.array([len(axis) for axis in axes])
    if sizes.prod() == len(points) == len(np.unique(points, axis=0)) and all(_even(axis) for axis in axes):
        return _Cells(points, measures, np.array([_step(axis) for axis in axes]))
    return _smooth_points(points, measures)


def _smooth_points(points: Floats, measures: Floats) -> _Cells:
    """Means of the nearest points over cells, nearer ones counting more."""
    from scipy.spatial import KDTree

    axes = [_axis(values, N_CELLS) for values in points.T]
    size = np.array([_step(axis) for axis in axes])
    middles = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2)
    tree = KDTree(points / size)
    distance, near = tree.query(middles / size, k=np.arange(1, min(N_AVERAGED, len(points)) + 1))
    breadth = np.maximum(distance[:, min(N_NEAR, len(points)) - 1] / 2, LEAST_BREADTH)
    weight = np.exp(-((distance / breadth[:, None]) ** 2) / 2)
    smooth = (weight[:, :, None] * measures[near]).sum(axis=1) / weight.sum(axis=1, keepdims=True)
    close = distance[:, 0] <= REACH
    return _Cells(middles[close], smooth[close], size)


def _even(axis: Floats) -> bool:
    gaps = np.diff(axis)
    return bool(np.allclose(gaps, gaps[:1], rtol=1e-6)) if len(gaps) else True


def _step(axis: Floats) -> float:
    return float((axis[-1] - axis[0]) / (len(axis) - 1)) if len(axis) > 1 else 1.0


def _panel(cells: _Cells, which: int, rows: Floats, names: tuple[str, str], title: str, scheme: str) -> Chart:
    """One map: cells, and rows as dots."""
    alt = altair()
    low, high = cells.ends
    x, y = (
        channel(
            f"{name}:Q", title=shorten(names[at], 44),
            scale=alt.Scale(domain=[float(low[at]), float(high[at])], nice=False, zero=False),
            axis=alt.Axis(format="~s" if abs(high[at]) >= 10_000 else "~r", tickCount=6, grid=False),
        )
        for at, (channel, name) in enumerate([(alt.X, "x"), (alt.Y, "y")])
    )  # fmt: skip
    half = cells.size * (0.5 + OVERLAP)
    corners = np.column_stack([cells.middles - half, cells.middles + half, cells.measures[:, which]])
    lowest, highest = cells.measures[:, which].min(initial=np.inf), cells.measures[:, which].max(initial=-np.inf)
    data = inline(
        {"x": _short(left), "y": _short(below), "x2": _short(right), "y2": _short(above), "value": _short(value)}
        for left, below, right, above, value in corners
    )
    legend = alt.Legend(
        title="nats", orient="bottom", direction="horizontal", gradientLength=190, gradientThickness=9, tickCount=4,
        offset=6, titleAnchor="start",
    )  # fmt: skip
    domain = [float(lowest), float(highest)] if lowest < highest else [float(lowest) - 0.01, float(lowest) + 0.01]
    colour = alt.Color("value:Q", legend=legend, scale=alt.Scale(scheme=scheme, domain=domain))
    cell_layer = alt.Chart(data).mark_rect(clip=True).encode(x=x, y=y, x2="x2:Q", y2="y2:Q", color=colour)
    few = rows[np.isfinite(rows).all(axis=1)]
    few = few[np.all((few >= low) & (few <= high), axis=1)]
    few = few[np.linspace(0, len(few) - 1, min(len(few), MOST_ROWS)).astype(int)]
    dots = (
        alt.Chart(inline({"x": _short(a), "y": _short(b)} for a, b in few))
        .mark_circle(color=INK, size=7, opacity=0.38, clip=True)
        .encode(x=x, y=y)
    )
    return alt.layer(cell_layer, dots).properties(width=SIDE, height=SIDE, title=title_of(title, offset=6))


def _short(value: float) -> float:
    """Round to six digits, which is enough for a plot."""
    return float(f"{value:.6g}")


def _note(n_rows: int) -> str:
    dots = f" Dots: {min(n_rows, MOST_ROWS):,} of {n_rows:,} training rows." if n_rows else ""
    return f"Darker: more uncertain. Each map has its own scale.{dots}"


def _pairs(name: str, values: Any) -> Floats:
    pairs = np.asarray(values, dtype=np.float64)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or not len(pairs):
        raise DataError(f"{name} has the shape {pairs.shape}; give two coordinates for each of at least one point.")
    return pairs


def _measure(name: str, values: Any, n_points: int) -> Floats:
    measure = np.asarray(values, dtype=np.float64)
    if measure.shape != (n_points,):
        raise DataError(f"{name} has the shape {measure.shape}; give one number for each of the {n_points:,} points.")
    return measure
