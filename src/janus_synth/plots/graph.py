"""A graph in; a drawing out: boxes in layers and curved arrows, thinned if there are too many to follow."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from janus_synth.graph import Dag
from janus_synth.plots.arrows import arrow_use
from janus_synth.plots.layout import Layout, Point, lay_out
from janus_synth.plots.theme import INK, Chart, altair, apply_theme, inline, shorten

if TYPE_CHECKING:
    from janus_synth.model import Model

Edge = tuple[str, str]

TITLE = "Each column is drawn given the columns that point to it"
BOX_HEIGHT, GAP_RIGHTWARD, GAP_DOWNWARD, GAP_ACROSS = 26.0, 56.0, 44.0, 12.0
LETTER = 6.7  # mean width of a 12 pixel letter
WIDEST = 1_060.0  # pixels; longer graphs run down the page
CURVE_STEPS = 14
HEAD = 4.5  # half the length of an arrow head
NO_CHILDREN = "#8a97a6"  # colour of a column without children
FEW_ARROWS = 40  # readable, however few the columns
PALETTE = ("#332288", "#117733", "#CC6677", "#44AA99", "#999933", "#882255", "#88CCEE", "#DDCC77", "#AA4499")
"""Paul Tol's muted colours, distinct for colour-blind readers; an arrow has the colour of its parent."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """Converts positions of a layout to pixels, rightward or downward."""

    box_width: float
    downward: bool

    def at(self, place: Point) -> Point:
        """Pixel of a place's middle."""
        along, across = place
        if self.downward:
            return across * (self.box_width + GAP_ACROSS), along * (BOX_HEIGHT + GAP_DOWNWARD) + BOX_HEIGHT / 2
        return along * (self.box_width + GAP_RIGHTWARD) + self.box_width / 2, across * (BOX_HEIGHT + GAP_ACROSS)

    def size(self, layout: Layout) -> Point:
        """Width and height of the whole drawing."""
        x, y = self.at((layout.n_layers - 1.0, layout.breadth))
        return (x, y + BOX_HEIGHT / 2) if self.downward else (x + self.box_width / 2, y)

    def reach(self) -> Point:
        """From a box's middle to the side where arrows leave."""
        return (0.0, BOX_HEIGHT / 2) if self.downward else (self.box_width / 2, 0.0)


@dataclass(frozen=True, slots=True)
class Drawing:
    """A graph with places and colours: what each layer of the chart reads."""

    layout: Layout
    sheet: Sheet
    weight: Mapping[Edge, float]
    colour: Mapping[str, str]

    @property
    def size(self) -> Point:
        """Width and height in pixels."""
        width, height = self.sheet.size(self.layout)
        return max(width, self.sheet.box_width), max(height, BOX_HEIGHT)

    def width(self, edge: Edge) -> float:
        """Pixels of an arrow's line."""
        return 0.9 + 1.5 * self.weight[edge]


def graph_picture(
    dag: Dag,
    *,
    use: Mapping[Edge, float] | None = None,
    most_parents: int = 3,
    least_use: float = 0.25,
    title: str = TITLE,
) -> Chart:
    """Draw a graph in layers.

    A dense graph is keep_most_used, and the line below the title says so: with ``use``, each column keeps its most
    used parents; without, arrows that only shorten a longer path are left out.

    Parameters
    ----------
    dag : Dag
        Columns and arrows.
    use : mapping of (parent, child) to float, optional
        Weight of each arrow from 0 to 1, as ``arrow_use`` finds it: heavier arrows are thicker.
    most_parents : int
        Parents drawn per column of a dense graph, if ``use`` is given.
    least_use : float
        Arrows of a dense graph used less than this are not drawn, except for the most used parent of each column.
    title : str
        What the drawing shows.

    Returns
    -------
    altair.LayerChart

    Examples
    --------
    >>> chart = graph_picture(Dag({"age": (), "pay": ("age",)}))
    >>> chart.to_dict()["title"]["text"]
    'Each column is drawn given the columns that point to it'
    """
    shown = dag
    if len(dag.edges) > max(FEW_ARROWS, 2 * len(dag.columns)):
        shown = (
            without_shortcuts(dag)
            if use is None
            else keep_most_used(dag, use, most_parents=most_parents, least=least_use)
        )
    weight = {edge: 1.0 if use is None else use.get(edge, 0.0) for edge in dag.edges}
    drawing = _drawing(shown, weight)
    layers = [_boxes(drawing), _labels(drawing)]
    if drawing.layout.routes:
        layers = [_arrows(drawing), _heads(drawing), *layers]
    width, height = drawing.size
    chart = altair().layer(*layers).properties(width=width, height=height)
    return apply_theme(chart, title, [_note(dag, shown, weighted=use is not None)])


