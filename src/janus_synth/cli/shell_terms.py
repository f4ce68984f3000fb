"""A message of the library in; the same message out with options of the shell instead of arguments of functions."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable

Replacement = str | Callable[[re.Match[str]], str]


def in_shell_terms(message: str) -> str:
    """Name commands and options where a message names functions and arguments.

    Examples
    --------
    >>> in_shell_terms("Drop one of the conditions, or fit with links='off'.")
    'Drop one of the conditions, or fit with --links off.'
    >>> print(in_shell_terms("Widen it with schema={'age': {'high': 130}}."))
    Widen it with janus fit --schema '{"age": {"high": 130}}'.
    """
    for pattern, replacement in TERMS:
        message = pattern.sub(replacement, message)
    return message


def _option(match: re.Match[str]) -> str:
    return f"--{match['name'].replace('_', '-')} {match['value']}"


def _flag(match: re.Match[str]) -> str:
    return f"--{match['name'].replace('_', '-')}"


def _schema(match: re.Match[str]) -> str:
    try:
        fields = ast.literal_eval(match["fields"])
    except (ValueError, SyntaxError):
        return f"janus fit --schema {match['fields']}"
    return f"janus fit --schema '{json.dumps(fields, ensure_ascii=False)}'"


TERMS: tuple[tuple[re.Pattern[str], Replacement], ...] = (
    (re.compile(r"(?:fit(?:ting)? with )?schema=(?P<fields>\{.*?\}\})"), _schema),
    (
        re.compile(r"save it, load it twice, and give each copy its rows with update\(rows, forget=True\)"),
        "count each part with janus update --forget",
    ),
    (re.compile(r"\bon_violation='(\w+)' or '(\w+)'"), r"--on-violation \1 or \2"),
    (re.compile(r"\b(?P<name>links|structure|on_violation|leaves)='(?P<value>\w+)'"), _option),
    (re.compile(r"\b(?P<name>trust_graph|paper|forget)=True\b"), _flag),
    (re.compile(r"\bmax_seconds=None\b"), "--max-seconds inf"),
    (re.compile(r"\b(?P<name>max_seconds)=(?P<value>\d+)"), _option),
    (re.compile(r"\bstructure=(\[\(cause, effect\), (?:\.\.\.|…)\]|edges)"), "--structure edges.csv"),
    (re.compile(r"\btiers=\[\[.*?\], ?\[.*?\]\]"), "--tiers tiers.json"),
    (re.compile(r"\bstructure=(?=[^\s])"), "--structure "),
    (re.compile(r"\bcomplete\(rows\)"), "janus complete"),
    (re.compile(r"\bdo\(\{'([^']*)': …\}\)\.sample\(where=…\)"), r"janus do --set '\1=…' --where '…'"),
    (re.compile(r"Call fit\(df\) first, or Janus\.load\(path\)\."), "Fit it with janus fit."),
    (re.compile(r"fit\(frame\)"), "janus fit"),
)
"""Texts of messages and what a user of the shell writes instead."""
