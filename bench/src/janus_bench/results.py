"""The `Result` of a run: records with date, machine and options, written to JSON and read back.

Only records are stored. `rendering` makes tables from them, so an old file can be rendered again.
"""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, fields
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from janus_bench.stopwatch import n_cores
from janus_synth import __version__
from janus_synth.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

Record = Mapping[str, Any]

LIBRARIES = (
    "numpy",
    "scipy",
    "pandas",
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


@dataclass(frozen=True, slots=True)
class Result:
    """All records of one run, and how they were measured.

    Attributes
    ----------
    kind : str
        Name of the benchmark.
    date : str
        Date and time in UTC.
    machine : mapping
        Versions and hardware.
    options : mapping
        Options of the run: tables, methods, seeds, sizes.
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
        """A result of these records, with the current date and a description of this machine."""
        return cls(kind, datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S"), describe_machine(), options, list(records))

    def to_json(self) -> str:
        """The whole result as JSON text."""
        return json.dumps(asdict(self), indent=1, allow_nan=False, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what `to_json` wrote."""
        found = json.loads(text)
        names = [field.name for field in fields(cls)]
        if not isinstance(found, dict) or set(found) != set(names):
            raise DataError(f"this is no benchmark result: its fields are not {', '.join(names)}.")
        return cls(**found)

    def frame(self, kind: type) -> pd.DataFrame:
        """Records of a dataclass as a table with a column per field; None becomes NaN.

        The items of a field that is a mapping, such as ``scores``, become columns: ``scores.csr``. Records that do
        not name their dataclass belong to it if they hold all its fields that have no default.

        Examples
        --------
        >>> @dataclass
        ... class Trial:
        ...     method: str
        ...     scores: dict
        ...     seconds: float
        >>> records = [{"method": "CART", "scores": {"csr": 0.5}, "seconds": None}]
        >>> Result("demo", "", {}, {}, records).frame(Trial)
          method  seconds  scores.csr
        0   CART      NaN         0.5
        """
        import pandas as pd

        name = kind.__name__.lower()
        required = {one.name for one in fields(kind) if one.default is MISSING and one.default_factory is MISSING}
        records = [one for one in self.records if one.get("record", name) == name and required <= set(one)]
        found = pd.json_normalize([dict(one) for one in records])
        found = found.drop(columns="record", errors="ignore")
        missing = {
            field.name: None
            for field in fields(kind)
            if not any(column == field.name or str(column).startswith(f"{field.name}.") for column in found)
        }
        found = found.assign(**missing)
        empty = [column for column in found if found[column].isna().all()]
        return found.astype(dict.fromkeys(empty, float))


def describe_machine() -> dict[str, Any]:
    """Versions, hardware and load, which measured times depend on."""
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
    """Name of the processor, where the system provides it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or "unknown"
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown"


@cache
def machine_of_times() -> dict[str, Any]:
    """Python version and hardware: what a time depends on besides the code of the method."""
    found = describe_machine()
    return {name: found[name] for name in ("python", "processor", "cores")}