def graph_of_model(model: Model, *, most_parents: int = 3, title: str | None = None) -> Chart:
    """Draw the graph of a fitted model, with arrows as thick as its trees use them.

    Parameters
    ----------
    model : Model
        A fitted model: ``Janus(...).fit(frame).model_``.
    most_parents : int
        Parents drawn per column of a dense graph.
    title : str, optional
        What the drawing shows.

    Returns
    -------
    altair.LayerChart
    """
    return graph_picture(model.dag, use=arrow_use(model), most_parents=most_parents, title=title or TITLE)


def keep_most_used(dag: Dag, use: Mapping[Edge, float], *, most_parents: int, least: float) -> Dag:
    """Keep only each column's most used parents; of equals the first ones."""
    kept: dict[str, tuple[str, ...]] = {}
    for child, parents in dag.parents.items():
        weight = {parent: use.get((parent, child), 0.0) for parent in parents}
        ranked = sorted(parents, key=lambda parent: -weight[parent])[:most_parents]
        heavy = [parent for i, parent in enumerate(ranked) if i == 0 or weight[parent] >= least]
        kept[child] = tuple(parent for parent in parents if parent in heavy)
    return Dag(kept)


def without_shortcuts(dag: Dag) -> Dag:
    """Remove arrows between columns that a longer path joins (transitive reduction).

    >>> print(without_shortcuts(Dag({"a": (), "b": ("a",), "c": ("a", "b")})))
    a
    b ← a
    c ← b
    """
    above = {column: dag.ancestors(column) for column in dag.columns}
    return Dag(
        {child: tuple(p for p in its if not any(p in above[q] for q in its)) for child, its in dag.parents.items()}
    )


def _note(dag: Dag, shown: Dag, *, weighted: bool) -> str:
    n_all, n_shown = len(dag.edges), len(shown.edges)
    if n_all == 0:
        return f"{len(dag.columns)} columns, no arrows"
    thicker = " Thicker: used for more rows." if weighted else ""
    if n_shown == n_all:
        return f"All {n_all} arrows.{thicker}" if n_all > 1 else f"One arrow.{thicker}"
    which = "the most used parents of each column" if weighted else "those that shorten a longer path are left out"
    return f"{n_shown} of {n_all} arrows: {which}.{thicker}"


def _drawing(dag: Dag, weight: Mapping[Edge, float]) -> Drawing:
    """Place and colour a graph: rightward if that fits on a page, otherwise downward."""
    longest = max((len(shorten(column)) for column in dag.columns), default=1)
    box_width = max(44.0, longest * LETTER + 14)
    downward = len(dag.layers()) * (box_width + GAP_RIGHTWARD) - GAP_RIGHTWARD > WIDEST
    layout = lay_out(dag, bend_size=0.16 if downward else 0.5)
    with_children = [column for column in dag.order if dag.children(column)]
    colour = {column: PALETTE[i % len(PALETTE)] for i, column in enumerate(with_children)}
    return Drawing(layout, Sheet(box_width, downward), weight, colour)


