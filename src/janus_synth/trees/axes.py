"""Axes of an ordered column: its codec and the shares of its codes in, edges and places of its codes out.

As a target a column has two scales for trends: normal scores, see `scale`, and its values, whose edges are the bounds
of the bins. As a parent it has coordinates in which effects are smooth: half way between values and normal scores, so
that neither a long tail nor a dense middle is squeezed.
"""

from __future__ import annotations

import numpy as np

from janus_synth.arrays import Codes, Floats
from janus_synth.encoding import OrderedCodec

WIDEST = 6.0
"""Distance from the median, in robust standard deviations, beyond which values do not stretch the coordinate."""


def value_edges(codec: OrderedCodec, shares: Floats) -> tuple[Floats, ...]:
    """Bounds of the codes as standardised values, and as standardised logarithms if all values are positive.

    Each is (K + 1,), from −∞ to ∞ before *missing*. Mean and standard deviation are those of the bins' means, which one
    extreme value hardly moves. Fewer than three bins have no scale but normal scores.
    """
    if codec.n_bins < 3:
        return ()
    bounds, inner = codec.upper, np.clip(bin_means(codec), codec.upper[0], codec.upper[-1])
    scales = [(bounds, inner)] if codec.knot[0, 0] <= 0 else [(bounds, inner), (np.log(bounds), np.log(inner))]
    mass = shares[:-1] / shares[:-1].sum()
    found = [_standardised(edges, means, mass) for edges, means in scales]
    return tuple(edges for edges in found if edges is not None)


def _standardised(bounds: Floats, inner: Floats, mass: Floats) -> Floats | None:
    """Bounds on a scale where the bins' means have mean 0 and standard deviation 1, with −∞ and ∞ at the ends."""
    power = -int(np.frexp(np.abs(bounds).max())[1])  # scaled by a power of two, squares neither overflow nor vanish
    bounds, inner = np.ldexp(bounds, power), np.ldexp(inner, power)
    mean = float(mass @ inner)
    deviation = float(np.sqrt(mass @ (inner - mean) ** 2))
    with np.errstate(divide="ignore", invalid="ignore"):
        edges = (bounds - mean) / deviation
    if not np.isfinite(edges).all() or (np.diff(edges) <= 0).any():
        return None
    return np.concatenate([[-np.inf], edges, [np.inf, np.inf]])


def code_places(codec: OrderedCodec, scores: Floats) -> Floats:
    """(K,) coordinate of every code, from 0 at the smallest value to 1 at the largest; NaN for missing.

    ``scores`` (K,) are the mean normal scores of the codes.
    """
    place = np.full(codec.n_codes, np.nan)
    if codec.n_bins < 2:
        return place
    values = bin_means(codec)
    mixed = (_robust(values, scores[:-1]) + scores[:-1]) / 2
    low, high = along_axis(np.array([codec.knot[0, 0], codec.knot[-1, -1]]), values, mixed)
    place[:-1] = (mixed - low) / (high - low)
    return place


def places_inside(codec: OrderedCodec, place: Floats, codes: Codes, share: Floats) -> Floats:
    """Coordinates of values that are given as codes and shares of the code's mass below them."""
    return places_of_values(codec, place, codec.decode(codes, share))


def places_of_values(codec: OrderedCodec, place: Floats, values: Floats) -> Floats:
    """Coordinates of values, given those of the codes (K or more,); NaN for missing."""
    missing = np.isnan(values)
    found = along_axis(np.where(missing, 0.0, values), bin_means(codec), place[: codec.n_bins])
    return np.where(missing, np.nan, np.clip(found, 0.0, 1.0))


def edges_inside(codec: OrderedCodec, edges: Floats, share: Floats) -> Floats:
    """(K, shares) standardised values at even shares of every code, by the edges of `value_edges`; 0 if missing."""
    values = [np.interp(share, level, knot) for level, knot in zip(codec.level, codec.knot, strict=True)]
    found = scores_of_values(codec, edges, np.concatenate(values))
    rising = np.maximum.accumulate(found).reshape(codec.n_bins, len(share))
    return np.vstack([rising, np.zeros((1, len(share)))])


def scores_of_values(codec: OrderedCodec, edges: Floats, values: Floats) -> Floats:
    """Values on the scale whose edges `value_edges` made."""
    return along_axis(values, codec.upper, edges[1:-2])


def bin_means(codec: OrderedCodec) -> Floats:
    """(bins,) mean value of every bin by its quantile function, ascending."""
    middle = (codec.level[:, 1:] - codec.level[:, :-1]) * (codec.knot[:, 1:] / 2 + codec.knot[:, :-1] / 2)
    return np.asarray(np.maximum.accumulate(np.clip(middle.sum(axis=1), codec.knot[:, 0], codec.knot[:, -1])))


def along_axis(values: Floats, known: Floats, place: Floats) -> Floats:
    """Piecewise linear function through (known, place), continued with the slope of the last two intervals."""
    values, known = values / 2, known / 2  # a difference of halves cannot overflow
    found = np.interp(values, known, place)
    reach = min(2, len(known) - 1)
    for end, inner, beyond in ((0, reach, values < known[0]), (-1, -1 - reach, values > known[-1])):
        width = known[end] - known[inner]
        slope = (place[end] - place[inner]) / width if width != 0 else 0.0
        found = np.where(beyond, place[end] + (values - known[end]) * slope, found)
    return np.asarray(found)


def _robust(values: Floats, scores: Floats) -> Floats:
    """Values less their median, in units of half the range between the scores −1 and 1."""
    half = values / 2  # a difference of halves cannot overflow
    low, middle, high = np.interp([-1.0, 0.0, 1.0], scores, half)
    unit = (high - low) / 2 or (half[-1] - half[0]) / 4
    with np.errstate(over="ignore"):  # a value too far out for floats is at the bound
        return np.clip((half - middle) / unit, -WIDEST, WIDEST)
