"""Anomaly scores: a table in; for each cell the mean of −log p − 1 out, with p the conditional p-value of its value.

p is the probability, given the cell's parents, of all values that are less likely than the observed one, and of a
random part of those that are as likely (a randomised p-value). If the model is right, p is uniform and −log p has mean
1 whatever the distribution, discrete or continuous, so that 0 is the expected score of a cell, scores of columns of any
kind can be added, and the mean over the random part has a closed form. Point masses (repeated values, levels, null)
compare by probability and rank above continuous values, which compare by density.
"""

from __future__ import annotations

import numpy as np

from janus_synth.arrays import Array, Codes, Floats
from janus_synth.encoding import ColumnCodec, OrderedCodec
from janus_synth.model import Model
from janus_synth.questions.conditional_ranks import quantile_in_code
from janus_synth.sampling.likelihood import agrees_with_link
from janus_synth.table import Table

IMPOSSIBLE_FACTOR = 0.5
"""p of an impossible value, relative to the smallest p that the training rows can resolve."""


def anomaly_by_column(model: Model, table: Table) -> dict[str, Floats]:
    """Return the score of each cell: 0 is its expectation under the model, and each further nat is e times rarer."""
    x, smallest = model.codec.encode(table), 0.5 / (model.n_rows + 1)
    scores = {}
    for i, (name, codec) in enumerate(model.codec.columns.items()):
        if name in model.computed:  # certain given its inputs: as usual if it agrees with them
            agrees = agrees_with_link(model, table, name)
            scores[name] = np.where(agrees, 0.0, -np.log(smallest * IMPOSSIBLE_FACTOR) - 1.0)
            continue
        walker = model.bags[i].compiled(len(x))
        shares = walker.shares(walker.leaves(x), x)
        score = np.minimum(_mean_surprise(codec, shares, table[name], x[i]), -np.log(smallest))
        impossible = np.isneginf(codec.log_density(table[name], x[i])) | (shares[np.arange(len(score)), x[i]] == 0)
        far = _distance_outside(codec, table[name])
        p_impossible = smallest * np.where(far > 0, (1 + far) ** -2.0, IMPOSSIBLE_FACTOR)
        scores[name] = np.where(impossible, -np.log(p_impossible), score) - 1.0
    return scores


def _distance_outside(codec: ColumnCodec, values: Array) -> Floats:
    """Distance of each value from the column's range, in units of the 90 % quantile of the bin widths."""
    if not isinstance(codec, OrderedCodec) or not codec.n_bins:
        return np.zeros(len(values))
    width = codec.knot[:, -1] - codec.knot[:, 0]
    unit = np.quantile(width[width > 0], 0.9) if (width > 0).any() else np.ptp(codec.knot) or 1.0
    low, high = codec.knot[0, 0], codec.knot[-1, -1]
    return np.asarray(np.nan_to_num(np.maximum(np.maximum(low - values, values - high), 0.0) / unit))


def _mean_surprise(codec: ColumnCodec, shares: Floats, values: Array, codes: Codes) -> Floats:
    """Mean of −log p: p is uniform between the mass of all less likely values and that with the equally likely ones.

    In an outermost bin values further out are less likely, and p is known.
    """
    width = np.zeros(shares.shape[1])  # a point mass has none
    if isinstance(codec, OrderedCodec):
        width[:-1] = codec.knot[:, -1] - codec.knot[:, 0]
    spread = width > 0
    rank = np.divide(shares, width, out=shares.copy(), where=spread)
    rows, wide = np.arange(len(codes)), spread[codes]
    own, same_kind = rank[rows, codes][:, None], spread == wide[:, None]
    below = (shares * (same_kind & (rank < own))).sum(axis=1) + np.where(wide, 0.0, (shares * spread).sum(axis=1))
    equal = (shares * (same_kind & (rank == own))).sum(axis=1)
    further_out = _share_further_out(codec, values, codes)
    with np.errstate(divide="ignore"):
        exact = -np.log(below + further_out * equal)
    return np.where(wide & ~np.isnan(further_out), exact, mean_log(below, equal))


def mean_log(below: Floats, mass: Floats) -> Floats:
    """Mean of −log u for u uniform between ``below`` and ``below`` + ``mass``; over all of (0, 1) it is 1."""
    from scipy.special import xlogy

    top = np.minimum(below + mass, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = 1.0 - (xlogy(top, top) - xlogy(below, below)) / mass
        return np.where(mass > 1e-12, mean, -np.log(top))


def _share_further_out(codec: ColumnCodec, values: Array, codes: Codes) -> Floats:
    """Share of each value's own bin that is further out, in the outermost bins; NaN elsewhere."""
    low, high = quantile_in_code(codec, values, codes)
    share = np.where(codes == codec.n_codes - 2, 1.0 - low, np.nan)
    return np.where(codes == 0, high, share)
