"""Rule text before Python sees it: back-quoted names out, sizes checked, positions kept.

Every character stays where it was, so a position in the tree is a position in what the user wrote.
"""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass
from typing import NoReturn

from janus_synth.errors import RuleError

MAX_CHARACTERS = 10_000
MAX_DEPTH = 100

_TOKEN = re.compile(
    r"""(?P<triple>'''|\"\"\")
    |(?P<text>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")
    |(?P<name>`(?:[^`]|``)*`)
    |(?P<open>[(\[{])|(?P<close>[)\]}])
    |(?P<odd>[`#;\\])
    |(?P<space>\s+)
    |(?P<word>[^\W\d]\w*)
    |(?P<other>\d[\w.]*|.)""",
    re.VERBOSE | re.DOTALL,
)
_ODD = {
    "`": "a back-quote is never closed. Write `odd name` with one on each side",
    "#": "comments are not part of a rule. Leave them out, or write a name with '#' in `back-quotes`",
    ";": "one text is one rule. Join two conditions with and",
    "\\": "a backslash means nothing here. Leave it out",
}
_HINTS = (
    (re.compile(r"&&|(?<![\w`])AND(?![\w`])"), "Write and to join conditions."),
    (re.compile(r"\|\||(?<![\w`])OR(?![\w`])"), "Write or between alternatives."),
    (re.compile(r"!(?!=)|(?<![\w`])NOT(?![\w`])"), "Write not to negate."),
    (re.compile(r"<>|≠"), "Write != for unequal."),
    (re.compile(r"≤|≥|=<|=>"), "Write <= and >=."),
    (re.compile(r"(?<![<>=!:])=(?!=)"), "Write == to compare."),
    (re.compile(r"(?i)\bbetween\b(?!\s*\()"), "Write between(x, low, high) or low <= x <= high."),
    (re.compile(r"(?<![\w`])(IN|IS)(?![\w`])"), "Write in and is in small letters."),
    (re.compile(r"[^\W\d]\w*\s+[^\W\d]"), "Write names with spaces or signs in `back-quotes`."),
)


@dataclass(frozen=True, slots=True)
class Source:
    """A rule's text, the same text with every back-quoted name blotted out, and those names by position."""

    text: str
    blotted: str
    names: dict[int, str]

    @property
    def indent(self) -> int:
        """Leading spaces, which the tree does not know of."""
        return len(self.blotted) - len(self.blotted.lstrip())

    def position(self, node: ast.AST) -> int:
        """Position of a node in the text; Python counts in bytes."""
        return self._place(getattr(node, "col_offset", 0))

    def end(self, node: ast.expr) -> int:
        """Position after a node."""
        return self._place(node.end_col_offset or 0)

    def _place(self, column: int) -> int:
        if self.blotted.isascii():
            return self.indent + column
        return self.indent + len(self.blotted.lstrip().encode()[:column].decode(errors="ignore"))

    def name(self, node: ast.Name) -> str:
        """Column name as the user wrote it; Python would fold look-alike letters."""
        start = self.position(node)
        if start in self.names:
            return self.names[start]
        return node.id if self.text.isascii() else self.text[start : self.end(node)]

    def fail(self, problem: str, at: ast.AST | int) -> NoReturn:
        """Refuse the rule, pointing at a place."""
        position = at if isinstance(at, int) else self.position(at)
        raise RuleError(problem, rule=self.text, position=position)


def scan(text: str) -> Source:
    """Check a text's size, quotes and brackets, and blot out back-quoted names."""
    if not isinstance(text, str):
        raise RuleError(f"a rule is text, not {type(text).__name__}. Write something like 'age >= 18'.")
    if len(text) > MAX_CHARACTERS:
        raise RuleError(f"the rule has {len(text):,} characters; at most {MAX_CHARACTERS:,} are read. Split it.")
    source = Source(text, text, {})
    if not text.strip():
        source.fail("the rule is empty. Write a condition such as 'age >= 18'.", 0)
    pieces: list[str] = []
    names: dict[int, str] = {}
    depth = signs = 0
    last = "space"
    for match in _TOKEN.finditer(text):
        kind, piece = match.lastgroup or "other", match[0]
        at = match.start()
        if kind == "space":
            pieces.append(" " * len(piece))
            continue
        if kind == "triple":
            source.fail("text is written in single quotes: 'Rome'.", at)
        if kind == "odd":
            source.fail(_ODD[piece] + ".", at)
        if kind == last == "text":
            source.fail("two texts stand side by side. Put a comma between them.", at)
        if kind == "name":
            names[at] = piece[1:-1].replace("``", "`")
            piece = "q" * len(piece)
        depth += (kind == "open") - (kind == "close")
        signs = signs + 1 if piece in ("not", "-", "+", "~") else 0
        if depth > MAX_DEPTH or signs > MAX_DEPTH:
            source.fail(f"the rule is nested deeper than {MAX_DEPTH} levels. Split it into several rules.", at)
        pieces.append(piece)
        last = kind
    return Source(text, "".join(pieces), names)


def tree_of(source: Source) -> ast.expr:
    """Syntax tree of a rule by Python's own parser; nothing is evaluated."""
    blotted = source.blotted.lstrip()  # Python refuses indentation
    try:
        if "\\" not in blotted and not re.search(r"\d[a-z]", blotted):
            return ast.parse(blotted, mode="eval").body
        with warnings.catch_warnings():  # odd escapes and '1or x' warn
            warnings.simplefilter("ignore")
            return ast.parse(blotted, mode="eval").body
    except SyntaxError as error:
        at = min(max((error.offset or 1) - 1, 0) + source.indent, len(source.text))
        source.fail(f"this is no rule: {error.msg}. {_hint(blotted)}", at)
    except (RecursionError, MemoryError):
        source.fail("the rule is nested too deeply. Split it into several rules.", 0)
    except ValueError as error:  # a null byte, half a surrogate pair, a number of thousands of digits
        source.fail(f"this is no rule: {error}.", 0)


def _hint(blotted: str) -> str:
    bare = re.sub(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", lambda match: " " * len(match[0]), blotted)
    return next((hint for pattern, hint in _HINTS if pattern.search(bare)), "Write something like 'age >= 18'.")
