"""The demo's table to what the demo tells of rules and conditions: rules kept, a rare request, an impossible one."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, NamedTuple

from janus_synth.api import Janus
from janus_synth.constraints import holds
from janus_synth.inference import Estimate
from janus_synth.interfaces.demo.timed import timed

if TYPE_CHECKING:
    import pandas as pd

EQUAL_PAY = "offered_salary is null or offered_salary >= requested_salary"
GIVEN_RULES = (EQUAL_PAY, "experience <= age - 18")
"""Rules that one of the demo's models is told; one offer in five breaks the first one, no row the second."""
IMPOSSIBLE = "age < 30 and experience >= 20"
RARE_ROWS = 1_000
OLD = 0.98
"""Share of the rows below the age that a rare request asks for."""


class Kept(NamedTuple):
    """How often a rule holds: in training rows, in rows of a model that was not told, and of one that was."""

    text: str
    train: float
    untold: float
    told: float


class Given(NamedTuple):
    """A model with rules, and what it emits."""

    janus: Janus
    rows: pd.DataFrame
    kept: tuple[Kept, ...]
    seconds: float
    """To draw the rows."""


class Rare(NamedTuple):
    """A request that few rows meet."""

    where: str
    share: Estimate
    rows: pd.DataFrame
    met: float
    """Share of the rows that meet it."""
    n_train: int
    """Training rows that meet it."""
    seconds: float
    """To find out the share, and to draw the rows."""

    @property
    def n_rejected(self) -> float:
        """Rows that would have to be drawn to get as many by throwing others away."""
        return len(self.rows) / self.share.value if self.share.value else float("inf")


class Impossible(NamedTuple):
    """A request that no row can meet."""

    where: str
    reason: str
    conflict: tuple[str, ...]


def with_rules(train: pd.DataFrame, untold: pd.DataFrame, *, random_state: int) -> Given:
    """Fit once more with rules, and draw as many rows as an untold model did."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that training rows break a rule is what the demo shows
        janus = Janus(rules=list(GIVEN_RULES), random_state=random_state).fit(train, progress=False)
    rows, seconds = timed(lambda: janus.sample(len(untold), progress=False))
    kept = tuple(Kept(rule, *(share_kept(frame, rule) for frame in (train, untold, rows))) for rule in GIVEN_RULES)
    return Given(janus, rows, kept, seconds)


def rare_request(janus: Janus, train: pd.DataFrame) -> Rare:
    """Ask for what about one row in a thousand is: oldest applicants, women, remote, with a bonus."""
    where = f"age >= {train['age'].quantile(OLD):.0f} and sex == 'female' and remote and bonus > 0"
    share, first = timed(lambda: janus.probability(where))
    rows, second = timed(lambda: janus.sample(RARE_ROWS, where=where, progress=False))
    return Rare(where, share, rows, share_kept(rows, where), int(holds(where, train).sum()), first + second)


def impossible_request(janus: Janus) -> Impossible:
    """Ask a model with rules for rows that cannot be."""
    answer = janus.check(IMPOSSIBLE)
    assert not answer.feasible, "nobody below 30 has worked for 20 years as an adult"
    return Impossible(IMPOSSIBLE, answer.reason, answer.conflict)


def share_kept(frame: pd.DataFrame, rule: str) -> float:
    """Share of all rows where a rule holds.

    Examples
    --------
    >>> import pandas as pd
    >>> share_kept(pd.DataFrame({"asked": [3, 4, 5, 6], "paid": [3, 5, 4, None]}), "paid is null or paid >= asked")
    0.75
    """
    return float(holds(rule, frame).mean())
