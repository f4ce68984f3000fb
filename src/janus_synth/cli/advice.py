"""Messages of the library in, the same messages with the options of the shell out.

The library's advice names arguments of Python, such as ``links='off'``; a user of the shell needs ``--links off``.
"""

from __future__ import annotations

import ast
import json
import re

_SCHEMA = re.compile(r"schema=(\{[^{}]*\{[^{}]*\}\})")
_REPLACED: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\blinks='(\w+)'"), r"--links \1"),
    (re.compile(r"\bon_violation='(\w+)' or '(\w+)'"), r"--on-violation \1 or \2"),
    (re.compile(r"\bon_violation='(\w+)'"), r"--on-violation \1"),
    (re.compile(r"\bstructure='(\w+)'"), r"--structure \1"),
    (re.compile(r"\btrust_graph=True"), "--trust-graph"),
)


def for_shell(message: str) -> str:
    """Return a message with options of the shell in place of arguments of Python.

    Examples
    --------
    >>> for_shell("Widen it with schema={'age': {'high': 201}}.")
    'Widen it with --schema FILE when you fit, where FILE holds {"age": {"high": 201}}.'
    >>> for_shell("To allow other sums, fit with links='off'.")
    'To allow other sums, fit with --links off.'
    """
    message = _SCHEMA.sub(_schema_option, message)
    for pattern, option in _REPLACED:
        message = pattern.sub(option, message)
    return message


def _schema_option(found: re.Match[str]) -> str:
    try:
        values = json.dumps(ast.literal_eval(found[1]), ensure_ascii=False)
    except (ValueError, SyntaxError, TypeError):  # a value without a plain form
        values = found[1].replace("'", '"')
    return f"--schema FILE when you fit, where FILE holds {values}"
