"""CTGAN and TVAE of the library ``ctgan``, with the encoding they leave to users: nulls, dates, levels.

They train on one thread: networks this small are slower with two, and several times slower on a busy machine.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd

from janus_bench.libraries import needed, quiet
from janus_bench.peers.coding import Coded, TableCoder
from janus_bench.peers.training import seeded
from janus_synth.errors import NotFittedError


class Ctgan:
    """CTGAN: a generator trained against a critic, conditioned on levels.

    Xu, Skoularidou, Cuesta-Infante and Veeramachaneni, "Modeling Tabular Data using Conditional GAN", NeurIPS 2019.

    Parameters
    ----------
    epochs : int
        Passes over the table; the library's own default.
    """

    name = "CTGAN"
    libraries: ClassVar[tuple[str, ...]] = ("ctgan", "rdt", "torch")

    def __init__(self, *, epochs: int = 300) -> None:
        self.epochs = epochs
        self._coder: TableCoder | None = None
        self._model: Any = None

    def brief(self) -> Self:
        """The same method trained for one epoch only."""
        return type(self)(epochs=1)

    def fit(self, frame: pd.DataFrame, *, seed: int) -> Self:
        """Train on floats and on levels as text."""
        self._coder, coded = TableCoder.learn(frame)
        plain, discrete = _plain(coded)
        with quiet(), needed("ctgan"):
            import ctgan
            import joblib
        with seeded(seed), quiet():  # warnings: mixtures that do not converge, deprecations in the library
            self._model = getattr(ctgan, self.name)(epochs=self.epochs, verbose=False, enable_gpu=False)
            self._model.set_random_state(seed)
            # From 500 rows on, columns are encoded in parallel from one random state: results would depend on order.
            with joblib.parallel_config("sequential"):
                self._model.fit(plain, discrete)
        return self

    def sample(self, n: int, *, seed: int) -> pd.DataFrame:
        """Draw floats and levels, and decode them to a table."""
        if self._coder is None:
            raise NotFittedError(f"{self.name} has not seen data. Call fit first.")
        with seeded(seed), quiet():
            self._model.set_random_state(seed)
            plain = self._model.sample(max(n, 1)).iloc[:n]
        return self._coder.decode(_coded(plain, len(self._coder.numbers)), seed=seed)


class Tvae(Ctgan):
    """TVAE: a variational autoencoder of the same columns, from the same paper and library."""

    name = "TVAE"


def _plain(coded: Coded) -> tuple[pd.DataFrame, list[str]]:
    """Columns x0, x1, … of floats and c0, c1, … of text; names of the latter."""
    numbers = {f"x{i}": coded.numbers[:, i] for i in range(coded.numbers.shape[1])}
    levels = {f"c{j}": coded.codes[:, j].astype(str).astype(object) for j in range(coded.codes.shape[1])}
    return pd.DataFrame({**numbers, **levels}), list(levels)


def _coded(plain: pd.DataFrame, n_numbers: int) -> Coded:
    numbers, levels = plain.iloc[:, :n_numbers], plain.iloc[:, n_numbers:]
    return Coded(numbers.to_numpy(dtype=np.float64), levels.astype(str).to_numpy(dtype=object).astype(np.int64))
