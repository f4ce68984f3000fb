"""Small tables that are each made for one difficulty: a generator in, a pandas table out.

They stand for the synthetic tables of the paper, which names their size and what is hard about them, not how they are
drawn.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from janus_bench.tables.recipe import Columns, Recipe

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
"""Of the columns of ``normal``: strong, weak, negative and none."""
TAIL = 1.5
"""Tail index of ``size`` in ``stress``: it has a mean, but no variance."""


def circle(n: int, rng: np.random.Generator) -> Columns:
    """Points in a square, half of them in a circle with a slightly ragged edge: no line parts the classes."""
    x, y = rng.uniform(-1, 1, size=(2, n))
    radius = np.hypot(x, y) + 0.02 * rng.normal(size=n)
    return {"x": x, "y": y, "inside": np.where(radius < HALF_OF_SQUARE, "yes", "no")}


def normal(n: int, rng: np.random.Generator) -> Columns:
    """Five correlated normal columns on scales of their own."""
    means, spreads = np.array([0.0, 10.0, -5.0, 100.0, 2.0]), np.array([1.0, 2.0, 0.5, 15.0, 3.0])
    rows = means + spreads * (rng.normal(size=(n, 5)) @ np.linalg.cholesky(CORRELATION).T)
    return {f"x{j + 1}": rows[:, j] for j in range(5)}


def imbalanced(n: int, rng: np.random.Generator) -> Columns:
    """A class of every tenth row that differs by a shift, a product, a scale and a second branch."""
    rare = np.zeros(n, dtype=bool)
    rare[rng.choice(n, size=n // 10, replace=False)] = True
    shift = rng.normal(size=n) + 1.2 * rare
    twin = np.where(rare, -0.7, 0.7) * shift + 0.7 * rng.normal(size=n)
    scale = rng.gamma(2.0, np.where(rare, 2.0, 1.0))
    branch = rng.normal(size=n) + np.where(rare, rng.choice([-2.5, 2.5], size=n), 0.0)
    return {"shift": shift, "twin": twin, "scale": scale, "branch": branch, "rare": np.where(rare, "yes", "no")}


def mixed(n: int, rng: np.random.Generator) -> Columns:
    """Customers of a shop: four columns of words and four of numbers, whole and real, that depend on each other."""
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
    """Pareto tails, a gap in the support, two cycles, and a causal chain from size over pressure and flow to output."""
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
