"""Random tables and rules over the whole language, with an evaluator that shares no code with the library.

A rule is a text for the library, and a function of a pandas frame that says where the rule holds. Numbers that are
equal but for rounding may count as equal or not: the function returns where the rule surely holds and where it may.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

DAY = 86_400_000_000
CODES = ["A001", "A002", "A113", "B001", "B9", "x-7", "x-71", ""]
SIZES = ["small", "medium", "large"]
LEAST_ROWS = 5
"""Rows of a combination that a model always remembers."""


class Truth(NamedTuple):
    """Rows where a rule surely holds, and rows where it may hold."""

    sure: np.ndarray
    may: np.ndarray

    def __and__(self, other):
        return Truth(self.sure & other.sure, self.may & other.may)

    def __or__(self, other):
        return Truth(self.sure | other.sure, self.may | other.may)

    def __invert__(self):
        return Truth(~self.may, ~self.sure)


@dataclass(frozen=True)
class Spec:
    """A rule's text, where it holds, and where its negation holds (nulls satisfy neither of a comparison)."""

    text: str
    holds: Callable[[pd.DataFrame], Truth]
    fails: Callable[[pd.DataFrame], Truth]


def certain(mask):
    mask = np.asarray(mask, bool)
    return Truth(mask, mask)


def leaf(text, columns, value, divisors=()):
    """A condition that neither holds nor fails where one of its columns is null, or one that divides is 0."""

    def present(df):
        defined = df[columns].notna().all(axis=1).to_numpy()
        for divisor in divisors:
            defined = defined & (divisor(df) != 0)
        return certain(defined)

    return Spec(text, lambda df: value(df) & present(df), lambda df: ~value(df) & present(df))


def negate(spec):
    return Spec(f"not ({spec.text})", spec.fails, spec.holds)


def join(word, specs):
    def every(truths):
        found = truths[0]
        for truth in truths[1:]:
            found = found & truth if word == "and" else found | truth
        return found

    def some(truths):
        found = truths[0]
        for truth in truths[1:]:
            found = found | truth if word == "and" else found & truth
        return found

    text = f" {word} ".join(f"({spec.text})" for spec in specs)
    return Spec(text, lambda df: every([s.holds(df) for s in specs]), lambda df: some([s.fails(df) for s in specs]))


def implies(one, other):
    return Spec(
        f"implies({one.text}, {other.text})",
        lambda df: ~one.holds(df) | other.holds(df),
        lambda df: one.holds(df) & other.fails(df),
    )


def equivalent(one, other, written):
    text = f"iff({one.text}, {other.text})" if written else f"({one.text}) == ({other.text})"
    return Spec(
        text,
        lambda df: (one.holds(df) & other.holds(df)) | (~one.holds(df) & ~other.holds(df)),
        lambda df: (one.holds(df) & other.fails(df)) | (other.holds(df) & one.fails(df)),
    )


# Values of columns as floats, with the rounding that they were stored with


def numbers(df, name):
    column = df[name]
    if isinstance(column.dtype, pd.DatetimeTZDtype):
        column = column.dt.tz_convert("UTC").dt.tz_localize(None)
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        found = column.astype("datetime64[us]").astype("int64").to_numpy().astype(float)
        return np.where(column.isna(), np.nan, found)
    return column.astype("Float64" if str(column.dtype) == "Int64" else column.dtype).to_numpy(float, na_value=np.nan)


def rounding(df, name):
    kind = str(df[name].dtype)
    return 0.0 if "int" in kind.lower() or "date" in kind else 2.0**-20 if kind == "float32" else 2.0**-48


def compare_with_zero(df, terms, constant, op):
    """Where a sum of coefficients times columns and a constant compares with 0."""
    total = np.full(len(df), float(constant))
    slack = np.full(len(df), 0.0)
    exact = float(constant).is_integer()
    for name, size in terms:
        values = numbers(df, name)
        total = total + size * values
        slack = slack + (rounding(df, name) + 2.0**-48) * np.abs(size * values)
        exact = exact and rounding(df, name) == 0.0 and float(size).is_integer()
    slack = np.zeros(len(df)) if exact else slack + 2.0**-48 * abs(constant)
    return sign_truth(total, slack, op)


