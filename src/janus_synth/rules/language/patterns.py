r"""Patterns of text in, matchers out whose time is linear in the text: no backtracking, so no pattern is slow.

The subset of regular expressions that rules know: characters, ``.``, classes ``[a-z]`` and ``[^a-z]``, the escapes
``\d \w \s`` with their opposites, groups ``( )`` and ``(?: )``, ``|``, and the repetitions ``* + ? {m} {m,} {m,n}``.
A pattern describes the whole text. It becomes a nondeterministic automaton (Thompson 1968); sets of its states are
computed as texts need them, and kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NoReturn

from janus_synth.errors import RuleError

MAX_STATES = 10_000
"""Most states of an automaton."""
MAX_REPEATS = 1_000
"""Largest number in ``{m,n}``."""
MAX_KEPT = 10_000
"""Most steps of the deterministic automaton that are kept."""
_SPECIAL = ".^$*+?{}[]\\|()"
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v"}
_DIGITS, _SPACES = (("0", "9"),), ((" ", " "), ("\t", "\r"))
_WORDS = (("0", "9"), ("A", "Z"), ("_", "_"), ("a", "z"))
_CLASSES = {"d": _DIGITS, "s": _SPACES, "w": _WORDS}


@dataclass(frozen=True, slots=True)
class Characters:
    """A set of characters as ranges; if ``negated``, all others."""

    ranges: tuple[tuple[str, str], ...]
    negated: bool = False

    def has(self, character: str) -> bool:
        """Whether a character is in the set."""
        return any(low <= character <= high for low, high in self.ranges) != self.negated


_ANY = Characters((("\n", "\n"),), negated=True)
Node = tuple[str, Any]
"""A part of a pattern: its kind (set, join, either, repeat) and what belongs to it."""


@lru_cache(maxsize=256)
def compile_pattern(pattern: str) -> Callable[[str], bool]:
    """Return a function that says whether a whole text fits a pattern.

    Raises
    ------
    RuleError
        If the pattern is malformed, or uses what rules do not know.

    Examples
    --------
    >>> is_code = compile_pattern("A[0-9]{3}|none")
    >>> is_code("A123"), is_code("A12"), is_code("none"), is_code("A1234")
    (True, False, True, False)
    """
    return Automaton(_Reader(pattern).read()).matches


class Automaton:
    """A nondeterministic automaton; each state has a set of characters and where they lead, or leads on without any."""

    def __init__(self, node: Node) -> None:
        self.sets: list[Characters | None] = []
        self.next: list[list[int]] = []
        self.final = self._state()
        self.start = self._closure({self._build(node, self.final)})
        self.steps: dict[tuple[frozenset[int], str], frozenset[int]] = {}

    def matches(self, text: str) -> bool:
        """Whether the whole text fits."""
        states = self.start
        for character in text:
            if not states:
                return False
            found = self.steps.get((states, character))
            states = self._step(states, character) if found is None else found
        return self.final in states

    def _step(self, states: frozenset[int], character: str) -> frozenset[int]:
        reached: set[int] = set()
        for state in states:
            allowed = self.sets[state]
            if allowed is not None and allowed.has(character):
                reached.update(self.next[state])
        found = self._closure(reached)
        if len(self.steps) >= MAX_KEPT:
            self.steps.clear()
        self.steps[states, character] = found
        return found

    def _closure(self, states: set[int]) -> frozenset[int]:
        """All states reached without a character; only those that read one, and the final one, are kept."""
        seen, waiting = set(states), list(states)
        while waiting:
            state = waiting.pop()
            if self.sets[state] is None:
                new = [other for other in self.next[state] if other not in seen]
                seen.update(new)
                waiting += new
        return frozenset(state for state in seen if self.sets[state] is not None or state == self.final)

    def _state(self, allowed: Characters | None = None, *after: int) -> int:
        if len(self.sets) >= MAX_STATES:
            raise RuleError(f"the pattern needs more than {MAX_STATES:,} states. Use smaller repetitions.")
        self.sets.append(allowed)
        self.next.append(list(after))
        return len(self.sets) - 1

    def _build(self, node: Node, after: int) -> int:
        """Add the states of a node that leads to ``after``; return where it begins."""
        match node:
            case ("set", Characters() as allowed):
                return self._state(allowed, after)
            case ("join", list() as parts):
                for part in reversed(parts):
                    after = self._build(part, after)
                return after
            case ("either", list() as parts):
                return self._state(None, *(self._build(part, after) for part in parts))
            case ("repeat", (part, least, most)):
                return self._repeat(part, int(least), most, after)
        raise TypeError(f"{node!r} is not a part of a pattern.")

    def _repeat(self, part: Node, least: int, most: int | None, after: int) -> int:
        if most is None:
            loop = self._state(None, after)
            self.next[loop].append(self._build(part, loop))
            start = loop
        else:
            start = after
            for _ in range(most - least):
                start = self._state(None, self._build(part, start), after)
        for _ in range(least):
            start = self._build(part, start)
        return start


class _Reader:
    """Reads a pattern by recursive descent."""

    def __init__(self, pattern: str) -> None:
        self.pattern, self.at = pattern, 0

    def read(self) -> Node:
        if self.pattern.startswith("^"):  # a pattern describes the whole text anyway
            self.at = 1
        node = self.either(0)
        if self.at < len(self.pattern):
            self.fail("a ) has no ( before it")
        return node

    def either(self, depth: int) -> Node:
        if depth > 50:
            self.fail("groups are nested deeper than 50 levels")
        parts = [self.join(depth)]
        while self.peek() == "|":
            self.at += 1
            parts.append(self.join(depth))
        return parts[0] if len(parts) == 1 else ("either", parts)

    def join(self, depth: int) -> Node:
        parts: list[Node] = []
        while self.peek() not in ("", "|", ")"):
            if self.peek() == "$" and self.at == len(self.pattern) - 1:
                self.at += 1
                break
            parts.append(self.repeated(self.single(depth)))
        return "join", parts

    def single(self, depth: int) -> Node:
        sign = self.take()
        if sign == "(":
            if self.peek() == "?":
                if self.pattern[self.at : self.at + 2] != "?:":
                    self.fail("of the groups that begin with (? only (?: ) is known")
                self.at += 2
            inner = self.either(depth + 1)
            if self.take() != ")":
                self.fail("a ( is never closed")
            return inner
        if sign == "[":
            return "set", self.characters()
        if sign == ".":
            return "set", _ANY
        if sign == "\\":
            return "set", self.escape()
        if sign in "*+?{":
            self.fail(f"{sign} has nothing to repeat. Write \\{sign} for the sign itself")
        if sign in "^$":
            self.fail(f"{sign} stands in the middle; a pattern describes the whole text. Write \\{sign} for the sign")
        return "set", Characters(((sign, sign),))

    def repeated(self, node: Node) -> Node:
        times = 0
        while self.peek() in ("*", "+", "?", "{") and self.peek():
            times += 1
            if times > 1:
                self.fail("a repetition is repeated. Put the inner one into ( )")
            sign = self.take()
            least, most = {"*": (0, None), "+": (1, None), "?": (0, 1)}[sign] if sign != "{" else self.counts()
            node = "repeat", (node, least, most)
        return node

    def counts(self) -> tuple[int, int | None]:
        end = self.pattern.find("}", self.at)
        low, comma, high = self.pattern[self.at : max(end, self.at)].partition(",")
        if end < 0 or not low.isdecimal() or (high and not high.isdecimal()):
            self.fail("{ } holds how often: {3}, {2,} or {2,5}. Write \\{ for the sign itself")
        self.at = end + 1
        least = int(low)
        most = (int(high) if high else None) if comma else least
        if max(least, most or 0) > MAX_REPEATS or (most is not None and most < least):
            self.fail(f"the numbers in {{ }} must rise and stay below {MAX_REPEATS:,}")
        return least, most

    def characters(self) -> Characters:
        negated = self.peek() == "^"
        self.at += negated
        ranges: list[tuple[str, str]] = []
        first = True
        while self.peek() != "]" or first:
            first = False
            low = self.member(ranges)
            if low is None:
                continue
            high = low
            if self.peek() == "-" and self.pattern[self.at + 1 : self.at + 2] not in ("", "]"):
                self.at += 1
                high = self.member(ranges) or ""
            if high < low:
                self.fail(f"the range {low}-{high} in [ ] runs backwards")
            ranges.append((low, high))
        self.at += 1
        return Characters(tuple(ranges), negated)

    def member(self, ranges: list[tuple[str, str]]) -> str | None:
        r"""Read a character in [ ]; the ranges of an escape such as \d are added, and None is returned."""
        if self.peek() == "":
            self.fail("a [ is never closed")
        sign = self.take()
        if sign != "\\":
            return sign
        found = self.escape()
        if found.negated:
            self.fail("\\D, \\W and \\S cannot stand in [ ]")
        if len(found.ranges) == 1 and found.ranges[0][0] == found.ranges[0][1]:
            return found.ranges[0][0]
        ranges.extend(found.ranges)
        return None

    def escape(self) -> Characters:
        if self.peek() == "":
            self.fail("a \\ stands at the end")
        sign = self.take()
        if sign.lower() in _CLASSES:
            return Characters(_CLASSES[sign.lower()], sign.isupper())
        if sign.isalnum() and sign not in _ESCAPES:
            self.fail(f"\\{sign} is not known. There are \\d, \\w, \\s, \\D, \\W, \\S and escaped signs")
        plain = _ESCAPES.get(sign, sign)
        return Characters(((plain, plain),))

    def peek(self) -> str:
        return self.pattern[self.at : self.at + 1]

    def take(self) -> str:
        self.at += 1
        return self.pattern[self.at - 1 : self.at]

    def fail(self, problem: str) -> NoReturn:
        raise RuleError(f"the pattern {self.pattern!r} cannot be read: {problem}.")


def quote(text: str) -> str:
    r"""Return a pattern that only this text fits.

    Examples
    --------
    >>> quote("a.b")
    'a\\.b'
    """
    return "".join(f"\\{sign}" if sign in _SPECIAL else sign for sign in text)
