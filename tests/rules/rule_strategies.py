"""Random rules and tables, and a row-by-row rule evaluator that shares no code with the library."""

from __future__ import annotations

import datetime as dt
import operator
from fractions import Fraction

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from janus_synth.rules.language import (
    And,
    Compare,
    FixedCombinations,
    Implies,
    Increments,
    IsIn,
    IsNull,
    Linear,
    Not,
    Or,
    Term,
)

OPS = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
SIZES = ("S", "M", "L", "XL")
NUMBERS = ("x", "y", "annual income (k$)")
DAY = 86_400_000_000

names = st.sampled_from([*NUMBERS, "class", "null", "größe", "a`b", "x.y", "", "ﬁeld", "days", "Ω#'"])
numbers = st.integers(-1000, 1000) | st.floats(-1e6, 1e6, allow_nan=False) | st.sampled_from([0.1, 1e-7, 1e22, 2**60])
texts = st.text(max_size=6) | st.sampled_from(["Rome", "it's", 'say "x"', "back\\slash", "`", "# no", "2024-01-31"])
ops = st.sampled_from(list(OPS))
spans = st.integers(-(10**12), 10**12) | st.integers(-400, 400).map(lambda days: days * DAY)


@st.composite
def linears(draw, with_columns=True):
    terms = st.builds(Term, names, numbers, st.booleans())
    found = draw(st.lists(terms, min_size=1 if with_columns else 0, max_size=3)) if with_columns else []
    text = draw(st.none() | texts)
    sign = 1 if text is None else draw(st.sampled_from([1, -1]))
    return Linear(tuple(found), draw(st.just(0) | numbers), draw(st.just(0) | spans), text, sign)


values = st.lists(texts | numbers | st.booleans(), min_size=1, max_size=4).map(tuple)
constants = linears(with_columns=False)
sides = st.tuples(linears() | constants, ops, linears() | constants).filter(
    lambda parts: parts[0].terms or parts[2].terms
)
ranges = st.tuples(constants, names, constants, st.sampled_from(["<", "<=", ">", ">="])).map(
    lambda parts: And(
        (
            Compare(parts[0], parts[3], Linear((Term(parts[1]),))),
            Compare(Linear((Term(parts[1]),)), parts[3][0], parts[2]),
        )
    )
)
pairs = st.lists(names, min_size=2, max_size=3, unique=True).map(tuple)


@st.composite
def combinations(draw):
    columns = draw(pairs)
    cells = st.none() | texts | numbers | st.booleans()
    rows = st.lists(st.tuples(*[cells] * len(columns)), min_size=1, max_size=3).map(tuple)
    return FixedCombinations(columns, draw(st.none() | rows))


leaves = (
    sides.map(lambda parts: Compare(*parts))
    | ranges
    | st.builds(IsIn, names, values, st.booleans())
    | st.builds(IsNull, names, st.booleans())
    | st.builds(Increments, names, st.sampled_from([0.5, 1, 0.01, 1e20]))
    | combinations()
)


def _joined(inner):
    some = st.lists(inner, min_size=2, max_size=3).map(tuple)
    return some.map(And) | some.map(Or) | inner.map(Not) | st.builds(Implies, inner, inner)


rules = st.recursive(leaves, _joined, max_leaves=8)
"""Rules of every form; they need not fit any table."""


# Rules that fit the table below.

_whole = st.integers(-5, 5)
_tenths = st.integers(-20, 20).map(lambda tenths: tenths / 10)
_dates = st.integers(0, 9).map(lambda day: f"2024-01-{day + 1:02d}")
_moments = st.sampled_from(["start", "end"])


def _column(name):
    return Linear((Term(name),))


def _numeric_compare(parts):
    terms, op, constant, other = parts
    return Compare(Linear(tuple(Term(*term) for term in terms)), op, Linear(other, constant))


_fitting = (
    st.tuples(
        st.lists(
            st.tuples(st.sampled_from(["n", "d", "flag"]), st.sampled_from([1, -1, 2, 0.5])), min_size=1, max_size=2
        ),
        ops,
        _whole | _tenths,
        st.just(()) | st.just((Term("n"),)) | st.just((Term("d", 3),)),
    )
    .map(lambda parts: parts if Linear(tuple(Term(*t) for t in parts[0])).terms else ([("n", 1)], *parts[1:]))
    .map(_numeric_compare)
    | st.builds(lambda op, size: Compare(_column("size"), op, Linear(text=size)), ops, st.sampled_from(SIZES))
    | st.builds(lambda op, size: Compare(Linear(text=size), op, _column("size")), ops, st.sampled_from(SIZES))
    | st.builds(
        lambda op, city: Compare(_column("city"), op, Linear(text=city)),
        st.sampled_from(["==", "!="]),
        st.sampled_from(["Rome", "Oslo", "Bonn"]),
    )
    | st.builds(lambda name, op, day: Compare(_column(name), op, Linear(text=day)), _moments, ops, _dates)
    | st.builds(
        lambda op, days: Compare(_column("end"), op, Linear((Term("start"),), span=days * DAY)), ops, st.integers(-3, 5)
    )
    | st.builds(
        lambda op, days: Compare(_column("end"), op, Linear((Term("start"), Term("n", DAY, True)))), ops, st.just(0)
    )
    | st.builds(lambda op: Compare(_column("city"), op, _column("home")), st.sampled_from(["==", "!="]))
    | st.builds(
        IsIn, st.just("city"), st.lists(st.sampled_from(["Rome", "Oslo", "Bonn"]), min_size=1).map(tuple), st.booleans()
    )
    | st.builds(IsIn, st.just("d"), st.lists(_tenths, min_size=1, max_size=4).map(tuple), st.booleans())
    | st.builds(IsIn, st.just("start"), st.lists(_dates, min_size=1, max_size=3).map(tuple), st.booleans())
    | st.builds(IsIn, st.just("flag"), st.sampled_from([(True,), (False,), (True, False)]), st.booleans())
    | st.builds(IsNull, st.sampled_from(["n", "d", "flag", "city", "size", "start"]), st.booleans())
    | st.builds(Increments, st.sampled_from(["n", "d"]), st.sampled_from([0.1, 0.3, 0.5, 2]))
    | st.just(FixedCombinations(("city", "size"), (("Rome", "S"), ("Oslo", None), (None, "L"))))
)
fitting_rules = st.recursive(_fitting, _joined, max_leaves=6)
"""Rules that fit the tables of ``people``."""


