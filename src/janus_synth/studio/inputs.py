"""Bodies of requests in; checked values out. Nothing that a browser sends names a file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request

MOST_BODY = 256 * 2**10
MOST_TEXT = 4_000
MOST_TEXTS = 200
FIELDS = ("kind", "low", "high", "levels", "ordered", "format", "missing")
"""What the page may say about a column."""


async def read_json(request: Request) -> dict[str, Any]:
    """Read the body of a request as a JSON object of bounded size."""
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > MOST_BODY:
            raise HTTPException(413, "the request is too large.")
    try:
        found = json.loads(body or b"{}")
    except (ValueError, RecursionError) as error:
        raise ValueError("the request is not JSON.") from error
    if not isinstance(found, dict):
        raise ValueError("the request is not a JSON object.")
    return found


def read_texts(body: Mapping[str, Any], name: str) -> list[str]:
    """List of texts, without empty ones.

    Examples
    --------
    >>> read_texts({"where": ["age > 40", "  "]}, "where")
    ['age > 40']
    """
    given = body.get(name, [])
    if not isinstance(given, list) or not all(isinstance(text, str) for text in given):
        raise ValueError(f"{name!r} must be a list of texts.")
    if len(given) > MOST_TEXTS or any(len(text) > MOST_TEXT for text in given):
        raise ValueError(f"{name!r} takes at most {MOST_TEXTS} texts of {MOST_TEXT:,} characters.")
    return [text for text in given if text.strip()]


def read_number(body: Mapping[str, Any], name: str, *, low: int, high: int) -> int:
    """A whole number within bounds."""
    given = body.get(name, low)
    if isinstance(given, bool) or not isinstance(given, int) or not low <= given <= high:
        raise ValueError(f"{name!r} must be a whole number from {low:,} to {high:,}.")
    return given


def read_name(body: Mapping[str, Any], name: str) -> str:
    """A text that is not empty, such as the name of a column."""
    given = body.get(name, "")
    if not isinstance(given, str) or not given or len(given) > MOST_TEXT:
        raise ValueError(f"{name!r} must be a text.")
    return given


def read_edges(body: Mapping[str, Any], name: str) -> tuple[tuple[str, str], ...]:
    """Pairs of columns (parent, child)."""
    given = body.get(name, [])
    if not isinstance(given, list) or len(given) > MOST_TEXTS:
        raise ValueError(f"{name!r} must be a list of pairs of columns.")
    for edge in given:
        if not isinstance(edge, list) or len(edge) != 2 or not all(isinstance(end, str) for end in edge):
            raise ValueError(f"{name!r} must be a list of pairs of columns.")
    return tuple((parent, child) for parent, child in given)


def read_columns(body: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Corrections of columns, as ``Janus(schema=...)`` takes them.

    Examples
    --------
    >>> read_columns({"columns": {"age": {"low": 0, "high": None, "path": "/etc"}}})
    {'age': {'low': 0}}
    """
    given = body.get("columns", {})
    if not isinstance(given, dict) or not all(isinstance(one, dict) for one in given.values()):
        raise ValueError("'columns' must be an object of objects.")
    return {
        name: {key: value for key, value in one.items() if key in FIELDS and value is not None}
        for name, one in given.items()
    }
