"""Every error JANUS raises on purpose.

JanusError
├── DataError            (ValueError)    a table cannot be learnt from or evaluated
├── SchemaError          (ValueError)    a column's kind, type or declared domain does not fit
├── UnknownColumnError   (KeyError)      a column does not exist; carries the closest names
├── StructureError       (ValueError)    a graph or background knowledge cannot be used
│   └── CycleError                       a graph has a loop; carries the loop
├── NotIdentifiedError   (ValueError)    a causal question that the graph does not allow to answer from rows
├── RuleError            (ValueError)    a rule cannot be read or does not fit the table; points at the position
├── InfeasibleError      (ValueError)    no row can satisfy some rules together; carries a smallest conflicting set
├── UndecidedError       (TimeoutError)  whether any row satisfies some rules was not decided in time
├── TimeLimitError       (TimeoutError)  rows were not drawn within the time limit of the request
├── VerificationError    (RuntimeError)  rows contradict an independent estimate of their distribution
├── BiasError            (ValueError)    a bias cannot be planted or audited
├── NotFittedError       (ValueError, AttributeError)  a method needs a fitted model
├── ModelFileError       (ValueError)    a model file is damaged, not a model file, or of a later version
├── MissingExtraError    (ImportError)   an optional library is needed; names the extra
├── PluginError          (ImportError)   a command of another package is absent or cannot be loaded
└── ProjectError         (ValueError)    a project file janus.toml cannot be used; names the file

LearntGraphWarning       (UserWarning)   a causal question to a model whose graph was learnt, not given
AlertWarning             (UserWarning)   columns that are probably read wrongly, such as dates stored as text
"""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Iterable, Sequence
from types import ModuleType


class JanusError(Exception):
    """Base of all errors raised on purpose."""


class LearntGraphWarning(UserWarning):
    """A causal question to a model whose graph was learnt from data and is not trusted."""


class AlertWarning(UserWarning):
    """Columns of a table are probably read wrongly, such as dates stored as text; ``Janus.alerts_`` has the details."""


class DataError(JanusError, ValueError):
    """A table cannot be learnt from or evaluated."""


class SchemaError(JanusError, ValueError):
    """A column's kind, type or declared domain does not fit its values."""

    def __init__(self, message: str, *, column: str | None = None) -> None:
        super().__init__(message)
        self.column = column


class UnknownColumnError(JanusError, KeyError):
    """A column does not exist; ``closest`` holds similar names."""

    def __init__(
        self, name: object, known: Iterable[str], *, where: str = "the table", hint: str | None = None
    ) -> None:
        self.name = name
        self.known = tuple(known)
        self.closest = tuple(difflib.get_close_matches(str(name), self.known, n=3))
        if hint is None:
            hint = f"Did you mean {_either(self.closest)}?" if self.closest else f"It has {_listing(self.known)}."
        super().__init__(f"{where} has no column {name!r}. {hint}")

    def __str__(self) -> str:
        return str(self.args[0])  # KeyError would show the repr of the message


class StructureError(JanusError, ValueError):
    """A graph or background knowledge cannot be used."""


class CycleError(StructureError):
    """A graph has a loop; ``loop`` holds its columns."""

    def __init__(self, loop: Sequence[str]) -> None:
        self.loop = tuple(loop)
        path = " → ".join([*self.loop, self.loop[0]])
        super().__init__(f"the graph has a loop: {path}. Remove one of these edges.")


class NotIdentifiedError(JanusError, ValueError):
    """A causal question that cannot be answered under the graph; ``columns`` holds those that stand in the way."""

    def __init__(self, message: str, *, columns: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.columns = tuple(columns)


class RuleError(JanusError, ValueError):
    """A rule cannot be read, or does not fit the columns it names.

    ``problem`` is the message alone, ``rule`` the text of the rule, and ``position`` the offset in it, if known.
    """

    def __init__(self, problem: str, *, rule: str | None = None, position: int | None = None) -> None:
        self.problem, self.rule, self.position = problem, rule, position
        super().__init__(problem if rule is None else f"{problem}\n{_mark_position(rule, position)}")


class InfeasibleError(JanusError, ValueError):
    """No row can satisfy some rules together; ``conflict`` holds the texts of a smallest conflicting set."""

    def __init__(self, message: str, *, conflict: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.conflict = tuple(conflict)


class UndecidedError(JanusError, TimeoutError):
    """Whether any row satisfies some rules was not decided in time; ``hard`` holds the texts of the hardest ones."""

    def __init__(self, message: str, *, hard: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.hard = tuple(hard)


class TimeLimitError(JanusError, TimeoutError):
    """Rows were not drawn within the time limit of a request.

    ``seconds`` is the limit, ``n_found`` how many of the ``n_wanted`` rows were complete, ``hard`` the texts of the
    longest rules.
    """

    def __init__(self, message: str, *, seconds: float, n_found: int, n_wanted: int, hard: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.seconds, self.n_found, self.n_wanted, self.hard = seconds, n_found, n_wanted, tuple(hard)


class VerificationError(JanusError, RuntimeError):
    """Generated rows contradict an independent estimate of their distribution."""

    def __init__(self, message: str, *, what: str, found: float, expected: float) -> None:
        super().__init__(message)
        self.what, self.found, self.expected = what, found, expected


class BiasError(JanusError, ValueError):
    """A bias cannot be planted or audited."""


class NotFittedError(JanusError, ValueError, AttributeError):
    """A method was called that needs a fitted model."""


class ModelFileError(JanusError, ValueError):
    """A model file is damaged, not a model file, or of a later version."""


class MissingExtraError(JanusError, ImportError):
    """An optional library is needed."""

    def __init__(self, library: str, extra: str, *, purpose: str) -> None:
        self.library, self.extra = library, extra
        super().__init__(f"{purpose} needs {library}. Install it with: pip install 'janus-synth[{extra}]'")


class PluginError(JanusError, ImportError):
    """A command of another package is absent or cannot be loaded; carries both names."""

    def __init__(self, message: str, *, command: str, package: str) -> None:
        super().__init__(message)
        self.command, self.package = command, package


class ProjectError(JanusError, ValueError):
    """A project file cannot be used; ``file`` names it."""

    def __init__(self, message: str, *, file: str) -> None:
        super().__init__(message)
        self.file = file


def require_extra(library: str, extra: str, *, purpose: str) -> ModuleType:
    """Import an optional library; raise ``MissingExtraError`` with the extra that installs it."""
    try:
        return importlib.import_module(library)
    except ImportError as error:
        raise MissingExtraError(library.split(".")[0], extra, purpose=purpose) from error


def _mark_position(text: str, position: int | None, width: int = 48) -> str:
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
