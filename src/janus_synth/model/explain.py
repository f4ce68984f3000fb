"""Explanations: a model and a column in, one of its trees as readable if–then rules with row counts out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from janus_synth.arrays import Bools, Codes, Floats, Floats32
from janus_synth.encoding import LevelCodec, OrderedCodec
from janus_synth.errors import UnknownColumnError
from janus_synth.kernels.dtypes import CODE
from janus_synth.model.model import Model
from janus_synth.table import shown_value
from janus_synth.trees import Trends

LEAST_WEIGHT = 0.5
"""Least mixture weight of a trend that is mentioned,"""
LEAST_CHANGE = 0.5
"""and least change over its leaf, in residual standard deviations."""


@dataclass(frozen=True, slots=True)
class LeafRule:
    """One leaf: the conditions on its path, its number of rows, and the distribution of the column there."""

    conditions: tuple[str, ...]
    n_rows: int
    outcome: str

    def __str__(self) -> str:
        premise = " and ".join(self.conditions) or "always"
        return f"if {premise}: {self.outcome}   ({self.n_rows:,} rows)"


@dataclass(frozen=True, slots=True)
class Explanation:
    """The rules of one tree, largest leaves first; prints as text."""

    column: str
    parents: tuple[str, ...]
    tree: int
    n_trees: int
    n_leaves: int
    rules: tuple[LeafRule, ...]

    def __str__(self) -> str:
        given = f" given {', '.join(self.parents)}" if self.parents else ""
        head = f"{self.column}{given}: tree {self.tree + 1} of {self.n_trees}, {self.n_leaves:,} leaves"
        shown = len(self.rules)
        tail = [f"… and {self.n_leaves - shown:,} smaller leaves"] if shown < self.n_leaves else []
        return "\n".join([head, *(f"  {rule}" for rule in self.rules), *(f"  {line}" for line in tail)])


def explain_column(model: Model, column: str, *, tree: int = 0, most: int | None = 20) -> Explanation:
    """Describe one tree of a column's bag, at most ``most`` leaves, largest first."""
    if column not in model.codec.names:
        raise UnknownColumnError(column, model.codec.names, where="the model")
    bag = model.bag(column)
    if (link := model.computed.get(column)) is not None:
        return Explanation(column, link.inputs, 0, 1, 1, (LeafRule((), model.n_rows, str(link)),))
    if not 0 <= tree < bag.splits.n_trees:
        raise ValueError(f"{column!r} has trees 0 to {bag.splits.n_trees - 1}; there is no tree {tree}.")
    if column in model.interventions:
        rule = LeafRule((), model.n_rows, f"{column} was set: {model.interventions[column]}")
        return Explanation(column, (), 0, 1, 1, (rule,))
    shares = bag.shares
    counts = bag.leaves.n_rows
    found = [(int(counts[leaf]), leaf, codes) for leaf, codes in _codes_by_leaf(model, column, tree)]
    found.sort(key=lambda item: (-item[0], item[1]))
    rules = tuple(
        LeafRule(
            tuple(_describe_codes(model, name, allowed) for name, allowed in codes.items()),
            n_rows,
            _describe_outcome(model, column, shares[leaf]) + _describe_trend(model, column, leaf, codes),
        )
        for n_rows, leaf, codes in found[:most]
    )
    used = tuple(model.codec.names[j] for j in bag.parents)
    return Explanation(column, used, tree, bag.splits.n_trees, len(found), rules)


def _codes_by_leaf(model: Model, column: str, tree: int) -> Iterator[tuple[int, dict[str, Bools]]]:
    """Every leaf with the codes of each column that lead to it."""
    s = model.bag(column).splits
    n_codes = model.codec.n_codes
    waiting: list[tuple[int, dict[int, Bools]]] = [(int(s.roots[tree]), {})]
    while waiting:
        node, path = waiting.pop()
        if s.left[node] < 0:
            yield int(s.leaf_of_node[node]), {model.codec.names[j]: codes for j, codes in path.items()}
            continue
        j = int(s.feature[node])
        codes = np.arange(n_codes[j])
        goes_left = codes <= s.cut[node]
        if s.set_start[node] >= 0:
            goes_left = s.left_levels[s.set_start[node] + codes] == 1
        before = path.get(j, np.ones(n_codes[j], bool))
        waiting.append((int(s.right[node]), {**path, j: before & ~goes_left}))
        waiting.append((int(s.left[node]), {**path, j: before & goes_left}))


def _describe_codes(model: Model, name: str, allowed: Bools) -> str:
    codec = model.codec.columns[name]
    if isinstance(codec, LevelCodec):
        return _describe_levels(model, name, codec, allowed)
    assert isinstance(codec, OrderedCodec)
    return _describe_range(model, name, codec, allowed)


def _describe_levels(model: Model, name: str, codec: LevelCodec, allowed: Bools) -> str:
    labels = [repr(model.schema[name].levels[level]) for level in codec.own]
    possible = codec.allowed
    inside = [label for label, ok in zip(labels, allowed, strict=False) if ok]
    outside = [label for label, ok in zip(labels, allowed, strict=False) if not ok]
    if possible[-2]:
        (inside if allowed[-2] else outside).append("rare levels")
    if possible[-1]:
        (inside if allowed[-1] else outside).append("null")
    if len(inside) == 1:
        return f"{name} == {inside[0]}" if inside[0] != "null" else f"{name} is null"
    if len(outside) == 1:
        return f"{name} != {outside[0]}" if outside[0] != "null" else f"{name} is not null"
    if len(inside) <= len(outside):
        return f"{name} in {{{', '.join(inside)}}}"
    return f"{name} not in {{{', '.join(outside)}}}"


