"""For each table, a `Scene` (protected groups, favourable outcomes, where to plant bias) and a fitted model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from janus_bench.tables import read_named, table_names
from janus_synth import Janus, datasets
from janus_synth.errors import DataError
from janus_synth.fairness import Bias

ADULT, HIRING = "adult", "hiring"
TABLES = (ADULT, HIRING)
PIPELINE = 0.15
"""Magnitude of the bias at each stage of a pipeline, as in the paper."""
HIDDEN = 0.4
"""Magnitude of the bias against the hidden subgroup."""

ADULT_TIERS = (
    ("age", "sex", "race", "native_country"),
    ("education",),
    ("marital_status", "relationship"),
    ("workclass", "occupation", "hours_per_week"),
    ("capital_gain", "capital_loss"),
    ("income",),
)
"""Causal order of the columns of Adult: birth, school, family, work, wealth, income."""
ADULT_LEFT_OUT = ("fnlwgt", "education_num")
"""A survey weight, and education a second time as a number."""

DEGREES = ["Bachelors", "Masters", "Doctorate", "Prof-school"]
GOOD_POSTS = ["Exec-managerial", "Prof-specialty", "Tech-support", "Protective-serv"]
DEAREST = 10_000_000
"""Upper bound of salaries, above any in the table."""


@dataclass(frozen=True, slots=True)
class Group:
    """A protected column, its privileged value, and the rule that selects unprivileged rows."""

    column: str
    privileged: Any
    others: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """A column, and its favourable values."""

    column: str
    favourable: Any


@dataclass(frozen=True, slots=True)
class Strain:
    """A bias that may lead an algorithm to trivial decisions: a strong one, or one where favourable rows are rare."""

    name: str
    outcome: Outcome
    magnitude: float
    where: str | None = None


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything that the experiments need to know about a table."""

    table: str
    sex: Group
    other: Group
    """People unprivileged by this column and by sex form the hidden subgroup."""
    outcome: Outcome
    mediator: str
    through: float
    """Magnitude of the bias through the mediator, small enough for the mediator to reach it."""
    stages: tuple[Outcome, ...]
    strains: tuple[Strain, ...]

    def bias(self, magnitude: float, *, by: Group | None = None, outcome: Outcome | None = None, **more: Any) -> Bias:
        """Make a bias; by default one by sex in the main outcome."""
        group, hurt = by or self.sex, outcome or self.outcome
        return Bias(group.column, group.privileged, hurt.column, hurt.favourable, magnitude, **more)


def chosen_table(name: str | None = None) -> str:
    """Return a table's name; by default Adult if it needs no download, otherwise the hiring table of the package.

    Examples
    --------
    >>> chosen_table("hiring")
    'hiring'
    """
    if name is None:
        return ADULT if ADULT in table_names() else HIRING
    if name not in TABLES:
        raise DataError(f"no scene is made of a table {name!r}. Choose from {', '.join(TABLES)}.")
    return name


@lru_cache(maxsize=1)
def model_of(table: str, n_fit: int) -> Janus:
    """Fit a model to at most ``n_fit`` rows of a table, once per process."""
    frame = read_named(table).frame
    part = frame.sample(min(n_fit, len(frame)), random_state=0).reset_index(drop=True)
    if table == ADULT:
        model = Janus(tiers=ADULT_TIERS, trust_graph=True, random_state=0)
        return model.fit(part.drop(columns=list(ADULT_LEFT_OUT)), progress=False)
    return Janus(structure=datasets.hiring_graph(), random_state=0).fit(part, progress=False)


_INCOME, _HIRED = Outcome("income", ">50K"), Outcome("hired", True)

SCENES: Mapping[str, Scene] = {
    ADULT: Scene(
        table=ADULT,
        sex=Group("sex", "Male", "sex != 'Male'"),
        other=Group("race", "White", "race != 'White'"),
        outcome=_INCOME,
        mediator="occupation",
        through=0.3,
        stages=(Outcome("education", DEGREES), Outcome("occupation", GOOD_POSTS), _INCOME),
        strains=(
            Strain("everybody, 90 % turned", _INCOME, 0.9),
            Strain("up to 30 years, half turned", _INCOME, 0.5, "age <= 30"),
            Strain("up to 25 years, half turned", _INCOME, 0.5, "age <= 25"),
        ),
    ),
    HIRING: Scene(
        table=HIRING,
        sex=Group("sex", "male", "sex != 'male'"),
        other=Group("age", (18, 49), "age >= 50"),
        outcome=_HIRED,
        mediator="test_score",
        through=0.2,
        stages=(Outcome("test_score", (65, 100)), _HIRED, Outcome("offered_salary", (50_000, DEAREST))),
        strains=(
            Strain("hired, 90 % turned", _HIRED, 0.9),
            Strain("offers of 80,000, half turned", Outcome("offered_salary", (80_000, DEAREST)), 0.5),
            Strain("offers of 100,000, half turned", Outcome("offered_salary", (100_000, DEAREST)), 0.5),
        ),
    ),
}
"""The scene of each table."""
