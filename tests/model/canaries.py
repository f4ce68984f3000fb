"""A table with planted canaries, values that must never be seen again, and a search for them in files and rows."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import dataclass

import numpy as np
import pandas as pd

LETTERS = list("abcdefghijklmnopqrstuvwxyz")


@dataclass(frozen=True)
class Planted:
    """A table, and what was planted in it."""

    frame: pd.DataFrame
    texts: frozenset[str]
    numbers: frozenset[float]
    """Numbers and microseconds; no distribution hits them by chance, since they have six random decimals."""


def plant(n_rows: int, n_canaries: int, seed: int = 0) -> Planted:
    """Names, secrets, rare levels, outliers and unique timestamps, one fifth of the canaries each."""
    rng = np.random.default_rng(seed)
    each = n_canaries // 5
    at = rng.permutation(n_rows)[:each]
    word = lambda k: "".join(rng.choice(LETTERS, k))  # noqa: E731
    names = [f"{word(7).capitalize()} {word(9).capitalize()}" for _ in range(n_rows)]
    secrets = [" ".join(word(k) for k in rng.integers(4, 9, 5 + i % 3).tolist()) for i in range(n_rows)]
    city = rng.choice(["Rome", "Oslo", "Bonn", "Lima"], n_rows).astype(object)
    city[at] = [f"Rare{word(8)}" for _ in range(each)]
    amount = rng.lognormal(3, 1, n_rows).round(2)
    outliers = np.where(rng.random(each) < 0.5, 1e6, -1e6) * rng.uniform(1, 9, each)
    amount[at] = outliers.round(6)
    stamps = np.datetime64("2024-01-01", "us") + (rng.integers(0, 3 * 10**7, n_rows) * 10**6).astype("timedelta64[us]")
    stamps[at] += rng.integers(1, 10**6, each).astype("timedelta64[us]")
    frame = pd.DataFrame(
        {
            "name": names,
            "note": secrets,
            "city": city,
            "amount": amount,
            "seen": stamps,
            "age": np.clip(rng.normal(45, 12, n_rows), 18, 90).round().astype(int),
            "member": rng.random(n_rows) < 0.4,
        }
    )
    texts = frozenset([*(names[i] for i in at), *(secrets[i] for i in at), *city[at]])
    numbers = [*frame["amount"].iloc[at], *frame["seen"].iloc[at].astype("datetime64[us]").astype("int64")]
    return Planted(frame, texts, frozenset(map(float, numbers)))


def plant_among_relations(n_rows: int, n_canaries: int, seed: int = 0) -> Planted:
    """Canaries where relations, formats and alerts could keep them, a tenth in each place.

    Places are notes that repeat, free text, clocks, keys and values of lookups, terms of a sum, words among numbers,
    JSON, lists of addresses, and labels with an order.
    """
    rng = np.random.default_rng(seed)
    at = rng.permutation(n_rows)[: n_canaries // 10 * 10].reshape(10, -1)
    words = iter(["qz" + "".join(rng.choice(LETTERS, 9)) for _ in range(n_canaries)])
    texts: list[str] = []

    def hide(cells: list[str], rows: np.ndarray, form: str = "{}") -> list[str]:
        for row in rows.tolist():
            texts.append(next(words))
            cells[row] = form.format(texts[-1])
        return cells

    town = rng.choice(["Rome", "Oslo", "Bonn", "Lima"], n_rows)
    customer = [f"P{i:02d}" for i in rng.integers(0, 40, n_rows)]
    net = rng.lognormal(6, 1, n_rows).round(2)
    tax = (0.19 * net).round(2)
    tax[at[0]] = rng.uniform(1e7, 9e7, at.shape[1]).round(6)
    seen = np.datetime64("2022-01-01", "us") + rng.integers(0, 700, n_rows).astype("timedelta64[D]")
    seen[at[1]] += rng.integers(1, 86_399_999_999, at.shape[1]).astype("timedelta64[us]")
    frame = pd.DataFrame(
        {
            "note": hide([f"met about {w}" for w in rng.choice(["rent", "pay"], n_rows)], at[2], "met {} about pay"),
            "story": hide([" ".join(rng.choice(LETTERS, 30)) for _ in range(n_rows)], at[3], "a b c d e {}"),
            "town": town,
            "region": hide([name[::-1] for name in town], at[4]),
            "customer": hide(customer, at[5]),
            "segment": [f"S{sum(map(ord, name)) % 5}" for name in customer],
            "net": net,
            "tax": tax,
            "total": net + tax,
            "seen": seen,
            "pay": hide([f"{v:.2f}" for v in net], at[6]),
            "fields": hide([f'{{"a": {i % 7}}}' for i in range(n_rows)], at[7], '{{"a": 1, "who": "{}"}}'),
            "mails": hide([f"a{i % 50}@x.org; b@y.org" for i in range(n_rows)], at[8], "{}@x.org"),
            "week": hide([f"KW {i % 53 + 1}" for i in range(n_rows)], at[9], "KW 9 {}"),
        }
    )
    numbers = [*tax[at[0]].tolist(), *seen[at[1]].astype("int64").tolist()]
    return Planted(frame, frozenset(texts), frozenset(map(float, numbers)))


def plant_among_texts(n_rows: int, n_canaries: int, seed: int = 0) -> Planted:
    """Canaries in the cells of a file, an equal share in each of twenty places; all cells are text.

    Places are versions, diagnoses, lists, remarks, words for yes and no, labels with an order, order numbers, paces,
    doses, keys of one and of two lookups, dates, times of day, postal codes, JSON, factors of a product, values inside
    bins and among few, rates, and codes for missing.
    """
    rng = np.random.default_rng(seed)
    each = n_canaries // 20
    at = rng.permutation(n_rows)[: 20 * each].reshape(20, each)
    words = iter(["qz" + "".join(rng.choice(LETTERS, 9)) for _ in range(n_canaries)])
    texts: list[str] = []
    places = iter(at)

    def hide(cells: object, form: str = "{}") -> list[str]:
        hidden = [str(cell) for cell in cells]
        for row in next(places).tolist():
            texts.append(next(words))
            hidden[row] = form.format(texts[-1])
        return hidden

    def number(cells: object, low: float, high: float) -> list[str]:
        hidden = [str(cell) for cell in cells]
        for row in next(places).tolist():
            texts.append(f"{rng.uniform(low, high):.9f}")
            hidden[row] = texts[-1]
        return hidden

    def one_of(*words_: str) -> list[str]:
        return rng.choice(words_, n_rows).tolist()

    town, qty = rng.choice(["Rome", "Oslo", "Bonn", "Lima"], n_rows), rng.integers(1, 9, n_rows)
    unit = number(one_of("2.5", "4.0", "7.25"), 100, 900)
    days = [f"{d % 28 + 1:02d}/{d % 12 + 1:02d}/20{d % 9 + 15}" for d in rng.integers(0, 10**6, n_rows).tolist()]
    clocks = [f"{m // 60:02d}:{m % 60:02d}" for m in rng.integers(480, 1080, n_rows).tolist()]
    minutes = rng.integers(180, 480, n_rows).tolist()
    frame = pd.DataFrame({
        "version": hide(one_of("3.8", "3.9", "3.10", "3.11"), "3.9-{}"),
        "diagnosis": hide(one_of("E11.9", "I10", "J45.9", "M54.5"), "Q99.{}"),
        "tags": hide(one_of("red", "blue;red", "big;red"), "red;{}"),
        "remark": hide(one_of("call back", "left a note", "paid in cash"), "call {} back"),
        "agreed": hide(one_of("yes", "no")),
        "level": hide(one_of("low", "medium", "high"), "medium {}"),
        "order": hide((f"ORD-{i:06d}" for i in rng.permutation(n_rows)), "ORD-{}"),
        "pace": hide((f"{m // 60}:{m % 60:02d} /km" for m in minutes), "4:00 /{}"),
        "dose": hide((f"{n} mg" for n in rng.integers(1, 90, n_rows)), "5 {}"),
        "town": town,
        "region": hide(name[::-1] for name in town),
        "qty": qty.astype(str),
        "tariff": hide(f"{name[0]}{n % 3}" for name, n in zip(town, qty.tolist(), strict=True)),
        "day": hide(days, "01/02/{}"),
        "clock": hide(clocks),
        "zip": hide((f"{rng.choice(['021', '902'])}{n:02d}" for n in rng.integers(0, 99, n_rows)), "7{}"),
        "fields": hide((f'{{"a": {n}}}' for n in rng.integers(0, 7, n_rows)), '{{"who": "{}"}}'),
        "unit": unit,
        "price": [f"{float(a) * b:.10g}" for a, b in zip(unit, qty.tolist(), strict=True)],
        "heat": number((f"{x:.1f}" for x in rng.normal(20, 5, n_rows)), 18, 22),
        "step": number(one_of("10", "20", "30"), 11, 29),
        "rate": number(one_of("0.07", "0.19"), 0.2, 0.9),
        "age": number(rng.integers(20, 70, n_rows), 200, 999),
    })  # fmt: skip
    return Planted(frame, frozenset(texts), frozenset())


def found_in_file(path, planted: Planted) -> set[object]:
    """Canaries in any member of a model file: as text, as a number in JSON, or as a number of an array."""
    found: set[object] = set()
    raw = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    everything = raw + b"".join(members.values())
    found |= {text for text in planted.texts if text.encode() in everything}
    numbers = np.array(sorted(planted.numbers))
    found |= {number for number in numbers.tolist() if np.float64(number).tobytes() in everything}
    for name, data in members.items():
        if name.endswith(".npy"):
            array = np.load(io.BytesIO(data), allow_pickle=False).astype(np.float64).ravel()
            found |= set(numbers[np.isin(numbers, array)].tolist())
    manifest = json.loads(members["manifest.json"])
    found |= planted.numbers & set(_numbers_of(manifest))
    dates = {str(np.datetime64(int(number), "us")) for number in numbers if abs(number) > 1e12}
    text = members["manifest.json"].decode()
    return found | {date for date in dates if date in text or date.replace("T", " ") in text}


def _numbers_of(value: object) -> list[float]:
    if isinstance(value, dict):
        return [number for each in value.values() for number in _numbers_of(each)]
    if isinstance(value, list):
        return [number for each in value for number in _numbers_of(each)]
    return [float(value)] if isinstance(value, int | float) and not isinstance(value, bool) else []


def found_in_rows(rows: pd.DataFrame, planted: Planted) -> set[object]:
    """Canaries among the cells of generated rows."""
    found: set[object] = set()
    for name in rows:
        column = rows[name]
        if column.dtype.kind == "M":
            cells = set(column.dropna().astype("datetime64[us]").astype("int64").astype(float))
        elif column.dtype.kind in "fiu":
            cells = set(column.dropna().astype(float))
        else:
            cells = set(column.dropna().astype(str))
        found |= {cell for cell in cells if cell in planted.texts or cell in planted.numbers}
        whole = "\n".join(cells) if cells and isinstance(next(iter(cells)), str) else ""
        found |= {text for text in planted.texts if text in whole}
    return found
