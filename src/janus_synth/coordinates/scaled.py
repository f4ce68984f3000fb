"""A formula with a hidden factor: a column is one of a few multiples of another, and which one is learnt.

A tax is 7 % or 19 % of a price, rounded to cents. The multiple of each row is a hidden column, whose values are indices
of the factors.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from janus_synth.arrays import Bools, Floats
from janus_synth.coordinates.checks import require, require_decimals, require_names, require_numbers
from janus_synth.coordinates.formulas import HALF, Values, round_to
from janus_synth.rules.holds import ULPS
from janus_synth.rules.language import Compare, IsIn, Linear, Rule, Term, all_of, any_of
from janus_synth.rules.language.notation import format_name


@dataclass(frozen=True, slots=True)
class Scaled:
    """One of a few multiples of a column, rounded to some decimals.

    Parameters
    ----------
    source : str
        Column that is multiplied.
    factor : str
        Hidden column of the indices of the factors.
    factors : tuple of float
        The most frequent one first: it counts where several give the same value.
    decimals : int, optional
        Decimals that the result is rounded to; none for continuous columns.

    Examples
    --------
    >>> tax = Scaled("net", "rate", (0.19, 0.07), decimals=2)
    >>> tax.evaluate({"net": np.array([10.0, 10.0]), "rate": np.array([1.0, np.nan])})
    array([0.7, nan])
    >>> print(tax)
    0.07 or 0.19 times net
    """

    source: str
    factor: str
    factors: tuple[float, ...]
    decimals: int | None = None

    def __post_init__(self) -> None:
        require_names(self.source, self.factor)
        require_numbers(self.factors)
        require(len(self.factors) > 1 and len(set(self.factors)) == len(self.factors), "several factors are needed")
        require_decimals(self.decimals)

    @property
    def inputs(self) -> tuple[str, ...]:
        """The column that is multiplied, and the index of its factor."""
        return (self.source, self.factor)

    @property
    def levels(self) -> tuple[str, ...]:
        """Names of the factors, in order."""
        return tuple(f"{factor!r}" for factor in self.factors)

    def evaluate(self, values: Values) -> Floats:
        """Value of each row; NaN where the column or its factor is missing."""
        return round_to(self.unrounded(values), self.decimals)

    def unrounded(self, values: Values) -> Floats:
        """Product of each row before rounding."""
        index = values[self.factor]
        chosen = np.array(self.factors)[np.nan_to_num(index).astype(int)]
        return np.where(np.isnan(index), np.nan, chosen * values[self.source])

    def matches(self, column: Floats, source: Floats, precision: float = 0.0) -> Bools:
        """(rows, factors) which factors give a row its value, half a unit of the last decimal allowed."""
        products = source[:, None] * np.array(self.factors)
        slack = ULPS * precision * (np.abs(column)[:, None] + np.abs(products))
        if self.decimals is not None:
            slack = np.maximum(slack, HALF * 10.0**-self.decimals)
        return np.asarray(np.abs(column[:, None] - products) <= slack)

    def rule(self, column: str) -> Rule | None:
        """For each factor, the bounds that rounding leaves between the column and the product."""
        half = 0.0 if self.decimals is None else HALF * 10.0**-self.decimals
        branches = []
        for index, factor in enumerate(self.factors):
            left = Linear((Term(column), Term(self.source, -factor))) if factor else Linear((Term(column),))
            bounds = [(">=", -half), ("<=", half)] if half else [("==", 0.0)]
            tests = [Compare(left, op, Linear(constant=bound)) for op, bound in bounds]
            branches.append(all_of([IsIn(self.factor, (index,)), *tests]))
        return any_of(branches)

    def to_json(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "source": self.source,
            "factor": self.factor,
            "factors": list(self.factors),
            "decimals": self.decimals,
        }

    def __str__(self) -> str:
        return f"{list_factors(self.factors)} times {format_name(self.source)}"


def list_factors(factors: tuple[float, ...]) -> str:
    """Factors in ascending order, as people list them.

    Examples
    --------
    >>> list_factors((0.19, 0.0, 0.07))
    '0, 0.07 or 0.19'
    """
    *most, last = (f"{factor:g}" for factor in sorted(factors))
    return f"{', '.join(most)} or {last}"