def _describe_range(model: Model, name: str, codec: OrderedCodec, allowed: Bools) -> str:
    missing_too = codec.nullable and allowed[-1]
    bins = np.flatnonzero(allowed[:-1])
    if not len(bins):
        return f"{name} is null"
    first, last = int(bins[0]), int(bins[-1])
    digits = 9 if codec.lattice is None else 15  # a bound off the lattice lies between values; none needs all digits
    low = _format_value(model, name, codec.smallest(first), digits) if first > 0 else None
    high = _format_value(model, name, codec.largest(last), digits) if last < codec.n_bins - 1 else None
    if low is not None and high is not None:
        text = f"{name} == {low}" if low == high else f"{low} <= {name} <= {high}"
    elif low is not None:
        text = f"{name} >= {low}"
    elif high is not None:
        text = f"{name} <= {high}"
    else:
        return f"{name} is not null" if not missing_too else f"{name} is anything"
    return f"({text} or {name} is null)" if missing_too else text


def _describe_outcome(model: Model, column: str, shares: Floats32) -> str:
    codec = model.codec.columns[column]
    null = f", null {shares[-1]:.0%}" if shares[-1] >= 0.005 else ""
    if isinstance(codec, LevelCodec):
        labels = [str(model.schema[column].levels[level]) for level in codec.own] + ["rare levels"]
        top = np.argsort(-shares[:-1], kind="stable")[:3]
        return f"{column} is " + ", ".join(f"{labels[k]} {shares[k]:.0%}" for k in top if shares[k] >= 0.005) + null
    assert isinstance(codec, OrderedCodec)
    present = shares[:-1].astype(float)
    if present.sum() < 0.005:
        return f"{column} is null 100%"
    below = np.cumsum(present) / present.sum()
    low, middle, high = (
        _format_value(model, column, _middle(codec, int(np.searchsorted(below, level)))) for level in (0.1, 0.5, 0.9)
    )
    return f"{column} ≈ {middle} (80 % within {low} … {high}){null}"


def _describe_trend(model: Model, column: str, leaf: int, allowed: Mapping[str, Bools]) -> str:
    """How a leaf's trend changes the column over the range of its strongest parent; empty if the change is small."""
    bag, codec = model.bag(column), model.codec.columns[column]
    trends = bag.trends
    if trends is None or trends.weight[leaf] < LEAST_WEIGHT:
        return ""
    assert isinstance(codec, OrderedCodec)
    centre, codes, spread = _along_parents(model, trends, leaf, allowed)
    swing = centre[1] - centre[0]
    place = int(np.argmax(np.abs(swing)))
    if abs(swing[place]) < LEAST_CHANGE * spread:
        return ""
    edge, parent = trends.scale.edge, int(trends.parents[place])
    ends = []
    for z, at in zip(centre[:, place], codes[:, place], strict=True):
        code = min(int(np.searchsorted(edge, z, side="right")) - 1, codec.n_bins - 1)
        ends.append((_format_value(model, column, _middle(codec, code)), _format_code(model, parent, int(at))))
    (start, first), (stop, last) = ends
    name = model.codec.names[parent]
    return (
        f", {'rising' if swing[place] > 0 else 'falling'} from {start} to {stop} as {name} goes from {first} to {last}"
    )


def _along_parents(
    model: Model, trends: Trends, leaf: int, allowed: Mapping[str, Bools]
) -> tuple[Floats, Codes, float]:
    """(2, p) centres of a leaf's trend and codes of its p parents, each at either end of its range in the leaf.

    The other parents are in the middle of theirs, where the last number is the standard deviation of the residuals.
    """
    p = len(trends.parents)
    score, codes, at = np.empty((p, 2 * p + 1)), np.empty((p, 2 * p + 1), CODE), np.arange(p)
    for j, parent in enumerate(trends.parents):
        name, missing = model.codec.names[parent], int(model.codec.n_codes[parent]) - 1
        possible = model.codec.columns[name].allowed[:-1]
        inside = np.flatnonzero(possible & allowed[name][:-1] if name in allowed else possible)
        inside = inside if len(inside) else np.array([missing])
        known = trends.score[j, inside]
        low, high = np.clip([trends.low[leaf, j], trends.high[leaf, j]], known.min(), known.max())
        score[j] = (low + high) / 2
        score[j, [j, p + j]] = low, high
        codes[j] = inside[np.argmin(np.abs(known[:, None] - score[j]), axis=0)]
    centre, spread = trends.coef[leaf, :-1] @ score + trends.coef[leaf, -1], trends.spread[leaf]
    if trends.surface is not None:
        mean, scale = trends.surface.at_codes(codes)
        centre, spread = mean + scale * centre, spread * scale[-1]
    return centre[:-1].reshape(2, p), np.stack([codes[at, at], codes[at, p + at]]), float(spread)


def _format_code(model: Model, column: int, code: int) -> str:
    """Convert a code of a column to its value or level."""
    name = model.codec.names[column]
    codec = model.codec.columns[name]
    if isinstance(codec, LevelCodec):
        return repr(model.schema[name].levels[codec.own[code]]) if code < len(codec.own) else "rare levels"
    assert isinstance(codec, OrderedCodec)
    return _format_value(model, name, _middle(codec, code))


def _middle(codec: OrderedCodec, code: int) -> float:
    return float(codec.decode(np.array([code], np.uint16), np.array([0.5]))[0])


def _format_value(model: Model, name: str, value: float, digits: int = 6) -> str:
    column = model.schema[name]
    return str(shown_value(column, float(f"{value:.{digits}g}") if column.kind == "numeric" else value))
