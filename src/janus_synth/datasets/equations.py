"""The structural equations of the hiring table: arrays of a column's parents in, the column out.

One function per column, with the column's name; its arguments are its parents, so the causal graph is read from the
signatures and always agrees with the code. ``noise`` belongs to the column and never depends on a parent: the same seed
with an intervention on one column gives the same people's counterfactuals.

Levels are indices into ``LEVELS``, missing numbers NaN, missing dates NaT.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from janus_synth.arrays import Array, Bools, Floats, LongInts

Dates = npt.NDArray[np.datetime64]

LEVELS: dict[str, tuple[str, ...]] = {
    "sex": ("female", "male"),
    "education": ("school", "bachelor", "master", "phd"),
    "department": ("operations", "sales", "engineering", "finance", "research", "legal"),
}
FEMALE = LEVELS["sex"].index("female")
SALES = LEVELS["department"].index("sales")
OPENED = np.datetime64("2016-01-01")
SNAPSHOT = np.datetime64("2025-12-31")  # people still employed on this day have no end date

DIRECT_SEX_EFFECT = -0.03
"""Direct effect of being a woman on the log of the company's valuation."""


@dataclass(frozen=True, slots=True)
class Noise:
    """Exogenous noise of a column: ``n`` fresh draws per call."""

    n: int
    rng: np.random.Generator

    def uniform(self) -> Floats:
        """Draw uniforms on [0, 1)."""
        return self.rng.random(self.n)

    def normal(self) -> Floats:
        """Draw standard normals."""
        return self.rng.standard_normal(self.n)

    def gumbel(self, n_levels: int) -> Floats:
        """Draw one column per level; the argmax of logit plus Gumbel follows the softmax of the logits (Gumbel-max)."""
        return self.rng.gumbel(size=(self.n, n_levels))


def sex(*, noise: Noise) -> LongInts:
    """46 % women."""
    return (noise.uniform() >= 0.46).astype(np.int64)


def age(*, noise: Noise) -> LongInts:
    """18 to 67, most in their thirties."""
    return 18 + _whole(50 * noise.rng.beta(1.5, 2.4, noise.n))


def education(age: LongInts, *, noise: Noise) -> LongInts:
    """Degrees take time, and younger people have more of them."""
    inclination = 0.3 - 0.03 * (age - 40) + noise.rng.logistic(size=noise.n)
    wanted = np.searchsorted([0.0, 1.2, 3.0], inclination)
    reachable = np.searchsorted([21, 23, 27], age, side="right")
    return np.minimum(wanted, reachable).astype(np.int64)


def experience(sex: LongInts, age: LongInts, education: LongInts, *, noise: Noise) -> LongInts:
    """A share of the years since the last degree; women lose some around 40 to unpaid work."""
    years: LongInts = np.maximum(age - 18 - np.array([0, 3, 5, 9])[education], 0)
    breaks = 1.1 * (sex == FEMALE) * np.exp(-(((age - 40) / 11) ** 2))
    share_worked = noise.uniform() ** (0.22 + 0.3 * breaks)
    return np.minimum(_whole(share_worked * (years + 1)), years)  # a share of almost 1 may round up


def department(sex: LongInts, education: LongInts, *, noise: Noise) -> LongInts:
    """Research and law require degrees; engineering attracts more men, finance fewer."""
    logits = np.array(
        [  # operations, sales, engineering, finance, research, legal
            [1.5, 0.9, -0.1, -0.8, -3.0, -3.5],
            [0.6, 0.7, 0.7, 0.3, -1.3, -2.0],
            [-0.4, 0.1, 0.9, 0.6, 0.2, -0.2],
            [-1.8, -1.0, 0.5, 0.0, 1.7, -0.6],
        ]
    )[education]
    towards_men = np.array([0.0, 0.0, 1.0, -0.3, 0.2, -0.2])
    logits += np.where(sex == FEMALE, -0.5, 0.5)[:, None] * towards_men
    chosen: LongInts = (logits + noise.gumbel(logits.shape[1])).argmax(axis=1)
    return chosen


