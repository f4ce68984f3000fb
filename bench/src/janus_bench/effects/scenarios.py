"""Structural models with known effects: a name and a seed in; rows, questions, truths and an oracle regression out.

All have the confounders x (normal), z (normal, a tenth of it null) and g (three levels), and an outcome that has a kink
in x. The oracle is a linear regression on exactly those terms that generate the outcome.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

Values = tuple[Any, ...]
DOSES = (-1.0, 0.0, 1.0, 2.0)
CONFOUNDERS = ("x", "z", "g")
GRAPH = (*((one, other) for one in CONFOUNDERS for other in ("t", "y")), ("t", "y"))


@dataclass(frozen=True, slots=True)
class Scenario:
    """A structural model and a question about it.

    Attributes
    ----------
    name : str
        Of the scenario.
    assign : callable
        Draws the treatment, given the confounders and a generator.
    respond : callable
        Terms (n, k) of the outcome that depend on the treatment, given rows; their coefficients are ``strengths``.
    values : tuple
        What the treatment is set to.
    truths : tuple of float
        Effects of the second and later values.
    where : str, optional
        Subgroup, always group b.
    mediated : bool
        Whether a mediator carries part of the effect, and the direct effect is asked for.
    nulls : bool
        Whether treatment and outcome are null at random given x, a fifth of the rows each.
    spread : callable, optional
        Standard deviation of the outcome's noise, given rows; 1 if left out. The oracle's errors are then robust (HC3).
    """

    name: str
    assign: Callable[[pd.DataFrame, np.random.Generator], Any]
    respond: Callable[[pd.DataFrame], Any]
    strengths: tuple[float, ...]
    values: Values
    truths: tuple[float, ...]
    where: str | None = None
    mediated: bool = False
    nulls: bool = False
    spread: Callable[[pd.DataFrame], Any] | None = None

    @property
    def graph(self) -> list[tuple[str, str]]:
        """Edges of the causal graph."""
        through = [("t", "m"), ("x", "m"), ("m", "y")] if self.mediated else []
        return [*GRAPH, *through]

    def draw(self, n_rows: int, seed: int) -> pd.DataFrame:
        """Draw a table."""
        rng = np.random.default_rng([seed, 97])
        rows = pd.DataFrame({"x": rng.normal(size=n_rows), "z": rng.normal(size=n_rows)})
        rows["g"] = rng.choice(["a", "b", "c"], n_rows)
        rows.loc[rng.random(n_rows) < 0.1, "z"] = np.nan
        rows["t"] = self.assign(rows, rng)
        if self.mediated:
            rows["m"] = 0.8 * rows["t"] + 0.5 * rows["x"] + rng.normal(size=n_rows)
        baseline = baseline_terms(rows) @ BASELINE
        rows["y"] = baseline + self.respond(rows) @ np.array(self.strengths)
        rows["y"] += (1.0 if self.spread is None else self.spread(rows)) * rng.normal(size=n_rows)
        for name in ("t", "y") if self.nulls else ():
            rows[name] = rows[name].where(rng.random(n_rows) > 1 / (1 + np.exp(1.7 - rows["x"])), None)
        return rows

    def among(self, rows: pd.DataFrame) -> Any:
        """Rows of the subgroup."""
        return np.ones(len(rows), bool) if self.where is None else (rows["g"] == "b").to_numpy()

    def oracle(self, rows: pd.DataFrame) -> tuple[list[float], list[float]]:
        """Effects by the regression that knows the form of the model, and their standard errors."""
        known = rows.dropna(subset=["t", "y"])
        design = self._design(known)
        y = known["y"].to_numpy()
        beta, *_ = np.linalg.lstsq(design, y, rcond=None)
        residual = y - design @ beta
        covariance = self._covariance(design, residual)
        among = rows[self.among(rows)]
        means = [self._design(among.assign(t=value)).mean(axis=0) for value in self.values]
        changes = [mean - means[0] for mean in means[1:]]
        return [float(c @ beta) for c in changes], [float(np.sqrt(c @ covariance @ c)) for c in changes]

    def _covariance(self, design: Any, residual: Any) -> Any:
        inverse = np.linalg.pinv(design.T @ design)
        if self.spread is None:
            return inverse * (residual @ residual) / (len(residual) - design.shape[1])
        leverage = np.einsum("ij,jk,ik->i", design, inverse, design)
        errors = (design * (residual / (1 - leverage))[:, None]) @ inverse
        return errors.T @ errors

    def _design(self, rows: pd.DataFrame) -> Any:
        return np.column_stack([np.ones(len(rows)), baseline_terms(rows), self.respond(rows)]).astype(float)


BASELINE = np.array([0.3, 2.0, 1.0, 0.5, 0.5, -0.5])


def baseline_terms(rows: pd.DataFrame) -> Any:
    """Terms of the outcome without treatment: x and its kink, z and its nulls, levels of g."""
    x, z, g = rows["x"].to_numpy(), rows["z"].to_numpy(), rows["g"]
    known = np.nan_to_num(z)
    return np.column_stack([x, np.maximum(x, 0), known, np.isnan(z), g == "b", g == "c"]).astype(float)


def _coin(strength: float, usual: float = 0.0) -> Callable[[pd.DataFrame, np.random.Generator], Any]:
    """A treatment that is likelier for larger x and in group b."""

    def assign(rows: pd.DataFrame, rng: np.random.Generator) -> Any:
        logit = usual + strength * rows["x"] + 0.5 * (rows["g"] == "b")
        return rng.random(len(rows)) < 1 / (1 + np.exp(-logit.to_numpy()))

    return assign


def _joint_coin(rows: pd.DataFrame, rng: np.random.Generator) -> Any:
    """A treatment that is likelier where x and z agree."""
    return rng.random(len(rows)) < 1 / (1 + np.exp(-_joint(1.0, rows)))


def _level(rows: pd.DataFrame, rng: np.random.Generator) -> Any:
    """One of three levels, dependent on x."""
    utility = np.outer(rows["x"], [0.0, 0.7, -0.7]) + rng.gumbel(size=(len(rows), 3))
    return np.array(["low", "mid", "high"])[utility.argmax(axis=1)]


def _dose(rows: pd.DataFrame, rng: np.random.Generator) -> Any:
    """A number that rises with x, and in group b."""
    return 0.7 * rows["x"] + 0.5 * (rows["g"] == "b") + rng.normal(size=len(rows))


def _skewed(rows: pd.DataFrame, rng: np.random.Generator) -> Any:
    """A lognormal number."""
    return np.exp(0.5 * rows["x"] + 0.3 * (rows["g"] == "b") + 0.6 * rng.normal(size=len(rows)))


def _terms(*terms: Callable[[Any, pd.DataFrame], Any]) -> Callable[[pd.DataFrame], Any]:
    """Columns made from the treatment, as numbers, and the rows."""

    def respond(rows: pd.DataFrame) -> Any:
        t = rows["t"].to_numpy()
        return np.column_stack([np.asarray(term(t, rows), float) for term in terms])

    return respond


def _in_b(t: Any, rows: pd.DataFrame) -> Any:
    return t * (rows["g"] == "b").to_numpy()


def _with_x(t: Any, rows: pd.DataFrame) -> Any:
    return t * rows["x"].to_numpy()


def _joint(t: Any, rows: pd.DataFrame) -> Any:
    return t * rows["x"].to_numpy() * np.nan_to_num(rows["z"].to_numpy())


def _kink(t: Any, _: pd.DataFrame) -> Any:
    return np.maximum(t, 0.3)


def _saturating(t: Any, _: pd.DataFrame) -> Any:
    return t / (1 + t)


def _growing(rows: pd.DataFrame) -> Any:
    return 0.3 + np.abs(rows["t"].to_numpy())


def _line(t: Any, _: pd.DataFrame) -> Any:
    return t


def _effects(curve: Callable[[float], float]) -> tuple[float, ...]:
    return tuple(float(curve(dose) - curve(DOSES[0])) for dose in DOSES[1:])


BY_NAME = {
    scenario.name: scenario
    for scenario in (
        Scenario("average", _coin(1.0), _terms(_line, _in_b), (1.0, 1.0), (False, True), (4 / 3,)),
        Scenario(
            "levels", _level, _terms(lambda t, _: t == "mid", lambda t, _: t == "high"), (1.0, -0.5),
            ("low", "mid", "high"), (1.0, -0.5),
        ),
        Scenario("subgroup", _coin(1.0), _terms(_line, _in_b), (1.0, 1.0), (False, True), (2.0,), "g == 'b'"),
        Scenario("weak", _coin(2.5), _terms(_line, _in_b), (1.0, 1.0), (False, True), (4 / 3,)),
        Scenario("rare", _coin(1.5, -4.2), _terms(_line, _in_b), (1.0, 1.0), (False, True), (4 / 3,)),
        Scenario("line", _dose, _terms(_line), (1.0,), DOSES, _effects(lambda t: t)),
        Scenario("kink", _dose, _terms(_line, _kink), (0.3, 2.0), DOSES, _effects(lambda t: 0.3 * t + 2 * max(t, 0.3))),
        Scenario(
            "growing-noise", _dose, _terms(_line, _kink), (0.3, 2.0), DOSES,
            _effects(lambda t: 0.3 * t + 2 * max(t, 0.3)), spread=_growing,
        ),
        Scenario("wave", _dose, _terms(lambda t, _: np.sin(t)), (2.0,), DOSES, _effects(lambda t: 2 * np.sin(t))),
        Scenario(
            "modified", _dose, _terms(_line, lambda t, _: t**2, _in_b), (1.0, 0.5, 1.0), DOSES,
            _effects(lambda t: 4 / 3 * t + 0.5 * t**2),
        ),
        Scenario(
            "product", _dose, _terms(_line, _joint, lambda _, rows: _joint(1.0, rows)), (1.0, 1.0, 1.0), DOSES,
            _effects(lambda t: t),
        ),
        Scenario(
            "saturating", _skewed, _terms(_saturating), (6.0,), (0.5, 1.0, 2.0, 4.0), (1.0, 2.0, 2.8),
        ),
        Scenario("skewed-line", _skewed, _terms(_line), (1.0,), (0.5, 1.0, 2.0, 4.0), (0.5, 1.5, 3.5)),
        Scenario(
            "group-curve", _dose, _terms(_line, _kink, _in_b), (0.3, 2.0, 1.0), DOSES,
            _effects(lambda t: 1.3 * t + 2 * max(t, 0.3)), "g == 'b'",
        ),
        Scenario(
            "direct", _coin(1.0), _terms(_line, lambda _, rows: rows["m"]), (1.0, 0.5), (False, True), (1.0,),
            mediated=True,
        ),
        Scenario(
            "interactions", _joint_coin, _terms(_line, _joint, lambda _, rows: _joint(1.0, rows)), (1.0, 1.0, 2.0),
            (False, True), (1.0,),
        ),
        Scenario("nulls", _coin(1.0), _terms(_line, _with_x), (1.0, 0.5), (False, True), (1.0,), nulls=True),
        Scenario(
            "nulls-curve", _dose, _terms(_line, _kink, _with_x), (0.3, 2.0, 0.5), DOSES,
            _effects(lambda t: 0.3 * t + 2 * max(t, 0.3)), nulls=True,
        ),
    )
}  # fmt: skip
