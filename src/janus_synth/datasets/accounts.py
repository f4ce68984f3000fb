"""Numbers of rows in, pandas tables of subscribers and credit card accounts out, drawn from known structural models."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from janus_synth.arrays import Bools, Floats, LongInts
from janus_synth.datasets.columns import Rule, amounts, generator, logistic, pick, text, to_lattice

if TYPE_CHECKING:
    import pandas as pd

# Subscribers

LONGEST = 72  # months
CONTRACTS = ("month-to-month", "one year", "two years")
SERVICES = ("DSL", "fiber", "No")
NO_INTERNET = SERVICES.index("No")
ADD_ON = ("No", "Yes", "No internet service")
LINES = ("No", "Yes", "No phone service")
PAYMENTS = ("electronic", "mailed check", "bank transfer", "credit card")
ADD_ONS = {"security": 500, "backup": 500, "support": 525, "streaming": 1_000}
"""Add-ons to the internet service, and what they cost in cents per month."""

SUBSCRIBERS_RULES: tuple[Rule, ...] = (
    *(Rule(f"fixed_combinations(internet, {name})", 1.0) for name in ADD_ONS),
    Rule("fixed_combinations(phone, lines)", 1.0),
    Rule("tenure > 0 or total is null", 1.0),
    Rule("tenure == 0 or total is not null", 1.0),
    Rule("implies(tenure == 1, total == monthly)", 1.0),
    Rule("tenure == 1", 0.10),
    Rule("tenure == 72", 0.10),
)
"""Rules of the subscribers table, each with the share of rows that satisfy it."""


def subscribers(n: int = 10_000, *, random_state: int | np.random.Generator = 0) -> pd.DataFrame:
    """Draw customers of a fictitious telephone company.

    Customers with long contracts stay long. The tenure has spikes at one month and at the longest possible time.

    What is computed from what:

    - ``tenure > 0 or total is null`` and ``tenure == 0 or total is not null``: no month, no total
    - ``implies(tenure == 1, total == monthly)``
    - else ``total`` is about ``tenure`` times ``monthly``, within a few percent, since charges have changed
    - ``fixed_combinations(internet, security)``, and so for ``backup``, ``support`` and ``streaming``: all are
      "No internet service" exactly if ``internet`` is "No"
    - ``fixed_combinations(phone, lines)``: "No phone service" exactly without a telephone

    Parameters
    ----------
    n : int
        Number of rows.
    random_state : int or numpy.random.Generator
        The same seed gives the same table.

    Returns
    -------
    pandas.DataFrame
        ``senior``, ``partner``, ``tenure`` (months, 0 to 72), ``contract``, ``phone``, ``lines``, ``internet``,
        ``security``, ``backup``, ``support``, ``streaming``, ``payment``, ``monthly`` and ``total`` (steps of 0.05) and
        ``churn``.

    Examples
    --------
    >>> rows = subscribers(1_000)
    >>> bool((rows["total"].isna() == (rows["tenure"] == 0)).all())
    True
    """
    import pandas as pd

    rng = generator(n, random_state)
    senior, partner = rng.random(n) < 0.16, rng.random(n) < 0.48
    internet = pick(rng, np.where(senior[:, None], [31, 64, 5], [35, 40, 25]), n)
    contract = pick(rng, np.array([[52, 23, 25], [70, 17, 13], [34, 24, 42]])[internet], n)
    tenure = _tenures(rng, contract, partner)
    phone = (internet != 0) | (rng.random(n) < 0.72)
    lines = np.where(phone, rng.random(n) < logistic(-0.9 + 0.02 * tenure + 0.6 * (internet == 1)), 2).astype(np.int64)
    chosen = {name: _add_on(rng, internet, tenure, easy=name == "streaming") for name in ADD_ONS}
    monthly = _monthly(rng, internet, phone, lines, chosen)
    mailed = np.where(internet == NO_INTERNET, 50, 20)
    payment = pick(
        rng, np.stack([np.where(internet == 1, 50, 22), mailed, 15 + tenure / 4, 14 + tenure / 4], axis=1), n
    )
    leaving = -0.6 - 0.045 * tenure + np.array([0.0, 0.9, -1.0])[internet] + np.array([0.4, -1.0, -2.2])[contract]
    leaving += 0.5 * (payment == 0) + 0.3 * senior - 0.4 * (chosen["support"] == 1)
    return pd.DataFrame(
        {
            "senior": senior,
            "partner": partner,
            "tenure": tenure,
            "contract": text(CONTRACTS, contract),
            "phone": phone,
            "lines": text(LINES, lines),
            "internet": text(SERVICES, internet),
            **{name: text(ADD_ON, level) for name, level in chosen.items()},
            "payment": text(PAYMENTS, payment),
            "monthly": amounts(monthly),
            "total": _totals(rng, tenure, monthly),
            "churn": rng.random(n) < logistic(leaving),
        }
    )


def _tenures(rng: np.random.Generator, contract: LongInts, partner: Bools) -> LongInts:
    """Months: short without a long contract, a spike at 1, and at the longest for the oldest customers."""
    n = len(contract)
    scale = np.array([16.0, 38.0, 62.0])[contract] * np.where(partner, 1.25, 0.9)
    months = np.minimum(np.ceil(scale * rng.weibull(np.array([0.9, 1.7, 2.4])[contract])), LONGEST)
    first = rng.random(n) < np.array([0.11, 0.01, 0.0])[contract]
    none = rng.random(n) < np.array([0.001, 0.005, 0.012])[contract]
    return np.where(none, 0, np.where(first, 1, months)).astype(np.int64)


def _add_on(rng: np.random.Generator, internet: LongInts, tenure: LongInts, *, easy: bool) -> LongInts:
    """Places in `ADD_ON`: streaming is chosen more often with fiber, other add-ons less often."""
    liking = np.where(internet == 1, 0.1, -0.7) if easy else np.where(internet == 1, -1.4, -0.7)
    chosen = rng.random(len(internet)) < logistic(liking + 0.022 * tenure)
    return np.where(internet == NO_INTERNET, 2, chosen).astype(np.int64)


def _monthly(
    rng: np.random.Generator, internet: LongInts, phone: Bools, lines: LongInts, chosen: dict[str, LongInts]
) -> LongInts:
    """Cents, multiples of 5: the sum of what the services cost, and a few steps more or less."""
    cost = np.array([2_500, 5_000, 0])[internet] + 2_000 * phone + 500 * (lines == 1)
    cost += sum((level == 1) * ADD_ONS[name] for name, level in chosen.items())
    return np.asarray(cost + 5 * np.rint(9 * rng.standard_normal(len(internet))).astype(np.int64))


def _totals(rng: np.random.Generator, tenure: LongInts, monthly: LongInts) -> Floats:
    """Charges so far, in steps of 0.05: exactly one month's charge after the first month."""
    drift = np.exp(0.04 * rng.standard_normal(len(tenure)) * np.sqrt(1 - 1 / np.maximum(tenure, 1)))
    total = np.where(tenure == 1, monthly, to_lattice(tenure * monthly * drift, 5))
    return np.where(tenure == 0, np.nan, amounts(total))


