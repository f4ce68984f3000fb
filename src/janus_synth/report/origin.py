"""Where a report comes from: files, the command, and the libraries behind the numbers."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version

LIBRARIES = ("numpy", "pandas", "scikit-learn", "xgboost", "xgboost-cpu", "altair")


@dataclass(frozen=True, slots=True)
class Origin:
    """What is known of the making of a report.

    Attributes
    ----------
    files : mapping of str to str
        Where the ``train``, ``test`` and ``synthetic`` rows come from, as far as that is known.
    command : str, optional
        What makes the same report again.
    """

    files: Mapping[str, str] = field(default_factory=dict)
    command: str | None = None


def file_name(path: str) -> str:
    """A path as a page for others tells it: not where somebody's folders lie.

    Examples
    --------
    >>> file_name("data/rows.csv"), file_name("/home/ada/rows.csv"), file_name("-")
    ('data/rows.csv', 'rows.csv', '-')
    """
    outside = os.path.isabs(path) or os.path.normpath(path).startswith("..")
    return os.path.basename(path) if outside else path


def versions() -> dict[str, str]:
    """Versions of what the numbers depend on, by name; what is not installed is left out."""
    from janus_synth import __version__

    found = {"janus-synth": __version__, "Python": platform.python_version()}
    for library in LIBRARIES:
        try:
            found[library] = version(library)
        except PackageNotFoundError:
            continue
    return found
