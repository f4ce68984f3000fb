"""A fitted model in; the weight of every arrow of its graph out: how often the child's trees split on the parent."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from janus_synth.arrays import Floats

if TYPE_CHECKING:
    from janus_synth.model import Model
    from janus_synth.trees import Bag

Edge = tuple[str, str]


NOTICEABLE = 0.5
"""A trend counts as used if it changes by this many residual spreads over a leaf and has this weight in it."""


def arrow_use(model: Model) -> dict[Edge, float]:
    """Share of training rows for which the child's trees split on the parent, by ``(parent, child)``.

    A parent at the root of every tree has 1; one that matters for few rows is close to 0.

    Parameters
    ----------
    model : Model
        A fitted model: ``Janus(...).fit(frame).model_``.

    Examples
    --------
    >>> import pandas as pd
    >>> from janus_synth import Janus
    >>> frame = pd.DataFrame({"a": [0, 1] * 50, "b": [5, 7] * 50})
    >>> arrow_use(Janus(structure=[("a", "b")], random_state=0).fit(frame).model_)
    {('a', 'b'): 1.0}
    """
    names = model.codec.names
    use: dict[Edge, float] = {}
    for child in names:
        if child in model.computed:  # from all its inputs, in every row
            use |= dict.fromkeys(((name, child) for name in model.computed[child].inputs), 1.0)
            continue
        bag = model.bag(child)
        for feature, share in zip(bag.parents, _share_used(bag), strict=True):
            use[names[int(feature)], child] = float(share)
    return use


def _share_used(bag: Bag) -> Floats:
    """For every column the bag depends on, the share of rows whose split or trend depends on it, over all its trees."""
    s, parents = bag.splits, bag.parents
    used = np.zeros((len(s.left), len(parents)), bool)
    for node in np.flatnonzero(s.left >= 0):  # children come after their parents
        here = used[node] | (parents == s.feature[node])
        used[s.left[node]] = used[s.right[node]] = here
    leaves = np.flatnonzero(s.left < 0)
    used = used[leaves]
    if bag.trends is not None:
        trends, of = bag.trends, s.leaf_of_node[leaves]
        swing = np.abs(trends.coef[of, :-1]) * (trends.high[of] - trends.low[of])
        steep = (swing > NOTICEABLE * trends.spread[of, None]) & (trends.weight[of, None] > NOTICEABLE)
        used[:, np.searchsorted(parents, trends.parents)] |= steep
    rows = np.asarray(bag.leaves.forward.sum(axis=1), float).ravel()[s.leaf_of_node[leaves]]
    total = float(rows.sum())
    return rows @ used / total if total > 0 else np.zeros(len(parents))
