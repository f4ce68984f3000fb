"""Conditions on the text of a category: ``code matches 'A[0-9]{3}'``, ``starts_with``, ``ends_with``, ``contains``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from janus_synth.errors import RuleError
from janus_synth.rules.language.nodes import Leaf
from janus_synth.rules.language.notation import format_name, format_value
from janus_synth.rules.language.patterns import compile_pattern
from janus_synth.table.columns import Level

WAYS = ("matches", "starts_with", "ends_with", "contains")
"""Words between a column and a text."""


@dataclass(frozen=True, slots=True)
class TextIs(Leaf):
    """The text of a column matches a pattern as a whole, or starts with, ends with or contains a text.

    Examples
    --------
    >>> rule = TextIs("code", "matches", "A[0-9]{3}")
    >>> print(rule, rule.accepts("A123"), rule.accepts("B123"))
    code matches 'A[0-9]{3}' True False
    """

    column: str
    way: str
    text: str

    def __post_init__(self) -> None:
        if self.way not in WAYS:
            raise RuleError(f"there is no comparison {self.way!r} of texts. There are {', '.join(WAYS)}.")
        if not isinstance(self.text, str):
            raise RuleError(f"{self.way} needs a text in quotes, not {self.text!r}.")
        if self.way == "matches":
            compile_pattern(self.text)

    @property
    def own_columns(self) -> tuple[str, ...]:
        """The column."""
        return (self.column,)

    def own_dict(self) -> dict[str, Any]:
        """Return the condition as a plain dict."""
        return {"node": "text", "column": self.column, "way": self.way, "text": self.text}

    def accepts(self, level: Level) -> bool:
        """Whether a level is text that satisfies the condition."""
        if not isinstance(level, str):
            return False
        match self.way:
            case "starts_with":
                return level.startswith(self.text)
            case "ends_with":
                return level.endswith(self.text)
            case "contains":
                return self.text in level
        return compile_pattern(self.text)(level)

    def __str__(self) -> str:
        return f"{format_name(self.column)} {self.way} {format_value(self.text)}"
