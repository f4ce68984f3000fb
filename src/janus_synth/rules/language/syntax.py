"""Rule text in, Python syntax tree out, with positions in the text and advice for what rules do not allow.

``scan`` checks sizes, quotes and brackets, and masks back-quoted names so that Python's parser accepts them. Every
character stays where it was, so a position in the tree is a position in what the user wrote. Nothing is evaluated.
"""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass
from typing import NoReturn

from janus_synth.errors import RuleError
from janus_synth.rules.language.dates import PARTS
from janus_synth.rules.language.notation import BOOLEANS, SPANS
from janus_synth.rules.language.pieces import CALLS
from janus_synth.rules.language.texts import WAYS

MAX_CHARACTERS = 10_000
MAX_DEPTH = 100
CONDITIONS = ("implies", "iff", "between", "increments", "one_hot", "fixed_combinations", "unique", *WAYS)
"""Functions that are conditions; those of ``SPANS`` are durations, those of ``PARTS`` parts of a date."""
_OPERATOR_WORDS = ("and", "or", "not", "in", "is", "if", "else", "lambda")

_TOKEN = re.compile(
    r"""(?P<triple>'''|\"\"\")
    |(?P<text>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")
    |(?P<name>`(?:[^`]|``)*`)
    |(?P<open>[(\[{])|(?P<close>[)\]}])
    |(?P<stray>[`#;\\])
    |(?P<space>\s+)
    |(?P<date>\d{4}-(?:0?[1-9]|1[0-2])-(?:0?[1-9]|[12]\d|3[01])(?![\w.])(?:[T ]\d\d:\d\d(?::\d\d)?)?)
    |(?P<word>[^\W\d]\w*)
    |(?P<other>\d[\w.]*|.)""",
    re.VERBOSE | re.DOTALL,
)
_STRAY = {
    "`": "a back-quote is never closed. Write `column name` with one on each side",
    "#": "comments are not part of a rule. Leave them out, or write a name with '#' in `back-quotes`",
    ";": "one text is one rule. Join two conditions with and",
    "\\": "a backslash has no meaning here. Leave it out",
}
_HINTS = (
    (re.compile(r"&&|(?<![\w`])AND(?![\w`])"), "Write and to join conditions."),
    (re.compile(r"\|\||(?<![\w`])OR(?![\w`])"), "Write or between alternatives."),
    (re.compile(r"!(?!=)|(?<![\w`])NOT(?![\w`])"), "Write not to negate."),
    (re.compile(r"<>|≠"), "Write != for unequal."),
    (re.compile(r"≤|≥|=<|=>"), "Write <= and >=."),
    (re.compile(r"(?<![<>=!:])=(?!=)"), "Write == to compare."),
    (re.compile(r"(?i)\bbetween\b(?!\s*\()"), "Write between(x, low, high) or low <= x <= high."),
    (re.compile(r"\bnot\s+(matches|starts_with|ends_with|contains)\b"), "Write not (x matches 'text')."),
    (re.compile(r"(?<![\w`])(IN|IS)(?![\w`])"), "Write in and is in small letters."),
    (re.compile(r"[^\W\d]\w*\s+[^\W\d]"), "Write names with spaces or signs in `back-quotes`."),
)
_KNOWN = f"The functions of a rule are {', '.join((*CONDITIONS, *CALLS, 'round', *PARTS))} and {', '.join(SPANS)}."
_UNSUPPORTED: dict[type[ast.AST], str] = {
    ast.Attribute: "a dot reaches into an object, which rules cannot do. Write a name with a dot in `back-quotes`.",
    ast.Subscript: "square brackets after a name are not part of a rule. Write the column's name alone.",
    ast.Lambda: "a lambda is code, and rules are not run. Write the condition itself.",
    ast.JoinedStr: "an f-string is code, and rules are not run. Put the value into the text first.",
    ast.IfExp: "if ... else is not part of a rule. Write implies(condition, consequence).",
    ast.NamedExpr: ":= is not part of a rule. Write == to compare.",
    ast.ListComp: "a comprehension is code, and rules are not run. List the values.",
    ast.SetComp: "a comprehension is code, and rules are not run. List the values.",
    ast.DictComp: "a comprehension is code, and rules are not run. List the values.",
    ast.GeneratorExp: "a comprehension is code, and rules are not run. List the values.",
    ast.Starred: "* before a name is not part of a rule. List the values.",
    ast.Dict: "a dict is not part of a rule. Write conditions joined with and.",
}
_OPERATORS: dict[type[ast.operator], str] = {
    ast.Mod: "% is not part of a rule. For multiples write increments(x, step).",
    ast.FloorDiv: "// is not part of a rule. Divide with / by a number.",
    ast.BitAnd: "& joins conditions in Python; in a rule's text write and.",
    ast.BitOr: "| joins conditions in Python; in a rule's text write or.",
}


