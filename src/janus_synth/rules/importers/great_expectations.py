"""Expectation suites of Great Expectations in, rules out: those expectations that are about one row, or about a key."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

from janus_synth.rules.importers.imported import (
    ACROSS_ROWS,
    ANYTHING,
    Imported,
    NotTakenError,
    collect,
    constant,
    has_length,
    in_range,
    key,
    listed,
    matches_somewhere,
    unless_null,
)
from janus_synth.rules.language.expressions import col
from janus_synth.rules.language.nodes import FixedCombinations, Rule, all_of
from janus_synth.rules.language.patterns import quote
from janus_synth.rules.language.texts import TextIs


def from_great_expectations(suite: Any) -> Imported:
    """Read an expectation suite, as JSON holds it.

    Parameters
    ----------
    suite : mapping or object
        A suite as a dict, or an object with ``to_json_dict``.

    Returns
    -------
    Imported
        Rules, keys among them; expectations about whole columns, or about a share of rows (``mostly``), are skipped.

    Examples
    --------
    >>> kwargs = {"column": "age", "min_value": 0, "max_value": 120}
    >>> suite = {"expectations": [{"expectation_type": "expect_column_values_to_be_between", "kwargs": kwargs}]}
    >>> print(from_great_expectations(suite).rules[0])
    age is null or 0 <= age <= 120
    """
    values = suite if isinstance(suite, Mapping) else suite.to_json_dict()
    return collect(_entries(values["expectations"]))


def _entries(expectations: Iterable[Mapping[str, Any]]) -> Iterable[tuple[str, Callable[[], Rule | None]]]:
    for entry in expectations:
        name = str(entry.get("expectation_type", entry.get("type", "expectation")))
        values = dict(entry.get("kwargs", {}))
        shown = values.get("column", values.get("column_list", values.get("column_A", "")))
        yield f"{name}({shown})", lambda name=name, values=values: _rule(name, values)  # type: ignore[misc]


def _rule(name: str, values: Mapping[str, Any]) -> Rule:
    if values.get("mostly", 1) not in (1, None):
        raise NotTakenError(f"it need hold in a share of {values['mostly']} of the rows only, and rules hold in all.")
    if values.get("row_condition"):
        raise NotTakenError("it has a row_condition. Write it with implies(...).")
    short = name.removeprefix("expect_")
    if short.startswith("column_values_to_"):
        return _single(short.removeprefix("column_values_to_"), str(values["column"]), values)
    match short:
        case "column_value_lengths_to_be_between":
            return unless_null(has_length(values["column"], values.get("min_value"), values.get("max_value")))
        case "column_value_lengths_to_equal":
            return unless_null(has_length(values["column"], values["value"], values["value"]))
        case "column_pair_values_a_to_be_greater_than_b" | "column_pair_values_A_to_be_greater_than_B":
            one, other = col(values["column_A"]), col(values["column_B"])
            return unless_null(one >= other if values.get("or_equal") else one > other)
        case "column_pair_values_to_be_equal":
            return unless_null(col(values["column_A"]) == col(values["column_B"]))
        case "column_pair_values_to_be_in_set":
            rows = tuple(tuple(map(constant, pair)) for pair in values["value_pairs_set"])
            return FixedCombinations((values["column_A"], values["column_B"]), rows)
        case "multicolumn_sum_to_equal":
            first, *others = (col(column) for column in values["column_list"])
            return unless_null(sum(others, first) == values["sum_total"])
        case "compound_columns_to_be_unique":
            return key(values["column_list"])
        case "select_column_values_to_be_unique_within_record" | "multicolumn_values_to_be_unique":
            return _all_differ(values["column_list"], str(values.get("ignore_row_if", "all_values_are_missing")))
    raise NotTakenError(ACROSS_ROWS if "column_" in name else f"there is no rule for {name!r}.")


def _all_differ(columns: Sequence[str], ignored: str) -> Rule:
    """No two cells of a row are equal; two nulls are, except in rows that are ``ignored``."""
    differ = all_of([unless_null(col(one) != col(other)) for one, other in combinations(columns, 2)])
    if ignored == "any_value_is_missing":
        return unless_null(differ)
    if ignored == "all_values_are_missing" and len(columns) == 2:
        return differ
    one_null = all_of([col(one).not_null() | col(other).not_null() for one, other in combinations(columns, 2)])
    if ignored == "never":
        return differ & one_null
    return all_of([col(name).is_null() for name in columns]) | (differ & one_null)


def _single(what: str, column: str, values: Mapping[str, Any]) -> Rule:
    match what:
        case "not_be_null":
            return col(column).not_null()
        case "be_unique":
            return key(column)
        case "be_null":
            return col(column).is_null()
        case "be_between":
            strict = {f"strict_{end}": bool(values.get(f"strict_{short}")) for end, short in ENDS}
            return unless_null(in_range(column, values.get("min_value"), values.get("max_value"), **strict))
        case "be_in_set" | "not_be_in_set":
            return unless_null(listed(column, values["value_set"], negated=what.startswith("not")))
        case "match_regex":
            return unless_null(matches_somewhere(column, values["regex"]))
        case "not_match_regex":
            return unless_null(~matches_somewhere(column, values["regex"]))
        case "match_like_pattern":
            return unless_null(like(column, values["like_pattern"]))
    raise NotTakenError(f"there is no rule that means {what!r}: it is about types, formats or several rows.")


ENDS = (("low", "min"), ("high", "max"))
"""Ends of a range, in our words and in theirs."""


def like(column: str, pattern: str) -> Rule:
    r"""A pattern of SQL's LIKE: % for any text, _ for one character.

    Examples
    --------
    >>> print(like("code", "A%"), like("code", "A_"), sep="; ")
    code starts_with 'A'; code matches 'A(.|\n)'
    """
    inner = pattern.strip("%")
    if not set(inner) & set("%_\\"):
        x = col(column)
        match (pattern.startswith("%"), pattern.endswith("%") and pattern != "%"):
            case (False, False):
                return x == inner
            case (False, True):
                return x.starts_with(inner)
            case (True, False):
                return x.ends_with(inner)
        return x.contains(inner)
    parts = (ANYTHING if sign == "%" else "(.|\n)" if sign == "_" else quote(sign) for sign in pattern)
    return TextIs(column, "matches", "".join(parts))
