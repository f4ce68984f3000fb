"""Rows in; the cells that a model cannot produce out, and the same rows with draws in their place.

A level that no training row has, and a missing cell in a column that was never missing, have probability zero under
every class, so that Bayes' rule has no answer. Such cells count as unobserved: predictions are averaged over draws of
them given the rest of their row.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from janus_synth.arrays import Bools, Floats
from janus_synth.janus import Janus
from janus_synth.model import read_rows

N_DRAWS = 8
"""Draws of each unknown cell."""


def unknown_cells(janus: Janus, frame: pd.DataFrame) -> dict[str, Bools]:
    """Cells that the model cannot produce, by column; columns without any are left out.

    Examples
    --------
    >>> rows = pd.DataFrame({"city": ["Rome", "Oslo"] * 20, "age": [31, 45] * 20})
    >>> model = Janus(n_trees=1, links="off", random_state=0).fit(rows)
    >>> unknown_cells(model, pd.DataFrame({"city": ["Rome", "Bonn"], "age": [31, 45]}))
    {'city': array([False,  True])}
    """
    model = janus.model_
    present = [name for name in model.codec.names if name in frame.columns]
    codes = model.codec.encode(read_rows(model, frame, columns=present))
    found = {name: ~model.codec.columns[name].allowed[codes[model.codec.names.index(name)]] for name in present}
    return {name: cells for name, cells in found.items() if cells.any()}


def draw_unknown(janus: Janus, frame: pd.DataFrame, unknown: dict[str, Bools], *, seed: int) -> pd.DataFrame:
    """Replace unknown cells by draws given the rest of their row; all other cells stay."""
    holed = frame.copy()
    for name, cells in unknown.items():
        holed[name] = frame[name].astype(object).where(~cells, None)
    filled = janus.complete(holed, nulls="fill", unknown="keep", random_state=seed, progress=False)
    for name, cells in unknown.items():
        holed[name] = frame[name].astype(object).where(~cells, filled[name].astype(object))
    return holed


def probabilities_by_code(janus: Janus, frame: pd.DataFrame, target: str, *, seed: int) -> Floats:
    """(rows, codes) posterior predictive distribution of the target, averaged over draws of unknown cells."""
    unknown = unknown_cells(janus, frame) if janus.dag_.children(target) else {}
    if not unknown:
        return janus._by_code(frame, target)
    affected = np.any([*unknown.values()], axis=0)
    part = frame[affected]
    cells = {name: found[affected] for name, found in unknown.items()}
    draws = [janus._by_code(draw_unknown(janus, part, cells, seed=seed + i), target) for i in range(N_DRAWS)]
    out = np.empty((len(frame), draws[0].shape[1]))
    out[affected] = np.mean(draws, axis=0)
    if not affected.all():
        out[~affected] = janus._by_code(frame[~affected], target)
    return out