# Ledger

MONTHS = 6
EDUCATION = ("graduate", "university", "school", "other")

LEDGER_RULES: tuple[Rule, ...] = (
    Rule("increments(limit, 10_000)", 1.0),
    *(Rule(f"payment_{k} <= bill_{k + 1}", 1.0) for k in range(1, MONTHS)),
    *(Rule(f"payment_{k} == bill_{k + 1} and payment_{k} > 0", 0.15) for k in range(1, MONTHS)),
    *(Rule(f"payment_{k} == 0 and bill_{k + 1} > 0", 0.10) for k in range(1, MONTHS)),
    Rule("bill_1 == 0", 0.06),
)
"""Rules of the ledger table, each with the share of rows that satisfy it."""


def ledger(n: int = 10_000, *, random_state: int | np.random.Generator = 0) -> pd.DataFrame:
    """Draw credit card accounts with bills and payments of six months; month 1 is the latest.

    People keep to their habits: those who pay all of a bill, a part of it, or nothing, do so in most months.

    What is computed from what:

    - ``payment_1 == bill_2 and payment_1 > 0`` in 15 % of the rows, and so for ``payment_2`` to ``payment_5``
    - ``payment_1 == 0`` in 15 % of the rows, of which a third have no bill to pay; and so on
    - else ``payment_1`` is a part of ``bill_2``: ``payment_1 <= bill_2`` in all rows, and so on
    - ``increments(limit, 10_000)``

    Parameters
    ----------
    n : int
        Number of rows.
    random_state : int or numpy.random.Generator
        The same seed gives the same table.

    Returns
    -------
    pandas.DataFrame
        ``limit``, ``age``, ``education``, ``bill_1`` to ``bill_6``, ``payment_1`` to ``payment_6`` (whole numbers)
        and ``default``.

    Examples
    --------
    >>> rows = ledger(1_000)
    >>> bool((rows["payment_1"] <= rows["bill_2"]).all())
    True
    """
    import pandas as pd

    rng = generator(n, random_state)
    age = 21 + np.floor(54 * rng.beta(1.3, 3.0, n)).astype(np.int64)
    education = pick(rng, np.where(age[:, None] < 45, [37, 48, 14, 1], [28, 40, 31, 1]), n)
    wealth = np.array([0.35, 0.0, -0.3, 0.1])[education] + 0.012 * np.minimum(age - 35, 15)
    limit = np.clip(to_lattice(np.exp(11.65 + wealth + 0.8 * rng.standard_normal(n)), 10_000), 10_000, 1_000_000)
    habit = pick(rng, np.stack([1.0 + 0.8 * np.exp(wealth), np.full(n, 5.2), np.full(n, 0.9)], axis=1), n)
    bills, payments = _histories(rng, limit, habit)
    unpaid = (payments[:3] == 0) & (bills[1:4] > 0)
    failing = -2.1 + 0.9 * unpaid.sum(axis=0) + 0.9 * bills[0] / limit - 0.4 * np.log(limit / 120_000)
    return pd.DataFrame(
        {
            "limit": limit,
            "age": age,
            "education": text(EDUCATION, education),
            **{f"bill_{k + 1}": bills[k] for k in range(MONTHS)},
            **{f"payment_{k + 1}": payments[k] for k in range(MONTHS)},
            "default": rng.random(n) < logistic(failing),
        }
    )


