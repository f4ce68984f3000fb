"""Rows off the data: a kind of table, a number of columns and a seed in; how well each method tells them apart, out.

Rows lie in a gap, beyond an edge, or have a level or a combination that no training row has. Everything else about them
is as in training. Rivals are an ensemble of five networks and a Gaussian process, both of scikit-learn.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
import pandas as pd

from janus_bench.uncertainty.measures import Reals

KINDS = ("gap", "edge", "level", "combination", "levels together")
TARGET = "y"
EFFECTS = {"a": -1.0, "b": 0.0, "c": 1.0, "d": 2.0, "p": -1.0, "q": 0.0, "r": 1.0}
"""What each level adds to the target."""
GAUSSIAN_ROWS, TUNING_ROWS = 1_000, 300
"""Rows that the Gaussian process learns from, and those that its kernel is tuned on: its cost is cubic."""


@dataclass(frozen=True, slots=True)
class OffData:
    """How well a measure separates rows off the data from rows inside: AUC, and the means of both."""

    kind: str
    n_columns: int
    method: str
    seed: int
    auc: float
    inside: float
    off: float


def draw_parents(kind: str, n: int, n_columns: int, rng: np.random.Generator, *, off: bool = False) -> pd.DataFrame:
    """Columns that the target depends on; ``off`` rows lie where this kind of table has none.

    Examples
    --------
    >>> list(draw_parents("level", 10, 3, np.random.default_rng(0)))
    ['x0', 'x1', 'g']
    """
    n_levels = {"level": 1, "levels together": 2}.get(kind, 0)
    frame = pd.DataFrame({f"x{j}": rng.normal(size=n) for j in range(n_columns - n_levels)})
    if kind == "gap":
        frame["x0"] = rng.uniform(-0.7, 0.7, n) if off else rng.choice([-2, 2], n) + rng.uniform(-0.6, 0.6, n)
    if kind == "edge" and off:
        moved = rng.integers(n_columns, size=n)
        far = rng.uniform(4.5, 9, n) * rng.choice([-1, 1], n)
        for j in range(n_columns):
            frame[f"x{j}"] = np.where(moved == j, far, frame[f"x{j}"])
    if kind == "combination":
        frame["x1"] = frame["x0"] + 0.3 * rng.normal(size=n)
        if off:
            frame["x0"] = rng.uniform(1, 2.2, n) * rng.choice([-1, 1], n)
            frame["x1"] = -frame["x0"]
    if n_levels:
        frame["g"] = "d" if off and kind == "level" else rng.choice(list("abc"), n)
    if n_levels == 2:
        never = (frame["g"] == "a").to_numpy()
        frame["h"] = np.where(never, rng.choice(list("pq"), n), rng.choice(list("pqr"), n))
        if off:
            frame["g"], frame["h"] = "a", "r"
    return frame


def with_target(frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Add a target that every column matters for, with noise of 0.4 of its spread."""
    total = np.zeros(len(frame))
    for i, name in enumerate(map(str, frame)):
        if name.startswith("x"):
            total += np.sin(1.5 * frame[name]) if i % 2 == 0 else 0.7 * frame[name]
        else:
            total += 1.2 * frame[name].map(EFFECTS).to_numpy(dtype=float)
    return frame.assign(**{TARGET: total / total.std() + 0.4 * rng.normal(size=len(frame))})


def separate(kind: str, *, n_columns: int, seed: int, n_train: int, n_test: int) -> list[OffData]:
    """Fit every method to one table, and measure rows inside and off the data."""
    from sklearn.exceptions import ConvergenceWarning

    rng = np.random.default_rng([seed, KINDS.index(kind), n_columns])
    train = with_target(draw_parents(kind, n_train, n_columns, rng), rng)
    asked = pd.concat([draw_parents(kind, n_test, n_columns, rng, off=side) for side in (False, True)])
    asked = asked.reset_index(drop=True)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=ConvergenceWarning)  # networks stop after a set number of epochs
        scores = {**_ours(train, asked, seed), **_rivals(train, asked, seed)}
    return [_score_detector(kind, n_columns, name, seed, score, n_test) for name, score in scores.items()]


def _score_detector(kind: str, n_columns: int, name: str, seed: int, score: Reals, n_inside: int) -> OffData:
    from sklearn.metrics import roc_auc_score

    off = np.arange(len(score)) >= n_inside
    return OffData(
        kind,
        n_columns,
        name,
        seed,
        float(roc_auc_score(off, score)),
        float(score[~off].mean()),
        float(score[off].mean()),
    )


def _ours(train: pd.DataFrame, asked: pd.DataFrame, seed: int) -> dict[str, Reals]:
    from janus_synth import Janus

    found: dict[str, Reals] = {}
    graph = [(name, TARGET) for name in asked]
    for leaves in ("auto", "histogram"):
        model = Janus(structure=graph, leaves=leaves, random_state=seed, n_jobs=1).fit(train, progress=False)
        measures = model.uncertainty(asked, TARGET)[TARGET]
        found[f"JANUS {leaves}, epistemic"] = measures["epistemic"].to_numpy()
        found[f"JANUS {leaves}, 1 − support"] = 1 - measures["support"].to_numpy()
    return found


def _rivals(train: pd.DataFrame, asked: pd.DataFrame, seed: int) -> dict[str, Reals]:
    """Standard deviation of the predictions of an ensemble and of a Gaussian process; levels become indicators."""
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, WhiteKernel
    from sklearn.neural_network import MLPRegressor

    known = pd.get_dummies(train.drop(columns=TARGET)).astype(float)
    new = pd.get_dummies(asked).astype(float).reindex(columns=known.columns, fill_value=0.0)
    x, q = (((part - known.mean()) / known.std()).to_numpy() for part in (known, new))
    y = train[TARGET].to_numpy()
    nets = [
        MLPRegressor(hidden_layer_sizes=(64, 64), max_iter=60, random_state=10 * seed + i).fit(x, y) for i in range(5)
    ]
    kernel = 1.0 * RBF(np.ones(x.shape[1])) + WhiteKernel(0.2)
    tuned = GaussianProcessRegressor(kernel, normalize_y=True, random_state=seed).fit(x[:TUNING_ROWS], y[:TUNING_ROWS])
    process = GaussianProcessRegressor(tuned.kernel_, normalize_y=True, optimizer=None)
    process.fit(x[:GAUSSIAN_ROWS], y[:GAUSSIAN_ROWS])
    return {
        "deep ensemble": np.std([net.predict(q) for net in nets], axis=0),
        "Gaussian process": process.predict(q, return_std=True)[1],
    }
