"""Synthetic tables that need no file: a number of rows and a generator in, a pandas table out.

The *smooth* tables have only continuous columns, because the codes, counts and round numbers of real tables favour
methods that repeat training values. The *made* tables are small, each with one known difficulty; they replace the
synthetic tables of the paper, which states their size and difficulty but not how they are drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd


Columns = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a table is drawn, its number of rows, its target, and its true edges where they are known.

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


def nonlinear_sem(n: int, rng: np.random.Generator) -> Columns:
    """Eight columns of a structural model: nonlinear effects, products, heteroscedastic noise and a bimodal column."""
    a = rng.normal(size=n)
    b = np.sin(2 * a) + 0.4 * rng.normal(size=n)
    c = rng.gamma(2.0, 1.0, size=n)
    d = np.exp(0.4 * b) * (1 + 0.2 * rng.normal(size=n))
    e = np.tanh(a * c) + 0.3 * rng.normal(size=n)
    f = b**2 - d + (0.2 + 0.3 * np.abs(a)) * rng.normal(size=n)
    branch = np.where(rng.random(n) < 1 / (1 + np.exp(-2 * e)), 1.0, -1.0)
    g = branch * (1 + 0.5 * c) + 0.3 * rng.normal(size=n)
    h = np.log(c + d**2) + 0.2 * f + 0.2 * rng.laplace(size=n)
    return {"a": a, "b": b, "c": c, "d": d, "e": e, "f": f, "g": g, "h": h}


def spatial(n: int, rng: np.random.Generator) -> Columns:
    """Coordinates around cities, a smooth field over them, and columns that depend on both."""
    cities = np.array([[2.0, 7.5], [4.0, 3.0], [7.0, 8.0], [8.0, 2.0], [5.5, 5.5]])
    town = rng.choice(len(cities), size=n, p=[0.3, 0.25, 0.2, 0.15, 0.1])
    rural = rng.random(n) < 0.2
    place = np.where(rural[:, None], 10 * rng.random((n, 2)), cities[town] + 0.6 * rng.normal(size=(n, 2)))
    east, north = place[:, 0], place[:, 1]
    field = np.sin(east) + np.cos(0.8 * north) + 0.5 * np.sin(0.7 * (east + north))
    elevation = 300 + 120 * field + 8 * rng.normal(size=n)
    temperature = 18 - 0.006 * elevation - 0.4 * north + 0.5 * rng.normal(size=n)
    rain = rng.gamma(4.0, 20 * np.exp(0.3 * field))
    away = np.sqrt(((place[:, None, :] - cities[None]) ** 2).sum(axis=2)).min(axis=1)
    price = np.exp(6 - 0.5 * away + 0.1 * temperature + 0.2 * rng.normal(size=n))
    return {
        "east": east,
        "north": north,
        "elevation": elevation,
        "temperature": temperature,
        "rain": rain,
        "price": price,
    }


def heavy_tails(n: int, rng: np.random.Generator) -> Columns:
    """Pareto and lognormal columns with dependent tails: means say little, extremes matter."""
    income = np.exp(10 + 0.6 * rng.normal(size=n))
    wealth = income * (1 + rng.pareto(1.8, size=n))
    is_large = rng.random(n) < 0.3
    claim = np.where(is_large, 2_000 * (1 + rng.pareto(1.5, size=n)), rng.gamma(2.0, 300.0, size=n))
    cover = claim * rng.beta(5.0, 2.0, size=n)
    delay = rng.weibull(0.7, size=n) * (1 + np.log1p(claim / 1_000))
    debt = wealth * rng.beta(1.0, 4.0, size=n)
    return {"income": income, "wealth": wealth, "debt": debt, "claim": claim, "cover": cover, "delay": delay}


def gaussians(n: int, rng: np.random.Generator) -> Columns:
    """Eight correlated normal columns: a Gaussian copula is the true model."""
    lag = np.abs(np.subtract.outer(np.arange(8), np.arange(8)))
    rows = rng.multivariate_normal(np.zeros(8), 0.8**lag, size=n)
    return {f"x{j}": rows[:, j] for j in range(8)}


def ring(n: int, rng: np.random.Generator) -> Columns:
    """Points near a circle and a sine wave of their angle: uncorrelated, but strongly dependent."""
    angle = 2 * np.pi * rng.random(n)
    radius = 1 + 0.08 * rng.normal(size=n)
    wave = np.sin(3 * angle) + 0.1 * rng.normal(size=n)
    return {"x": radius * np.cos(angle), "y": radius * np.sin(angle), "wave": wave}


N_ROWS = 20_000

SMOOTH: Mapping[str, Recipe] = {
    "sem": Recipe(nonlinear_sem, N_ROWS, "h"),
    "spatial": Recipe(spatial, N_ROWS, "price"),
    "pareto": Recipe(
        heavy_tails, N_ROWS, "income"
    ),  # its tail is the lightest: R² of the others depends on single rows
    "gaussian": Recipe(gaussians, N_ROWS, "x7"),
    "ring": Recipe(ring, N_ROWS, "wave"),
}
"""Smooth tables by name."""


HALF_OF_SQUARE = np.sqrt(2 / np.pi)
"""Radius of the circle that covers half of the square from -1 to 1."""
CORRELATION = np.array(
    [
        [1.0, 0.8, 0.5, -0.3, 0.0],
        [0.8, 1.0, 0.4, -0.2, 0.1],
        [0.5, 0.4, 1.0, 0.0, 0.5],
        [-0.3, -0.2, 0.0, 1.0, -0.4],
        [0.0, 0.1, 0.5, -0.4, 1.0],
    ]
)
"""Correlation matrix of ``normal``: strong, weak, negative and zero correlations."""
TAIL = 1.5
"""Tail index of ``size`` in ``stress``: it has a mean, but no variance."""


def circle(n: int, rng: np.random.Generator) -> Columns:
    """Points in a square, half of them in a circle with a slightly noisy edge: classes are not linearly separable."""
    x, y = rng.uniform(-1, 1, size=(2, n))
    radius = np.hypot(x, y) + 0.02 * rng.normal(size=n)
    return {"x": x, "y": y, "inside": np.where(radius < HALF_OF_SQUARE, "yes", "no")}


def normal(n: int, rng: np.random.Generator) -> Columns:
    """Five correlated normal columns with different means and scales."""
    means, spreads = np.array([0.0, 10.0, -5.0, 100.0, 2.0]), np.array([1.0, 2.0, 0.5, 15.0, 3.0])
    rows = means + spreads * (rng.normal(size=(n, 5)) @ np.linalg.cholesky(CORRELATION).T)
    return {f"x{j + 1}": rows[:, j] for j in range(5)}


def imbalanced(n: int, rng: np.random.Generator) -> Columns:
    """A rare class, a tenth of the rows, that differs in a mean, the sign of a correlation, a scale and two modes."""
    rare = np.zeros(n, dtype=bool)
    rare[rng.choice(n, size=n // 10, replace=False)] = True
    shift = rng.normal(size=n) + 1.2 * rare
    twin = np.where(rare, -0.7, 0.7) * shift + 0.7 * rng.normal(size=n)
    scale = rng.gamma(2.0, np.where(rare, 2.0, 1.0))
    branch = rng.normal(size=n) + np.where(rare, rng.choice([-2.5, 2.5], size=n), 0.0)
    return {"shift": shift, "twin": twin, "scale": scale, "branch": branch, "rare": np.where(rare, "yes", "no")}


def mixed(n: int, rng: np.random.Generator) -> Columns:
    """Customers of a shop: four categorical and four numeric columns (whole and real) that depend on each other."""
    region = rng.choice(["north", "east", "south", "west"], size=n, p=[0.4, 0.3, 0.2, 0.1])
    age = np.clip(np.rint(rng.normal(45, 15, size=n)), 18, 90).astype(np.int64)
    city = np.isin(region, ["north", "east"])
    income = np.round(np.exp(10 + 0.012 * (age - 45) + 0.25 * city + 0.4 * rng.normal(size=n)), 2)
    wealth = np.log(income) - 10 + 0.4 * rng.logistic(size=n)
    plan = np.select([wealth < -0.2, wealth < 0.5], ["basic", "plus"], "gold")
    visits = rng.poisson(np.select([plan == "basic", plan == "plus"], [2.0, 5.0], 9.0))
    channel = np.where(rng.random(n) < 1 / (1 + np.exp((age - 40) / 8)), "app", np.where(city, "shop", "post"))
    spent = np.round(visits * rng.gamma(4.0, income / 8_000), 2)
    stays = np.log1p(visits) - 1.5 + 0.8 * (channel == "app") + 0.6 * rng.logistic(size=n) > 0
    return {
        "region": region,
        "age": age,
        "income": income,
        "plan": plan,
        "visits": visits,
        "channel": channel,
        "spent": spent,
        "stays": np.where(stays, "yes", "no"),
    }


def stress(n: int, rng: np.random.Generator) -> Columns:
    """Pareto tails, a gap in the support, two cyclic columns, and a causal chain size → pressure → flow → output."""
    size = 1 + rng.pareto(TAIL, size=n)
    claim = np.sqrt(size) * (1 + rng.pareto(2.0, size=n))
    rush = rng.choice([8.0, 18.0], size=n) + 1.5 * rng.normal(size=n)
    hour = np.where(rng.random(n) < 0.6, rush, 24 * rng.random(n)) % 24
    bearing = (15 * hour + 60 + 20 * rng.normal(size=n)) % 360
    load = 5 + 2 * np.sin(2 * np.pi * (hour - 9) / 24) + 0.3 * rng.normal(size=n)
    high = load + 0.3 * rng.normal(size=n) > 5
    level = rng.random(n) + np.where(high, 3.0, 0.0)
    pressure = 0.8 * np.log(size) + 0.5 * load + 0.3 * rng.normal(size=n)
    flow = 10 / (1 + np.exp(3 - pressure)) + 0.2 * rng.normal(size=n)
    output = flow**2 / 10 + level / 2 + 0.3 * rng.laplace(size=n)
    return {
        "size": size,
        "claim": claim,
        "hour": hour,
        "bearing": bearing,
        "load": load,
        "level": level,
        "pressure": pressure,
        "flow": flow,
        "output": output,
    }


MADE: Mapping[str, Recipe] = {
    "circle": Recipe(circle, 1_000, "inside", (("x", "inside"), ("y", "inside"))),
    "normal": Recipe(normal, 1_000, "x5"),
    "imbalanced": Recipe(
        imbalanced,
        1_000,
        "rare",
        (("rare", "shift"), ("rare", "twin"), ("shift", "twin"), ("rare", "scale"), ("rare", "branch")),
    ),
    "mixed": Recipe(
        mixed,
        1_000,
        "stays",
        (
            ("region", "income"),
            ("age", "income"),
            ("income", "plan"),
            ("plan", "visits"),
            ("age", "channel"),
            ("region", "channel"),
            ("visits", "spent"),
            ("income", "spent"),
            ("visits", "stays"),
            ("channel", "stays"),
        ),
    ),
    "stress": Recipe(
        stress,
        4_000,
        "output",
        (
            ("size", "claim"),
            ("hour", "bearing"),
            ("hour", "load"),
            ("load", "level"),
            ("size", "pressure"),
            ("load", "pressure"),
            ("pressure", "flow"),
            ("flow", "output"),
            ("level", "output"),
        ),
    ),
}
"""Tables by name."""
