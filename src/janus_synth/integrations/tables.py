"""A fitted model and a column with few values in; a table of its probabilities given the states of its parents out."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from janus_synth.arrays import Floats
from janus_synth.encoding import LevelCodec, OrderedCodec
from janus_synth.errors import DataError
from janus_synth.janus import Janus
from janus_synth.kernels.dtypes import CODE
from janus_synth.model import Model
from janus_synth.questions import labelled_probabilities
from janus_synth.sampling.request import make_request

MOST_STATES, MOST_CELLS = 64, 1_000_000
"""Values of a column, and cells of a table, beyond which it is no longer useful."""


@dataclass(frozen=True, slots=True)
class ConditionalTable:
    """Probabilities of a column's states given those of its parents.

    Attributes
    ----------
    column : str
        The column.
    states : tuple of str
        Its levels or values; ``"null"`` last, if cells may be missing.
    parents : tuple of str
        Columns it depends on.
    parent_states : tuple of tuple of str
        States of each parent.
    values : array of shape (states, combinations)
        Columns sum to 1; combinations of parents' states in order, the last parent changing fastest.
    """

    column: str
    states: tuple[str, ...]
    parents: tuple[str, ...]
    parent_states: tuple[tuple[str, ...], ...]
    values: Floats


def conditional_table(janus: Janus, column: str) -> ConditionalTable:
    """Return the conditional probability table of a column with few values, averaged over its trees.

    Parameters
    ----------
    janus : Janus
        A fitted model. Its rules are not part of the table.
    column : str
        A column whose values, and those of its parents, are few.

    Returns
    -------
    ConditionalTable
        Exact: what ``sample`` draws from where there are no rules.

    Raises
    ------
    DataError
        If the column or a parent has too many values, or is computed from others.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"a": ["x", "y"] * 100, "b": [True, False] * 100})
    >>> table = conditional_table(Janus(structure=[("a", "b")], links="off", random_state=0).fit(frame), "b")
    >>> table.states, table.parent_states, table.values.round(1).tolist()
    (('False', 'True'), (('x', 'y'),), [[0.0, 1.0], [1.0, 0.0]])
    """
    model = janus._model()
    names = model.codec.names
    if column not in names:
        model.visible_schema[column]  # raises an error with similar names
        raise DataError(f"column {column!r} is an identifier, which nothing depends on.")
    if column in model.computed:
        raise DataError(f"column {column!r} is computed from others and has no table. Fit with links='off'.")
    parents = model.dag.parents[column]
    states = {name: _states(model, name) for name in (column, *parents)}
    n_cells = int(np.prod([len(states[name]) for name in states], dtype=float))
    if n_cells > MOST_CELLS:
        raise DataError(f"the table of {column!r} has {n_cells:,} cells. Fit with fewer parents, or fewer values.")
    combinations = list(itertools.product(*(states[name].values() for name in parents)))
    x = np.zeros((len(names), len(combinations)), CODE)
    for i, parent in enumerate(parents):
        x[names.index(parent)] = [combination[i] for combination in combinations]
    request = make_request(model, (), also=range(len(names)))
    walker = request.trees(names.index(column))
    by_code = walker.shares(walker.leaves(x), x)
    named = labelled_probabilities(model, column, by_code / by_code.sum(axis=1, keepdims=True))
    values = np.array([named[state] for state in states[column]])
    return ConditionalTable(
        column, tuple(states[column]), parents, tuple(tuple(states[name]) for name in parents), values / values.sum(0)
    )


def _states(model: Model, name: str) -> dict[str, int]:
    """Codes of a column's states by name."""
    codec, column = model.codec.columns[name], model.schema[name]
    found: dict[str, int] = {}
    if isinstance(codec, LevelCodec):
        present = np.flatnonzero(codec.weight > 0)
        codes = codec.encode(present.astype(np.int32))
        found = {str(column.levels[level]): int(code) for level, code in zip(present, codes, strict=True)}
    elif isinstance(codec, OrderedCodec):
        if codec.n_bins > MOST_STATES or any(codec.smallest(k) != codec.largest(k) for k in range(codec.n_bins)):
            raise DataError(
                f"column {name!r} is {column.kind} with too many values for a table. Cut it into levels before the "
                "fit, for example with pd.cut."
            )
        labels = labelled_probabilities(model, name, np.ones((1, codec.n_codes)))
        found = {label: k for k, label in enumerate(labels) if label != "null" or k < codec.n_bins}
    if codec.allowed[-1]:
        found["null"] = codec.n_codes - 1
    if len(found) > MOST_STATES:
        raise DataError(f"column {name!r} has {len(found)} levels; a table takes up to {MOST_STATES}.")
    return found
