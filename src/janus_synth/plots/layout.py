"""A graph in; positions of boxes and routes of arrows out, in layers, with few crossings.

Sugiyama's method in three steps: a long arrow gets a bend in every layer it passes, layers are sorted by the mean
position of their neighbours, and positions are the closest to those means that keep the distances. Arrows of one parent
share their bends, so that it has one trunk instead of many parallel lines.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from janus_synth.graph import Dag

Spot = tuple[str, int]
"""A column in a layer: its box in its own layer, a bend of its arrows in later layers."""
Point = tuple[float, float]
"""Place along the arrows, in layers, and across them, in boxes."""
SWEEPS = 12


@dataclass(frozen=True, slots=True)
class Layout:
    """Positions of boxes and routes of arrows; ``breadth`` is the extent across the arrows."""

    boxes: Mapping[str, Point]
    routes: Mapping[tuple[str, str], tuple[Point, ...]]
    n_layers: int
    breadth: float


def lay_out(dag: Dag, *, bend_size: float = 0.45) -> Layout:
    """Place the columns of a graph.

    Parameters
    ----------
    dag : Dag
        What to draw.
    bend_size : float
        Room that a passing arrow takes, in boxes.

    Examples
    --------
    >>> layout = lay_out(Dag({"age": (), "pay": ("age",), "loan": ("age", "pay")}))
    >>> layout.n_layers, layout.boxes["age"][0], len(layout.routes["age", "loan"])
    (3, 0.0, 3)
    """
    home = {column: level for level, layer in enumerate(dag.layers()) for column in layer}
    layers = _spots(dag, home)
    links = _links(dag, home)
    layers = _sorted_layers(layers, links)
    size = {spot: 1.0 if home[spot[0]] == spot[1] else bend_size for layer in layers for spot in layer}
    across = _places(layers, links, size)
    boxes = {column: (float(level), across[column, level]) for column, level in home.items()}
    routes = {
        (parent, child): (
            *((float(level), across[parent, level]) for level in range(home[parent], home[child])),
            boxes[child],
        )
        for parent, child in dag.edges
    }
    breadth = max((across[spot] + size[spot] / 2 for layer in layers for spot in layer), default=0.0)
    return Layout(boxes, routes, len(layers), breadth)


def _spots(dag: Dag, home: Mapping[str, int]) -> list[list[Spot]]:
    """Boxes and bends of every layer."""
    layers: list[list[Spot]] = [[(column, level) for column in layer] for level, layer in enumerate(dag.layers())]
    for parent in dag.columns:
        farthest = max((home[child] for child in dag.children(parent)), default=0)
        for level in range(home[parent] + 1, farthest):
            layers[level].append((parent, level))
    return layers


def _links(dag: Dag, home: Mapping[str, int]) -> list[tuple[Spot, Spot]]:
    """Pieces of arrows from one layer to the next, each once."""
    links: dict[tuple[Spot, Spot], None] = {}
    for parent, child in dag.edges:
        for level in range(home[parent], home[child]):
            end = (child, level + 1) if level + 1 == home[child] else (parent, level + 1)
            links[(parent, level), end] = None
    return list(links)


def _neighbours(links: Sequence[tuple[Spot, Spot]], *, before: bool) -> dict[Spot, list[Spot]]:
    """For every spot, those it is linked to in the layer before or after."""
    found: dict[Spot, list[Spot]] = {}
    for start, end in links:
        spot, other = (end, start) if before else (start, end)
        found.setdefault(spot, []).append(other)
    return found


def _sorted_layers(layers: list[list[Spot]], links: Sequence[tuple[Spot, Spot]]) -> list[list[Spot]]:
    """Sort each layer by the mean rank of its neighbours, in both directions; keep the order with fewest crossings."""
    sides = {before: _neighbours(links, before=before) for before in (True, False)}
    best, fewest = layers, _crossings(layers, links)
    for sweep in range(SWEEPS):
        before = sweep % 2 == 0
        layers = [list(layer) for layer in layers]
        for layer in layers if before else reversed(layers):
            rank = _ranks(layers)
            goal = {spot: _mean([rank[o] for o in sides[before].get(spot, [])], rank[spot]) for spot in layer}
            layer.sort(key=goal.__getitem__)
        crossings = _crossings(layers, links)
        if crossings < fewest:
            best, fewest = layers, crossings
    return best


def _ranks(layers: Sequence[Sequence[Spot]]) -> dict[Spot, float]:
    """Place of each spot in its layer, from 0 to 1."""
    return {spot: (i + 0.5) / len(layer) for layer in layers for i, spot in enumerate(layer)}


def _crossings(layers: Sequence[Sequence[Spot]], links: Sequence[tuple[Spot, Spot]]) -> int:
    rank = _ranks(layers)
    count = 0
    for level in range(len(layers)):
        pieces = [(rank[start], rank[end]) for start, end in links if start[1] == level]
        count += sum((a - c) * (b - d) < 0 for i, (a, b) in enumerate(pieces) for c, d in pieces[:i])
    return count


def _places(
    layers: Sequence[Sequence[Spot]], links: Sequence[tuple[Spot, Spot]], size: Mapping[Spot, float]
) -> dict[Spot, float]:
    """Places across the arrows, 0 at the edge: near the neighbours' mean, never overlapping."""
    sides = {before: _neighbours(links, before=before) for before in (True, False)}
    place = {spot: value for layer in layers for spot, value in _spread(layer, [0.0] * len(layer), size).items()}
    for sweep in range(SWEEPS):
        for layer in layers if sweep % 2 == 0 else reversed(layers):
            linked = [[*sides[True].get(spot, []), *sides[False].get(spot, [])] for spot in layer]
            goals = [_mean([place[o] for o in near], place[spot]) for spot, near in zip(layer, linked, strict=True)]
            place |= _spread(layer, goals, size)
    edge = min((place[spot] - size[spot] / 2 for spot in place), default=0.0)
    return {spot: value - edge for spot, value in place.items()}


def _spread(layer: Sequence[Spot], goals: Sequence[float], size: Mapping[Spot, float]) -> dict[Spot, float]:
    """Positions closest to ``goals`` in least squares that keep order and distance.

    After subtracting the distances this is isotonic regression: neighbours in the wrong order share their mean.
    """
    offset = [0.0]
    for left, right in itertools.pairwise(layer):
        offset.append(offset[-1] + (size[left] + size[right]) / 2)
    pools: list[tuple[float, int]] = []
    for goal, taken in zip(goals, offset, strict=False):
        mean, count = goal - taken, 1
        while pools and pools[-1][0] > mean:
            other, n = pools.pop()
            mean, count = (other * n + mean * count) / (n + count), n + count
        pools.append((mean, count))
    free = [mean for mean, count in pools for _ in range(count)]
    return {spot: value + taken for spot, value, taken in zip(layer, free, offset, strict=False)}


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise
