"""Anomaly scores: a table in; for each cell −log p − 1 out, with p the conditional p-value of its value.

p is the probability, given the cell's parents, of all values that are at most as likely as the observed one. Point
masses (repeated values, levels, null) compare by probability and rank above continuous values, which compare by
density. If the model is right, p is uniform and −log p has mean 1, so scores of columns of any kind can be added.
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
    """Return −log p − 1 of each cell: 0 is the expected score, and each further nat is e times rarer."""
    x, smallest = model.codec.encode(table), 0.5 / (model.n_rows + 1)
    scores = {}
    for i, (name, codec) in enumerate(model.codec.columns.items()):
        if name in model.computed:  # certain given its inputs: as usual if it agrees with them
            agrees = agrees_with_link(model, table, name)
            scores[name] = np.where(agrees, 0.0, -np.log(smallest * IMPOSSIBLE_FACTOR) - 1.0)
            continue
        walker = model.bags[i].compiled(len(x))
        shares = walker.shares(walker.leaves(x), x)
        p = np.maximum(_tail_probability(codec, shares, table[name], x[i]), smallest)
        impossible = np.isneginf(codec.log_density(table[name], x[i])) | (shares[np.arange(len(p)), x[i]] == 0)
        far = _distance_outside(codec, table[name])
        p_impossible = smallest * np.where(far > 0, (1 + far) ** -2.0, IMPOSSIBLE_FACTOR)
        scores[name] = -np.log(np.where(impossible, p_impossible, np.minimum(p, 1.0))) - 1.0
    return scores


def _distance_outside(codec: ColumnCodec, values: Array) -> Floats:
    """Distance of each value from the column's range, in units of the 90 % quantile of the bin widths."""
    if not isinstance(codec, OrderedCodec) or not codec.n_bins:
        return np.zeros(len(values))
    width = codec.knot[:, -1] - codec.knot[:, 0]
    unit = np.quantile(width[width > 0], 0.9) if (width > 0).any() else np.ptp(codec.knot) or 1.0
    low, high = codec.knot[0, 0], codec.knot[-1, -1]
    return np.asarray(np.nan_to_num(np.maximum(np.maximum(low - values, values - high), 0.0) / unit))


def _tail_probability(codec: ColumnCodec, shares: Floats, values: Array, codes: Codes) -> Floats:
    """Probability of all values at most as likely as each row's own; of its own bin, the part further out."""
    width = np.zeros(shares.shape[1])  # a point mass has none
    if isinstance(codec, OrderedCodec):
        width[:-1] = codec.knot[:, -1] - codec.knot[:, 0]
    spread = width > 0
    density = np.divide(shares, width, out=np.zeros_like(shares), where=spread)
    rows = np.arange(len(codes))
    own, mass, wide = density[rows, codes], shares[rows, codes], spread[codes]
    below_mass = (shares * (shares < mass[:, None]) * ~spread).sum(axis=1)
    below_density = (shares * (density < own[:, None]) * spread).sum(axis=1)
    outer = np.where(wide, _share_further_out(codec, values, codes), 1.0) * mass
    return np.asarray(np.where(wide, below_density, below_mass + (shares * spread).sum(axis=1)) + outer)


def _share_further_out(codec: ColumnCodec, values: Array, codes: Codes) -> Floats:
    """Share of each value's own bin that counts as less likely: exact in the outermost bins, one half elsewhere."""
    low, high = quantile_in_code(codec, values, codes)
    share = np.full(len(codes), 0.5)
    last = codec.n_codes - 2
    share = np.where(codes == last, 1.0 - low, share)
    return np.where(codes == 0, high, share)
