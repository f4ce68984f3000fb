"""A population, and generators whose leaks are known."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest


def people(n: int, rng: np.random.Generator) -> pd.DataFrame:
    """Dependent columns of all kinds, with gaps."""
    z = rng.normal(size=(n, 3))
    return pd.DataFrame(
        {
            "pay": z[:, 0],
            "rent": z[:, 0] + 0.5 * z[:, 1],
            "height": z[:, 2],
            "children": rng.poisson(np.exp(z[:, 0])),
            "school": np.digitize(z[:, 1] + rng.normal(size=n), [-1, 0, 1]).astype(str),
            "member": z[:, 2] + rng.normal(size=n) > 0,
            "score": np.where(rng.random(n) < 0.2, np.nan, z[:, 2].round(1)),
        }
    )


def bootstrap(train: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    return train.iloc[rng.integers(len(train), size=len(train))].reset_index(drop=True)


def jittered(train: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Copies whose numbers are off by a twentieth of a standard deviation."""
    rows = bootstrap(train, rng)
    numbers = ["pay", "rent", "height"]
    rows[numbers] += 0.05 * rng.normal(size=(len(rows), 3))
    return rows


def half_copies(train: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    half = len(train) // 2
    return pd.concat([bootstrap(train, rng)[:half], people(len(train) - half, rng)], ignore_index=True)


def fresh(train: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    return people(len(train), rng)


def independent(train: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Columns with the right marginals that know nothing of one another, nor of the training rows."""
    return people(len(train), rng).apply(lambda column: rng.permutation(column.to_numpy()))


def shuffled_training_values(train: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Columns that know nothing of one another, but whose values are those of the training rows."""
    return train.apply(lambda column: rng.permutation(column.to_numpy()))


MAKERS = (bootstrap, jittered, half_copies, fresh, independent, shuffled_training_values)


@pytest.fixture
def made():
    """Training rows, unseen rows and the rows of a generator, by its name and a seed."""

    def tables(generator: str, seed: int, *, n: int = 300, n_test: int | None = None) -> tuple[pd.DataFrame, ...]:
        rng = np.random.default_rng(seed)
        train, test = people(n, rng), people(n if n_test is None else n_test, rng)
        return train, test, {maker.__name__: maker for maker in MAKERS}[generator](train, rng)

    return tables
