"""Keys in rules: ``unique(order, line)`` says that no two rows of a table share the cells of some columns.

Unlike all other rules it is about several rows. It stands alone or is joined by ``and``; samplers take it out of the
rules before they look at single rows.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from janus_synth.errors import RuleError
from janus_synth.rules.language.nodes import And, Leaf, Rule, all_of, leaves
from janus_synth.rules.language.notation import format_name


@dataclass(frozen=True, slots=True)
class Unique(Leaf):
    """No two rows have the same cells in all of these columns; null counts as a value.

    Examples
    --------
    >>> print(Unique(("order", "line number")))
    unique(order, `line number`)
    """

    names: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", tuple(self.names))
        if not self.names or len(set(self.names)) < len(self.names):
            raise RuleError("unique needs one or more different columns.")

    @property
    def own_columns(self) -> tuple[str, ...]:
        """Columns of the key."""
        return self.names

    def own_dict(self) -> dict[str, Any]:
        """Return the rule as a plain dict."""
        return {"node": "unique", "columns": list(self.names)}

    def __str__(self) -> str:
        return f"unique({', '.join(map(format_name, self.names))})"


def unique(*columns: str) -> Rule:
    """Return the rule that no two rows of a table share the cells of some columns.

    Examples
    --------
    >>> print(unique("order", "line"))
    unique(order, line)
    """
    if not all(isinstance(column, str) for column in columns):
        raise RuleError("unique takes the names of columns: unique('order', 'line').")
    return Unique(columns)


def split_keys(rules: Iterable[Rule]) -> tuple[tuple[Rule, ...], tuple[Unique, ...]]:
    """Return rules about single rows, and keys; a key that ``and`` joins to other rules is taken out of them.

    Examples
    --------
    >>> from janus_synth.rules.language.parse import parse_rule
    >>> rows, keys = split_keys([parse_rule("unique(a) and b > 3"), parse_rule("c is null")])
    >>> [str(rule) for rule in rows], [str(key) for key in keys]
    (['b > 3', 'c is null'], ['unique(a)'])
    """
    about_rows: list[Rule] = []
    keys: dict[Unique, None] = {}
    for rule in rules:
        parts = rule.parts if isinstance(rule, And) else (rule,)
        keys.update((part, None) for part in parts if isinstance(part, Unique))
        others = [part for part in parts if not isinstance(part, Unique)]
        if len(others) == len(parts):
            about_rows.append(rule)
        elif others:
            about_rows.append(all_of(others))
    return tuple(about_rows), tuple(keys)


def require_no_keys(rules: Iterable[Rule]) -> None:
    """Raise ``RuleError`` for a key where only conditions on single rows can stand."""
    for rule in rules:
        for leaf in leaves(rule):
            if isinstance(leaf, Unique):
                raise RuleError(
                    f"{leaf} is about all rows of a table together. It can be a rule of a model, or a condition of "
                    "sample, complete and sample_for, alone or joined by and.",
                    rule=str(rule),
                )