@dataclass(frozen=True, slots=True)
class Source:
    """A rule's text, and the same text as Python's parser accepts it, with what was replaced by position.

    ``names`` were in back-quotes; ``words`` such as ``matches`` became an operator of Python that rules do not use.
    """

    text: str
    masked: str
    names: dict[int, str]
    words: dict[int, str]

    @property
    def indent(self) -> int:
        """Leading spaces, which are removed before parsing."""
        return len(self.masked) - len(self.masked.lstrip())

    def position(self, node: ast.AST) -> int:
        """Position of a node in the text."""
        return self._from_offset(getattr(node, "col_offset", 0))

    def end(self, node: ast.expr) -> int:
        """Position after a node."""
        return self._from_offset(node.end_col_offset or 0)

    def _from_offset(self, column: int) -> int:
        """Convert Python's offset, which counts UTF-8 bytes."""
        if self.masked.isascii():
            return self.indent + column
        return self.indent + len(self.masked.lstrip().encode()[:column].decode(errors="ignore"))

    def name(self, node: ast.Name) -> str:
        """Column name as the user wrote it; Python's parser would normalise letters such as ligatures."""
        start = self.position(node)
        if start in self.names:
            return self.names[start]
        return node.id if self.text.isascii() else self.text[start : self.end(node)]

    def word(self, node: ast.BinOp) -> str | None:
        """Word between the two sides of an operator, if the user wrote one."""
        between = range(self.end(node.left), self.position(node.right))
        return next((word for at, word in self.words.items() if at in between), None)

    def fail(self, problem: str, at: ast.AST | int) -> NoReturn:
        """Raise ``RuleError`` that points at a place in the text."""
        position = at if isinstance(at, int) else self.position(at)
        raise RuleError(problem, rule=self.text, position=position)


def scan(text: str) -> Source:
    """Check a text's size, quotes and brackets, and mask back-quoted names."""
    if not isinstance(text, str):
        raise RuleError(f"a rule is text, not {type(text).__name__}. Write something like 'age >= 18'.")
    if len(text) > MAX_CHARACTERS:
        raise RuleError(f"the rule has {len(text):,} characters; at most {MAX_CHARACTERS:,} are read. Split it.")
    source = Source(text, text, {}, {})
    if not text.strip():
        source.fail("the rule is empty. Write a condition such as 'age >= 18'.", 0)
    pieces: list[str] = []
    names: dict[int, str] = {}
    words: dict[int, str] = {}
    depth = signs = 0
    last = "space"
    follows_value = False
    for match in _TOKEN.finditer(text):
        kind, piece = match.lastgroup or "other", match[0]
        at = match.start()
        if kind == "space":
            pieces.append(" " * len(piece))
            continue
        if kind == "triple":
            source.fail("text is written in single quotes: 'Rome'.", at)
        if kind == "stray":
            source.fail(_STRAY[piece] + ".", at)
        if kind == last == "text":
            source.fail("two texts follow each other. Put a comma between them.", at)
        if kind == "date":
            source.fail(f"a date stands in quotes: '{piece}'. For a subtraction put spaces around -.", at)
        if piece in WAYS and follows_value:
            words[at] = piece
            piece, kind = "@".ljust(len(piece)), "other"
        piece = BOOLEANS.get(piece, piece)
        if kind == "name":
            names[at] = piece[1:-1].replace("``", "`")
            piece = "q" * len(piece)
        depth += (kind == "open") - (kind == "close")
        signs = signs + 1 if piece in ("not", "-", "+", "~") else 0
        if depth > MAX_DEPTH or signs > MAX_DEPTH:
            source.fail(f"the rule is nested deeper than {MAX_DEPTH} levels. Split it into several rules.", at)
        pieces.append(piece)
        last = kind
        follows_value = kind in ("name", "close", "text") or (kind == "word" and piece not in _OPERATOR_WORDS)
        follows_value = follows_value or piece[0].isdigit()
    return Source(text, "".join(pieces), names, words)


def parse_syntax(source: Source) -> ast.expr:
    """Parse a rule with Python's own parser; nothing is evaluated."""
    masked = source.masked.lstrip()  # Python does not allow indentation
    try:
        if "\\" not in masked and not re.search(r"\d[a-z]", masked):
            return ast.parse(masked, mode="eval").body
        with warnings.catch_warnings():  # unknown escapes and '1or x' warn
            warnings.simplefilter("ignore")
            return ast.parse(masked, mode="eval").body
    except SyntaxError as error:
        at = min(max((error.offset or 1) - 1, 0) + source.indent, len(source.text))
        source.fail(f"this is not a rule: {error.msg}. {_hint(masked)}", at)
    except (RecursionError, MemoryError):
        source.fail("the rule is nested too deeply. Split it into several rules.", 0)
    except ValueError as error:  # a null byte, half a surrogate pair, a number of thousands of digits
        source.fail(f"this is not a rule: {error}.", 0)


def _hint(masked: str) -> str:
    bare = re.sub(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", lambda match: " " * len(match[0]), masked)
    return next((hint for pattern, hint in _HINTS if pattern.search(bare)), "Write something like 'age >= 18'.")


def explain_unsupported(node: ast.expr) -> tuple[str, ast.expr]:
    """Say why syntax is not part of a rule and what to write instead, and which node to point at."""
    match node:
        case ast.BinOp(op=op):
            return _OPERATORS.get(type(op), "this operator is not part of a rule. Use + - * / **."), node
        case ast.UnaryOp(ast.Invert()):
            return "~ negates in Python; in a rule's text write not.", node
        case ast.Call(ast.Name(name)):
            return f"there is no function {name!r} in rules. {_KNOWN}", node
        case ast.Call(func):
            return _UNSUPPORTED.get(type(func), f"only named functions can be called. {_KNOWN}"), func
    return _UNSUPPORTED.get(type(node), f"{type(node).__name__} is not part of a rule. {_KNOWN}"), node
