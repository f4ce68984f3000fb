"""Shares, means and keys as ``janus sample`` takes them in; the arguments of ``Janus.sample`` out.

--share name=value:share     the share of a value of a column; several of one column are parts of one whole
--share condition:share      the share of rows that meet a condition, such as "age < 30:0.5"
--mean name=value            the mean of a column
--mean name=value:tolerance  the same, to be met within a tolerance
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from janus_synth.cli.inputs import split_names
from janus_synth.cli.values import find_column, parse_value
from janus_synth.errors import RuleError

if TYPE_CHECKING:
    from janus_synth.table import Schema


def parse_shares(texts: Sequence[str], schema: Schema) -> dict[Any, Any]:
    """Read shares: by column and value, and by condition."""
    found: dict[Any, Any] = {}
    for text in texts:
        what, share = _split_number(text, "share", "churn=Yes:0.3 or 'age < 30:0.5'")
        name, sign, value = what.partition("=")
        if sign and name.strip() in schema and not value.startswith("="):
            column = find_column(name.strip(), schema)
            cell = parse_value(value, column)
            if isinstance(cell, list | tuple):
                raise RuleError(f"{value!r} is not one value. Write a condition, such as 'age < 30:0.5'.", rule=text)
            found.setdefault(column.name, {})[cell] = share
        else:
            found[what] = share
    return found


def parse_means(texts: Sequence[str], schema: Schema) -> dict[str, Any]:
    """Read means, with or without tolerances."""
    found: dict[str, Any] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        numbers = [_number(part) for part in value.split(":")]
        if not sign or len(numbers) > 2 or None in numbers:
            raise RuleError(f"{text!r} is not a mean. Write income=52000, or income=52000:500 with a tolerance.")
        column = find_column(name.strip(), schema)
        found[column.name] = numbers[0] if len(numbers) == 1 else tuple(numbers)
    return found


def parse_balance(texts: Sequence[str], schema: Schema) -> list[Any]:
    """Read columns to balance: each by itself, or the combinations of those that stand in one text."""
    names = [split_names([text], schema.names) for text in texts]
    return [tuple(find_column(name, schema).name for name in each) for each in names]


def _split_number(text: str, what: str, example: str) -> tuple[str, float]:
    """Split a text at its last colon, which a number follows."""
    head, sign, tail = text.rpartition(":")
    number = _number(tail)
    if not sign or number is None:
        raise RuleError(f"{text!r} is not a {what}. Write {example}.")
    return head.strip(), number


def _number(text: str) -> float | None:
    try:
        return float(text.strip())
    except ValueError:
        return None
