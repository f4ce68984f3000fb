"""Rules with products beside linear ones of the same rarity: a table in; processor seconds of both, pair by pair, out.

``python -m janus_bench.speed.products adult sem`` prints what the first rows take, with the plan, and what as many rows
take again. The rules of a pair name the same two or three columns and accept the same share of the model's rows.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from janus_bench.speed.parts import SpeedSizes, first_rows
from janus_bench.stopwatch import seconds_of
from janus_synth import Janus

TARGETS = (0.1, 0.01, 0.001)
"""Shares of the model's rows that the rules accept."""
LEAST_VALUES = 10
"""Distinct values of a column from which on a rule may name it."""
FORMS = {"linear": "{a} + {b} + {c}", "product": "{a} * {b} + {c}", "ratio": "{a} / ({b} + {c})"}
"""What is compared with a number."""


@dataclass(frozen=True, slots=True)
class RuleCost:
    """Processor seconds of one rule."""

    table: str
    form: str
    target: float
    rule: str
    first: float
    """The first rows, with the plan."""
    again: float
    """As many rows once more, with another seed."""


def time_products(name: str, sizes: SpeedSizes) -> Iterator[RuleCost]:
    """Time a rule of every form for some triples of columns and shares."""
    model = Janus(random_state=0).fit(first_rows(name, sizes.fit_rows), progress=False)
    pool = model.sample(sizes.pool_rows, random_state=1, progress=False)
    numbers = [str(each) for each in pool.select_dtypes("number") if pool[each].nunique() >= LEAST_VALUES]
    rng = np.random.default_rng(0)
    for target in TARGETS:
        for _ in range(sizes.requests):
            chosen = dict(zip("abc", map(str, rng.choice(numbers, 3, replace=False)), strict=True))
            for form, text in FORMS.items():
                rule = rule_of_share(pool, text, chosen, target)
                sample = partial(model.sample, sizes.requested_rows, where=rule, verify=False, progress=False)
                first, again = (seconds_of(partial(sample, random_state=seed)).processor for seed in (2, 3))
                yield RuleCost(name, form, target, rule, first, again)


def rule_of_share(pool: pd.DataFrame, text: str, columns: dict[str, str], target: float) -> str:
    """Rule that an expression exceeds the number that a share of the pool exceeds.

    Examples
    --------
    >>> pool = pd.DataFrame({"x": np.arange(101.0), "y": 1.0, "z": 0.0})
    >>> rule_of_share(pool, FORMS["product"], {"a": "x", "b": "y", "c": "z"}, 0.5)
    '`x` * `y` + `z` >= 50.0'
    """
    cells = {letter: pool[name].to_numpy(float) for letter, name in columns.items()}
    with np.errstate(divide="ignore", invalid="ignore"):
        values = eval(text.format(a="a", b="b", c="c"), {}, cells)
    cut = float(np.quantile(values[np.isfinite(values)], 1 - target))
    named = {letter: f"`{name}`" for letter, name in columns.items()}
    return f"{text.format(**named)} >= {cut!r}"


def main(names: list[str], sizes: SpeedSizes) -> None:
    """Print a line per rule, and the median ratio to linear rules at the end."""
    found = [cost for name in names for cost in time_products(name, sizes)]
    for cost in found:
        print(
            f"{cost.table} {cost.target:g} {cost.form}: first {cost.first:.3f} s, again {cost.again:.3f} s, {cost.rule}"
        )
    linear = [cost for cost in found if cost.form == "linear"]
    for form in ("product", "ratio"):
        others = [cost for cost in found if cost.form == form]
        for what in ("first", "again"):
            ratios = [getattr(a, what) / getattr(b, what) for a, b in zip(others, linear, strict=True)]
            print(f"{form}, {what}: {np.median(ratios):.2f} times linear, at most {max(ratios):.2f}")


if __name__ == "__main__":
    main(sys.argv[1:] or ["sem"], SpeedSizes())