def commute_km(age: LongInts, *, noise: Noise) -> Floats:
    """Log-normal; people around 40 live further away, with more variance."""
    family = np.exp(-(((age - 40) / 12) ** 2))
    return np.exp(2.0 + 0.5 * family + (0.6 + 0.2 * family) * noise.normal())


def remote(department: LongInts, commute_km: Floats, *, noise: Noise) -> Floats:
    """Whether the applicant asks to work from home; missing for 4 %."""
    usual = np.array([-2.2, -0.6, 1.0, 0.2, -0.3, -0.8])[department]
    asks = noise.uniform() < _logistic(usual + 1.1 * np.log(commute_km / 12))
    return np.where(noise.uniform() < 0.04, np.nan, asks)


def test_score(education: LongInts, experience: LongInts, department: LongInts, *, noise: Noise) -> Floats:
    """Practice saturates, then declines; degrees reduce the spread; applicants for sales often skip the test."""
    practice = 14 * (1 - np.exp(-experience / 5)) - 0.02 * np.maximum(experience - 18, 0) ** 2
    practice *= np.where(department == SALES, 1.6, 1.0)
    schooling = np.array([0.0, 8.0, 14.0, 19.0])[education]
    spread = np.array([14.0, 11.5, 9.5, 7.5])[education]
    score = 46 + schooling + practice + spread * noise.normal()
    skipped = noise.uniform() < np.array([0.06, 0.18, 0.03, 0.05, 0.02, 0.10])[department]
    return np.where(skipped, np.nan, np.clip(score, 0, 100).round(1))


def requested_salary(education: LongInts, experience: LongInts, department: LongInts, *, noise: Noise) -> LongInts:
    """Multiples of 500; experience pays more with a degree, and the spread grows with experience."""
    premium = np.array([0.0, 0.10, 0.22, 0.16, 0.05, 0.20])[department]
    degree = np.array([0.0, 0.14, 0.26, 0.36])[education]
    growth = np.array([0.09, 0.13, 0.17, 0.18])[education] * np.log1p(experience)
    boldness = 0.05 * noise.rng.standard_exponential(noise.n)
    spread = 0.06 + 0.004 * experience
    logarithm = np.log(29_000) + premium + degree + growth + boldness + spread * noise.normal()
    return _to_lattice(np.exp(logarithm), 500)


def hired(
    experience: LongInts, department: LongInts, test_score: Floats, requested_salary: LongInts, *, noise: Noise
) -> Bools:
    """Decided by the test, in sales by experience; applicants who ask for more are hired less often."""
    measured = np.where(np.isnan(test_score), 0.0, (np.nan_to_num(test_score) - 64) / 10)
    seasoned = np.log1p(experience) - 2.0
    is_sales = department == SALES
    merit = np.where(is_sales, 0.3, 1.0) * measured + np.where(is_sales, 1.2, 0.3) * seasoned
    budget = np.array([38_000, 45_000, 62_000, 56_000, 60_000, 66_000])[department]
    logit = 1.0 + merit - 2.5 * np.log(requested_salary / budget)
    return noise.uniform() < _logistic(logit)


def offered_salary(
    sex: LongInts, experience: LongInts, test_score: Floats, requested_salary: LongInts, hired: Bools, *, noise: Noise
) -> Floats:
    """The company's valuation of the applicant; if it is slightly above the request, the request.

    Sex has the direct effect ``DIRECT_SEX_EFFECT``. Only hired applicants get an offer.
    """
    measured = np.where(np.isnan(test_score), -0.3, (np.nan_to_num(test_score) - 66) / 12)
    value = 0.0505 + 0.022 * measured + 0.010 * (np.log1p(experience) - 2)
    value += DIRECT_SEX_EFFECT * (sex == FEMALE)
    value += (0.035 + 0.001 * experience) * noise.normal()
    value = np.where((value > 0) & (value < 0.03), 0.0, value)
    offer = _to_lattice(np.exp(value) * requested_salary, 100)
    return np.where(hired, offer, np.nan)


