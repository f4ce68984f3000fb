"""A target column to class labels, whether it is made of levels or of two numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from janus_synth.arrays import LongInts
from janus_synth.metrics.rows import Rows


@dataclass(frozen=True, slots=True)
class Target:
    """A column to predict; ``n_classes`` is 0 when its values are numbers to regress on."""

    name: str
    n_classes: int
    threshold: float | None = None

    def labels(self, rows: Rows) -> LongInts:
        """Class of each row, −1 where the target is missing."""
        values = rows[self.name]
        if self.threshold is None:
            return values.astype(np.int64)
        return np.where(np.isnan(values), -1, values > self.threshold).astype(np.int64)

    def known(self, rows: Rows) -> Rows:
        """Rows whose target is not missing."""
        values = rows[self.name]
        present = np.isfinite(values) if values.dtype.kind == "f" else values >= 0
        return rows if present.all() else rows.take(np.flatnonzero(present))


def target_of(rows: Rows, name: str) -> Target:
    """Decide on real rows what predicting a column means.

    A number that takes two values (0 and 1, say) is a class; a synthetic 0.3 belongs to the nearer one.
    """
    column = rows.column(name)
    if column.discrete:
        return Target(name, column.n_levels)
    values = rows[name]
    distinct = np.unique(values[np.isfinite(values)])
    if len(distinct) == 2:
        return Target(name, 2, threshold=float(distinct.mean()))
    return Target(name, 0)