def _histories(rng: np.random.Generator, limit: LongInts, habit: LongInts) -> tuple[LongInts, LongInts]:
    """Bills and payments, the latest first, and before the first shown bill one that only its payment shows."""
    n = len(limit)
    used = np.where(habit == 0, rng.beta(0.6, 6.0, n), rng.beta(0.9, 1.2, n))
    idle = rng.random(n) < 0.07
    bill = np.where(idle, 0, np.rint(used * limit)).astype(np.int64)
    bills, payments = [], []
    for _ in range(MONTHS):
        payment = _payments(rng, bill, habit)
        spends = np.where(habit == 0, 0.5 * used + 0.02, 0.035) * limit * rng.gamma(1.2, 1 / 1.2, n)
        idle ^= rng.random(n) < np.where(idle, 0.07, 0.01)
        purchases = np.where(idle, 0, np.rint(spends)).astype(np.int64)
        bill = np.minimum(bill - payment + purchases, (1.05 * limit).astype(np.int64))
        bills.append(bill)
        payments.append(payment)
    return np.array(bills[::-1]), np.array(payments[::-1])


def _payments(rng: np.random.Generator, bill: LongInts, habit: LongInts) -> LongInts:
    """All of the bill, a part of it (often a round amount), or nothing."""
    n = len(bill)
    kind = pick(rng, np.array([[60, 36, 4], [3, 91, 6], [2, 50, 48]])[habit], n)
    part = bill * np.clip(rng.beta(0.8, 11.0, n) + 0.02, 0, 0.95)
    rounds = (part > 500) & (rng.random(n) < 0.45)
    whole = np.where(rounds, to_lattice(part, 1_000), np.ceil(part)).astype(np.int64)
    return np.choose(kind, [bill, np.minimum(whole, bill), np.zeros_like(bill)])
