"""How odd rows are: for each cell, how much of what its parents allow is no likelier than it.

Likelier means more mass per unit: atoms, null and levels by their mass, before all values that spread; bins by their
density. The probability p of all that is no likelier is uniform if the model is right, so −log p is 1 in the mean, and
masses, densities and columns of any kind add up.
"""

from __future__ import annotations

import numpy as np

from janus_synth.arrays import Array, Codes, Floats
from janus_synth.encoding import ColumnCodec, OrderedCodec
from janus_synth.model import Model
from janus_synth.questions.ranks import share_inside
from janus_synth.table import Table

IMPOSSIBLE = 0.5
"""How much less likely than the rarest is a level or a value that the model does not know."""


def oddity_by_column(model: Model, table: Table) -> dict[str, Floats]:
    """−log p − 1 of each cell: 0 is as usual, and a nat more is e times rarer."""
    x, rarest = model.codec.encode(table), 0.5 / (model.n_rows + 1)
    odd = {}
    for i, (name, codec) in enumerate(model.codec.columns.items()):
        walker = model.bags[i].compiled(len(x))
        shares = walker.shares(walker.leaves(x), x)
        tail = np.maximum(_no_likelier(codec, shares, table[name], x[i]), rarest)
        impossible = np.isneginf(codec.log_density(table[name], x[i])) | (shares[np.arange(len(tail)), x[i]] == 0)
        beyond = rarest * np.where((far := _beyond(codec, table[name])) > 0, (1 + far) ** -2.0, IMPOSSIBLE)
        odd[name] = -np.log(np.where(impossible, beyond, np.minimum(tail, 1.0))) - 1.0
    return odd


def _beyond(codec: ColumnCodec, values: Array) -> Floats:
    """How far outside its column's range a value lies, in widths of all its bins but the widest tenth."""
    if not isinstance(codec, OrderedCodec) or not codec.n_bins:
        return np.zeros(len(values))
    width = codec.knot[:, -1] - codec.knot[:, 0]
    unit = np.quantile(width[width > 0], 0.9) if (width > 0).any() else np.ptp(codec.knot) or 1.0
    low, high = codec.knot[0, 0], codec.knot[-1, -1]
    return np.asarray(np.nan_to_num(np.maximum(np.maximum(low - values, values - high), 0.0) / unit))


def _no_likelier(codec: ColumnCodec, shares: Floats, values: Array, codes: Codes) -> Floats:
    """Probability of all that is no likelier than each row's value; of its own bin the part that lies further out."""
    width = np.zeros(shares.shape[1])  # a mass has none
    if isinstance(codec, OrderedCodec):
        width[:-1] = codec.knot[:, -1] - codec.knot[:, 0]
    spread = width > 0
    density = np.divide(shares, width, out=np.zeros_like(shares), where=spread)
    rows = np.arange(len(codes))
    own, mass, wide = density[rows, codes], shares[rows, codes], spread[codes]
    below_mass = (shares * (shares < mass[:, None]) * ~spread).sum(axis=1)
    below_density = (shares * (density < own[:, None]) * spread).sum(axis=1)
    outer = np.where(wide, _further_out(codec, values, codes), 1.0) * mass
    return np.asarray(np.where(wide, below_density, below_mass + (shares * spread).sum(axis=1)) + outer)


def _further_out(codec: ColumnCodec, values: Array, codes: Codes) -> Floats:
    """Share of each value's own bin that lies further out: half of it, but in the outermost bins by where it is."""
    low, high = share_inside(codec, values, codes)
    share = np.full(len(codes), 0.5)
    last = codec.n_codes - 2
    share = np.where(codes == last, 1.0 - low, share)
    return np.where(codes == 0, high, share)