def compare_fraction(df, above, below, added, number, op):
    """Where a product of powers over a product of columns compares with a sum of columns and a number."""
    term, precision = np.ones(len(df)), 2.0**-46
    for name, power in above:
        term, precision = term * numbers(df, name) ** power, precision + power * rounding(df, name)
    with np.errstate(divide="ignore", invalid="ignore"):
        for name in below:
            term, precision = term / numbers(df, name), precision + rounding(df, name)
    total, slack = term - number, precision * np.abs(term) + 2.0**-46 * abs(number)
    for name in added:
        total, slack = total - numbers(df, name), slack + (rounding(df, name) + 2.0**-46) * np.abs(numbers(df, name))
    names = [*(name for name, _ in above), *added]
    exact = not below and float(number).is_integer() and all(rounding(df, name) == 0.0 for name in names)
    return sign_truth(total, np.zeros(len(df)) if exact else slack, op)


def compare_quotient(df, one, other, third, number, op):
    """Where a column over the sum of two others compares with a number; a sum that cancels is not exact."""
    above, x, y = (numbers(df, name) for name in (one, other, third))
    precision = [rounding(df, name) + 2.0**-46 for name in (one, other, third)]
    slack = precision[0] * np.abs(above) + abs(number) * (precision[1] * np.abs(x) + precision[2] * np.abs(y))
    exact = float(number).is_integer() and all(rounding(df, name) == 0.0 for name in (one, other, third))
    total = (above - number * (x + y)) * np.sign(x + y)
    near = np.abs(x + y) <= 2.0**-18 * (np.abs(x) + np.abs(y))  # may be 0 but for rounding
    found = sign_truth(total, np.zeros(len(df)) if exact else slack, op)
    return found if exact else Truth(found.sure & ~near, found.may | near)


def sign_truth(total, slack, op):
    with np.errstate(invalid="ignore"):
        below, above, equal = total < -slack, total > slack, (np.abs(total) <= slack)
        exactly = equal & (slack == 0)
    match op:
        case "<":
            return Truth(below, below | (equal & ~exactly))
        case "<=":
            return Truth(below | exactly, below | equal)
        case ">":
            return Truth(above, above | (equal & ~exactly))
        case ">=":
            return Truth(above | exactly, above | equal)
        case "==":
            return Truth(exactly, equal)
    return Truth(below | above, (below | above | equal) & ~exactly)


# Random tables


def random_table(rng):
    n = int(rng.integers(60, 250))
    day = pd.Timestamp("2015-01-01")
    makers = {
        "i": lambda: pd.Series(rng.integers(-9, 10, n)).astype("Int64"),
        "j": lambda: pd.Series(rng.integers(0, 4, n)),
        "k": lambda: pd.Series(rng.integers(0, 5000, n) * 5),
        "f": lambda: pd.Series(rng.normal(0, 5, n).round(1)),
        "g": lambda: pd.Series(rng.normal(0, 5, n)),
        "h": lambda: pd.Series(rng.normal(2, 5, n).round(2)).astype("float32"),
        "s": lambda: pd.Series(rng.choice([0.1, 0.2, 0.7, 1.1, 3.3], n)).astype("float32"),
        "c": lambda: pd.Series(rng.choice(CODES, n)),
        "d": lambda: pd.Series(rng.choice(CODES[:5], n)),
        "o": lambda: pd.Series(pd.Categorical(rng.choice(SIZES, n), SIZES, ordered=True)),
        "b": lambda: pd.Series(rng.random(n) < 0.4),
        "p": lambda: pd.Series(rng.random(n) < 0.7).astype("boolean"),
        "t": lambda: pd.Series(day + pd.to_timedelta(rng.integers(0, 900, n), unit="D")),
        "u": lambda: pd.Series(day + pd.to_timedelta(rng.integers(0, 9000, n), unit="h")),
        "z": lambda: pd.Series(day + pd.to_timedelta(rng.integers(0, 40_000, n), unit="h")).dt.tz_localize("UTC")
        .dt.tz_convert("Europe/Paris"),
    }  # fmt: skip
    names = [*rng.choice(list(makers), int(rng.integers(4, 8)), replace=False)]
    table = pd.DataFrame({name: makers[name]() for name in names})
    for name in names:
        if name not in "jbkd" and rng.random() < 0.4:
            table.loc[rng.random(n) < 0.15, name] = None
    return table


