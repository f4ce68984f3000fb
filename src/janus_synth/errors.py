"""Every error JANUS raises on purpose.

JanusError
├── DataError            (ValueError)    a table that cannot be learnt from or judged
├── SchemaError          (ValueError)    a column's kind, type or declared domain does not fit
├── UnknownColumnError   (KeyError)      a column name nobody knows; carries the closest names
├── StructureError       (ValueError)    a graph or background knowledge that cannot be used
│   └── CycleError                       a graph with a loop; carries the loop
├── RuleError            (ValueError)    a rule that cannot be read or does not fit the table; points at the place
├── InfeasibleError      (ValueError)    rules that no row can keep together; carries the smallest set that clashes
├── VerificationError    (RuntimeError)  rows that an independent estimate of their distribution contradicts
├── BiasError            (ValueError)    a bias that cannot be planted, or audited
├── NotFittedError       (ValueError, AttributeError)  a question put to a model that has not seen data
├── ModelFileError       (ValueError)    a model file that is foreign, damaged or from the future
├── MissingExtraError    (ImportError)   an optional library is needed; names the extra
└── PluginError          (ImportError)   a command of another package that is absent or cannot be loaded

LearntGraphWarning       (UserWarning)   a causal question put to a graph that nobody vouches for
"""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Iterable, Sequence
from types import ModuleType


class JanusError(Exception):
    """Base of all errors raised on purpose."""


class LearntGraphWarning(UserWarning):
    """A causal question was put to a learnt graph that nobody vouches for."""


class DataError(JanusError, ValueError):
    """A table that cannot be learnt from or judged."""


class SchemaError(JanusError, ValueError):
    """A column's kind, type or declared domain does not fit its values."""

    def __init__(self, message: str, *, column: str | None = None) -> None:
        super().__init__(message)
        self.column = column


class UnknownColumnError(JanusError, KeyError):
    """A column name nobody knows."""

    def __init__(self, name: object, known: Iterable[str], *, where: str = "the table") -> None:
        self.name = name
        self.known = tuple(known)
        self.closest = tuple(difflib.get_close_matches(str(name), self.known, n=3))
        hint = f"Did you mean {_either(self.closest)}?" if self.closest else f"It has {_listing(self.known)}."
        super().__init__(f"{where} has no column {name!r}. {hint}")

    def __str__(self) -> str:
        return str(self.args[0])  # KeyError would show the repr of the message


class StructureError(JanusError, ValueError):
    """A graph or background knowledge that cannot be used."""


class CycleError(StructureError):
    """A graph with a loop."""

    def __init__(self, loop: Sequence[str]) -> None:
        self.loop = tuple(loop)
        path = " → ".join([*self.loop, self.loop[0]])
        super().__init__(f"the graph has a loop: {path}. Remove one of these edges.")


class RuleError(JanusError, ValueError):
    """A rule that cannot be read, or that does not fit the columns it names.

    ``problem`` is the message alone, ``rule`` the text it is about and ``position`` where in it, if known.
    """

    def __init__(self, problem: str, *, rule: str | None = None, position: int | None = None) -> None:
        self.problem, self.rule, self.position = problem, rule, position
        super().__init__(problem if rule is None else f"{problem}\n{_pointed(rule, position)}")


class InfeasibleError(JanusError, ValueError):
    """Rules that no row can keep together; ``conflict`` holds the texts of those that clash."""

    def __init__(self, message: str, *, conflict: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.conflict = tuple(conflict)


class VerificationError(JanusError, RuntimeError):
    """Rows whose distribution an independent estimate contradicts."""

    def __init__(self, message: str, *, what: str, found: float, expected: float) -> None:
        super().__init__(message)
        self.what, self.found, self.expected = what, found, expected


class BiasError(JanusError, ValueError):
    """A bias that cannot be planted, or audited."""


class NotFittedError(JanusError, ValueError, AttributeError):
    """A question put to a model that has not seen data."""


class ModelFileError(JanusError, ValueError):
    """A model file that is foreign, damaged or from the future."""


class MissingExtraError(JanusError, ImportError):
    """An optional library is needed."""

    def __init__(self, library: str, extra: str, *, purpose: str) -> None:
        self.library, self.extra = library, extra
        super().__init__(f"{purpose} needs {library}. Install it with: pip install 'janus-synth[{extra}]'")


class PluginError(JanusError, ImportError):
    """A command of another package that is absent or cannot be loaded; carries both names."""

    def __init__(self, message: str, *, command: str, package: str) -> None:
        super().__init__(message)
        self.command, self.package = command, package


def require_extra(library: str, extra: str, *, purpose: str) -> ModuleType:
    """Import an optional library, or say which extra brings it."""
    try:
        return importlib.import_module(library)
    except ImportError as error:
        raise MissingExtraError(library.split(".")[0], extra, purpose=purpose) from error


def _pointed(text: str, position: int | None, width: int = 48) -> str:
    """Show a text, or the part of it around a position with a caret below."""
    at = position or 0
    start, stop = max(0, at - width), at + width
    shown = " ".join(text[start:stop].splitlines()) if text[start:stop].strip() else "(empty)"
    before, after = "…" * (start > 0), "…" * (stop < len(text))
    line = f"    {before}{shown}{after}"
    return line if position is None else f"{line}\n    {' ' * (at - start + len(before))}^"


def _either(names: Sequence[str]) -> str:
    return " or ".join(repr(name) for name in names)


def _listing(names: Sequence[str], most: int = 8) -> str:
    shown = ", ".join(repr(name) for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
