"""Flips of a column with two values: a mechanism and a seed in, the share of rows that JANUS flips and the truth out.

The outcome is 1 where f(x, z) plus logistic noise is positive, and x is set to that of another row. The noise of a row
decides its true counterfactual. Which rows flip is not identified beyond their probability; the share of rows is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from janus_bench.counterfactual.models import other_rows
from janus_synth import Janus
from janus_synth.arrays import Floats

GRAPH = [("z", "x"), ("z", "y"), ("x", "y")]
MECHANISMS: Mapping[str, Callable[[Floats, Floats], Floats]] = {
    "line": lambda x, z: 1.2 * x + 0.6 * z,
    "kink": lambda x, z: 2 * np.maximum(x, 0) - 1 + 0.5 * z,
    "wave": lambda x, _: 1.5 * np.sin(2 * x),
    "rare": lambda x, _: x - 2.5,
}
STORED: Mapping[str, type] = {"integers": int, "booleans": bool}


@dataclass(frozen=True, slots=True)
class FlipTask:
    """Input of a measurement."""

    mechanism: str
    stored: str
    seed: int
    n_train: int
    n_test: int


def flip_task(task: FlipTask) -> dict[str, float]:
    """Fit, set x, and count rows whose outcome changed.

    Examples
    --------
    >>> found = flip_task(FlipTask("line", "booleans", seed=0, n_train=400, n_test=200))
    >>> sorted(found)
    ['expected', 'found', 'truth', 'wrong']
    """
    rng = np.random.default_rng([task.seed, list(MECHANISMS).index(task.mechanism), 11])
    train, _ = _draw(task, task.n_train, rng)
    rows, noise = _draw(task, task.n_test, rng)
    x = rows["x"].to_numpy()[other_rows(task.n_test, rng)]
    mechanism, z = MECHANISMS[task.mechanism], rows["z"].to_numpy()
    truth = mechanism(x, z) + noise > 0
    model = Janus(structure=GRAPH, random_state=task.seed, n_jobs=1).fit(train, progress=False)
    after: Any = model.counterfactual(rows, do={"x": x}, progress=False)
    before, found = rows["y"].to_numpy().astype(bool), after["y"].to_numpy().astype(bool)
    p, q = (1 / (1 + np.exp(-mechanism(at, z))) for at in (rows["x"].to_numpy(), x))
    return {
        "truth": float(np.mean(truth != before)),
        "expected": float(np.mean(np.abs(p - q))),
        "found": float(np.mean(found != before)),
        "wrong": float(np.mean(found != truth)),
    }


def _draw(task: FlipTask, n: int, rng: np.random.Generator) -> tuple[pd.DataFrame, Floats]:
    """Rows, and the noise of their outcome."""
    z = rng.normal(size=n)
    x = 0.5 * z + rng.normal(size=n)
    noise = rng.logistic(size=n)
    y: Any = (MECHANISMS[task.mechanism](x, z) + noise > 0).astype(STORED[task.stored])
    return pd.DataFrame({"z": z, "x": x, "y": y}), noise
