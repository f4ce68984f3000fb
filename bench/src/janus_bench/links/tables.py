"""Tables with computed columns: what is drawn, which relations hold, and the derived quantities that a judge sees."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from janus_bench.links.derived import DERIVED, hhmm
from janus_synth import datasets, holds
from janus_synth.arrays import Bools
from janus_synth.datasets import Rule

if TYPE_CHECKING:
    import pandas as pd

Check = Callable[["pd.DataFrame"], Any]
"""Takes rows and returns for each whether a relation holds."""

LOOKUP = re.compile(r"fixed_combinations\((.*)\)")
HALF_CENT = 0.005


@dataclass(frozen=True, slots=True)
class LinkedTable:
    """A table with known truth.

    Attributes
    ----------
    name : str
        Name of its function in `janus_synth.datasets`.
    relations : mapping
        Relations that hold in all rows and that the rule language cannot say, by name.
    """

    name: str
    relations: Mapping[str, Check] = field(default_factory=dict)

    def draw(self, n: int, seed: Sequence[int]) -> pd.DataFrame:
        """Fresh rows of the truth."""
        rows: pd.DataFrame = getattr(datasets, self.name)(n, random_state=np.random.default_rng(seed))
        return rows

    @property
    def stated(self) -> tuple[Rule, ...]:
        """Rules of the dataset, with their shares."""
        rules: tuple[Rule, ...] = getattr(datasets, f"{self.name.upper()}_RULES")
        return rules

    @property
    def rules(self) -> list[str]:
        """Rules that hold in all rows: those that a model may be given."""
        return [rule.text for rule in self.stated if rule.share == 1.0]

    @property
    def partial(self) -> list[str]:
        """Conditions that hold in a known share of the rows, such as exact copies and spikes."""
        return [rule.text for rule in self.stated if rule.share < 1.0]

    def derived(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Rows with differences, ratios, calendar parts and combinations as further columns."""
        return rows.assign(**DERIVED[self.name](rows))

    def kept(self, rows: pd.DataFrame, truth: pd.DataFrame) -> dict[str, float]:
        """Share of rows that keep each relation; the combinations of a lookup are those of the truth.

        Examples
        --------
        >>> table = TABLES["houses"]
        >>> truth = table.draw(2_000, [0])
        >>> set(table.kept(truth.head(100), truth).values())
        {1.0}
        """
        shares = {rule: float(satisfies(rule, rows, truth).mean()) for rule in self.rules}
        return shares | {name: float(np.mean(check(rows))) for name, check in self.relations.items()}


def satisfies(rule: str, rows: pd.DataFrame, truth: pd.DataFrame) -> Bools:
    """Rows that satisfy a rule; a lookup allows the combinations that occur in ``truth``."""
    import pandas as pd

    found = LOOKUP.fullmatch(rule)
    if found is None:
        return np.asarray(holds(rule, rows))
    columns = [name.strip() for name in found[1].split(",")]
    known, drawn = (pd.MultiIndex.from_frame(part[columns]) for part in (truth, rows))
    return np.asarray(drawn.isin(known))


def columns_of(rules: Sequence[str], rows: pd.DataFrame) -> set[str]:
    """Columns that rules mention.

    Examples
    --------
    >>> sorted(columns_of(["a + b == 2", "implies(c, d > 0)"], {"a": 1, "b": 1, "e": 1}))
    ['a', 'b']
    """
    words = {word for rule in rules for word in re.findall(r"\w+", rule)}
    return words & set(rows)


def _same_cents(left: Any, right: Any) -> Any:
    """Whether two amounts are the same to the cent, half a cent of rounding included; false where one is missing."""
    return ((left - right).abs() <= HALF_CENT + 1e-6).fillna(False)


def _working(rows: pd.DataFrame) -> Any:
    """Working days run from Monday to Friday; holidays are the exception, at the same dates of every year."""
    date = rows["date"].dt
    holiday = (100 * date.month + date.day).isin([101, 501, 1003, 1225, 1226])
    return rows["working_day"] == ((date.day_of_week < 5) & ~holiday)


TABLES: dict[str, LinkedTable] = {
    table.name: table
    for table in (
        LinkedTable(
            "rentals",
            {
                "month of date": lambda rows: rows["month"] == rows["date"].dt.month,
                "weekday of date": lambda rows: rows["weekday"] == rows["date"].dt.day_of_week,
                "working day of date": _working,
            },
        ),
        LinkedTable("trips"),
        LinkedTable("houses"),
        LinkedTable(
            "orders",
            {
                "amount = quantity × unit price": lambda rows: _same_cents(
                    rows["amount"], rows["quantity"] * rows["unit_price"]
                ),
                "discount = share of amount": lambda rows: _same_cents(
                    rows["discount"], rows["discount_share"] * rows["amount"]
                ),
                "tax = 7 % or 19 % of net": lambda rows: _same_cents(
                    rows["tax"], rows["net"] * np.where(rows["category"] == "food", 0.07, 0.19)
                ),
            },
        ),
        LinkedTable("subscribers"),
        LinkedTable("ledger"),
        LinkedTable(
            "flights",
            {
                "scheduled_hhmm of scheduled": lambda rows: rows["scheduled_hhmm"] == hhmm(rows["scheduled"]),
                "departure_hhmm of departure": lambda rows: (
                    (rows["departure_hhmm"].astype("Float64") == hhmm(rows["departure"]).astype("Float64")).fillna(
                        False
                    )
                    | (rows["departure_hhmm"].isna() & rows["departure"].isna())
                ),
                "no nulls unless cancelled": lambda rows: rows["cancelled"] | rows.notna().all(axis=1),
            },
        ),
    )
}
"""All tables of the benchmark, by name."""
