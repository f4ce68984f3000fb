"""Small models with a computed column, and every row they can emit, listed from their bags alone.

Computed columns are computed here with pandas. The list holds the columns of the user; hidden ones are summed out.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from janus_synth import Janus
from janus_synth.coordinates import Link, Lookup, PairLookup, Product, Scaled, Sum
from janus_synth.kernels.dtypes import CODE

N = 1_500


class Case(NamedTuple):
    """Training rows, their link, how it is computed with pandas, and requests from common to rare."""

    frame: pd.DataFrame
    link: Link
    compute: Callable[[pd.DataFrame], pd.Series]
    common: tuple[str, ...]
    rare: tuple[str, ...]
    edges: tuple[tuple[str, str], ...]


def _label(rng: np.random.Generator, number: pd.Series) -> np.ndarray:
    """A level that depends on a number; 'r' is rare."""
    place = (number.fillna(0).to_numpy(int) + rng.integers(0, 2, len(number))) % 2
    return np.where(rng.random(len(number)) < 0.03, "r", np.array(["p", "q"])[place])


def sum_case() -> Case:
    rng = np.random.default_rng(1)
    a = rng.choice(4, N, p=[0.4, 0.3, 0.2, 0.1])
    b = pd.Series(np.minimum(rng.integers(0, 3, N) + (a == 3), 2)).mask(rng.random(N) < 0.1)
    frame = pd.DataFrame({"a": a, "b": b, "t": a + b})
    return Case(
        frame.assign(y=_label(rng, frame["t"])),
        Link("t", Sum((("a", 1.0), ("b", 1.0)), decimals=0)),
        lambda rows: rows["a"] + rows["b"],
        ("t >= 3", "t <= 2 and y == 'p'", "t is null", "t - a <= 1"),
        ("t == 4 and y == 'r'", "t >= 4 and b >= 2 and y == 'r'", "t is null and a == 3 and y == 'r'"),
        (("a", "b"), ("a", "t"), ("b", "t"), ("t", "y")),
    )


ZONES = {"north": "X", "south": "X", "east": "Y", "west": None, "far": "Z"}


def lookup_case() -> Case:
    rng = np.random.default_rng(2)
    zone = pd.Series(rng.choice([*ZONES, None], N, p=[0.3, 0.25, 0.2, 0.13, 0.02, 0.1]))
    frame = pd.DataFrame({"zone": zone, "area": zone.map(ZONES).where(zone.notna(), "Y")})
    frame["y"] = _label(rng, frame["area"].map({"X": 0, "Y": 1, "Z": 1}))
    zones, areas = sorted(ZONES), ["X", "Y", "Z"]
    values = tuple(None if ZONES[name] is None else float(areas.index(ZONES[name])) for name in zones)
    return Case(
        frame,
        Link("area", Lookup("zone", tuple(map(float, range(len(zones)))), values, 1.0)),
        lambda rows: rows["zone"].map(ZONES).where(rows["zone"].notna(), "Y"),
        ("area == 'X'", "area != 'X' and y == 'q'", "area is null", "area in ['Y', 'Z']"),
        ("area == 'Z' and y == 'r'", "area is null and y == 'r'", "area == 'Z' and y == 'p'"),
        (("zone", "area"), ("area", "y")),
    )


def copy_case() -> Case:
    rng = np.random.default_rng(3)
    a = pd.Series(rng.choice(4, N, p=[0.4, 0.3, 0.2, 0.1])).astype(float).mask(rng.random(N) < 0.08)
    other = pd.Series(rng.choice(5, N, p=[0.1, 0.2, 0.3, 0.3, 0.1])).astype(float)
    b = a.where(rng.random(N) < 0.6, other).mask(rng.random(N) < 0.1)
    frame = pd.DataFrame({"a": a, "b": b})
    return Case(
        frame.assign(y=_label(rng, frame["b"])),
        Link("b", Sum((("a", 1.0),), decimals=0), source="b (source)", own="b (own)"),
        lambda rows: (
            rows["a"]
            .mask((rows["b (source)"] == "own") & rows["b (own)"].notna(), rows["b (own)"])
            .mask(rows["b (source)"] == "null")
        ),
        ("b >= 2", "b == a", "b != a and y == 'p'", "b is null"),
        ("b == 4 and y == 'r'", "b > a and a == 3", "b == 0 and a == 3 and y == 'q'"),
        (("a", "b"), ("b", "y")),
    )


def gap_case() -> Case:
    rng = np.random.default_rng(4)
    start = pd.Series(rng.integers(0, 5, N)).astype(float).mask(rng.random(N) < 0.07)
    gap = pd.Series(rng.choice(4, N, p=[0.4, 0.3, 0.2, 0.1])).astype(float).mask(rng.random(N) < 0.07)
    frame = pd.DataFrame({"start": start, "end": start + gap})
    return Case(
        frame.assign(y=_label(rng, frame["end"])),
        Link("end", Sum((("start", 1.0),), decimals=0), gap="end - start"),
        lambda rows: rows["start"] + rows["end - start"],
        ("end >= 4", "end == start", "end <= start + 1 and y == 'p'", "end is null"),
        ("end == 7 and y == 'r'", "end == 0 and y == 'r'", "end - start == 3 and y == 'r'"),
        (("start", "end"), ("end", "y")),
    )


def product_case() -> Case:
    """No product lies half way between whole numbers, where people round up, down, or to the even number."""
    rng = np.random.default_rng(5)
    a = pd.Series(rng.choice([1, 2, 3, 4], N, p=[0.4, 0.3, 0.2, 0.1])).astype(float)
    b = pd.Series(rng.choice([0.4, 0.8, 1.2, 1.6], N, p=[0.3, 0.3, 0.3, 0.1])).mask(rng.random(N) < 0.08)
    frame = pd.DataFrame({"a": a, "b": b, "t": (a * b).round(0)})
    return Case(
        frame.assign(y=_label(rng, frame["t"])),
        Link("t", Product("a", "b", decimals=0)),
        lambda rows: (rows["a"] * rows["b"]).round(0),
        ("t >= 3", "t <= 2 and y == 'p'", "t is null", "t - a <= 1"),
        ("t >= 5 and y == 'r'", "t is null and a == 4 and y == 'r'"),
        (("a", "b"), ("a", "t"), ("b", "t"), ("t", "y")),
    )


def near_product_case() -> Case:
    """A column that differs from a product by at most one."""
    rng = np.random.default_rng(8)
    a = pd.Series(rng.choice([1, 2, 3], N, p=[0.4, 0.4, 0.2])).astype(float)
    b = pd.Series(rng.choice([1, 2], N, p=[0.6, 0.4])).astype(float).mask(rng.random(N) < 0.08)
    gap = pd.Series(rng.choice([-1, 0, 1], N, p=[0.2, 0.5, 0.3])).astype(float).mask(rng.random(N) < 0.05)
    frame = pd.DataFrame({"a": a, "b": b, "t": a * b + gap})
    return Case(
        frame.assign(y=_label(rng, frame["t"])),
        Link("t", Product("a", "b", decimals=0), gap="t - a * b"),
        lambda rows: rows["a"] * rows["b"] + rows["t - a * b"],
        ("t >= 3", "t <= 2 and y == 'p'", "t is null", "t == a"),
        ("t >= 6 and y == 'r'", "t == 0 and y == 'r'", "t is null and a == 3 and y == 'r'"),
        (("a", "b"), ("a", "t"), ("b", "t"), ("t", "y")),
    )


RATES = {"0.6": 0.6, "0.0": 0.0, "0.3": 0.3}


def factor_case() -> Case:
    """Rates of small amounts: rounding makes several of them give the same value."""
    rng = np.random.default_rng(6)
    net = pd.Series(rng.choice(5, N, p=[0.1, 0.2, 0.3, 0.2, 0.2])).astype(float).mask(rng.random(N) < 0.06)
    rate = np.where(net > 2, rng.choice(3, N, p=[0.6, 0.2, 0.2]), rng.choice(3, N, p=[0.3, 0.3, 0.4]))
    tax = (net * np.array([*RATES.values()])[rate]).round(0)
    frame = pd.DataFrame({"net": net, "tax": tax.mask(rng.random(N) < 0.05)})
    return Case(
        frame.assign(y=_label(rng, frame["tax"])),
        Link("tax", Scaled("net", "tax / net", tuple(RATES.values()), 0), parts=("tax / net",)),
        lambda rows: (rows["net"] * rows["tax / net"].map(RATES).astype(float)).round(0),
        ("tax >= 2", "tax == 0", "tax <= net - 2 and y == 'p'", "tax is null"),
        ("tax == 1 and net == 4 and y == 'r'", "tax is null and net == 4 and y == 'r'"),
        (("net", "tax"), ("tax", "y")),
    )


def pair_case() -> Case:
    rng = np.random.default_rng(7)
    zone = pd.Series(rng.choice(["n", "s", "w", None], N, p=[0.4, 0.3, 0.25, 0.05]))
    hour = pd.Series(rng.choice(3, N, p=[0.5, 0.3, 0.2])).astype(float).mask(rng.random(N) < 0.06)
    tariffs = {("n", 0): 1.0, ("n", 1): 2.0, ("n", 2): 1.0, ("s", 0): 4.0, ("s", 1): None, ("s", 2): 2.0}
    tariffs |= {("w", 0): 1.0, ("w", 1): 1.0, ("w", 2): 4.0}

    def compute(rows: pd.DataFrame) -> pd.Series:
        found = [tariffs.get(pair) for pair in zip(rows["zone"], rows["hour"], strict=True)]
        return pd.Series(found, index=rows.index, dtype=float)

    frame = pd.DataFrame({"zone": zone, "hour": hour})
    frame["tariff"] = compute(frame)
    zones, hours = (0.0, 1.0, 2.0), (0.0, 1.0, 2.0)
    return Case(
        frame.assign(y=_label(rng, frame["tariff"])),
        Link("tariff", PairLookup(("zone", "hour"), (zones, hours), tuple(tariffs.values()))),
        compute,
        ("tariff >= 2", "tariff == 1 and y == 'q'", "tariff is null"),
        ("tariff == 4 and y == 'r' and hour == 2", "tariff == 2 and y == 'r' and zone == 's'"),
        (("zone", "tariff"), ("hour", "tariff"), ("zone", "hour"), ("tariff", "y")),
    )


CASES: dict[str, Callable[[], Case]] = {
    "sum": cache(sum_case),
    "lookup": cache(lookup_case),
    "copy": cache(copy_case),
    "gap": cache(gap_case),
    "product": cache(product_case),
    "near product": cache(near_product_case),
    "factor": cache(factor_case),
    "pair": cache(pair_case),
}


@cache
def fitted_case(name: str) -> Janus:
    """A model of a case; columns of few numbers stay numbers."""
    case = CASES[name]()
    numbers = {column: {"kind": "numeric"} for column in case.frame if case.frame[column].dtype.kind in "if"}
    settings = {"structure": list(case.edges), "schema": numbers, "links": [case.link], "n_trees": 3}
    return Janus(**settings, random_state=0, n_jobs=1).fit(case.frame)


@cache
def every_row(name: str) -> pd.DataFrame:
    """All rows that the model of a case can emit, with their probabilities, in a column ``p``."""
    return list_rows(fitted_case(name), CASES[name]())


def list_rows(janus: Janus, case: Case) -> pd.DataFrame:
    """All rows that a model can emit, hidden columns summed out."""
    model = janus.model_
    x, p = np.zeros((len(model.bags), 1), CODE), np.ones(1)
    values = pd.DataFrame(index=[0])
    for name in model.dag.order:
        i, codec = model.codec.names.index(name), model.codec.columns[name]
        if name == case.link.column:
            values[name] = case.compute(values)
            x[i] = codec.encode(_cells(model, name, values[name]))
            continue
        n, m = len(p), codec.n_codes
        x, p = np.repeat(x, m, axis=1), np.repeat(p, m)
        x[i] = np.tile(np.arange(m), n)
        values = values.loc[values.index.repeat(m)].reset_index(drop=True)
        p = p * model.bags[i].compiled(len(x)).probability_of(np.ascontiguousarray(x[i]), np.ascontiguousarray(x))
        kept = np.flatnonzero(p > 0)
        x, p = np.ascontiguousarray(x[:, kept]), p[kept]
        values = values.iloc[kept].reset_index(drop=True)
        values[name] = _shown(model, name, codec.decode(x[i], np.full(len(p), 0.5)))
    visible = list(case.frame)
    rows = values[visible].assign(p=p).groupby(visible, dropna=False, as_index=False)["p"].sum()
    assert abs(rows["p"].sum() - 1) < 1e-5, "the bags do not sum to 1"
    return rows


def _shown(model, name: str, cells: np.ndarray) -> pd.Series:
    levels = model.schema[name].levels
    return pd.Series([None if cell < 0 else levels[cell] for cell in cells] if levels else cells)


def _cells(model, name: str, values: pd.Series) -> np.ndarray:
    levels = model.schema[name].levels
    if not levels:
        return values.to_numpy(float)
    return np.array([-1 if pd.isna(value) else levels.index(value) for value in values], np.int32)


def keys(rows: pd.DataFrame) -> pd.Series:
    """Each row as one text, whatever dtype holds it."""
    if not len(rows):
        return pd.Series(dtype=str)
    key = _texts(rows.iloc[:, 0])
    for place in range(1, rows.shape[1]):
        key = key + "|" + _texts(rows.iloc[:, place])
    return pd.Series(key, index=rows.index)


def _texts(cells: pd.Series) -> np.ndarray:
    """Cells as texts, each different one made once."""
    codes, values = pd.factorize(cells, use_na_sentinel=False)
    texts = ["-" if pd.isna(value) else str(value).removesuffix(".0") for value in values]
    return np.array(texts, object)[codes]


def fit_p_value(rows: pd.DataFrame, truth: pd.DataFrame) -> float:
    """p-value of a chi-square test of rows against listed probabilities; 0 if a row is not listed.

    Cells with an expected count below five are pooled.
    """
    columns = [name for name in truth if name != "p"]
    share = pd.Series((truth["p"] / truth["p"].sum()).to_numpy(), index=keys(truth[columns])).groupby(level=0).sum()
    seen = keys(rows[columns]).value_counts()
    if not set(seen.index) <= set(share[share > 0].index):
        return 0.0
    expected = share[share > 0] * len(rows)
    seen = seen.reindex(expected.index, fill_value=0)
    small = expected < 5
    counts = np.append(seen[~small], seen[small].sum())
    wanted = np.append(expected[~small], expected[small].sum())
    if wanted[-1] < 5 and len(wanted) > 1:
        counts = np.append(counts[1:-1], counts[0] + counts[-1])
        wanted = np.append(wanted[1:-1], wanted[0] + wanted[-1])
    return 1.0 if len(wanted) < 2 else float(stats.chisquare(counts, wanted).pvalue)
