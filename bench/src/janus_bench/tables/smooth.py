"""Smooth tables that need no files: a number of rows and a generator in, a pandas table out.

Real tables are full of codes, counts and round numbers, which favour methods that repeat training values. These
have none: every column is continuous, and what is hard about each is known.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from janus_bench.tables.recipe import Columns, Recipe


def nonlinear_sem(n: int, rng: np.random.Generator) -> Columns:
    """Eight columns of a structural model: bends, products, uneven noise and two branches."""
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
    """Coordinates around cities, a smooth field over them, and what hangs on both."""
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
    """Pareto and lognormal columns whose tails meet: means say little, extremes matter."""
    income = np.exp(10 + 0.6 * rng.normal(size=n))
    wealth = income * (1 + rng.pareto(1.8, size=n))
    is_large = rng.random(n) < 0.3
    claim = np.where(is_large, 2_000 * (1 + rng.pareto(1.5, size=n)), rng.gamma(2.0, 300.0, size=n))
    cover = claim * rng.beta(5.0, 2.0, size=n)
    delay = rng.weibull(0.7, size=n) * (1 + np.log1p(claim / 1_000))
    debt = wealth * rng.beta(1.0, 4.0, size=n)
    return {"income": income, "wealth": wealth, "debt": debt, "claim": claim, "cover": cover, "delay": delay}


def gaussians(n: int, rng: np.random.Generator) -> Columns:
    """Eight correlated normal columns: the home ground of a Gaussian copula."""
    lag = np.abs(np.subtract.outer(np.arange(8), np.arange(8)))
    rows = rng.multivariate_normal(np.zeros(8), 0.8**lag, size=n)
    return {f"x{j}": rows[:, j] for j in range(8)}


def ring(n: int, rng: np.random.Generator) -> Columns:
    """Points on a circle and a wave around it: uncorrelated, yet each almost decides the others."""
    angle = 2 * np.pi * rng.random(n)
    radius = 1 + 0.08 * rng.normal(size=n)
    wave = np.sin(3 * angle) + 0.1 * rng.normal(size=n)
    return {"x": radius * np.cos(angle), "y": radius * np.sin(angle), "wave": wave}


N_ROWS = 20_000

SMOOTH: Mapping[str, Recipe] = {
    "sem": Recipe(nonlinear_sem, N_ROWS, "h"),
    "spatial": Recipe(spatial, N_ROWS, "price"),
    "pareto": Recipe(heavy_tails, N_ROWS, "income"),  # its tail is the lightest: R² of the others hangs on single rows
    "gaussian": Recipe(gaussians, N_ROWS, "x7"),
    "ring": Recipe(ring, N_ROWS, "wave"),
}
"""Tables by name."""
