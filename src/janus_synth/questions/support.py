"""Where rows lie beside the training rows: a model and a table in; local evidence and distances of values out."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from janus_synth.arrays import Array, Bools, Codes, Floats
from janus_synth.encoding import LevelCodec, OrderedCodec
from janus_synth.encoding.codec import ColumnCodec
from janus_synth.encoding.gaps import NO_GAPS, distance_to_edge, occupied_ends, width_below
from janus_synth.model import Model
from janus_synth.table import Table
from janus_synth.trees.evidence import LocalEvidence, Places, local_evidence

KEY = "local_evidence"
"""Where a bag keeps its evidence, beside its other derived arrays."""


def evidence_of(model: Model, column: str) -> LocalEvidence:
    """The local evidence of a column's bag, computed on first use and kept in the bag; a changed bag is a new one."""
    bag = model.bag(column)
    kept: dict[str, LocalEvidence] = vars(bag)
    if KEY not in kept:
        offsets = np.concatenate([[0], np.cumsum(model.codec.n_codes)])
        kept[KEY] = local_evidence(bag, [_places(model, int(j)) for j in bag.parents], offsets)
    return kept[KEY]


def _places(model: Model, j: int) -> Places:
    codec, bag = model.codec.columns[model.codec.names[j]], model.bags[j]
    counts = np.asarray(bag.leaves.forward.sum(axis=0)).ravel() // bag.splits.n_trees
    low, high = _ends(codec)
    gaps = codec.gaps if isinstance(codec, OrderedCodec) else NO_GAPS
    return Places(low, high, width_below(gaps, low), counts)


def _ends(codec: ColumnCodec) -> tuple[Floats, Floats]:
    """Ends of the bins of an ordered column, without gaps."""
    if not isinstance(codec, OrderedCodec):
        return np.empty(0), np.empty(0)
    return occupied_ends(codec.gaps, codec.knot[:, 0], codec.knot[:, -1])


def rows_in_columns(model: Model, table: Table, x: Codes, columns: Iterable[int]) -> dict[int, tuple[Floats, Floats]]:
    """For each column the values of the rows, and their distance from where any training row is.

    ``x`` are the codes of the table. A level that the model has not seen is at distance 1.
    """
    names = model.codec.names
    return {j: _distances(model.codec.columns[names[j]], table[names[j]], x[j]) for j in columns}


def _distances(codec: ColumnCodec, values: Array, codes: Codes) -> tuple[Floats, Floats]:
    if isinstance(codec, LevelCodec):
        return np.zeros(len(values)), is_unseen(codec, values).astype(float)
    assert isinstance(codec, OrderedCodec)
    low, high = (np.append(ends, 0.0)[codes] for ends in _ends(codec))  # missing is at 0
    value = np.where(codes < codec.n_bins, values, 0.0)
    off = np.maximum(np.maximum(low - value, value - high), 0.0)
    return value, np.maximum(off, distance_to_edge(codec.gaps, value)) if len(codec.gaps) else off


def is_unseen(codec: LevelCodec, levels: Array) -> Bools:
    """Levels that no training row had; missing is none of them."""
    seen = np.append(codec.weight > 0, [False, True])
    return ~seen[np.where(levels < 0, len(codec.weight) + 1, np.minimum(levels, len(codec.weight)))]


def unseen_levels(model: Model, table: Table) -> dict[str, tuple[object, ...]]:
    """Levels that occur in a table, and in no training row, by column."""
    found = {}
    for name, codec in model.codec.columns.items():
        if isinstance(codec, LevelCodec) and name in table.columns:
            levels = table[name]
            new = np.unique(levels[is_unseen(codec, levels)])
            if len(new):
                found[name] = tuple(table.schema[name].levels[i] for i in new)
    return found
