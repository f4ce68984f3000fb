"""How a table that needs no file is drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

Columns = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a table is drawn, how many rows it has, its target, and its true edges where there are such.

    Examples
    --------
    >>> coin = Recipe(lambda n, rng: {"side": rng.choice(["head", "tail"], size=n)}, 10, "side")
    >>> coin.table().shape, coin.table(3, seed=1).shape
    ((10, 1), (3, 1))
    """

    draw: Callable[[int, np.random.Generator], Columns]
    n_rows: int
    target: str
    graph: tuple[tuple[str, str], ...] = ()

    def table(self, n: int | None = None, *, seed: int = 0) -> pd.DataFrame:
        """Draw ``n`` rows, by default as many as the table has."""
        import pandas as pd

        return pd.DataFrame(self.draw(self.n_rows if n is None else n, np.random.default_rng(seed)))
