"""A fitted model and rows in; the posterior predictive distribution of its target out, and its uncertainty in parts.

Where the target has no children in the graph, the parts come in closed form from ``Janus.uncertainty``. Otherwise they
come from models drawn from the posterior, one tree per column: aleatoric is the mean entropy of their predictions,
epistemic the rest of the entropy of the mean prediction (mutual information of the target and the model).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from janus_synth.arrays import Floats
from janus_synth.encoding import OrderedCodec
from janus_synth.errors import DataError
from janus_synth.estimators.unknown_cells import draw_unknown, probabilities_by_code, unknown_cells
from janus_synth.janus import Janus
from janus_synth.kernels.dtypes import CODE
from janus_synth.model import Model, read_rows
from janus_synth.questions import code_probabilities, predictor_columns
from janus_synth.streams import Stream, seed_sequence
from janus_synth.table import Table
from janus_synth.trees.posterior import draw_bag

N_RANGES = 8
"""Ranges of a number on which entropies are measured, as in ``Janus.uncertainty``."""
N_POINTS = 16
"""Quantiles inside a code whose mean stands for the mean of the code."""


@dataclass(frozen=True, slots=True)
class NumericPrediction:
    """Distribution of a numeric target: (rows, codes) probabilities, and the codes' quantile functions."""

    by_code: Floats
    codec: OrderedCodec

    @classmethod
    def of(cls, janus: Janus, frame: pd.DataFrame, target: str, *, seed: int = 0) -> NumericPrediction:
        """Predict a column of a fitted model; the code of *missing* is left out."""
        by_code = probabilities_by_code(janus, frame, target, seed=seed)[:, :-1]
        codec = janus.model_.codec.columns[target]
        assert isinstance(codec, OrderedCodec)
        return cls(by_code / by_code.sum(axis=1, keepdims=True), codec)

    def mean(self) -> Floats:
        """Mean of each row."""
        return np.asarray(self.by_code @ self._points().mean(axis=1))

    def std(self) -> Floats:
        """Standard deviation of each row."""
        points = self._points()
        centred = points - points.mean()  # large offsets would cancel
        first, second = self.by_code @ centred.mean(axis=1), self.by_code @ (centred**2).mean(axis=1)
        return np.asarray(np.sqrt(np.maximum(second - first**2, 0.0)))

    def quantile(self, q: float) -> Floats:
        """Quantile of each row."""
        below = np.cumsum(self.by_code, axis=1)
        codes = np.minimum((below < q * below[:, -1:]).sum(axis=1), below.shape[1] - 1)
        rows = np.arange(len(codes))
        own = self.by_code[rows, codes]
        inside = np.clip((q - (below[rows, codes] - own)) / np.maximum(own, 1e-300), 0.0, 1.0)
        return self.codec.decode(codes.astype(CODE), inside)

    def _points(self) -> Floats:
        """(codes, points) values at evenly spaced quantiles of each code."""
        n_codes = self.by_code.shape[1]
        inside = np.tile((np.arange(N_POINTS) + 0.5) / N_POINTS, n_codes)
        values = self.codec.decode(np.repeat(np.arange(n_codes), N_POINTS).astype(CODE), inside)
        return np.asarray(values).reshape(n_codes, N_POINTS)


def uncertainty_frame(janus: Janus, frame: pd.DataFrame, target: str, *, n_draws: int, seed: int) -> pd.DataFrame:
    """Return total, aleatoric and epistemic uncertainty of each prediction in nats, and support where it is known."""
    if not janus.dag_.children(target):
        found: pd.DataFrame = janus.uncertainty(frame, [target])[target]
        return found[["total", "aleatoric", "epistemic", "support"]]
    if unknown := unknown_cells(janus, frame):
        frame = draw_unknown(janus, frame, unknown, seed=seed)
    draws = _posterior_predictions(janus, frame, target, n_draws=n_draws, seed=seed)
    draws = draws @ ranges_of(janus, target)
    total, aleatoric = entropy(draws.mean(axis=0)), entropy(draws).mean(axis=0)
    parts = {"total": total, "aleatoric": aleatoric, "epistemic": total - aleatoric}
    return pd.DataFrame(parts, index=frame.index)


def ranges_of(janus: Janus, target: str) -> Floats:
    """(codes, ranges) membership of codes in at most eight ranges with equal numbers of training rows.

    Codes of levels are ranges of their own, and so is the code of *missing*.
    """
    codec = janus.model_.codec.columns[target]
    if not isinstance(codec, OrderedCodec):
        return np.eye(codec.n_codes)
    counts = np.asarray(janus.model_.bag(target).leaves.forward.sum(axis=0), float).ravel()[:-1]
    middle = (np.cumsum(counts) - counts / 2) / max(counts.sum(), 1.0)
    group = np.append(np.minimum((middle * N_RANGES).astype(int), N_RANGES - 1), N_RANGES)
    return np.asarray(np.eye(N_RANGES + 1)[group])


def entropy(shares: Any) -> Floats:
    """Entropy of the last axis, in nats.

    Examples
    --------
    >>> entropy([[0.5, 0.5], [1.0, 0.0]]).round(4).tolist()
    [0.6931, 0.0]
    """
    p = np.asarray(shares, float)
    return np.asarray((p * -np.log(np.where(p > 0, p, 1.0))).sum(axis=-1)) + 0.0


def _posterior_predictions(janus: Janus, frame: pd.DataFrame, target: str, *, n_draws: int, seed: int) -> Floats:
    """(draws, rows, codes) predictions of models drawn from the posterior."""
    model = janus.model_
    table = read_rows(model, frame, columns=predictor_columns(model, target, list(frame.columns)))
    found = []
    for stream in seed_sequence(seed, Stream.POSTERIOR_PREDICTIONS).spawn(n_draws):
        rng = np.random.default_rng(stream)
        drawn = replace(model, bags=tuple(draw_bag(bag, rng) for bag in model.bags))
        found.append(_predictions(drawn, model, table, target, n_jobs=janus.n_jobs))
    return np.array(found)


def _predictions(drawn: Model, mean: Model, table: Table, target: str, *, n_jobs: int | None) -> Floats:
    """Predictions of a drawn model; of the posterior mean for rows that the drawn one cannot produce at all.

    A share drawn from a posterior with hardly any rows may vanish. Such rows are rare, so that halves are tried.
    """
    try:
        return code_probabilities(drawn, table, target, n_jobs=n_jobs)
    except DataError:
        n = table.n_rows
        if n == 1:
            return code_probabilities(mean, table, target, n_jobs=n_jobs)
        halves = (table.take(np.arange(n // 2)), table.take(np.arange(n // 2, n)))
        return np.concatenate([_predictions(drawn, mean, half, target, n_jobs=n_jobs) for half in halves])
