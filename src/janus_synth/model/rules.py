"""Rules and training rows in; the rules to store and the rows to learn from out, with a report of violations."""

from __future__ import annotations

import warnings
from collections.abc import Iterable

import numpy as np

from janus_synth.arrays import Bools
from janus_synth.errors import DataError
from janus_synth.rules import Rule, bind, judge, learn
from janus_synth.rules.language.learn import count_unexcluded
from janus_synth.table import Table


def check_training_rows(
    rules: Iterable[Rule], table: Table, *, on_violation: str = "warn", report: bool = True, least: int = 1
) -> tuple[tuple[Rule, ...], Table]:
    """Complete the rules with the combinations found in these rows, and decide which rows to learn from.

    Rows that break a rule are reported with their share. ``on_violation`` says what to do with them: learn from them
    (``"warn"``), drop them (``"drop"``), or raise DataError (``"error"``). Without ``report`` there is no warning.
    Combinations of fewer than ``least`` rows are not stored, but break no rule; a warning says which rules are meant to
    exclude them.
    """
    wanted = tuple(rules)
    if report:
        _warn_of_unexcluded(wanted, table, least)
    learnt = tuple(learn(rule, table, least=least) for rule in wanted)
    bound = [bind(learn(rule, table), table.schema) for rule in wanted]
    kept = np.ones(table.n_rows, bool)
    reports = []
    for rule in bound:
        holds = judge(rule, table)
        kept &= holds
        if not holds.all():
            null = np.zeros(table.n_rows, bool)
            for name in rule.columns:
                null |= table.missing(name)
            reports.append(_describe_violations(str(rule), ~holds, null))
    if not reports:
        return learnt, table
    text = "\n".join(reports)
    if on_violation == "error":
        raise DataError(f"{text}\nCorrect the rows or the rules, or choose on_violation='warn' or 'drop'.")
    if on_violation == "drop":
        if not kept.any():
            raise DataError(f"{text}\nNo row keeps all rules, so nothing is left to learn from. Correct the rules.")
        text = f"{text}\nLearning from the other {kept.sum():,} of {table.n_rows:,} rows."
    if report:
        warnings.warn(text, stacklevel=4)
    return learnt, table.take(kept) if on_violation == "drop" else table


def _warn_of_unexcluded(rules: Iterable[Rule], table: Table, least: int) -> None:
    for rule in rules:
        n_combinations = count_unexcluded(rule, table, least=least)
        if n_combinations:
            warnings.warn(
                f"the rule '{_shorten(str(rule))}' excludes combinations of training rows, but {n_combinations:,} of "
                f"them, which fewer than {least} rows have, are not stored, so that sampled rows may have them. With "
                "keep_rare=True they are excluded, too, and the model's file lists them.",
                stacklevel=5,
            )


def _describe_violations(text: str, broken: Bools, null: Bools) -> str:
    report = f"{broken.sum():,} of {len(broken):,} rows ({broken.mean():.2%}) break the rule '{_shorten(text)}'"
    by_null = int((broken & null).sum())
    if by_null:
        report += f", {by_null:,} of them by a missing value (to let those pass, write '... is null or ...')"
    return report + "."


def _shorten(text: str, most: int = 120) -> str:
    return text if len(text) <= most else f"{text[:most]}…"
