"""Tables to scenes: a fitted model, who is protected, what is favourable, and where bias is to be planted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from janus_synth import datasets
from janus_synth.api import Janus
from janus_synth.bench.tables import read_named, table_names
from janus_synth.errors import DataError
from janus_synth.fairness import Bias

if TYPE_CHECKING:
    import pandas as pd

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
"""What comes before what in Adult: birth, school, family, work, wealth, income."""
ADULT_LEFT_OUT = ("fnlwgt", "education_num")
"""A weight of the survey, and education over again as a number."""

DEGREES = ["Bachelors", "Masters", "Doctorate", "Prof-school"]
GOOD_POSTS = ["Exec-managerial", "Prof-specialty", "Tech-support", "Protective-serv"]
DEAREST = 10_000_000
"""Above any salary."""


@dataclass(frozen=True, slots=True)
class Group:
    """A protected column, who is privileged by it, and the rule that a row is not."""

    column: str
    privileged: Any
    others: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """A column, and what of it is favourable."""

    column: str
    favourable: Any


@dataclass(frozen=True, slots=True)
class Strain:
    """A bias that may drive an algorithm to trivial decisions: strong, or where few rows are favourable at all."""

    name: str
    outcome: Outcome
    magnitude: float
    where: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """A fitted model with all that the experiments need to know of its table."""

    table: str
    model: Janus
    n_fitted: int
    sex: Group
    other: Group
    """Who is unprivileged by this column, too, forms the hidden subgroup."""
    outcome: Outcome
    mediator: str
    through: float
    """Magnitude of the bias through the mediator; one that it can reach."""
    stages: tuple[Outcome, ...]
    strains: tuple[Strain, ...]

    def bias(self, magnitude: float, *, by: Group | None = None, outcome: Outcome | None = None, **more: Any) -> Bias:
        """A bias by sex in the main outcome, if nothing else is said."""
        group, hurt = by or self.sex, outcome or self.outcome
        return Bias(group.column, group.privileged, hurt.column, hurt.favourable, magnitude, **more)


def chosen_table(name: str | None = None) -> str:
    """A table by its name; by default Adult where it is at hand, otherwise the shipped one.

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


def make_scene(table: str, *, n_fit: int) -> Scene:
    """Read a table, fit at most so many of its rows, and say what is what."""
    frame = read_named(table).frame
    part = frame.sample(min(n_fit, len(frame)), random_state=0).reset_index(drop=True)
    return _adult(part) if table == ADULT else _hiring(part)


def _adult(frame: pd.DataFrame) -> Scene:
    model = Janus(tiers=ADULT_TIERS, trust_graph=True, random_state=0)
    income = Outcome("income", ">50K")
    return Scene(
        table=ADULT,
        model=model.fit(frame.drop(columns=list(ADULT_LEFT_OUT)), progress=False),
        n_fitted=len(frame),
        sex=Group("sex", "Male", "sex != 'Male'"),
        other=Group("race", "White", "race != 'White'"),
        outcome=income,
        mediator="occupation",
        through=0.3,
        stages=(Outcome("education", DEGREES), Outcome("occupation", GOOD_POSTS), income),
        strains=(
            Strain("everybody, 90 % turned", income, 0.9),
            Strain("up to 30 years, half turned", income, 0.5, "age <= 30"),
            Strain("up to 25 years, half turned", income, 0.5, "age <= 25"),
        ),
    )


def _hiring(frame: pd.DataFrame) -> Scene:
    hired = Outcome("hired", True)
    return Scene(
        table=HIRING,
        model=Janus(structure=datasets.hiring_graph(), random_state=0).fit(frame, progress=False),
        n_fitted=len(frame),
        sex=Group("sex", "male", "sex != 'male'"),
        other=Group("age", (18, 49), "age >= 50"),
        outcome=hired,
        mediator="test_score",
        through=0.2,
        stages=(Outcome("test_score", (65, 100)), hired, Outcome("offered_salary", (50_000, DEAREST))),
        strains=(
            Strain("hired, 90 % turned", hired, 0.9),
            Strain("offers of 80,000, half turned", Outcome("offered_salary", (80_000, DEAREST)), 0.5),
            Strain("offers of 100,000, half turned", Outcome("offered_salary", (100_000, DEAREST)), 0.5),
        ),
    )
