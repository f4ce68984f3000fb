"""Measurements to a dated value that is written, read back and rendered: JSON, Markdown, a terminal.

Only records are kept. Tables are made from them on the way out, so an old file can be rendered anew.
"""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple, Self

from janus_bench.grids import Grid
from janus_synth import __version__
from janus_synth.errors import DataError
from janus_synth.files import write_whole

Record = Mapping[str, Any]

LIBRARIES = (
    "numpy",
    "scipy",
    "pandas",
    "numba",
    "scikit-learn",
    "xgboost",
    "xgboost-cpu",
    "torch",
    "dowhy",
    "fairlearn",
    "ctgan",
    "rdt",
    "pgmpy",
    "causal-learn",
)


class Files(NamedTuple):
    """Where a result was written."""

    json: Path
    markdown: Path


@dataclass(frozen=True, slots=True)
class Result:
    """All records of one run, with what is needed to read them.

    Attributes
    ----------
    kind : str
        What was measured.
    date : str
        When, in UTC.
    machine : mapping
        Versions and hardware.
    options : mapping
        How: tables, methods, seeds, sizes.
    records : sequence of mappings
        One per measurement, plain JSON values.
    """

    kind: str
    date: str
    machine: Record
    options: Record
    records: Sequence[Record]

    @classmethod
    def of(cls, kind: str, *, options: Record, records: Sequence[Record]) -> Self:
        """Date the records of this machine."""
        return cls(kind, datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S"), describe_machine(), options, list(records))

    def to_json(self) -> str:
        """All of it as JSON text."""
        return json.dumps(asdict(self), indent=1, allow_nan=False, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what `to_json` wrote."""
        from janus_bench.catalog import BY_NAME

        found = json.loads(text)
        if not isinstance(found, dict) or found.get("kind") not in BY_NAME:
            raise DataError(f"this is no benchmark result: its kind is none of {', '.join(BY_NAME)}.")
        return cls(**found)

    def fields(self, record: str) -> list[dict[str, Any]]:
        """What all records of a kind hold, in a run whose records say what they are."""
        found = ({**one} for one in self.records if one["record"] == record)
        return [{name: value for name, value in one.items() if name != "record"} for one in found]

    def grids(self) -> list[Grid]:
        """The tables that a reader sees."""
        from janus_bench.catalog import BY_NAME

        return BY_NAME[self.kind].tables(self)

    def to_markdown(self) -> str:
        """A page: what, when, where, how, then the tables."""
        facts = {**self.machine, **self.options}
        listing = [f"- {name}: {_spelled(value)}" for name, value in facts.items()]
        head = f"# JANUS benchmark: {self.kind}, {self.date} UTC"
        return "\n\n".join([head, "\n".join(listing), *(grid.to_markdown() for grid in self.grids())]) + "\n"

    def write(self, folder: str | os.PathLike[str]) -> Files:
        """Write a JSON and a Markdown file named after kind and date."""
        home = Path(folder)
        home.mkdir(parents=True, exist_ok=True)
        stem = f"{self.kind}-{self.date.replace(' ', '-').replace(':', '')}"
        files = Files(home / f"{stem}.json", home / f"{stem}.md")
        write_whole(files.json, self.to_json())
        write_whole(files.markdown, self.to_markdown())
        return files


def read_result(path: str | os.PathLike[str]) -> Result:
    """Read a JSON file of an earlier run; one that is none is told by its name."""
    try:
        return Result.from_json(Path(path).read_text(encoding="utf-8"))
    except (ValueError, TypeError) as error:  # broken JSON, another's JSON, foreign or missing fields
        raise DataError(f"{path} cannot be read as a benchmark result: {error}") from error


def describe_machine() -> dict[str, Any]:
    """Versions and hardware, and how busy it was: a time means little without them."""
    from janus_bench.cores import n_cores

    return {
        "janus-synth": __version__,
        "python": platform.python_version(),
        **{library: found for library in LIBRARIES if (found := _version(library)) is not None},
        "platform": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "cores": n_cores(),
        "load": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None,
    }


def _version(library: str) -> str | None:
    try:
        return version(library)
    except PackageNotFoundError:
        return None


def _processor() -> str:
    """The processor's name, where the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or "unknown"
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown"


def _spelled(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_spelled(item)}" for name, item in value.items()) or "none"
    if isinstance(value, list):
        return ", ".join(_spelled(item) for item in value) or "none"
    return str(value)
