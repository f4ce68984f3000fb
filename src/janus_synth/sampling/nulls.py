"""Null in imputed cells: a request and a column in; codes that would leave a cell empty, and a twist without them out.

A missing cell is either to be filled, then null is drawn only where the rules allow nothing else, or it is open: then
null is drawn like any value, as often as the model has it.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from janus_synth.arrays import Codes, Floats
from janus_synth.coordinates.links import NULL
from janus_synth.sampling.particles import Twist
from janus_synth.sampling.request import Request


def open_columns(request: Request, names: Collection[str]) -> frozenset[int]:
    """Columns that may be drawn as null: some columns of the user, and the hidden ones that they are computed from."""
    found = {request.index(name) for name in names}
    for link in request.links.values():
        if link.column in names:
            found |= {request.index(name) for name in link.hidden}
    return frozenset(found)


def codes_left_empty(request: Request, column: int, open_to_null: frozenset[int] = frozenset()) -> list[int]:
    """Codes that would leave a cell of the user empty: null, and of a link's source the level that says so.

    A link's own values are null wherever the column is computed, which leaves nothing empty.
    """
    if column in open_to_null:
        return []
    name, null = request.names[column], request.codec(column).n_codes - 1
    for link in request.links.values():
        if name == link.own:
            return []
        if name == link.source:
            return [int(request.codec(column).encode(np.array([NULL], np.int32))[0]), null]
    return [null]


class NonNullTwist:
    """A twist that excludes some codes wherever another is possible; it stores the factor of each code's score."""

    def __init__(self, twist: Twist, excluded: list[int]) -> None:
        self.twist, self.excluded = twist, excluded

    def __call__(self, score: Floats, log_scale: Floats) -> None:
        """Multiply the scores (rows, codes) in place."""
        before = score.copy()
        self.twist(score, log_scale)
        kept = np.setdiff1d(np.arange(score.shape[1]), self.excluded)
        possible = np.flatnonzero(score[:, kept].sum(axis=1) > 0)
        score[np.ix_(possible, np.array(self.excluded, int))] = 0.0
        self.before, self.after, self.log_scale = before, score, log_scale

    def log_factor(self, codes: Codes) -> Floats:
        """Log of the factor by which the score of each row's code changed."""
        at = np.arange(len(codes)), codes
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.log(self.after[at]) + self.log_scale - np.log(self.before[at]))
