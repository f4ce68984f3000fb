"""Bad partitions: an error that names the partition in; that error, or a note that the partition is left out, out."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from janus_synth.alerts import Alert
from janus_synth.alerts.alert import make_alert
from janus_synth.errors import DataError

CHOICES = ("error", "skip")
"""What to do about bad partitions."""
MOST_NAMED = 5
"""Partitions that a message names."""


class BadPartitionError(DataError):
    """A partition cannot be read, or does not go with the others."""

    def __init__(self, label: str, reason: str, advice: str = "Correct or remove the file.") -> None:
        reason = reason.rstrip(".")
        super().__init__(f"{label} {reason}. {advice}".rstrip())
        self.label, self.reason, self.advice = label, reason, advice

    def __reduce__(self) -> tuple[type[BadPartitionError], tuple[str, str, str]]:
        return type(self), (self.label, self.reason, self.advice)  # workers send it to the process that started them


class SkippedFile(NamedTuple):
    """A file, or another partition of a source, that a fit left out.

    Attributes
    ----------
    name : str
        The file.
    reason : str
        Why it was left out.

    Examples
    --------
    >>> print(SkippedFile("march.csv", "lacks 'age', unlike april.csv"))
    march.csv lacks 'age', unlike april.csv
    """

    name: str
    reason: str

    def __str__(self) -> str:
        return f"{self.name} {self.reason}"


@dataclass(slots=True)
class BadFiles:
    """What to do about bad partitions, and those that were left out so far."""

    choice: str = "error"
    found: dict[str, str] = field(default_factory=dict)

    @property
    def skips(self) -> bool:
        """Whether bad partitions are left out."""
        return self.choice == "skip"

    @property
    def skipped(self) -> tuple[SkippedFile, ...]:
        """Partitions that were left out, by name."""
        return tuple(SkippedFile(*each) for each in sorted(self.found.items()))

    def handle(self, error: BadPartitionError) -> None:
        """Raise the error, or note that its partition is left out."""
        if not self.skips:
            raise error
        self.found[error.label] = error.reason


def warn_of_skipped(skipped: Iterable[SkippedFile]) -> None:
    """Warn of partitions that were left out."""
    if lines := [str(each) for each in skipped]:
        n = len(lines)
        warnings.warn(f"left out {n:,} {'file' if n == 1 else 'files'}: {_shorten_list(lines, '; ')}.", stacklevel=4)


def file_alerts(
    skipped: Iterable[SkippedFile], *, empty: Iterable[str] = (), null: Iterable[str] = ()
) -> tuple[Alert, ...]:
    """Alerts about partitions that were left out, have no rows, or have nothing but nulls."""
    found: list[Alert] = []
    if lines := [str(each) for each in skipped]:
        message = f"{len(lines):,} of the files cannot be used: {_shorten_list(lines, '; ')}"
        found.append(make_alert(None, "skipped-files", message, "their rows are not learnt", remedy="correct them"))
    if names := list(empty):
        message = f"files without rows: {_shorten_list(names, ', ')}"
        found.append(make_alert(None, "empty-files", message, "nothing is learnt from them", remedy="check them"))
    if names := list(null):
        message = f"files in which every cell is null: {_shorten_list(names, ', ')}"
        found.append(make_alert(None, "null-files", message, "their rows count as rows of nulls", remedy="check them"))
    return tuple(found)


def _shorten_list(texts: list[str], separator: str) -> str:
    more = len(texts) - MOST_NAMED
    return separator.join(texts[:MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")