def _boxes(drawing: Drawing) -> Chart:
    half = drawing.sheet.box_width / 2
    rows = [
        {"x": x - half, "x2": x + half, "y": y - BOX_HEIGHT / 2, "y2": y + BOX_HEIGHT / 2, "colour": colour}
        for x, y, colour in (
            (*drawing.sheet.at(place), drawing.colour.get(column, NO_CHILDREN))
            for column, place in drawing.layout.boxes.items()
        )
    ]
    alt = altair()
    return (
        alt.Chart(inline(rows))
        .mark_rect(cornerRadius=5, fill="white", strokeWidth=1.6)
        .encode(**_axes(drawing), x2="x2:Q", y2="y2:Q", stroke=alt.Stroke("colour:N", scale=None))
    )


def _labels(drawing: Drawing) -> Chart:
    rows = [
        {"label": shorten(column), "x": x, "y": y}
        for column, (x, y) in ((column, drawing.sheet.at(place)) for column, place in drawing.layout.boxes.items())
    ]
    return (
        altair()
        .Chart(inline(rows))
        .mark_text(fontSize=12, color=INK, align="center", baseline="middle")
        .encode(**_axes(drawing), text="label:N")
    )


def _arrows(drawing: Drawing) -> Chart:
    rows = [
        {"arrow": i, "step": step, "x": x, "y": y, "colour": drawing.colour[edge[0]], "width": drawing.width(edge)}
        for i, (edge, route) in enumerate(drawing.layout.routes.items())
        for step, (x, y) in enumerate(_curve(route, drawing.sheet))
    ]
    alt = altair()
    return (
        alt.Chart(inline(rows))
        .mark_line()
        .encode(
            **_axes(drawing),
            detail="arrow:N",
            order="step:Q",
            stroke=alt.Stroke("colour:N", scale=None),
            strokeWidth=alt.StrokeWidth("width:Q", scale=None),
        )
    )


def _heads(drawing: Drawing) -> Chart:
    sheet = drawing.sheet
    back = [reach + (HEAD if reach else 0.0) for reach in sheet.reach()]
    rows = [
        {"x": x - back[0], "y": y - back[1], "colour": drawing.colour[parent]}
        for parent, (x, y) in ((edge[0], sheet.at(route[-1])) for edge, route in drawing.layout.routes.items())
    ]
    alt = altair()
    return (
        alt.Chart(inline(rows))
        .mark_point(shape="triangle-down" if sheet.downward else "triangle-right", opacity=1, size=80)
        .encode(**_axes(drawing), fill=alt.Fill("colour:N", scale=None), stroke=alt.value(None))
    )


def _axes(drawing: Drawing) -> dict[str, object]:
    """Pixels as they are, y downward."""
    alt = altair()
    width, height = drawing.size
    return {
        "x": alt.X("x:Q", axis=None, scale=alt.Scale(domain=[0, width], nice=False, zero=False)),
        "y": alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[height, 0], nice=False, zero=False)),
    }


def _curve(route: tuple[Point, ...], sheet: Sheet) -> Iterator[Point]:
    """Points of an arrow: Bézier pieces that leave and enter each layer straight."""
    reach = sheet.reach()
    points = [sheet.at(place) for place in route]
    for i, (start, end) in enumerate(itertools.pairwise(points)):
        # Within the layer of a box or a bend the arrow runs straight, so that it passes boxes beside it.
        a = (start[0] + reach[0], start[1] + reach[1])
        b = (end[0] - reach[0], end[1] - reach[1])
        if i > 0:
            yield start[0] - reach[0], start[1] - reach[1]
        for step in range(CURVE_STEPS + 1):
            yield _bezier(a, b, step / CURVE_STEPS, downward=sheet.downward)


def _bezier(a: Point, b: Point, t: float, *, downward: bool) -> Point:
    """A cubic curve from ``a`` to ``b`` whose ends point along the arrows."""
    middle = ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2)
    first = (a[0], middle[1]) if downward else (middle[0], a[1])
    second = (b[0], middle[1]) if downward else (middle[0], b[1])
    w = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3)
    x, y = (sum(w[k] * p[axis] for k, p in enumerate((a, first, second, b))) for axis in (0, 1))
    return x, y