def people(rng: np.random.Generator, n_rows: int = 60) -> pd.DataFrame:
    """Rows of every kind with nulls in every column."""

    def gaps(cells):
        return [None if rng.random() < 0.2 else cell for cell in cells]

    day = dt.datetime(2024, 1, 1)
    start = [day + dt.timedelta(days=int(k)) for k in rng.integers(0, 9, n_rows)]
    end = [moment + dt.timedelta(days=int(k)) for moment, k in zip(start, rng.integers(-2, 5, n_rows), strict=True)]
    return pd.DataFrame(
        {
            "n": pd.Series(gaps(rng.integers(-5, 6, n_rows).tolist()), dtype="Int64"),
            "d": pd.Series(gaps((0.1 * rng.integers(-20, 21, n_rows)).tolist()), dtype="float64"),
            "flag": pd.Series(gaps((rng.random(n_rows) < 0.5).tolist()), dtype="boolean"),
            "city": pd.Series(gaps(rng.choice(["Rome", "Oslo"], n_rows).tolist()), dtype="object"),
            "home": pd.Series(gaps(rng.choice(["Rome", "Oslo", "Paris"], n_rows).tolist()), dtype="object"),
            "size": pd.Categorical(gaps(rng.choice(SIZES, n_rows).tolist()), categories=SIZES, ordered=True),
            "start": pd.Series(gaps(start), dtype="datetime64[us]"),
            "end": pd.Series(gaps(end), dtype="datetime64[us]"),
        }
    )


def cells_of(frame: pd.DataFrame) -> list[dict]:
    """Each row as a dict of exact values, None for missing."""
    return [{name: _exact(cell) for name, cell in row.items()} for row in frame.to_dict("records")]


def _exact(cell):
    if cell is None or cell is pd.NA or cell is pd.NaT or (isinstance(cell, float) and np.isnan(cell)):
        return None
    if isinstance(cell, bool | str | np.bool_):
        return cell if isinstance(cell, str) else bool(cell)
    if isinstance(cell, dt.datetime):
        return cell.to_pydatetime() if isinstance(cell, pd.Timestamp) else cell
    return Fraction(str(round(float(cell), 9)))


def row_holds(rule, row: dict, negated: bool = False) -> bool:
    """Evaluate a rule on one row by the definition."""
    match rule:
        case And(parts):
            found = [row_holds(part, row, negated) for part in parts]
            return any(found) if negated else all(found)
        case Or(parts):
            found = [row_holds(part, row, negated) for part in parts]
            return all(found) if negated else any(found)
        case Not(part):
            return row_holds(part, row, not negated)
        case Implies(premise, conclusion):
            if negated:
                return row_holds(premise, row) and row_holds(conclusion, row, True)
            return not row_holds(premise, row) or row_holds(conclusion, row)
        case IsNull(column, flipped):
            return ((row[column] is None) != flipped) != negated
        case FixedCombinations(combined, known):
            return (tuple(row[name] for name in combined) in known) != negated
    if any(row[name] is None for name in rule.columns):
        return False
    match rule:
        case IsIn(column, listed, flipped):
            found = row[column] in [_like(row[column], value) for value in listed]
            return (found != flipped) != negated
        case Increments(column, step):
            return ((row[column] / Fraction(str(step))).denominator == 1) != negated
        case Compare(left, op, right):
            return OPS[op](*_sides(left, right, row)) != negated
    raise TypeError(rule)


def _like(cell, value):
    if isinstance(cell, dt.datetime):
        return dt.datetime.fromisoformat(value)
    return value if isinstance(value, str | bool) else Fraction(str(value))


def _sides(left, right, row):
    first, second = _side(left, row), _side(right, row)
    if isinstance(first, str) and (row_size := {size: i for i, size in enumerate(SIZES)}).keys() >= {first, second}:
        return row_size[first], row_size[second]
    return first, second


def _side(side, row):
    if side.text is not None:
        return side.text if not side.text[0].isdigit() else dt.datetime.fromisoformat(side.text)
    cells = [row[term.column] for term in side.terms]
    if any(isinstance(cell, str) for cell in cells):
        return cells[0]
    total = Fraction(str(side.constant))
    for term, cell in zip(side.terms, cells, strict=True):
        if isinstance(cell, dt.datetime):
            total = cell if total == 0 else total
        elif term.span:
            total += dt.timedelta(microseconds=float(term.coefficient * cell))
        else:
            total += Fraction(str(term.coefficient)) * Fraction(cell)
    return total + dt.timedelta(microseconds=side.span) if isinstance(total, dt.datetime) else total
