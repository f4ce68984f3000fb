"""Statements of SQL in; columns that are never null, and keys, out.

``CREATE TABLE``, ``ALTER TABLE … ADD`` and ``CREATE UNIQUE INDEX`` are read word by word, in any dialect.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby, pairwise

from janus_synth.rules.importers.imported import NotTakenError, key
from janus_synth.rules.language.nodes import Rule

TOKEN = re.compile(r"'(?:[^']|'')*'|\"[^\"]*\"|`[^`]*`|\[\w[^\]]*\]|--[^\n]*|/\*.*?\*/|\w+|.", re.DOTALL)
_TABLE_WORDS = ("CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN", "KEY", "INDEX", "EXCLUDE", "LIKE")
"""Words that begin a constraint of the whole table."""
_ORDERS = ("ASC", "DESC")


@dataclass(frozen=True, slots=True)
class Key:
    """A key as it is written, and its columns with what stands behind each: ``["a"]``, ``["lower", "(", "a", ")"]``."""

    kind: str
    columns: tuple[tuple[str, ...], ...]
    is_partial: bool = False

    def __str__(self) -> str:
        return f"{self.kind} ({', '.join(' '.join(column) for column in self.columns)})"

    @property
    def names(self) -> tuple[str, ...]:
        """Plain names of the columns."""
        return tuple(plain_name(column[0]) for column in self.columns)

    def rule(self) -> Rule:
        """Rule of the key; raise ``NotTakenError`` where expressions or a part of the rows are meant."""
        if self.is_partial:
            raise NotTakenError("it is about some rows only, and keys are about all of them.")
        for column in self.columns:
            if any(word.upper() not in _ORDERS for word in column[1:]):
                raise NotTakenError(f"{' '.join(column)!r} is not a column.")
        return key(self.names)


def words_of(text: str) -> list[str]:
    """Words, quoted names and signs of some statements, without comments and spaces.

    Examples
    --------
    >>> words_of("a INT, -- a number")
    ['a', 'INT', ',']
    """
    return [match[0] for match in TOKEN.finditer(text) if not (match[0].isspace() or match[0][:2] in ("--", "/*"))]


def plain_name(word: str) -> str:
    """A column's name without quotes.

    Examples
    --------
    >>> plain_name('"check in"'), plain_name("[id]"), plain_name("id")
    ('check in', 'id', 'id')
    """
    return word.strip('"`[]')


def columns_not_null(text: str) -> tuple[str, ...]:
    """Columns whose definition says NOT NULL, and those of primary keys.

    Examples
    --------
    >>> columns_not_null("CREATE TABLE t (a INT NOT NULL, b INT, c INT, PRIMARY KEY (a, b))")
    ('a', 'b')
    """
    found: list[str] = []
    for definition in _definitions(text):
        upper = [word.upper() for word in definition]
        if upper[0] not in _TABLE_WORDS and ("NOT", "NULL") in pairwise(upper):
            found.append(plain_name(definition[0]))
        for each in _keys_of(definition):
            found += each.names if each.kind == "PRIMARY KEY" else ()
    return tuple(dict.fromkeys(found))


def keys_of(text: str) -> Iterator[tuple[str, Callable[[], Rule]]]:
    """Each key as text, and a function that returns its rule.

    Examples
    --------
    >>> [(shown, str(rule())) for shown, rule in keys_of("CREATE TABLE t (a INT UNIQUE, b INT, PRIMARY KEY (a, b))")]
    [('UNIQUE (a)', 'unique(a)'), ('PRIMARY KEY (a, b)', 'unique(a, b)')]
    """
    for definition in _definitions(text):
        yield from ((str(each), each.rule) for each in _keys_of(definition))
    for statement in _statements(text):
        upper = [word.upper() for word in statement]
        if upper[:3] == ["CREATE", "UNIQUE", "INDEX"] and "(" in upper:
            index = Key("UNIQUE INDEX", tuple(_split_list(statement[upper.index("(") :])), is_partial="WHERE" in upper)
            yield str(index), index.rule


def _statements(text: str) -> Iterator[list[str]]:
    for is_end, words in groupby(words_of(text), lambda word: word == ";"):
        if not is_end:
            yield list(words)


def _definitions(text: str) -> Iterator[list[str]]:
    """Words of each column and constraint that statements create or add."""
    for statement in _statements(text):
        upper = [word.upper() for word in statement]
        if upper[0] == "CREATE" and "TABLE" in upper and "(" in upper:
            yield from filter(None, _split_list(statement[upper.index("(") :]))
        elif upper[:2] == ["ALTER", "TABLE"] and "ADD" in upper:
            for part in _split_list(["(", *statement[upper.index("ADD") :], ")"]):
                added = part[1:] if part and part[0].upper() == "ADD" else part
                added = added[1:] if added and added[0].upper() == "COLUMN" else added
                yield from filter(None, [added])


def _split_list(words: list[str]) -> Iterator[tuple[str, ...]]:
    """Parts between commas of the first pair of brackets, which is the first word."""
    depth, part = 0, list[str]()
    for word in words:
        depth += (word == "(") - (word == ")")
        if depth == 0 or (depth == 1 and word == ","):
            yield tuple(part)
            part = []
            if depth == 0:
                return
        elif depth > 1 or word != "(":
            part.append(word)


def _keys_of(definition: list[str] | tuple[str, ...]) -> Iterator[Key]:
    """Keys that a definition of a column or of a constraint declares."""
    upper = [word.upper() for word in definition]
    is_constraint = upper[0] in _TABLE_WORDS
    start = 2 if upper[0] == "CONSTRAINT" else 0
    for kind, first in (("PRIMARY KEY", "PRIMARY"), ("UNIQUE", "UNIQUE")):
        if is_constraint and upper[start : start + 1] == [first] and "(" in upper:
            opening = upper.index("(")
            yield Key(kind, tuple(_split_list(list(definition[opening:]))))
        elif not is_constraint and first in _outside_brackets(upper):
            yield Key(kind, ((definition[0],),))


def _outside_brackets(words: list[str]) -> set[str]:
    """Words of a definition behind the column's name that no brackets hold."""
    depth, found = 0, set[str]()
    for word in words[1:]:
        depth += (word == "(") - (word == ")")
        if depth == 0:
            found.add(word)
    return found
