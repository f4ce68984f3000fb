"""Tables drawn from known equations, models fitted with their true graphs, and comparisons of frames."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from janus_synth import Janus
from janus_synth.model import Model
from janus_synth.table import read_table

LOAN_GRAPH = [
    ("sex", "school"),
    ("sex", "approved"),
    ("race", "approved"),
    ("school", "approved"),
    ("region", "approved"),
    ("approved", "amount"),
]
ABOVE = {
    "sex": ["female", "male"],
    "race": ["blue", "green", "red"],
    "region": ["north", "south"],
    "school": ["low", "mid", "high"],
}
"""Ancestors of approval, with their values."""
STAGE_GRAPH = [
    ("sex", "skill"),
    ("sex", "screened"),
    ("skill", "screened"),
    ("screened", "invited"),
    ("skill", "invited"),
    ("invited", "hired"),
    ("skill", "hired"),
    ("sex", "hired"),
]
STAGE_RULES = ["screened or not invited", "invited or not hired"]
KIND_GRAPH = [
    ("age", "grade"),
    ("grade", "passed"),
    ("age", "passed"),
    ("member", "passed"),
    ("grade", "pay"),
    ("age", "pay"),
    ("age", "score"),
    ("passed", "note"),
]


def loans(n: int = 4_000, seed: int = 0) -> pd.DataFrame:
    """Categorical columns: sex affects approval directly and through school, race directly; amount depends on approval.

    Region is noise.
    """
    rng = np.random.default_rng(seed)
    sex = np.where(rng.random(n) < 0.5, "female", "male")
    race = np.array(["blue", "green", "red"])[rng.choice(3, n, p=[0.5, 0.3, 0.2])]
    region = np.where(rng.random(n) < 0.6, "north", "south")
    place = (rng.random(n) < np.where(sex == "male", 0.75, 0.55)).astype(int) + (rng.random(n) < 0.5)
    chance = 0.2 + 0.22 * place + 0.12 * (sex == "male") + 0.06 * (race == "blue") - 0.08 * (region == "south")
    approved = rng.random(n) < chance
    amount = np.where(approved, np.where(rng.random(n) < 0.4, "large", "small"), "none")
    school = np.array(["low", "mid", "high"])[place]
    return pd.DataFrame(
        {"sex": sex, "race": race, "region": region, "school": school, "approved": approved, "amount": amount}
    )


@cache
def loan_model() -> Janus:
    """A model of the loans, given their true graph."""
    return Janus(structure=LOAN_GRAPH, random_state=0).fit(loans())


def cells(**more: list) -> pd.DataFrame:
    """Every combination of the ancestors of approval and of further columns."""
    levels = {**ABOVE, **more}
    rows = pd.DataFrame(list(product(*levels.values())), columns=list(levels))
    return rows.assign(approved=False, amount="none")


def conditional(model: Model, column: str, rows: pd.DataFrame) -> np.ndarray:
    """(rows, levels) probability of each level of a column by the trees of a model."""
    x = model.codec.encode(read_table(rows, model.schema, columns=model.codec.names))
    walker = model.bag(column).compiled(len(model.codec.names))
    shares = walker.shares(walker.leaves(x), x)
    return shares[:, : len(model.schema[column].levels)]


def averaged(column: str, rows: pd.DataFrame, protected: str = "sex") -> np.ndarray:
    """The learnt conditional averaged over the protected column's shares in the training table."""
    model, share = loan_model().model_, loans()[protected].value_counts(normalize=True)
    return sum(share[a] * conditional(model, column, rows.assign(**{protected: a})) for a in ABOVE[protected])


def stages(n: int = 4_000, seed: int = 0) -> pd.DataFrame:
    """Three stages of an application, each open only to those who passed the one before."""
    rng = np.random.default_rng(seed)
    sex = np.where(rng.random(n) < 0.5, "female", "male")
    skill = np.clip(np.round(5 + 2 * rng.normal(size=n) + 0.5 * (sex == "male")), 0, 10).astype(int)
    screened = rng.random(n) < 0.35 + 0.05 * skill + 0.08 * (sex == "male")
    invited = screened & (rng.random(n) < 0.3 + 0.06 * skill)
    hired = invited & (rng.random(n) < 0.25 + 0.06 * skill + 0.1 * (sex == "male"))
    return pd.DataFrame({"sex": sex, "skill": skill, "screened": screened, "invited": invited, "hired": hired})


@cache
def stage_model() -> Janus:
    """A model of the stages, given their true graph and rules."""
    return Janus(structure=STAGE_GRAPH, rules=STAGE_RULES, random_state=0).fit(stages())


def kinds(n: int = 3_000, seed: int = 0) -> pd.DataFrame:
    """A column of every kind: numbers, ordered levels, 0 and 1, nullable booleans and levels, text keys."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 70, n)
    member = pd.array(rng.random(n) < 0.5, dtype="boolean")
    member[rng.random(n) < 0.1] = pd.NA
    place = np.clip((age - 18) // 13 + rng.integers(-1, 2, n), 0, 3)
    grade = pd.Categorical.from_codes(place, pd.Index(["D", "C", "B", "A"]), ordered=True)
    passed = (rng.random(n) < 0.2 + 0.15 * place + 0.1 * np.asarray(member.fillna(False), bool)).astype(int)
    pay = np.round(20_000 + 4_000 * place + 200 * (age - 18) + 5_000 * rng.normal(size=n), -2)
    score = np.where(rng.random(n) < 0.15, np.nan, np.round(age / 10 + rng.normal(size=n), 1))
    note = pd.Series(np.where(passed == 1, "good", "poor"), dtype=str)
    absent, wrong = rng.random((2, n)) < [[0.2], [0.05]]
    note[wrong] = np.where(note[wrong] == "good", "poor", "good")  # else the outcome would be computed, not learnt
    note[absent] = None
    key = pd.Series([f"K-{i:05d}" for i in range(n)], dtype=str)
    return pd.DataFrame(
        {"key": key, "age": age, "member": member, "grade": grade, "passed": passed, "pay": pay, "score": score}
        | {"note": note}
    )


@cache
def kind_model() -> Janus:
    """A model of the kinds, given their true graph."""
    return Janus(structure=KIND_GRAPH, random_state=0).fit(kinds())


def changed(one: pd.Series, other: pd.Series) -> np.ndarray:
    """Rows in which two columns differ; null equals null."""
    differ = np.asarray((one.astype(object) != other.astype(object)).fillna(True), bool)
    return differ & ~np.asarray(one.isna() & other.isna())


def changed_rows(one: pd.DataFrame, other: pd.DataFrame) -> np.ndarray:
    """Rows in which any cell differs."""
    return np.any([changed(one[name], other[name]) for name in one], axis=0)


def same_columns(one: pd.DataFrame, other: pd.DataFrame) -> set[str]:
    """Columns that are the same in every row."""
    return {name for name in one if not changed(one[name], other[name]).any()}


def rate(favoured: Any, among: Any) -> float:
    """Share of favoured rows in a group."""
    return float(np.asarray(favoured)[np.asarray(among)].mean())
