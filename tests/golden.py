"""Golden cases: the same seed must give the same bytes before and after a change that is not meant to change results.

``python tests/golden.py --write FILE`` records digests of everything that a model answers on three tables,
``python tests/golden.py --check FILE`` compares. Digests hold for one machine and one set of libraries: floating-point
functions differ in the last digit between processors. So this is a tool for one sitting, and not a test.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from janus_synth import Janus, datasets
from janus_synth.fairness import Bias, plant

SEED = 7


def people() -> tuple[pd.DataFrame, dict[str, Any]]:
    """Every kind of column, with nulls, dates and identifiers; the graph is given."""
    asked = {
        "structure": datasets.hiring_graph(),
        "rules": "experience <= age - 18",
        "common": "25 <= age < 35 and department in ['sales', 'legal']",
        "rare": "(age < 21 and requested_salary > 70_000) or (age > 62 and requested_salary < 30_000)",
        "do": {"education": "phd", "age": (30, 40)},
        "effect": ("education", "requested_salary", ["bachelor", "phd"]),
        "bias": Bias("sex", "male", "hired", True, 0.25),
    }
    return datasets.hiring(1_200, random_state=1), asked


def numbers() -> tuple[pd.DataFrame, dict[str, Any]]:
    """Continuous columns, smooth and skewed; the graph is learnt."""
    rng = np.random.default_rng(2)
    x = rng.normal(size=1_500)
    frame = pd.DataFrame({"x": x, "y": 0.8 * x + rng.normal(size=1_500), "z": np.exp(x / 2 + rng.normal(size=1_500))})
    frame["group"] = np.where(frame["y"] + rng.normal(size=1_500) > 0, "up", "down")
    asked = {
        "structure": "auto",
        "common": "x > 0 and z < 2",
        "rare": "(x > 2 and y < -0.5) or (x < -2 and z > 2)",
        "do": {"x": 1.0},
        "effect": ("x", "y", [0.0, 1.0]),
    }
    return frame, asked


def levels() -> tuple[pd.DataFrame, dict[str, Any]]:
    """Categories and counts with nulls, tied by an equation."""
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 5, 1_000), rng.integers(0, 4, 1_000)
    c = np.array(list("pqrs"))[(a + rng.integers(0, 2, 1_000)) % 4]
    d = np.where(rng.random(1_000) < 0.1, np.nan, a + b + rng.integers(0, 2, 1_000))
    asked = {
        "structure": "forest",
        "common": "c != 'p' or d is null",
        "rare": "a + b == d and c == 'q' and a >= 3 and b == 0",
        "do": {"c": "r"},
        "effect": ("c", "a", ["p", "q"]),
    }
    return pd.DataFrame({"a": a, "b": b, "c": c, "d": d, "flag": rng.random(1_000) < 0.3}), asked


TABLES: tuple[Callable[[], tuple[pd.DataFrame, dict[str, Any]]], ...] = (people, numbers, levels)


def answers(frame: pd.DataFrame, asked: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Name and value of everything that is asked of a model of a table."""
    model = Janus(structure=asked["structure"], rules=asked.get("rules"), trust_graph=True, random_state=0).fit(frame)
    some = frame.head(40)
    yield (
        "fit",
        [
            array
            for bag in model.model_.bags
            for array in (bag.splits.feature, bag.splits.cut, bag.leaves.forward.toarray())
        ],
    )
    yield "sample", model.sample(500, random_state=SEED)
    yield "sample where common", model.sample(300, where=asked["common"], random_state=SEED)
    yield "sample where rare", model.sample(300, where=asked["rare"], random_state=SEED)
    yield "sample greedy", model.sample(300, where=asked["common"], method="greedy", random_state=SEED)
    yield "probability common", model.probability(asked["common"], random_state=SEED)
    yield "probability rare", model.probability(asked["rare"], random_state=SEED)
    yield "complete", model.complete(some.mask(np.random.default_rng(0).random(some.shape) < 0.3), random_state=SEED)
    yield "log_prob", model.log_prob(some)
    yield "uncertainty", model.uncertainty(some).cells
    yield "anomaly_score", model.anomaly_score(some)
    yield "do", model.do(asked["do"]).sample(200, random_state=SEED)
    yield "effect", model.effect(*asked["effect"], n=1_000, random_state=SEED)
    yield "counterfactual", model.counterfactual(some, do=asked["do"], random_state=SEED)
    if "bias" in asked:
        yield "plant", plant(model, asked["bias"], n=500, random_state=SEED).frame


def digest(value: Any) -> str:
    """Short hash of the bytes of a value."""
    if isinstance(value, pd.DataFrame):
        data = value.to_csv(float_format="%.17g").encode() + str(list(value.dtypes)).encode()
    elif isinstance(value, np.ndarray):
        data = np.ascontiguousarray(value).tobytes()
    elif isinstance(value, list):
        data = "".join(map(digest, value)).encode()
    else:
        data = repr(value).encode()
    return hashlib.sha256(data).hexdigest()[:16]


def digests() -> dict[str, str]:
    """Digest of every golden case, by table and question."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {f"{table.__name__}: {name}": digest(value) for table in TABLES for name, value in answers(*table())}


def main() -> int:
    """Write or check digests."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--write", type=Path, metavar="FILE")
    which.add_argument("--check", type=Path, metavar="FILE")
    given = parser.parse_args()
    found = digests()
    if given.write:
        given.write.write_text(json.dumps(found, indent=1))
        print(f"{len(found)} digests in {given.write}")
        return 0
    kept = json.loads(given.check.read_text())
    changed = [name for name in {**kept, **found} if kept.get(name) != found.get(name)]
    print("\n".join(f"changed: {name}" for name in changed) or f"all {len(found)} golden cases are the same")
    return bool(changed)


if __name__ == "__main__":
    sys.exit(main())
