"""Rows as they were: a reference line that learns nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Self

import numpy as np

from janus_bench.arrays import Floats
from janus_bench.counterfactual.models import Parents

if TYPE_CHECKING:
    import pandas as pd


class CopiedRow:
    """Nothing would have been different but what was set."""

    def fit(self, frame: pd.DataFrame, parents: Parents, seed: int) -> Self:
        """There is nothing to learn."""
        return self

    def counterfactual(self, frame: pd.DataFrame, do: Mapping[str, Floats]) -> pd.DataFrame:
        """The row as it was, with the values that were set."""
        return frame.assign(**{column: np.asarray(values) for column, values in do.items()})


def copied_row(share: float) -> CopiedRow:
    """The same for any share of the effort."""
    return CopiedRow()