def bonus(department: LongInts, test_score: Floats, offered_salary: Floats, *, noise: Noise) -> Floats:
    """Signing bonus: 0 for most, a share of the offer for applicants in demand."""
    sought = np.array([-2.6, -0.6, -0.4, 0.0, -1.6, -1.0])[department]
    measured = np.where(np.isnan(test_score), 0.0, (np.nan_to_num(test_score) - 66) / 10)
    granted = noise.uniform() < _logistic(sought + 0.8 * measured)
    amount = np.nan_to_num(offered_salary) * np.exp(-3.2 + 0.15 * measured + 0.4 * noise.normal())
    return np.where(granted, amount.round(2), 0.0)


def start_date(department: LongInts, *, noise: Noise) -> Dates:
    """First day of work: half on the first of a month; weekends move to the next Monday."""
    growth = np.array([1.0, 1.1, 1.9, 1.2, 1.5, 0.9])[department]  # engineering grew late
    n_days = int((SNAPSHOT - OPENED) / np.timedelta64(1, "D")) - 30
    day = OPENED + np.floor(n_days * noise.uniform() ** (1 / growth)).astype("timedelta64[D]")
    opens_month = noise.uniform() < 0.5
    day = np.where(opens_month, day.astype("datetime64[M]").astype("datetime64[D]"), day)
    keeps_weekend = noise.uniform() < 0.05  # shift work
    return np.where(keeps_weekend, day, np.busday_offset(day, 0, roll="forward"))


def end_date(
    commute_km: Floats,
    remote: Floats,
    requested_salary: LongInts,
    offered_salary: Floats,
    start_date: Dates,
    *,
    noise: Noise,
) -> Dates:
    """Underpaid people and those with a long commute leave sooner; half leave at the end of a month."""
    generosity = np.nan_to_num(np.log(offered_salary / requested_salary))
    daily_km = np.where(remote == 1, 0.2, 1.0) * commute_km
    scale_years = 6.0 * np.exp(6 * generosity - 0.02 * np.minimum(daily_km, 80))
    tenure = 365.25 * scale_years * noise.rng.weibull(1.3, noise.n)
    last = start_date + (1 + np.minimum(tenure, 40_000)).astype("timedelta64[D]")
    next_month = last.astype("datetime64[M]") + np.timedelta64(1, "M")
    month_end = next_month.astype("datetime64[D]") - np.timedelta64(1, "D")
    last = np.where(noise.uniform() < 0.5, month_end, last)
    return np.where(np.isnan(offered_salary) | (last > SNAPSHOT), np.datetime64("NaT", "D"), last)


EQUATIONS: dict[str, Callable[..., Array]] = {
    equation.__name__: equation
    for equation in (
        age,
        sex,
        education,
        experience,
        department,
        commute_km,
        remote,
        test_score,
        requested_salary,
        hired,
        offered_salary,
        bonus,
        start_date,
        end_date,
    )
}
"""Every column's equation, parents before children."""


def parents_of(column: str) -> tuple[str, ...]:
    """Arguments of a column's equation except the noise.

    >>> parents_of("remote")
    ('department', 'commute_km')
    """
    return tuple(name for name in inspect.signature(EQUATIONS[column]).parameters if name != "noise")


def _logistic(logit: Floats) -> Floats:
    return 1 / (1 + np.exp(-logit))


def _whole(values: Floats) -> LongInts:
    return np.floor(values).astype(np.int64)


def _to_lattice(values: Floats, step: int) -> LongInts:
    return step * np.rint(values / step).astype(np.int64)
