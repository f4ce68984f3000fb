"""A folder of records and drawn rows: a kind and a key in, a record or a table out. Files are written atomically."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from platformdirs import user_cache_path

from janus_synth.files import write_whole

if TYPE_CHECKING:
    import pandas as pd

CACHE_FOLDER = "JANUS_CACHE"
"""Environment variable that names the folder of measurements."""

Record = dict[str, Any]


def default_folder() -> Path:
    """The folder in ``JANUS_CACHE``, or one in the user's cache folder.

    Examples
    --------
    >>> default_folder().is_absolute()
    True
    """
    named = os.environ.get(CACHE_FOLDER)
    return Path(named).expanduser().absolute() if named else user_cache_path("janus-synth") / "bench"


class Store:
    """Records by kind and key; a record is either complete or absent.

    Parameters
    ----------
    folder : path, optional
        Where the files are; by default `default_folder`.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = Store(folder)
    ...     store.write("fidelity", "ab12", {"auc": 0.5}, about={"table": "ring"})
    ...     store.read("fidelity", "ab12"), store.read("fidelity", "cd34")
    ({'auc': 0.5}, None)
    """

    def __init__(self, folder: str | os.PathLike[str] | None = None) -> None:
        self.folder = default_folder() if folder is None else Path(folder)

    def path(self, kind: str, key: str) -> Path:
        """Path of a record, whether it exists or not."""
        return self.folder / kind / f"{key}.json"

    def read(self, kind: str, key: str) -> Record | None:
        """A record, or None if it is missing or unreadable."""
        try:
            found = json.loads(self.path(kind, key).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        record = found.get("record") if isinstance(found, dict) else None
        return record if isinstance(record, dict) else None

    def write(self, kind: str, key: str, record: Mapping[str, Any], *, about: Mapping[str, Any]) -> None:
        """Write a record together with its cell; a new file replaces the old one atomically."""
        text = json.dumps({"cell": about, "record": record}, indent=1, ensure_ascii=False, default=str)
        _write(self.path(kind, key), text)

    def read_rows(self, kind: str, key: str) -> pd.DataFrame | None:
        """A table, or None if it is missing or unreadable."""
        import pandas as pd

        try:
            return pd.read_parquet(self._rows(kind, key))
        except (OSError, ValueError):  # pyarrow's own errors are ValueErrors
            return None

    def write_rows(self, kind: str, key: str, frame: pd.DataFrame) -> None:
        """Write a table, atomically."""
        _write(self._rows(kind, key), frame.to_parquet())

    def _rows(self, kind: str, key: str) -> Path:
        return self.path(kind, key).with_suffix(".parquet")


def _write(path: Path, content: str | bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, content)