# Random rules


class Writer:
    """Writes random rules about a table."""

    def __init__(self, rng, table, *, learns, keep_rare=True):
        self.rng, self.table, self.learns, self.keep_rare = rng, table, learns, keep_rare

    def some(self, kinds):
        names = [name for name in self.table.columns if name in kinds]
        return str(self.rng.choice(names)) if names else None

    def value(self, name):
        cells = self.table[name].dropna()
        return cells.iloc[int(self.rng.integers(len(cells)))] if len(cells) else None

    def op(self):
        return str(self.rng.choice(["<", "<=", ">", ">=", "==", "!="], p=[0.22, 0.22, 0.22, 0.22, 0.06, 0.06]))

    def rule(self, depth=0):
        kind = self.rng.random()
        if depth >= 3 or kind < 0.4:
            return self.leaf()
        parts = [self.rule(depth + 1) for _ in range(int(self.rng.integers(2, 4)))]
        if kind < 0.6:
            return join("and", parts)
        if kind < 0.78:
            return join("or", parts)
        if kind < 0.86:
            return negate(parts[0])
        if kind < 0.94:
            return implies(*parts[:2])
        return equivalent(*parts[:2], written=self.rng.random() < 0.5)

    def leaf(self):
        makers = [
            self.constant, self.constant, self.listed, self.null, self.two_columns, self.piecewise, self.category,
            self.text, self.ordered, self.boolean, self.moment, self.calendar, self.duration, self.multiple,
            self.combinations, self.same_category, self.one_hot, self.product, self.ratio, self.rounded,
        ]  # fmt: skip
        while True:
            found = makers[int(self.rng.integers(len(makers)))]()
            if found is not None:
                return found

    def constant(self):
        name, op = self.some("ijkfghs"), self.op()
        if name is None or self.value(name) is None:
            return None
        number = round(float(self.value(name)), int(self.rng.integers(0, 3)))
        return leaf(f"{name} {op} {number}", [name], lambda df: compare_with_zero(df, [(name, 1)], -number, op))

    def listed(self):
        name = self.some("ijkf")
        if name is None or self.value(name) is None:
            return None
        values = [round(float(self.value(name)), 1) for _ in range(3)]

        def value(df):
            found = certain(np.zeros(len(df)))
            for number in values:
                found = found | compare_with_zero(df, [(name, 1)], -number, "==")
            return found

        spec = leaf(f"{name} in {values}", [name], value)
        return spec if self.rng.random() < 0.7 else Spec(f"{name} not in {values}", spec.fails, spec.holds)

    def null(self):
        name = str(self.rng.choice(self.table.columns))
        absent = self.rng.random() < 0.5

        def value(df):
            return certain(df[name].isna().to_numpy() == absent)

        return Spec(f"{name} is {'' if absent else 'not '}null", value, lambda df: ~value(df))

    def two_columns(self):
        one, other, op = self.some("ijkfghs"), self.some("ijkfghs"), self.op()
        if one is None or one == other:
            return None
        size, number = int(self.rng.choice([1, 1, 1, 2, -1])), round(float(self.rng.normal(0, 4)), 1)
        text = f"{one} {op} {size} * {other} + {number}"
        terms = [(one, 1), (other, -size)]
        return leaf(text, [one, other], lambda df: compare_with_zero(df, terms, -number, op))

    def piecewise(self):
        one, other, op = self.some("ijkfghs"), self.some("ijkfghs"), self.op()
        if one is None or one == other:
            return None
        number, kind = round(float(self.rng.normal(3, 4)), 1), self.rng.choice(["abs", "max", "min"])
        text = f"abs({one} - {other})" if kind == "abs" else f"{kind}({one}, {other})"

        def value(df):
            x, y = numbers(df, one), numbers(df, other)
            total = {"abs": lambda: np.abs(x - y), "max": lambda: np.maximum(x, y), "min": lambda: np.minimum(x, y)}
            slack = sum((rounding(df, n) + 2.0**-48) * np.abs(v) for n, v in ((one, x), (other, y)))
            exact = number.is_integer() and rounding(df, one) == rounding(df, other) == 0.0
            return sign_truth(total[kind]() - number, 0.0 * slack if exact else slack + 2.0**-48 * abs(number), op)

        return leaf(f"{text} {op} {number}", [one, other], value)

    def product(self):
        """A product of two columns or a square, compared with a number or with a third column."""
        one, other, third = (self.some("ijkfghs") for _ in range(3))
        if one is None or len({one, other, third}) < 3:
            return None
        op, power = self.op(), int(self.rng.choice([1, 1, 2]))
        above = [(one, power)] if self.rng.random() < 0.3 and power > 1 else [(one, power), (other, 1)]
        if self.rng.random() < 0.5:
            added, number = [], round(float(np.prod([float(self.value(name) or 0) ** p for name, p in above])), 1)
        else:
            added, number = [third], 0.0
        text = " * ".join(name if p == 1 else f"{name} ** {p}" for name, p in above)
        names = [*(name for name, _ in above), *added]
        return leaf(f"{text} {op} {third if added else number}", names,
                    lambda df: compare_fraction(df, above, [], added, number, op))  # fmt: skip

    def ratio(self):
        """A column over another one, or over the sum of two, compared with a number."""
        one, other, third = (self.some("ijkfghs") for _ in range(3))
        if one is None or len({one, other, third}) < 3:
            return None
        op, number = self.op(), round(float(self.rng.normal(1, 2)), 1)
        if self.rng.random() < 0.4:
            return leaf(f"{one} / ({other} + {third}) {op} {number}", [one, other, third],
                        lambda df: compare_quotient(df, one, other, third, number, op),
                        divisors=[lambda df: numbers(df, other) + numbers(df, third)])  # fmt: skip
        return leaf(f"{one} / {other} {op} {number}", [one, other],
                    lambda df: compare_fraction(df, [(one, 1)], [other], [], number, op),
                    divisors=[lambda df: numbers(df, other)])  # fmt: skip

    def rounded(self):
        """A column that equals a product after rounding; most tables have no such row."""
        one, other, third = self.some("fgh"), self.some("ijs"), self.some("fghs")
        if None in (one, other, third) or one == third:
            return None
        digits = int(self.rng.integers(0, 2))

        def value(df):
            gap = numbers(df, third) * numbers(df, other) - numbers(df, one)
            size = np.abs(numbers(df, third) * numbers(df, other)) + np.abs(numbers(df, one)) + 1
            slack, half = (rounding(df, one) + rounding(df, third) + 2.0**-46) * size, 0.5 * 10.0**-digits
            with np.errstate(invalid="ignore"):
                return Truth(np.abs(gap) <= half - slack, np.abs(gap) <= half + slack)

        return leaf(f"{one} == round({third} * {other}, {digits})", [one, other, third], value)

    def category(self):
        name = self.some("cd")
        if name is None:
            return None
        levels = [str(level) for level in {self.value(name), self.value(name)}]
        spec = leaf(f"{name} in {levels}", [name], lambda df: certain(df[name].isin(levels)))
        return spec if self.rng.random() < 0.6 else Spec(f"{name} not in {levels}", spec.fails, spec.holds)

    def text(self):
        name = self.some("cd")
        if name is None:
            return None
        way, text = [
            ("matches", "A[0-9]{3}"), ("matches", "(A|B).*1"), ("matches", r"x-\d+"), ("starts_with", "A"),
            ("ends_with", "1"), ("contains", "-"), ("contains", "0"),
        ][int(self.rng.integers(7))]  # fmt: skip
        pattern = {"matches": text, "starts_with": f"{text}.*", "ends_with": f".*{text}", "contains": f".*{text}.*"}

        def value(df):
            return certain([isinstance(x, str) and bool(re.fullmatch(pattern[way], x)) for x in df[name]])

        return leaf(f"{name} {way} {text!r}", [name], value)

    def ordered(self):
        name, op, level = self.some("o"), self.op(), int(self.rng.integers(3))
        if name is None or SIZES[level] not in set(self.table[name]):
            return None

        def value(df):
            codes = df[name].map(SIZES.index, na_action="ignore").astype("float").to_numpy()
            return sign_truth(codes - level, np.zeros(len(df)), op)

        return leaf(f"{name} {op} {SIZES[level]!r}", [name], value)

    def boolean(self):
        name = self.some("bp")
        if name is None:
            return None
        text = str(self.rng.choice([name, f"{name} == true", f"{name} != False"]))
        return leaf(text, [name], lambda df: certain(df[name].fillna(False).astype(bool)))

    def moment(self):
        name, op = self.some("tu"), self.op()
        if name is None or self.value(name) is None:
            return None
        stamp = pd.Timestamp(self.value(name))
        bound = stamp.value // 1000
        return leaf(f"{name} {op} '{stamp.isoformat()}'", [name],
                    lambda df: compare_with_zero(df, [(name, 1)], -bound, op))  # fmt: skip

    def calendar(self):
        name = self.some("tuz")
        part = str(self.rng.choice(["year", "quarter", "month", "day", "weekday", "hour"]))
        if name is None or self.value(name) is None:
            return None
        of_pandas = {"weekday": "day_of_week"}.get(part, part)
        listed = sorted({int(getattr(pd.Timestamp(self.value(name)), of_pandas)) for _ in range(2)})
        op = self.op()

        def parts(df):
            return getattr(df[name].dt, of_pandas).to_numpy(float, na_value=np.nan)

        if self.rng.random() < 0.5:
            return leaf(f"{part}({name}) in {listed}", [name], lambda df: certain(np.isin(parts(df), listed)))
        return leaf(f"{part}({name}) {op} {listed[0]}", [name],
                    lambda df: sign_truth(parts(df) - listed[0], np.zeros(len(df)), op))  # fmt: skip

    def duration(self):
        if not {"t", "u"} <= set(self.table.columns):
            return None
        op, days, count = self.op(), int(self.rng.integers(-30, 300)), self.some("ij")
        if count is None or self.rng.random() < 0.5:
            return leaf(f"t - u {op} days({days})", ["t", "u"],
                        lambda df: compare_with_zero(df, [("t", 1), ("u", -1)], -days * DAY, op))  # fmt: skip
        return leaf(f"t {op} u + days({count})", ["t", "u", count],
                    lambda df: compare_with_zero(df, [("t", 1), ("u", -1), (count, -DAY)], 0, op))  # fmt: skip

    def multiple(self):
        name = self.some("ijkf")
        if name is None:
            return None
        step = float(self.rng.choice([2, 5, 0.5, 0.2] if name == "f" else [2, 3, 10]))

        def value(df):
            x = numbers(df, name)
            gap = np.abs(x - step * np.rint(x / step))
            return Truth(gap <= 1e-12, gap <= 1e-9)

        return leaf(f"increments({name}, {step})", [name], value)

    def combinations(self):
        if not self.learns:
            return None
        names = [str(name) for name in self.rng.permutation([n for n in self.table.columns if n not in "gz"])]
        names = names[: int(self.rng.integers(2, 4))]
        if len(names) < 2:
            return None
        counts = Counter(combination(row) for row in self.table[names].itertuples(index=False))

        def value(df):  # a model may forget combinations of fewer rows, since they may identify a person
            seen = np.array([counts[combination(row)] for row in df[names].itertuples(index=False)], int)
            return Truth(seen >= (1 if self.keep_rare else LEAST_ROWS), seen >= 1)

        return Spec(f"fixed_combinations({', '.join(names)})", value, lambda df: ~value(df))

    def same_category(self):
        if not {"c", "d"} <= set(self.table.columns):
            return None
        if self.rng.random() < 0.5:
            return leaf("c == d", ["c", "d"], lambda df: certain((df["c"] == df["d"]).fillna(False)))
        return leaf("c != d", ["c", "d"], lambda df: certain((df["c"] != df["d"]).fillna(False)))

    def one_hot(self):
        if not {"b", "p"} <= set(self.table.columns):
            return None

        def value(df):
            return certain(df["b"].astype(float) + df["p"].astype("Float64").fillna(9).astype(float) == 1)

        return leaf("one_hot(b, p)", ["b", "p"], value)


def combination(row):
    return tuple("null" if pd.isna(cell) else cell for cell in row)
